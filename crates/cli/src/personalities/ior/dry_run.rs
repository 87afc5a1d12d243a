//! `--dryRun`: what the tests would do, from their options alone.
//!
//! Invariant: nothing is opened, created or removed. Storage is asked only for existing files and free space.

use std::path::Path;

use command::ior::{Offsets, Request, ResultFormat};
use units::{bytes_binary, several};
use workloads::ior::{first_path, layout};

use super::ReadyTest;
use super::files::data_file;
use crate::personalities::classic::header_dir;

/// The most files that are looked for, so that a dry run of many ranks ends soon.
const LOOKED_FOR_MAX: u32 = 1000;

/// The whole text for the tests of a run.
pub(crate) fn text(tests: &[ReadyTest]) -> String {
    let mut text = String::from("Dry run: nothing is opened, written or deleted.\n");
    for (number, test) in tests.iter().enumerate() {
        // A file that an earlier test of the script writes may exist by then.
        let first = !tests[..number].iter().any(|test| test.parsed.request.write);
        text.push_str(&of_test(test, first));
    }
    text.push_str(&files_of_run(&tests[tests.len() - 1]));
    text
}

fn line(key: &str, value: &str) -> String {
    format!("  {key:<12} {value}\n")
}

fn of_test(test: &ReadyTest, first: bool) -> String {
    let found = FilesThere::by(test);
    let failure = found.failure(&test.parsed.request, first);
    let parameters = &test.parsed.request;
    let mut text = format!(
        "\nTest {}: {}, {}, {}\n",
        parameters.test,
        parameters.backend,
        several(test.ranks.into(), "rank"),
        several(parameters.repetitions.into(), "repetition")
    );
    text.push_str(&line("files", &files(test, &found, failure.is_some())));
    for (phase, what) in phases(parameters) {
        text.push_str(&line(phase, &format!("{}{what}", amount(test))));
    }
    match &failure {
        Some(why) => text.push_str(&line("would FAIL", why)),
        None => text.push_str(&line("afterwards", fate(parameters))),
    }
    if parameters.write {
        text.push_str(&line("space", &space(test)));
    }
    text
}

/// The files of one repetition, by name as far as the name does not depend on the node.
fn files(test: &ReadyTest, found: &FilesThere, fails: bool) -> String {
    let parameters = &test.parsed.request;
    let count = count(test);
    let name = |rank| data_file(parameters, rank, 0);
    let mut text = match count {
        1 => name(0),
        _ => format!("{count}, {} ... {}", name(0), name(count - 1)),
    };
    if parameters.multi_file && parameters.repetitions > 1 {
        let last = parameters.repetitions - 1;
        text.push_str(&format!(", and so on to .{last} for each repetition"));
    }
    if test.parsed.request.abilities().keeps_data {
        let FilesThere { looked_for, there, .. } = *found;
        let of = if looked_for < count { format!(" of the first {looked_for}") } else { String::new() };
        text.push_str(&match (there, parameters.write && !fails, parameters.use_existing) {
            (0, ..) => format!(" (none{of} exists)"),
            (_, false, _) => format!(" ({there}{of} exist)"),
            (_, true, false) => format!(" ({there}{of} exist and would be DELETED first)"),
            (_, true, true) => format!(" ({there}{of} exist and would be overwritten in place)"),
        });
    }
    text
}

/// The number of files of a repetition.
fn count(test: &ReadyTest) -> u32 {
    if test.parsed.request.file_per_rank { test.ranks } else { 1 }
}

/// What exists at the names of the first repetition's files.
#[derive(Default)]
struct FilesThere {
    looked_for: u32,
    there: u32,
    /// The first missing file.
    missing: Option<String>,
    directory: Option<String>,
    /// The first path that is neither a file nor a directory.
    device: Option<String>,
}

impl FilesThere {
    /// Looks for the files, if the storage keeps data.
    fn by(test: &ReadyTest) -> Self {
        let mut found = Self { looked_for: count(test).min(LOOKED_FOR_MAX), ..Self::default() };
        let looked_for = if test.parsed.request.abilities().keeps_data { found.looked_for } else { 0 };
        for name in (0..looked_for).map(|rank| data_file(&test.parsed.request, rank, 0)) {
            let kind = std::fs::symlink_metadata(test.storage.system_path(Path::new(&name)))
                .map(|about| about.file_type());
            found.there += u32::from(kind.is_ok());
            let kept = match kind {
                Err(_) => &mut found.missing,
                Ok(kind) if kind.is_dir() => &mut found.directory,
                Ok(kind) if !kind.is_file() && !kind.is_symlink() => &mut found.device,
                Ok(_) => continue,
            };
            kept.get_or_insert(name);
        }
        found
    }

