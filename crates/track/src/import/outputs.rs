//! The outputs of `ior` and `mdtest`.
//!
//! Of a text, the caller brings the records that this output of an external program has in a campaign. So a
//! log means the same here and in a verdict. [`json`](super::json) and [`tables`](super::tables) read the
//! other forms.

use std::collections::BTreeMap;
use std::sync::Arc;

use results::Record;
use results::comparison::MetricDirection;
use results::history::{EntrySource, HistoryEntry, MeasuredPoint, SeriesId};
use results::record::{self, Reported, Value};

use super::words::without_places;
use super::{ImportError, ImportNames, number, seconds};

/// What stands before the date in a line of an output.
const DATES: [&str; 3] = ["Began", "Run began", "-- started at"];

/// The most bytes that the tests of a run repeat, such as its command line. A larger run takes too much time
/// and memory.
const REPEATED_MAX: usize = 8 << 20;

/// Rejects a run of too many tests, each of which repeats this number of bytes. It begins in this line.
pub fn check_repeated(line: u64, bytes: usize, tests: usize) -> Result<(), ImportError> {
    let what =
        || format!("the run that begins here has {tests} tests with {bytes} bytes before them. Divide it.");
    match bytes.saturating_mul(tests) {
        ..=REPEATED_MAX => Ok(()),
        _ => Err(ImportError::at(line, what())),
    }
}

/// The output of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedRun {
    /// The program.
    pub program: EntrySource,
    /// When it began, seconds since 1970.
    pub time_s: Option<f64>,
    /// Its tests: several for a script.
    pub tests: Vec<LoggedTest>,
}

/// What an output says about a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoggedTest {
    /// Its command line and its parameters.
    pub reported: Reported,
    /// Its rates.
    pub rates: Vec<LoggedRate>,
    /// The used share of the file system, from 0 to 1.
    pub fill: Option<f64>,
}

/// The rates of a metric: each repetition that the output has, otherwise its only number.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedRate {
    /// `PHASE.NAME`.
    pub metric: String,
    /// The unit.
    pub unit: String,
    /// The values.
    pub values: Vec<f64>,
}

impl LoggedTest {
    /// From an output, and its records.
    pub fn from_records(records: &[Record], text: &str) -> Self {
        let reported = record::reported(records).next().cloned().unwrap_or_default();
        let rates = record::values(records).map(|value| rate(value, &reported)).collect();
        Self { rates, reported, fill: text.lines().find_map(used) }
    }
}

/// The entry of a run in the file at `location`. `hash` is that of its output. A date in an output is a local
/// time of this machine.
pub fn entry(
    run: &LoggedRun,
    hash: &str,
    location: &str,
    names: ImportNames<'_>,
) -> Result<HistoryEntry, ImportError> {
    let time_s = names.time_s.or(run.time_s).ok_or_else(|| {
        ImportError::at(0, "the output has no date, so its time is not known. Give it with --set time=DATE.")
    })?;
    let mut points = Vec::new();
    for (number, test) in (1..).zip(&run.tests) {
        points.extend(points_of(run.program, number, test, time_s, names)?);
    }
    if points.is_empty() {
        return Err(ImportError::at(0, format!("this run of {} has no rates", run.program.word())));
    }
    Ok(HistoryEntry {
        hash: hash.to_owned(),
        campaign: hash.to_owned(),
        source: run.program,
        location: location.to_owned(),
        plan: run.program.word().to_owned(),
        started_s: time_s,
        points,
        ..HistoryEntry::default()
    })
}

/// The points of a test, which has this number in its run, from 1.
fn points_of(
    program: EntrySource,
    number: usize,
    test: &LoggedTest,
    time_s: f64,
    names: ImportNames<'_>,
) -> Result<Vec<MeasuredPoint>, ImportError> {
    let LoggedTest { reported, rates, fill } = test;
    if names.test.is_none() && reported.argv.is_empty() {
        let what = "the output has no command line. Name its test with --set test=NAME.";
        return Err(ImportError::at(0, what));
    }
    let name = names.test.map_or_else(|| command(program, reported), str::to_owned);
    let point = |rate: &LoggedRate| MeasuredPoint {
        series: Arc::new(SeriesId {
            system: names.system.unwrap_or_default().to_owned(),
            place: names.place.unwrap_or_default().to_owned(),
            plan: program.word().to_owned(),
            scale: String::new(),
            // The tests of a script have one command line.
            test: if number == 1 { name.clone() } else { format!("{name} #{number}") },
            metric: rate.metric.clone(),
            unit: rate.unit.clone(),
        }),
        direction: MetricDirection::HigherIsFaster,
        time_s,
        values: rate.values.clone(),
        why: None,
        outcome: None,
        threshold: None,
        setup: setup(program, reported),
        fill: *fill,
        concurrency: None,
    };
    Ok(rates.iter().map(point).collect())
}

fn rate(value: &Value, reported: &Reported) -> LoggedRate {
    let phase = value.name.split('.').next().unwrap_or_default();
    let each = reported.phases.iter().filter(|one| one.phase == phase).map(|one| one.rate);
    let each: Vec<f64> = each.collect();
    let values = if each.is_empty() { vec![value.value] } else { each };
    LoggedRate { metric: value.name.clone(), unit: value.unit.clone(), values }
}

/// The date in an output.
pub fn date(text: &str) -> Option<f64> {
    text.lines().find_map(|line| {
        let rest = DATES.iter().find_map(|label| line.trim_start().strip_prefix(label))?;
        seconds(rest.trim_start_matches([' ', ':']).trim_end_matches('-'))
    })
}

/// The used share of the file system, from a line such as `FS: 252.0 GiB   Used FS: 5.1%   Inodes: ...`.
fn used(line: &str) -> Option<f64> {
    share(line.split_once("Used FS:")?.1.split_once('%')?.0)
}

/// The share of a number of percent.
pub(super) fn share(percent: &str) -> Option<f64> {
    number(percent).ok().map(|percent| percent / 100.0)
}

/// The arguments without places.
fn command(program: EntrySource, reported: &Reported) -> String {
    without_places(program.word(), reported.arguments(program.word())).join(" ")
}

/// What must be the same, as far as the output says it.
fn setup(program: EntrySource, reported: &Reported) -> BTreeMap<String, String> {
    let number = |value: Option<f64>| value.map(|value| value.to_string());
    let count = |value: Option<u64>| value.map(|value| value.to_string());
    let parts = [
        ("command", Some(command(program, reported)).filter(|text| !text.is_empty())),
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
