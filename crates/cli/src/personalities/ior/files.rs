//! The files of a run. No two may be the same file, because the second would destroy the first. On a signal,
//! this module lists the files that remain.
//!
//! Invariant: only metadata of files is read.

use std::path::{Path, PathBuf};

use command::ior::Request;
use units::Usage;
use workloads::ior::first_path;

use super::ReadyTest;
use crate::personalities::classic::interrupt;
use crate::personalities::own_files::{self, FilePlace, OwnFile, check_writable};

/// What follows the prefix in the names of files with single transfers: nothing for the last phase, and a
/// kind of phase for the others.
const LOGGED: [&str; 5] = ["", ".write", ".write_check", ".mixed", ".read"];

/// Rejects an option whose file is also data of a test, or the file of another option. `script` is the script
/// of the run.
pub(super) fn check(tests: &[ReadyTest], script: Option<&str>) -> Result<(), Usage> {
    let own = own(tests, script);
    let clash = own.iter().find_map(|one| {
        let place = FilePlace::from_path(Path::new(one.path))?;
        if tests.iter().any(|test| is_data(&place, test)) {
            return Some(("-o", one.option, one.path));
        }
        tests.iter().any(|test| is_log(&place, test)).then_some((one.option, "-O savePerOpDataCSV", one.path))
    });
    match clash.or_else(|| own_files::same(&own)).or_else(|| data_in_log(tests)) {
        None => Ok(()),
        Some(clash) => Err(own_files::rejection(clash)),
    }
}

/// Rejects a status file that could not be written after the first test.
pub(super) fn check_status_files(tests: &[ReadyTest]) -> Result<(), Usage> {
    let parameters = tests.iter().map(|test| &test.parsed.request);
    parameters.filter(|test| test.write && test.wear_out).try_for_each(|test| match &test.status_file {
        Some(path) => check_writable("-O stoneWallingStatusFile", path, &[]),
        None => Ok(()),
    })
}

/// Rejects `-O savePerOpDataCSV` without its directory on this machine. The files are created when a
/// phase begins, and at that time earlier data may be gone.
pub(super) fn check_logs(test: &Request) -> Result<(), Usage> {
    let Some(prefix) = &test.transfer_csv else { return Ok(()) };
    let dir = storage::directory_of(Path::new(prefix));
    match dir.is_dir() {
        true => Ok(()),
        false => Err(Usage(format!(
            "-O savePerOpDataCSV={prefix}: the directory {} does not exist. Create it first",
            dir.display()
        ))),
    }
}

/// All files of the run that have a single name. Tests may share a status file and a file of hints.
fn own<'a>(tests: &'a [ReadyTest], script: Option<&'a str>) -> Vec<OwnFile<'a>> {
    let last = &tests[tests.len() - 1].parsed;
    let mut all = own_files::given([
        ("-f", script),
        ("--record", last.output.record.as_deref()),
        ("--live", last.output.live.as_deref()),
        ("--progress", last.output.progress.as_deref()),
        ("-O summaryFile", last.output.file.as_deref()),
        ("-O saveRankPerformanceDetailsCSV", last.output.rank_csv.as_deref()),
    ]);
    let of_tests = tests.iter().flat_map(|test| {
        let parameters = &test.parsed.request;
        [
            ("-O stoneWallingStatusFile", parameters.status_file.as_deref()),
            ("--mpiio.hintsFileName", parameters.settings.text("mpiio.hintsFileName")),
        ]
    });
    for file in own_files::given(of_tests) {
        if !all.iter().any(|known| (known.option, known.path) == (file.option, file.path)) {
            all.push(file);
        }
    }
    all
}

/// A data file of a test that is also a log of single transfers.
fn data_in_log(tests: &[ReadyTest]) -> Option<(&'static str, &'static str, &str)> {
    tests
        .iter()
        .filter(|test| test.parsed.request.abilities().keeps_data && !test.parsed.request.multi_file)
        .find_map(|test| {
            let name = test.parsed.request.files()[0];
            let place = FilePlace::from_path(test.storage.system_path(Path::new(name)))
                .filter(|_| !test.parsed.request.file_per_rank)?;
            tests.iter().any(|other| is_log(&place, other)).then_some(("-o", "-O savePerOpDataCSV", name))
        })
}