    /// The reason why the test would fail. `first` is false if a test before it writes.
    fn failure(&self, parameters: &Request, first: bool) -> Option<String> {
        if let Some(name) = &self.directory {
            return Some(format!("{name} is a directory"));
        }
        if parameters.refuse_existing && self.there > 0 {
            let there = self.there;
            return Some(format!(
                "{there} of the files to be written exist, and --refuse-existing keeps them"
            ));
        }
        let removes = !parameters.keep || (parameters.write && !parameters.use_existing);
        if let Some(name) = self.device.as_ref().filter(|_| removes) {
            return Some(format!(
                "{name} is not a regular file and is not removed. Write into it with -E -k."
            ));
        }
        let missing = self.missing.as_ref().filter(|_| first && !parameters.write)?;
        Some(format!("{missing} does not exist, and no phase writes it first"))
    }
}

/// The phases of a repetition in their order, each with its peculiarity.
fn phases(parameters: &Request) -> Vec<(&'static str, String)> {
    let compared = ", every word compared".to_owned();
    let all = [
        (parameters.write, "write", String::new()),
        (parameters.write_check, "write check", compared.clone()),
        (parameters.mix.is_some(), "mixed", format!(", {} % reads", parameters.mix.unwrap_or(0))),
        (parameters.read && !parameters.read_check, "read", String::new()),
        (parameters.read_check, "read check", compared),
    ];
    all.into_iter().filter(|(there, ..)| *there).map(|(_, phase, what)| (phase, what)).collect()
}

/// What one phase moves in total and for each rank.
fn amount(test: &ReadyTest) -> String {
    let parameters = &test.parsed.request;
    let layout = layout(parameters, test.ranks);
    let limit = match parameters.wear_out_transfers {
        0 => u64::MAX,
        limit => limit,
    };
    let transfers = layout.transfers_per_rank().min(limit);
    let rank_bytes = transfers * parameters.transfer;
    let at_most = if parameters.deadline > 0 || parameters.minutes_max > 0 {
        "at most "
    } else if parameters.seconds_min > 0 {
        "at least "
    } else if parameters.offsets == Offsets::IorShuffled && !parameters.file_per_rank {
        // IOR's own shuffle of a shared file gives the ranks unequal shares.
        "on average "
    } else {
        ""
    };
    format!(
        "{} in all; {at_most}{} a rank, in {} of {}",
        exact(rank_bytes * u64::from(test.ranks)),
        exact(rank_bytes),
        several(transfers, "transfer"),
        exact(parameters.transfer)
    )
}

/// Bytes in a readable unit, followed by the exact number.
fn exact(bytes: u64) -> String {
    if bytes < 1024 {
        format!("{bytes} bytes")
    } else {
        format!("{} ({bytes} bytes)", bytes_binary(bytes as f64))
    }
}

fn fate(parameters: &Request) -> &'static str {
    let found = !(parameters.write || parameters.read || parameters.read_check);
    if found && parameters.mix.is_some() {
        return "the files stay: they existed before the mixed phase";
    }
    match (parameters.keep, parameters.keep_with_error) {
        (true, _) => "the files are kept",
        (false, true) => "the files are DELETED, unless their data was wrong",
        (false, false) => "the files are DELETED",
    }
}

/// The space that a write needs, and the free space of the first file's file system.
fn space(test: &ReadyTest) -> String {
    let parameters = &test.parsed.request;
    let once = parameters.total_bytes(test.ranks).unwrap_or(u64::MAX);
    let files = if parameters.multi_file && parameters.keep { parameters.repetitions } else { 1 };
    let need = once.saturating_mul(files.into());
    let dir = header_dir(&first_path(parameters, 0)).to_owned();
    let needed = format!("needs {}", bytes_binary(need as f64));
    match test.storage.space(&dir) {
        Ok(Some(space)) => {
            let there = bytes_binary(space.bytes_available as f64);
            let fits = if space.bytes_available >= need { "fits" } else { "DOES NOT FIT" };
            format!("{needed}, {there} are free at {}: {fits}", dir.display())
        }
        Ok(None) => format!("{needed}; this backend does not report the free space"),
        Err(error) => format!("{needed}; the free space at {} is unknown: {error}", dir.display()),
    }
}

/// The files of results that the run would write.
fn files_of_run(last: &ReadyTest) -> String {
    let parsed = &last.parsed;
    let results = match parsed.output.format {
        ResultFormat::Text => "results",
        ResultFormat::Json => "results as JSON",
        ResultFormat::Csv => "results as CSV",
    };
    let files = [
        (results, &parsed.output.file),
        ("rank times", &parsed.output.rank_csv),
        ("transfers", &parsed.request.transfer_csv),
        ("records", &parsed.output.record),
        ("live", &parsed.output.live),
        ("progress", &parsed.output.progress),
    ];
    let lines: Vec<String> =
        files.iter().filter_map(|(what, file)| Some(line(what, file.as_ref()?))).collect();
    if lines.is_empty() { String::new() } else { format!("\nThe run would write\n{}", lines.concat()) }
}
