//! The summary of an IO500 run, `result_summary.txt`. The date is in `result.txt` or in the folder's name.

use std::collections::BTreeMap;
use std::sync::Arc;

use results::comparison::MetricDirection;
use results::history::{EntrySource, HistoryEntry, MeasuredPoint, SeriesId};

use super::{ImportError, ImportNames, date, seconds};

const GIBIBYTE: f64 = 1_073_741_824.0;

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
    let time_s = started(run).ok_or_else(|| {
        ImportError::at(0, "neither result.txt nor the name of the folder has the date of the run")
    })?;
    let mut points = Vec::new();
    for (at, line) in run.summary.lines().enumerate() {
        let found = result(line).map_err(|what| ImportError::at(at as u64 + 1, what))?;
        for (test, metric, unit, value) in found {
            points.push(MeasuredPoint {
                series: Arc::new(SeriesId {
                    system: names.system.unwrap_or_default().to_owned(),
                    place: names.place.unwrap_or_default().to_owned(),
                    plan: EntrySource::Io500.word().to_owned(),
                    scale: String::new(),
                    test: test.to_owned(),
                    metric: metric.to_owned(),
                    unit: unit.to_owned(),
                }),
                direction: MetricDirection::HigherIsFaster,
                time_s,
                values: vec![value],
                why: None,
                outcome: None,
                threshold: None,
                setup: setup(run.result, test),
                fill: None,
                concurrency: None,
            });
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

type SummaryRow<'l> = (&'l str, &'static str, &'static str, f64);

/// The valid results of a line: test, metric, unit, value in the base unit.
fn result(line: &str) -> Result<Vec<SummaryRow<'_>>, String> {
    if line.contains("INVALID") {
        return Ok(Vec::new());
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let number = |text: &str| text.parse::<f64>().map_err(|_| format!("`{text}` is not a number"));
    match words[..] {
        ["[RESULT]", test, value, "GiB/s" | "GB/s", ..] => {
            Ok(vec![(test, "total.bw", "B/s", number(value)? * GIBIBYTE)])
        }
        ["[RESULT]", test, value, "kIOPS", ..] => Ok(vec![(test, "total.rate", "/s", number(value)? * 1e3)]),
        ["[SCORE", "]", "Bandwidth", bandwidth, _, ":", "IOPS", iops, _, ":", "TOTAL", total] => Ok(vec![
            ("SCORE", "bandwidth.bw", "B/s", number(bandwidth)? * GIBIBYTE),
            ("SCORE", "iops.rate", "/s", number(iops)? * 1e3),
            ("SCORE", "total.score", "points", number(total)?),
        ]),
        _ => Ok(Vec::new()),
    }
}

/// The first date in `result.txt`, or that of a folder such as `2026.11.25-10.15.00`.
fn started(run: Io500Run<'_>) -> Option<f64> {
    let of_file = run.result.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        if key.trim() == "t_start" { seconds(value) } else { None }
    });
    let folder = run.location.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    of_file.or_else(|| date::of_io500(folder))
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
            (name, "exe") if name == test => drop(setup.insert("command".to_owned(), without_places(value))),
            _ => {}
        }
    }
    setup
}

/// An argument line without directories, which have the date of the run.
fn without_places(line: &str) -> String {
    line.split_whitespace().filter(|word| !word.contains('/')).collect::<Vec<_>>().join(" ")
}
