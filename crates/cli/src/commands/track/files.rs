//! Files of other programs as entries of the history.
//!
//! Never here: campaigns, and what a text means.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use plan::app::log::{self, LogRun, LogTest};
use plan::app::{App, AppMetric, KnownProgram, PrintedText, Stream};
use results::folder;
use results::history::{EntrySource, HistoryEntry};
use track::import::csv::{self, CsvMapping};
use track::import::outputs::{self, LoggedRun, LoggedTest};
use track::import::{ImportError, ImportNames, io500, json, records, tables};

/// The most bytes of a file.
const FILE_MAX: u64 = 1 << 30;
/// The summary of an IO500 run, and the file with its dates and arguments.
const IO500_FILES: [&str; 2] = ["result_summary.txt", "result.txt"];

/// The entry of a run, or why it has none.
pub(super) type ImportedEntry = Result<HistoryEntry, String>;

/// Whether the path is no campaign: a file that is no archive, or the folder of an IO500 run.
pub(super) fn is_import(path: &Path) -> bool {
    match path.is_dir() {
        true => path.join(IO500_FILES[0]).is_file(),
        false => !folder::is_archive(path),
    }
}

/// The entries of the runs in a file or in the folder of an IO500 run, or why there is none.
pub(super) fn entries(
    path: &Path,
    location: &str,
    mapping: &CsvMapping,
    names: ImportNames<'_>,
) -> Result<Vec<ImportedEntry>, String> {
    let whole = |entry: ImportedEntry| Ok(vec![entry]);
    if path.is_dir() {
        return whole(of_io500(path, &path.join(IO500_FILES[0]), location, names));
    }
    let text = text(path)?;
    if let Some(program) = tables::program(&text) {
        if !log::runs(&text).is_empty() {
            return Err(
                "it has a table of a run and other outputs. Put the table into its own file.".to_owned()
            );
        }
        return whole(of_table(program, &text, location, names));
    }
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv")) {
        let described = format!("{:?}{:?}", mapping.columns, mapping.constants);
        let hash = folder::sha256_of_parts(&[described.as_bytes(), text.as_bytes()]);
        return whole(csv::entry(&text, mapping, hash, location).map_err(|error| error.to_string()));
    }
    if io500::is_summary(&text) {
        // The path itself may be a bare name, without a directory.
        let dir = Path::new(location).parent().unwrap_or(Path::new("/"));
        return whole(of_io500(dir, path, &dir.display().to_string(), names));
    }
    if records::is_records(&text) {
        let hash = folder::sha256(text.as_bytes());
        let all = results::records::load(Path::new(location)).map_err(|error| error.to_string())?;
        let entry = records::entry(&all, &hash, location, names).map(|entry| with_names(entry, names));
        return whole(entry.map_err(|error| error.to_string()));
    }
    let mut runs: Vec<(u64, &str, Result<LoggedRun, ImportError>)> = Vec::new();
    if json::is_json(&text) {
        let run = |(line, run)| (line, run, json::run(line, run));
        runs.extend(json::texts(&text).into_iter().map(run));
    }
    runs.extend(log::runs(&text).iter().map(|run| (run.line, run.text, of_log(run))));
    match runs.len() {
        0 => Err("it is neither a campaign nor an output of ior, mdtest or IO500, nor a file of --record. \
                  The name of a table ends with .csv."
            .to_owned()),
        2.. if names.time_s.is_some() => {
            Err(format!("it has {} runs with their own dates. Leave out --set time.", runs.len()))
        }
        _ => {
            let entry = |(line, text, run): (u64, &str, Result<LoggedRun, ImportError>)| {
                let entry = run.and_then(|run| of_run(&run, text, location, names));
                entry.map_err(|error| error.or_at(line).to_string())
            };
            Ok(runs.into_iter().map(entry).collect())
        }
    }
}

/// The entry of a run. Its hash is that of its output, so a log that has grown adds only its new runs.
fn of_run(
    run: &LoggedRun,
    text: &str,
    location: &str,
    names: ImportNames<'_>,
) -> Result<HistoryEntry, ImportError> {
    let entry = outputs::entry(run, &folder::sha256(text.as_bytes()), location, names)?;
    Ok(with_names(entry, names))
}

/// The entry with the time and the test that the user gives as a part of its hash. So another time or name of
/// the same output is a new entry, which replaces the one before.
fn with_names(entry: HistoryEntry, names: ImportNames<'_>) -> HistoryEntry {
    if names.time_s.is_none() && names.test.is_none() {
        return entry;
    }
    let described = format!("{:?}{:?}", names.time_s, names.test);
    let hash = folder::sha256_of_parts(&[described.as_bytes(), entry.hash.as_bytes()]);
    HistoryEntry { hash, ..entry }
}

/// What the tests of a run in a log printed. It is read as the output of an external program.
fn of_log(run: &LogRun<'_>) -> Result<LoggedRun, ImportError> {
    if !run.has_ended {
        return Err(ImportError::not_ended(run.line));
    }
    let repeated = run.tests.first().map_or(0, |test| test.head.len());
    outputs::check_repeated(run.line, repeated, run.tests.len())?;
    let app = App {
        metrics: AppMetric::known(run.program, Stream::Out),
        parse: Some(run.program),
        ..App::default()
    };
    let test = |test: &LogTest<'_>| {
        let text = &*test.text();
        let records = app.records(&[], 0, "", PrintedText { out: text, err: "" })?;
        Ok(LoggedTest::from_records(&records, text))
    };
    let tests: Result<_, String> = run.tests.iter().map(test).collect();
    let program = if run.program == KnownProgram::Mdtest { EntrySource::Mdtest } else { EntrySource::Ior };
    let tests = tests.map_err(|what| ImportError { line: run.line, what })?;
    Ok(LoggedRun { program, time_s: outputs::date(run.text), tests })
}

/// The entry of a table without date and command line.
fn of_table(program: EntrySource, text: &str, location: &str, names: ImportNames<'_>) -> ImportedEntry {
    let entry = tables::run(program, text).and_then(|run| of_run(&run, text, location, names));
    entry.map_err(|error| error.to_string())
}

fn of_io500(
    dir: &Path,
    summary: &Path,
    location: &str,
    names: ImportNames<'_>,
) -> Result<HistoryEntry, String> {
    let summary = text(summary)?;
    let result = dir.join(IO500_FILES[1]);
    let result = if result.is_file() { text(&result)? } else { String::new() };
    // Two runs can print the same summary. Their folders have different dates.
    let name = location.rsplit('/').next().unwrap_or_default();
    let hash = folder::sha256(format!("{summary}{result}{name}").as_bytes());
    let run = io500::Io500Run { summary: &summary, result: &result, hash: &hash, location };
    io500::entry(run, names).map(|entry| with_names(entry, names)).map_err(|error| error.to_string())
}

fn text(path: &Path) -> Result<String, String> {
    let named = |error: std::io::Error| error.to_string();
    if !fs::metadata(path).map_err(named)?.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(named)?.take(FILE_MAX + 1).read_to_end(&mut bytes).map_err(named)?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(format!("it has more than {FILE_MAX} bytes. Divide it."));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text".to_owned())
}
