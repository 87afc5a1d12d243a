//! Points as a Parquet file: the columns of the CSV export with their types, and all repetitions as a list.
//!
//! Invariant: memory has the points of one row group.
//! Never here: texts that are changed for spreadsheets.

use std::io::{self, Write};
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;

use results::Outcome;

use super::{ExportError, ExportLine, each};
use crate::store::{SeriesSummary, Store};

/// The points of a row group.
const ROWS_MAX: usize = 65_536;

/// The columns of the CSV export, in the same order, and the repetitions.
const SCHEMA: &str = "message point {
    REQUIRED INT64 time (TIMESTAMP(MICROS, true));
    OPTIONAL DOUBLE value;
    REQUIRED BINARY unit (STRING);
    REQUIRED BINARY system (STRING);
    REQUIRED BINARY place (STRING);
    REQUIRED BINARY plan (STRING);
    REQUIRED BINARY scale (STRING);
    REQUIRED BINARY test (STRING);
    REQUIRED BINARY metric (STRING);
    REQUIRED INT64 repetitions;
    OPTIONAL BINARY outcome (STRING);
    OPTIONAL DOUBLE threshold;
    OPTIONAL BINARY why (STRING);
    OPTIONAL DOUBLE fill;
    OPTIONAL DOUBLE concurrency;
    REQUIRED BINARY source (STRING);
    REQUIRED BINARY evidence (STRING);
    REQUIRED BINARY location (STRING);
    REQUIRED GROUP values (LIST) { REPEATED GROUP list { REQUIRED DOUBLE element; } }
}";

/// A Parquet file with all points of these series.
pub fn parquet(
    store: &Store,
    series: &[SeriesSummary],
    out: &mut (dyn Write + Send),
) -> Result<(), ExportError> {
    let schema = Arc::new(parse_message_type(SCHEMA).expect("a sound schema"));
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(failed)?;
    let mut waiting = RowGroup::new();
    each(store, series, |line| {
        waiting.push(line);
        if waiting.rows == ROWS_MAX { waiting.write(&mut file).map_err(failed) } else { Ok(()) }
    })?;
    if waiting.rows > 0 {
        waiting.write(&mut file).map_err(failed)?;
    }
    file.close().map_err(failed)?;
    Ok(())
}

fn failed(error: ParquetError) -> ExportError {
    ExportError::Output(match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        other => io::Error::other(other),
    })
}

/// A value of a line.
enum ColumnValue<'l> {
    Integer(i64),
    Number(Option<f64>),
    Text(Option<&'l str>),
    List(&'l [f64]),
}

/// The values of a column. The level of a missing value is 0, otherwise 1; columns without missing values
/// ignore it.
enum ColumnBuffer {
    Integers(Vec<i64>),
    Numbers {
        values: Vec<f64>,
        levels: Vec<i16>,
    },
    Texts {
        values: Vec<ByteArray>,
        levels: Vec<i16>,
    },
    /// The second level is 1 for all values of a list but the first.
    Lists {
        values: Vec<f64>,
        levels: Vec<i16>,
        follows: Vec<i16>,
    },
}

/// Points that are not written yet, by column.
struct RowGroup {
    columns: Vec<ColumnBuffer>,
    rows: usize,
}

impl RowGroup {
    fn new() -> Self {
        Self { columns: Vec::new(), rows: 0 }
    }

    fn push(&mut self, line: &ExportLine<'_>) {
        let values = values(line);
        if self.columns.is_empty() {
            self.columns = values.iter().map(ColumnBuffer::of).collect();
        }
        self.columns.iter_mut().zip(values).for_each(|(column, value)| column.push(value));
        self.rows += 1;
    }

    fn write<W: Write + Send>(&mut self, file: &mut SerializedFileWriter<W>) -> Result<(), ParquetError> {
        let mut group = file.next_row_group()?;
        for column in self.columns.drain(..) {
            let mut out = group.next_column()?.expect("as many columns as values");
            column.write(&mut out)?;
            out.close()?;
        }
        group.close()?;
        self.rows = 0;
        Ok(())
    }
}

/// The values of a line, in the order of the columns.
fn values<'l>(line: &ExportLine<'l>) -> [ColumnValue<'l>; 19] {
    use ColumnValue::{Integer, List, Number, Text};
    let series = line.series;
    [
        Integer((line.time * 1e6).round() as i64),
        Number(line.value),
        Text(Some(&series.unit)),
        Text(Some(&series.system)),
        Text(Some(&series.place)),
        Text(Some(&series.plan)),
        Text(Some(&series.scale)),
        Text(Some(&series.test)),
        Text(Some(&series.metric)),
        Integer(line.repetitions as i64),
        Text(line.outcome.map(Outcome::words)),
        Number(line.threshold),
        Text(line.why),
        Number(line.fill),
        Number(line.concurrency),
        Text(Some(line.source)),
        Text(Some(line.evidence)),
        Text(Some(line.location)),
        List(line.values),
    ]
}

impl ColumnBuffer {
    fn of(value: &ColumnValue<'_>) -> Self {
        let levels = Vec::new();
        match value {
            ColumnValue::Integer(_) => Self::Integers(Vec::new()),
            ColumnValue::Number(_) => Self::Numbers { values: Vec::new(), levels },
            ColumnValue::Text(_) => Self::Texts { values: Vec::new(), levels },
            ColumnValue::List(_) => Self::Lists { values: Vec::new(), levels, follows: Vec::new() },
        }
    }

    fn push(&mut self, value: ColumnValue<'_>) {
        match (self, value) {
            (Self::Integers(values), ColumnValue::Integer(value)) => values.push(value),
            (Self::Numbers { values, levels }, ColumnValue::Number(value)) => {
                levels.push(i16::from(value.is_some()));
                values.extend(value);
            }
            (Self::Texts { values, levels }, ColumnValue::Text(text)) => {
                levels.push(i16::from(text.is_some()));
                // Points of a series have the same names, so their bytes are shared.
                values.extend(text.map(|text| match values.last() {
                    Some(last) if last.data() == text.as_bytes() => last.clone(),
                    _ => ByteArray::from(text),
                }));
            }
            (Self::Lists { values, levels, follows }, ColumnValue::List(list)) => {
                let length = list.len().max(1);
                levels.extend((0..length).map(|_| i16::from(!list.is_empty())));
                follows.extend((0..length).map(|at| i16::from(at > 0)));
                values.extend(list);
            }
            _ => unreachable!("the values of a column have one type"),
        }
    }

    fn write(&self, out: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match self {
            Self::Integers(values) => out.typed::<Int64Type>().write_batch(values, None, None),
            Self::Numbers { values, levels } => {
                out.typed::<DoubleType>().write_batch(values, Some(levels), None)
            }
            Self::Texts { values, levels } => {
                out.typed::<ByteArrayType>().write_batch(values, Some(levels), None)
            }
            Self::Lists { values, levels, follows } => {
                out.typed::<DoubleType>().write_batch(values, Some(levels), Some(follows))
            }
        }?;
        Ok(())
    }
}
