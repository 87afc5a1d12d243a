//! The JSON of `ior`: what `summaryFormat=JSON` prints.
//!
//! Releases up to 3.2 print texts that are no JSON, others mix messages into it, and no release escapes a
//! text. So this reads the pairs of names and values in their order, and not the structure.

use results::history::EntrySource;
use results::record::{Reported, ReportedPhase, printed_words};
use units::MIB;

use super::outputs::{LoggedRate, LoggedRun, LoggedTest, check_repeated, share};
use super::{ImportError, number, seconds};

/// Whether a text is such an output.
pub fn is_json(text: &str) -> bool {
    ["\"Began\":", "\"Command line\":", "\"tests\":"].iter().all(|name| text.contains(name))
}

/// The output of each run in a text, with its first line. Other lines can be between them.
pub fn texts(text: &str) -> Vec<(u64, &str)> {
    let starts: Vec<usize> = text.match_indices("\"Began\":").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let (mut line, mut counted) = (1, 0);
    let run = |(start, end): (&usize, usize)| {
        let run = &text[*start..end];
        let last = run
            .find("\"Finished\":")
            .map_or(run.len(), |at| at + run[at..].find('\n').unwrap_or(run.len() - at));
        line += text[counted..*start].matches('\n').count() as u64;
        counted = *start;
        (line, &run[..last])
    };
    starts.iter().zip(ends).map(run).collect()
}

/// The run with this output, whose first line has this number.
pub fn run(first: u64, text: &str) -> Result<LoggedRun, ImportError> {
    let mut run = LoggedRun { program: EntrySource::Ior, time_s: None, tests: Vec::new() };
    let (mut command_line, mut access, mut has_ended) = ("", "", false);
    for (line, name, value) in pairs(text) {
        let test = run.tests.last_mut();
        match (name, test) {
            ("Began", _) => run.time_s = seconds(value),
            ("Command line", _) => command_line = value,
            ("StartTime", _) => {
                check_repeated(first, command_line.len(), run.tests.len() + 1)?;
                let reported = Reported { argv: printed_words(command_line), ..Reported::default() };
                run.tests.push(LoggedTest { reported, ..LoggedTest::default() });
            }
            ("Finished", _) => has_ended = true,
            ("access", Some(test)) => {
                access = value;
                parameter(test, name, value);
            }
            ("bwMiB", Some(test)) => {
                let rate = number(value).map_err(|what| ImportError::at(first + line, what))? * MIB as f64;
                test.reported.phases.push(ReportedPhase { phase: access.to_owned(), rate, seconds: 0.0 });
            }
            (_, Some(test)) => parameter(test, name, value),
            _ => {}
        }
    }
    if !has_ended {
        return Err(ImportError::not_ended(first));
    }
    for test in &mut run.tests {
        test.rates = rates(&test.reported.phases);
    }
    Ok(run)
}

/// Notes a parameter of a test. The summary has some of them again.
fn parameter(test: &mut LoggedTest, name: &str, value: &str) {
    let facts = &mut test.reported;
    let count = || value.parse().ok().filter(|count| *count > 0);
    match name {
        "Used Capacity" => test.fill = share(value.trim_end_matches('%')),
        "tasks" => facts.tasks = facts.tasks.or(count()),
        "nodes" => facts.nodes = facts.nodes.or(count()),
        "segments" => facts.segments = facts.segments.or(count()),
        "blockSize" => facts.block_bytes = facts.block_bytes.or(value.parse().ok()),
        "transferSize" => facts.transfer_bytes = facts.transfer_bytes.or(value.parse().ok()),
        "access" if value == "file-per-process" => facts.file_per_task = Some(true),
        "access" if value == "single-shared-file" => facts.file_per_task = Some(false),
        _ => {}
    }
}

/// The rates of each access, in the order of the repetitions.
pub(super) fn rates(phases: &[ReportedPhase]) -> Vec<LoggedRate> {
    let rate = |access: &str| {
        let values = phases.iter().filter(|one| one.phase == access).map(|one| one.rate);
        LoggedRate { metric: format!("{access}.bw"), unit: "B/s".to_owned(), values: values.collect() }
    };
    ["write", "read"].map(rate).into_iter().filter(|rate| !rate.values.is_empty()).collect()
}

/// The names in quotes with a colon after them, and their values: line from 0, name, value. A value is a text
/// in quotes, or what is before the next comma, bracket or line feed.
fn pairs(text: &str) -> impl Iterator<Item = (u64, &str, &str)> {
    (0..).zip(text.lines()).flat_map(|(number, line)| {
        let mut rest = line;
        std::iter::from_fn(move || {
            let (name, value, after) = next_pair(rest)?;
            rest = after;
            Some((number, name, value))
        })
    })
}

/// The next name with its value, and what follows. A text without a colon after it has neither.
fn next_pair(line: &str) -> Option<(&str, &str, &str)> {
    let (name, after) = line.split_once('"')?.1.split_once('"')?;
    let Some(value) = after.trim_start().strip_prefix(':') else { return Some(("", "", after)) };
    let value = value.trim_start();
    let (value, after) = match value.strip_prefix('"') {
        Some(inside) => inside.split_at(end_of_text(inside)),
        None => value.split_at(value.find([',', '}', ']', '[', '{']).unwrap_or(value.len())),
    };
    Some((name, value.trim(), after.strip_prefix('"').unwrap_or(after)))
}

/// The place of the quote that ends a text: the first with a comma, a bracket or nothing after it.
fn end_of_text(text: &str) -> usize {
    let is_end = |at: &usize| {
        let after = text[at + 1..].trim_start();
        after.is_empty() || after.starts_with([',', '}', ']'])
    };
    text.match_indices('"').map(|(at, _)| at).find(is_end).unwrap_or(text.len())
}