/// Whether a place is the file of a rank in a repetition of the test. There may be very many such files, so
/// only one is checked: the one with the numbers at the end of this name.
fn is_data(place: &FilePlace, test: &ReadyTest) -> bool {
    let parameters = &test.parsed.request;
    let name = || {
        let mut left = place.name();
        let mut number = |wanted: bool, below: u32| match wanted {
            false => Some(0),
            true => {
                let (rest, end) = left.take()?.rsplit_once('.')?;
                left = Some(rest);
                end.parse().ok().filter(|number| *number < below)
            }
        };
        let repetition = number(parameters.multi_file, parameters.repetitions)?;
        let rank = number(parameters.file_per_rank, test.ranks)?;
        Some(data_file(parameters, rank, repetition))
    };
    test.parsed.request.abilities().keeps_data
        && name().is_some_and(|name| place.is_at(test.storage.system_path(Path::new(&name))))
}

/// Whether a place is a file with single transfers of the test.
fn is_log(place: &FilePlace, test: &ReadyTest) -> bool {
    let Some(prefix) = &test.parsed.request.transfer_csv else { return false };
    let numbers = || {
        let (rest, rank) = place.name()?.strip_suffix(".csv")?.rsplit_once('-')?;
        let (rank, repetition): (u32, u32) = (rank.parse().ok()?, rest.rsplit_once('-')?.1.parse().ok()?);
        Some(format!("-{repetition}-{rank:05}.csv"))
    };
    let is_log =
        |rest: String| LOGGED.iter().any(|phase| place.is_at(Path::new(&format!("{prefix}{phase}{rest}"))));
    numbers().is_some_and(is_log)
}

/// The file of a rank in a repetition.
pub(super) fn data_file(test: &Request, rank: u32, repetition: u32) -> String {
    let name = first_path(test, rank);
    if test.multi_file { format!("{name}.{repetition}") } else { name }
}

/// Reports on Ctrl-C and SIGTERM the files that the writing tests leave.
pub(super) fn watch(tests: &[ReadyTest]) {
    interrupt::watch("ior", written(tests.iter().map(|test| (&test.parsed.request, test.ranks))), "");
}

/// The files that the tests write, each test on its number of ranks.
fn written<'a>(tests: impl Iterator<Item = (&'a Request, u32)>) -> impl Iterator<Item = PathBuf> {
    tests.filter(|(test, _)| test.write).flat_map(|(test, ranks)| {
        let repetitions = if test.multi_file { test.repetitions } else { 1 };
        let ranks = if test.file_per_rank { ranks } else { 1 };
        let of_repetition =
            move |number| (0..ranks).map(move |rank| PathBuf::from(data_file(test, rank, number)));
        (0..repetitions).flat_map(of_repetition)
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::personalities::classic::interrupt::LeftBehind;

    #[test]
    fn only_existing_files_are_listed_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let test_file = dir.path().join("f").display().to_string();
        let test = Request {
            write: true,
            multi_file: true,
            file_per_rank: true,
            repetitions: 3,
            test_file,
            ..Request::default()
        };
        let line = |ranks| {
            LeftBehind::of(written([(&test, ranks), (&test, ranks)].into_iter()))
                .there()
                .line("ior", "interrupted")
        };
        assert_eq!(LeftBehind::of(written([(&test, 2)].into_iter())).paths.len(), 6);
        assert_eq!(line(2), "ior: interrupted");
        fs::write(dir.path().join("f.00000001.1"), "x").unwrap();
        assert!(line(2).ends_with("/f.00000001.1"), "{}", line(2));
        fs::write(dir.path().join("f.00000000.2"), "x").unwrap();
        assert!(line(2).ends_with("/f.00000001.1 and 1 more"), "{}", line(2));
        for (rank, others) in [(0, "maybe more"), (7, "at least 1 more")] {
            fs::write(dir.path().join(format!("f.0000000{rank}.0")), "x").unwrap();
            assert!(line(2000).ends_with(&format!("/f.00000000.0 and {others}")), "{}", line(2000));
        }
    }
}
