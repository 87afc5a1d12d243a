//! Files of other programs as entries of the history.
//!
//! Never here: campaigns, and what a text means.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use plan::app::{App, AppMetric, PrintedText, Stream};
use results::folder;
use results::history::{EntrySource, HistoryEntry};
use track::import::csv::{self, CsvMapping};
use track::import::outputs::{self, OutputFile};
use track::import::{ImportNames, io500, records};

/// The most bytes of a file.
const FILE_MAX: u64 = 1 << 30;
/// The summary of an IO500 run, and the file with its dates and arguments.
const IO500_FILES: [&str; 2] = ["result_summary.txt", "result.txt"];
/// A part of the first lines of each program's output.
const MARKS: [(EntrySource, &str); 2] = [
    (EntrySource::Ior, "MPI Coordinated Test of Parallel I/O"),
    (EntrySource::Mdtest, " was launched with "),
];

/// Whether the path is no campaign: a file that is no archive, or the folder of an IO500 run.
pub(super) fn is_import(path: &Path) -> bool {
    match path.is_dir() {
        true => path.join(IO500_FILES[0]).is_file(),
        false => !folder::is_archive(path),
    }
}

/// The entry of a file or of the folder of an IO500 run, or why there is none.
pub(super) fn entry(
    path: &Path,
    location: &str,
    mapping: &CsvMapping,
    names: ImportNames<'_>,
) -> Result<HistoryEntry, String> {
    if path.is_dir() {
        return of_io500(path, &path.join(IO500_FILES[0]), location, names);
    }
    let text = text(path)?;
    if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("csv")) {
        let described = format!("{:?}{:?}", mapping.columns, mapping.constants);
        let hash = folder::sha256_of_parts(&[described.as_bytes(), text.as_bytes()]);
        return csv::entry(&text, mapping, hash, location).map_err(|error| error.to_string());
    }
    if io500::is_summary(&text) {
        let dir = path.parent().unwrap_or(Path::new("."));
        let of = dir.canonicalize().map_err(|error| error.to_string())?;
        return of_io500(dir, path, &of.display().to_string(), names);
    }
    if records::is_records(&text) {
        let hash = folder::sha256(text.as_bytes());
        let all = results::records::load(Path::new(location)).map_err(|error| error.to_string())?;
        return records::entry(&all, &hash, location, names).map_err(|error| error.to_string());
    }
    let found = MARKS.iter().find(|(_, mark)| text.contains(mark));
    let Some((program, _)) = found else {
        return Err(
            "it is neither a campaign nor an output of ior, mdtest or IO500, nor a file of --record. \
                    The name of a table ends with .csv."
                .to_owned(),
        );
    };
    of_output(*program, &text, location, names)
}

fn of_output(
    program: EntrySource,
    text: &str,
    location: &str,
    names: ImportNames<'_>,
) -> Result<HistoryEntry, String> {
    let name = program.word();
    let app = App {
        metrics: AppMetric::known(name, Stream::Out).unwrap_or_default(),
        parse: Some(name.to_owned()),
        ..App::default()
    };
    let records = app.records(&[], 0, "", PrintedText { out: text, err: "" })?;
    let hash = folder::sha256(text.as_bytes());
    let file = OutputFile { program, text, records: &records, hash: &hash, location };
    outputs::entry(file, names).map_err(|error| error.to_string())
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
    io500::entry(run, names).map_err(|error| error.to_string())
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
