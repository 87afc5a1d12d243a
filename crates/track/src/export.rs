//! Points of a store for other programs.
//!
//! Invariant: values are in base units, and each point names its evidence.
//! Never here: files.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use results::Outcome;
use results::history::SeriesId;
use serde::Serialize;

use crate::store::{EntrySummary, SeriesSummary, Store, StoreError, StoredPoint};

/// Why an export ended early.
#[derive(Debug)]
pub enum ExportError {
    /// The store cannot be read.
    Store(StoreError),
    /// The output cannot be written.
    Output(io::Error),
}

impl fmt::Display for ExportError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => error.fmt(out),
            Self::Output(error) => write!(out, "cannot write: {error}"),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<StoreError> for ExportError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// A point with its names, as a line of the export.
#[derive(Serialize)]
struct ExportLine<'p> {
    #[serde(flatten)]
    series: &'p SeriesId,
    time: f64,
    value: Option<f64>,
    repetitions: usize,
    values: &'p [f64],
    outcome: Option<Outcome>,
    threshold: Option<f64>,
    why: Option<&'static str>,
    fill: Option<f64>,
    concurrency: Option<f64>,
    source: &'static str,
    evidence: &'p str,
    location: &'p str,
}

/// The columns of the CSV export. Its names are those that an import reads.
const COLUMNS: [&str; 18] = [
    "time",
    "value",
    "unit",
    "system",
    "place",
    "plan",
    "scale",
    "test",
    "metric",
    "repetitions",
    "outcome",
    "threshold",
    "why",
    "fill",
    "concurrency",
    "source",
    "evidence",
    "location",
];

impl ExportLine<'_> {
    fn cells(&self) -> [String; 18] {
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let SeriesId { system, place, plan, scale, test, metric, unit } = self.series;
        let text = |text: &str| without_formula(text);
        [
            self.time.to_string(),
            number(self.value),
            text(unit),
            text(system),
            text(place),
            text(plan),
            text(scale),
            text(test),
            text(metric),
            self.repetitions.to_string(),
            self.outcome.map_or(String::new(), |outcome| outcome.to_string()),
            number(self.threshold),
            self.why.unwrap_or_default().to_owned(),
            number(self.fill),
            number(self.concurrency),
            self.source.to_owned(),
            self.evidence.to_owned(),
            text(self.location),
        ]
    }
}

/// A text that a spreadsheet does not calculate.
fn without_formula(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

/// Comma-separated values with a header.
pub fn csv(store: &Store, series: &[SeriesSummary], out: &mut dyn Write) -> Result<(), ExportError> {
    let mut writer = ::csv::Writer::from_writer(out);
    let sound = |done: Result<(), ::csv::Error>| done.map_err(|error| ExportError::Output(cause(error)));
    sound(writer.write_record(COLUMNS))?;
    each(store, series, |line| sound(writer.write_record(line.cells())))?;
    Ok(writer.flush()?)
}

/// The error of the output, with its kind.
fn cause(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// A JSON object for each point.
pub fn json_lines(store: &Store, series: &[SeriesSummary], out: &mut dyn Write) -> Result<(), ExportError> {
    each(store, series, |line| {
        let text = serde_json::to_string(line).expect("names and numbers are JSON");
        Ok(writeln!(out, "{text}")?)
    })
}

fn each(
    store: &Store,
    series: &[SeriesSummary],
    mut write: impl FnMut(&ExportLine<'_>) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let entries: BTreeMap<i64, EntrySummary> =
        store.entries()?.into_iter().map(|entry| (entry.id, entry)).collect();
    for one in series {
        for point in store.points(one.id)? {
            // An entry that was added meanwhile is not in this export.
            if let Some(entry) = entries.get(&point.entry) {
                write(&line(one, &point, entry))?;
            }
        }
    }
    Ok(())
}

fn line<'p>(one: &'p SeriesSummary, point: &'p StoredPoint, entry: &'p EntrySummary) -> ExportLine<'p> {
    ExportLine {
        series: &one.series,
        time: point.time_s,
        value: point.mean,
        repetitions: point.values.len(),
        values: &point.values,
        outcome: point.outcome,
        threshold: point.threshold,
        why: point.why.map(|code| code.id()),
        fill: point.fill,
        concurrency: point.concurrency,
        source: entry.source.word(),
        evidence: &entry.hash,
        location: &entry.location,
    }
}

/// The last usable point of each series in the text format of Prometheus, which ends as OpenMetrics does. The
/// textfile collector of the node exporter takes no times of samples, so the time is a metric of its own.
pub fn open_metrics(store: &Store, series: &[SeriesSummary], out: &mut dyn Write) -> Result<(), ExportError> {
    let mut last = Vec::new();
    for one in series {
        let points = store.points(one.id)?;
        let usable = points.into_iter().rev().find_map(|point| Some((point.mean?, point)));
        last.extend(usable.map(|(mean, point)| (labels(&one.series), mean, point)));
    }
    head(out, "assay_value", "The last measured value, in the base unit of its metric.")?;
    for (labels, mean, _) in &last {
        writeln!(out, "assay_value{{{labels}}} {mean}")?;
    }
    head(out, "assay_measured_timestamp_seconds", "When it was measured.")?;
    for (labels, _, point) in &last {
        writeln!(out, "assay_measured_timestamp_seconds{{{labels}}} {}", point.time_s)?;
    }
    head(out, "assay_clause_pass", "1 if the clause is PASS, 0 for another outcome.")?;
    for (labels, _, point) in &last {
        if let Some(outcome) = point.outcome {
            writeln!(out, "assay_clause_pass{{{labels}}} {}", u8::from(outcome == Outcome::Pass))?;
        }
    }
    Ok(writeln!(out, "# EOF")?)
}

fn head(out: &mut dyn Write, name: &str, help: &str) -> io::Result<()> {
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge")
}

fn labels(series: &SeriesId) -> String {
    let SeriesId { system, place, plan, scale, test, metric, unit } = series;
    let all = [
        ("system", system),
        ("place", place),
        ("plan", plan),
        ("scale", scale),
        ("test", test),
        ("metric", metric),
        ("unit", unit),
    ];
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    all.map(|(name, text)| format!("{name}=\"{}\"", escaped(text))).join(",")
}
