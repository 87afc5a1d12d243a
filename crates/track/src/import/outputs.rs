//! The outputs of `ior` and `mdtest`.
//!
//! The caller brings the records that the output of an external program has in a campaign. So a log means the
//! same here and in a verdict.

use std::collections::BTreeMap;
use std::sync::Arc;

use results::Record;
use results::comparison::MetricDirection;
use results::history::{EntrySource, HistoryEntry, MeasuredPoint, SeriesId};
use results::record::{Reported, Value};

use super::words::without_places;
use super::{ImportError, ImportNames, seconds};

/// What stands before the date in a line of an output.
const DATES: [&str; 3] = ["Began", "Run began", "-- started at"];

/// A log with what it says.
#[derive(Clone, Copy)]
pub struct OutputFile<'f> {
    /// The program.
    pub program: EntrySource,
    /// Its output.
    pub text: &'f str,
    /// The records of this output.
    pub records: &'f [Record],
    /// The SHA-256 of the file.
    pub hash: &'f str,
    /// The file.
    pub location: &'f str,
}

/// The entry of an output. Its time is the date in it, which is a local time of this machine.
pub fn entry(file: OutputFile<'_>, names: ImportNames<'_>) -> Result<HistoryEntry, ImportError> {
    let time_s = file.text.lines().find_map(date).ok_or_else(|| {
        ImportError::at(0, "the output has no date, so its time is not known. Write it into a CSV file.")
    })?;
    let unknown = Reported::default();
    let reported = file.records.iter().find_map(|record| match record {
        Record::Reported(facts) => Some(&**facts),
        _ => None,
    });
    let reported = reported.unwrap_or(&unknown);
    let fill = file.text.lines().find_map(used);
    let points: Vec<MeasuredPoint> = rates(file.records, reported)
        .into_iter()
        .map(|(metric, unit, values)| MeasuredPoint {
            series: Arc::new(SeriesId {
                system: names.system.unwrap_or_default().to_owned(),
                place: names.place.unwrap_or_default().to_owned(),
                plan: file.program.word().to_owned(),
                scale: String::new(),
                test: names.test.map_or_else(|| command(&reported.argv), str::to_owned),
                metric,
                unit,
            }),
            direction: MetricDirection::HigherIsFaster,
            time_s,
            values,
            why: None,
            outcome: None,
            threshold: None,
            setup: setup(reported),
            fill,
            concurrency: None,
        })
        .collect();
    Ok(HistoryEntry {
        hash: file.hash.to_owned(),
        campaign: file.hash.to_owned(),
        source: file.program,
        location: file.location.to_owned(),
        plan: file.program.word().to_owned(),
        started_s: time_s,
        points,
        ..HistoryEntry::default()
    })
}

/// Metric, unit and values: each repetition that the output has, otherwise its only number.
fn rates(records: &[Record], reported: &Reported) -> Vec<(String, String, Vec<f64>)> {
    let values = records.iter().filter_map(|record| match record {
        Record::Value(value) => Some(value),
        _ => None,
    });
    let of = |value: &Value| {
        let phase = value.name.split('.').next().unwrap_or_default();
        let each = reported.phases.iter().filter(|one| one.phase == phase).map(|one| one.rate);
        let each: Vec<f64> = each.collect();
        let all = if each.is_empty() { vec![value.value] } else { each };
        (value.name.clone(), value.unit.clone(), all)
    };
    values.map(of).collect()
}

/// The time in a line with a date.
fn date(line: &str) -> Option<f64> {
    let rest = DATES.iter().find_map(|label| line.trim_start().strip_prefix(label))?;
    seconds(rest.trim_start_matches([' ', ':']).trim_end_matches('-'))
}

/// The used share of the file system, from a line such as `FS: 252.0 GiB   Used FS: 5.1%   Inodes: ...`.
fn used(line: &str) -> Option<f64> {
    let (number, _) = line.split_once("Used FS:")?.1.split_once('%')?;
    number.trim().parse::<f64>().ok().map(|percent| percent / 100.0)
}

/// The command line without the program and without places. This program has its own options before the name
/// of the workload.
fn command(argv: &[String]) -> String {
    let names = [EntrySource::Ior.word(), EntrySource::Mdtest.word()];
    let from = argv.iter().position(|word| names.contains(&word.as_str())).map_or(1, |at| at + 1);
    without_places(argv.get(from..).unwrap_or_default()).join(" ")
}

/// What must be the same, as far as the output says it.
fn setup(reported: &Reported) -> BTreeMap<String, String> {
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let count = |value: Option<u64>| value.map(|value| value.to_string());
    let parts = [
        ("command", Some(command(&reported.argv)).filter(|text| !text.is_empty())),
        ("ranks", count(reported.tasks)),
        ("nodes", count(reported.nodes)),
        ("block", number(reported.block_bytes)),
        ("transfer", number(reported.transfer_bytes)),
        ("segments", count(reported.segments)),
        ("items", count(reported.total_items)),
        ("file_per_rank", reported.file_per_task.map(|value| value.to_string())),
    ];
    parts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?))).collect()
}
