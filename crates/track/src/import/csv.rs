//! Comma-separated values with a header. Each line is a point.
//!
//! A column with the name of a field is that field. A mapping names other columns, and a constant is the same
//! for all lines.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use results::comparison::MetricDirection;
use results::history::{EntrySource, HistoryEntry, MeasuredPoint, SeriesId};
use units::Quantity;

use super::{ImportError, number, seconds};

/// The fields of a point, with their meaning.
pub const FIELDS: &[(&str, &str)] = &[
    ("time", "when it was measured: seconds since 1970, RFC 3339, or a local date and time"),
    ("value", "the rate or the time"),
    ("unit", "the unit of the value, such as MiB/s"),
    ("system", "the system"),
    ("place", "the file system"),
    ("plan", "the name of the set of tests; csv if it is missing"),
    ("scale", "the scale of the test"),
    ("test", "the test"),
    ("metric", "the metric, such as write.bw; value if it is missing"),
    ("fill", "the used share of the file system, from 0 to 1"),
    ("concurrency", "how many other jobs ran at the same time"),
];

/// The fields that name a series, and its unit.
const NAMES: [&str; 7] = ["system", "place", "plan", "scale", "test", "metric", "unit"];

/// How the columns are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvMapping {
    /// The column of a field.
    pub columns: BTreeMap<String, String>,
    /// The value of a field in all lines.
    pub constants: BTreeMap<String, String>,
}

/// Where a field comes from.
enum Source<'m> {
    Column(usize),
    Constant(&'m str),
    Missing,
}

/// The entry of a text. `hash` and `location` are those of its file.
///
/// A line with an empty value is a measurement without a result, and has no point.
pub fn entry(
    text: &str,
    mapping: &CsvMapping,
    hash: String,
    location: &str,
) -> Result<HistoryEntry, ImportError> {
    let mut reader = ::csv::ReaderBuilder::new().trim(::csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| of_csv(&error))?.clone();
    let sources = sources(mapping, &header)?;
    let (mut points, mut known) = (Vec::new(), KnownSeries::default());
    let mut record = ::csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| of_csv(&error))? {
        let line = record.position().map_or(0, ::csv::Position::line);
        let field = |name: &str| match sources.get(name) {
            Some(Source::Column(at)) => record.get(*at).unwrap_or_default(),
            Some(Source::Constant(text)) => text,
            Some(Source::Missing) | None => "",
        };
        points.extend(point(&field, &mut known).map_err(|what| ImportError::at(line, what))?);
    }
    let started = points.iter().map(|point| point.time_s).reduce(f64::min);
    let Some(started_s) = started else {
        return Err(ImportError::at(0, "there is no line with a value"));
    };
    let described = serde_json::to_string(&(&mapping.columns, &mapping.constants)).expect("texts are JSON");
    Ok(HistoryEntry {
        hash,
        // A file that has grown replaces what was imported from it before.
        campaign: format!("csv {location} {described}"),
        extent: points.len() as u64,
        source: EntrySource::Csv,
        location: location.to_owned(),
        plan: EntrySource::Csv.word().to_owned(),
        started_s,
        points,
        ..HistoryEntry::default()
    })
}

fn of_csv(error: &::csv::Error) -> ImportError {
    let line = error.position().map_or(0, ::csv::Position::line);
    ImportError::at(line, error.to_string())
}

/// Where each field comes from. Rejects a mapping to nothing, and a text without times or values.
fn sources<'m>(
    mapping: &'m CsvMapping,
    header: &::csv::StringRecord,
) -> Result<BTreeMap<&'static str, Source<'m>>, ImportError> {
    let named = || header.iter().collect::<Vec<_>>().join(", ");
    let place = |name: &str| header.iter().position(|column| column == name);
    let mut all = BTreeMap::new();
    for (field, meaning) in FIELDS {
        let source = match (mapping.columns.get(*field), mapping.constants.get(*field)) {
            (Some(_), Some(_)) => {
                return Err(ImportError::at(
                    0,
                    format!("{field} has a column and a constant. Give one of them."),
                ));
            }
            (Some(column), None) => Source::Column(place(column).ok_or_else(|| {
                ImportError::at(1, format!("there is no column {column}. The columns are: {}.", named()))
            })?),
            (None, Some(constant)) => Source::Constant(constant),
            (None, None) => place(field).map_or(Source::Missing, Source::Column),
        };
        let is_needed = matches!(*field, "time" | "value" | "unit" | "test");
        if is_needed && matches!(source, Source::Missing) {
            let what = format!(
                "{field} is missing: {meaning}. Name its column with --map {field}=COLUMN, or give it with \
                 --set {field}=VALUE. The columns are: {}.",
                named()
            );
            return Err(ImportError::at(1, what));
        }
        all.insert(*field, source);
    }
    Ok(all)
}

/// The series so far, by the texts that name them and the unit.
#[derive(Default)]
struct KnownSeries {
    all: HashMap<String, NamedSeries>,
    key: String,
}

/// A series, and what its unit means.
struct NamedSeries {
    series: Arc<SeriesId>,
    /// The base unit in one unit of the table.
    factor: f64,
    direction: MetricDirection,
}

impl KnownSeries {
    fn of<'r>(&mut self, field: &impl Fn(&str) -> &'r str) -> Result<&NamedSeries, String> {
        self.key.clear();
        for name in NAMES {
            self.key.push_str(field(name));
            self.key.push('\0');
        }
        if !self.all.contains_key(&self.key) {
            self.all.insert(self.key.clone(), named(field)?);
        }
        Ok(&self.all[&self.key])
    }
}

fn named<'r>(field: &impl Fn(&str) -> &'r str) -> Result<NamedSeries, String> {
    let unit = field("unit");
    let one: Quantity = format!("1 {unit}")
        .parse()
        .map_err(|_| format!("`{unit}` is not a unit. Write for example MiB/s."))?;
    let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let series = SeriesId {
        system: field("system").to_owned(),
        place: field("place").to_owned(),
        plan: or(field("plan"), EntrySource::Csv.word()),
        scale: field("scale").to_owned(),
        test: field("test").to_owned(),
        metric: or(field("metric"), "value"),
        unit: one.dimension.unit().to_owned(),
    };
    let direction = MetricDirection::of(Some(one.dimension));
    Ok(NamedSeries { series: Arc::new(series), factor: one.value, direction })
}

/// The point of a line; `None` if its value is empty.
fn point<'r>(
    field: &impl Fn(&str) -> &'r str,
    known: &mut KnownSeries,
) -> Result<Option<MeasuredPoint>, String> {
    let (time, value) = (field("time"), field("value"));
    if value.is_empty() {
        return Ok(None);
    }
    let time_s =
        seconds(time).ok_or_else(|| format!("`{time}` is not a time. Write seconds or RFC 3339."))?;
    let value = number(value)?;
    let NamedSeries { series, factor, direction } = known.of(field)?;
    let optional = |name: &str| match field(name) {
        "" => Ok(None),
        text => number(text).map(Some).map_err(|what| format!("{name}: {what}")),
    };
    Ok(Some(MeasuredPoint {
        series: Arc::clone(series),
        direction: *direction,
        time_s,
        values: vec![value * factor],
        why: None,
        outcome: None,
        threshold: None,
        setup: BTreeMap::new(),
        fill: optional("fill")?,
        concurrency: optional("concurrency")?,
    }))
}
