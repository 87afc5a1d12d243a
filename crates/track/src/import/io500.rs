//! The summary of an IO500 run, `result_summary.txt`, of the script (2017 to 2020) and of the program after
//! it. The date is in `result.txt`, in the folder's name or in the summary.

use std::collections::BTreeMap;
use std::sync::Arc;

use results::comparison::MetricDirection;
use results::history::{EntrySource, HistoryEntry, MeasuredPoint, SeriesId};
use units::GIB;

use super::words::without_places;
use super::{ImportError, ImportNames, date, number, seconds};

/// The files of a run.
#[derive(Clone, Copy)]
pub struct Io500Run<'f> {
    /// The text of `result_summary.txt`.
    pub summary: &'f str,
    /// The text of `result.txt`; empty if it is missing.
    pub result: &'f str,
    /// The SHA-256 of the summary.
    pub hash: &'f str,
    /// The folder.
    pub location: &'f str,
}

/// Whether a text is such a summary.
pub fn is_summary(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("[RESULT]"))
        && text.lines().any(|line| line.starts_with("[SCORE"))
}

/// The entry of a run. Phases and scores that the program calls invalid are left out.
pub fn entry(run: Io500Run<'_>, names: ImportNames<'_>) -> Result<HistoryEntry, ImportError> {
    let time_s = names.time_s.or_else(|| started(run)).ok_or_else(|| {
        let what = "no date of the run is in result.txt, the summary or the name of the folder. \
                    Give it with --set time=DATE.";
        ImportError::at(0, what)
    })?;
    let mut points: Vec<MeasuredPoint> = Vec::new();
    for (line, text) in (1..).zip(run.summary.lines()) {
        let found = result(text).map_err(|what| ImportError::at(line, what))?;
        for (test, metric, unit, value) in found {
            // The script prints its results when they are there, and all of them again at its end.
            let is_same = |point: &&MeasuredPoint| point.series.test == test && point.series.metric == metric;
            match points.iter().find(is_same).map(|point| point.values[0]) {
                None => points.push(point(run, names, time_s, (test, metric, unit, value))),
                Some(before) if before == value => {}
                Some(_) => {
                    let what =
                        format!("{test} has another result before this line. Divide the file by runs.");
                    return Err(ImportError::at(line, what));
                }
            }
        }
    }
    match points.is_empty() {
        true => Err(ImportError::at(0, "the summary has no valid result")),
        false => Ok(HistoryEntry {
            hash: run.hash.to_owned(),
            campaign: run.hash.to_owned(),
            source: EntrySource::Io500,
            location: run.location.to_owned(),
            plan: EntrySource::Io500.word().to_owned(),
            tool: run
                .summary
                .lines()
                .find(|line| line.starts_with("IO500 version"))
                .unwrap_or_default()
                .to_owned(),
            started_s: time_s,
            points,
            ..HistoryEntry::default()
        }),
    }
}

fn point(run: Io500Run<'_>, names: ImportNames<'_>, time_s: f64, row: SummaryRow) -> MeasuredPoint {
    let (test, metric, unit, value) = row;
    MeasuredPoint {
        setup: setup(run.result, &test),
        series: Arc::new(SeriesId {
            system: names.system.unwrap_or_default().to_owned(),
            place: names.place.unwrap_or_default().to_owned(),
            plan: EntrySource::Io500.word().to_owned(),
            scale: String::new(),
            test,
            metric: metric.to_owned(),
            unit: unit.to_owned(),
        }),
        direction: MetricDirection::HigherIsFaster,
        time_s,
        values: vec![value],
        why: None,
        outcome: None,
        threshold: None,
        fill: None,
        concurrency: None,
    }
}

/// Test, metric, unit, and the value in it.
type SummaryRow = (String, &'static str, &'static str, f64);

/// The valid results of a line. The script writes `ior_easy_write`, and marks with `-invalid`.
fn result(line: &str) -> Result<Vec<SummaryRow>, String> {
    if line.to_ascii_lowercase().contains("invalid") {
        return Ok(Vec::new());
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["[RESULT]", "BW" | "IOPS", "phase", _, test, value, unit, ..]
        | ["[RESULT]", test, value, unit, ..] => {
            let test = test.replace('_', "-");
            match unit {
                "GiB/s" | "GB/s" => Ok(vec![(test, "total.bw", "B/s", number(value)? * GIB as f64)]),
                "kIOPS" | "kiops" => Ok(vec![(test, "total.rate", "/s", number(value)? * 1e3)]),
                _ => Err(format!("`{unit}` is not a unit of IO500")),
            }
        }
        ["[SCORE", "]", "Bandwidth", ref rest @ ..]
        | ["[SCORE]" | "[SCORE-valid]", "Bandwidth", ref rest @ ..] => {
            let [bandwidth, _, ":", "IOPS", iops, _, ":", "TOTAL", total, ..] = rest[..] else {
                return Err("this line of scores is not complete".to_owned());
            };
            let test = || "SCORE".to_owned();
            Ok(vec![
                (test(), "bandwidth.bw", "B/s", number(bandwidth)? * GIB as f64),
                (test(), "iops.rate", "/s", number(iops)? * 1e3),
                (test(), "total.score", "points", number(total)?),
            ])
        }
        ["[RESULT]", ..] => Err("this line of results is not complete".to_owned()),
        _ => Ok(Vec::new()),
    }
}

/// The first date in `result.txt`, or that of a folder such as `2026.11.25-10.15.00`, which the summary of
/// the script names.
fn started(run: Io500Run<'_>) -> Option<f64> {
    let of_file = run.result.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        if key.trim() == "t_start" { seconds(value) } else { None }
    });
    let folder = run.location.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    of_file.or_else(|| date::of_io500(folder)).or_else(|| run.summary.lines().find_map(date::of_io500))
}

/// The argument line of a phase in `result.txt`, and the number of processes.
fn setup(result: &str, test: &str) -> BTreeMap<String, String> {
    let mut section = "";
    let mut setup = BTreeMap::new();
    for line in result.lines() {
        if let Some(name) = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = name;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        match (section, key.trim()) {
            ("run", "procs") => drop(setup.insert("ranks".to_owned(), value.trim().to_owned())),
            (name, "exe") if name == test => drop(setup.insert("command".to_owned(), arguments(value))),
            _ => {}
        }
    }
    setup
}

/// The arguments of a command line without places and without directories, which have the date of the run.
fn arguments(line: &str) -> String {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let Some((program, words)) = words.split_first() else { return String::new() };
    let arguments = without_places(program.rsplit('/').next().unwrap_or_default(), words);
    arguments.into_iter().filter(|word| !word.contains('/')).collect::<Vec<_>>().join(" ")
}
