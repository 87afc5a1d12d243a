//! The files of a run. No two may be the same file, because the second would destroy the first. On a signal,
//! this module lists the files that remain.
//!
//! Invariant: only metadata of files is read.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use units::Usage;
use workloads::ior::{IorParameters, first_path};

use super::flow::ReadyTest;
use crate::personalities::classic::interrupt;
use crate::personalities::result_files::check_writable;

/// What follows the prefix in the names of files with single transfers: nothing for the last phase, and a
/// kind of phase for the others.
const LOGGED: [&str; 5] = ["", ".write", ".write_check", ".mixed", ".read"];

/// A file of the run that is not data.
struct OwnFile<'a> {
    /// The option of the file.
    option: &'static str,
    path: &'a str,
}

/// Rejects an option whose file is also data of a test, or the file of another option. `script` is the script
/// of the run.
pub(super) fn check(tests: &[ReadyTest], script: Option<&str>) -> Result<(), Usage> {
    let own = own(tests, script);
    let clash = own.iter().enumerate().find_map(|(at, one)| {
        let place = FilePlace::of(Path::new(one.path))?;
        if tests.iter().any(|test| place.is_data_of(test)) {
            return Some(("-o", one.option, one.path));
        }
        if tests.iter().any(|test| place.is_log_of(test)) {
            return Some((one.option, "-O savePerOpDataCSV", one.path));
        }
        let same =
            |other: &&OwnFile<'_>| FilePlace::of(Path::new(other.path)).is_some_and(|other| place.is(&other));
        own[at + 1..].iter().find(same).map(|other| (one.option, other.option, other.path))
    });
    match clash.or_else(|| data_in_log(tests)) {
        None => Ok(()),
        Some((one, other, path)) => {
            Err(Usage(format!("{one} and {other} name the same file, {path}. Give each its own.")))
        }
    }
}

/// Rejects a status file that could not be written after the first test.
pub(super) fn check_status_files(tests: &[ReadyTest]) -> Result<(), Usage> {
    let parameters = tests.iter().map(|test| &test.meant.parameters);
    parameters.filter(|test| test.write && test.wear_out).try_for_each(|test| match &test.status_file {
        Some(path) => check_writable("-O stoneWallingStatusFile", path, &[]),
        None => Ok(()),
    })
}

/// All files of the run that have a single name. Tests may share a status file and a file of hints.
fn own<'a>(tests: &'a [ReadyTest], script: Option<&'a str>) -> Vec<OwnFile<'a>> {
    let last = &tests[tests.len() - 1].meant;
    let of_run = [
        ("-f", script),
        ("--record", last.look.record.as_deref()),
        ("--live", last.look.live.as_deref()),
        ("--progress", last.look.progress.as_deref()),
        ("-O summaryFile", last.look.file.as_deref()),
        ("-O saveRankPerformanceDetailsCSV", last.look.rank_csv.as_deref()),
    ];
    let mut all: Vec<OwnFile<'_>> =
        of_run.into_iter().filter_map(|(option, path)| Some(OwnFile { option, path: path? })).collect();
    let of_tests = tests.iter().flat_map(|test| {
        let parameters = &test.meant.parameters;
        [
            ("-O stoneWallingStatusFile", parameters.status_file.as_deref()),
            ("--mpiio.hintsFileName", parameters.settings.text("mpiio.hintsFileName")),
        ]
    });
    for (option, path) in of_tests.filter_map(|(option, path)| Some((option, path?))) {
        if !all.iter().any(|known| (known.option, known.path) == (option, path)) {
            all.push(OwnFile { option, path });
        }
    }
    all
}

/// A data file of a test that is also a log of single transfers.
fn data_in_log(tests: &[ReadyTest]) -> Option<(&'static str, &'static str, &str)> {
    tests.iter().filter(|test| test.storage.keeps_data() && !test.meant.parameters.multi_file).find_map(
        |test| {
            let name = test.meant.parameters.files()[0];
            let place = FilePlace::of(test.storage.system_path(Path::new(name)))
                .filter(|_| !test.meant.parameters.file_per_rank)?;
            tests.iter().any(|other| place.is_log_of(other)).then_some(("-o", "-O savePerOpDataCSV", name))
        },
    )
}

/// The place of a file that exists or would be created.
struct FilePlace {
    /// The absolute path; its existing part has no links and dots.
    path: PathBuf,
    /// Its device and inode, if it exists.
    id: Option<(u64, u64)>,
}

impl FilePlace {
    /// `None` for a file that keeps no data: a terminal, a pipe, `/dev/null`.
    fn of(path: &Path) -> Option<Self> {
        let there = fs::metadata(path).ok();
        let passes = |kind: fs::FileType| kind.is_char_device() || kind.is_fifo() || kind.is_socket();
        if there.as_ref().is_some_and(|there| passes(there.file_type())) {
            return None;
        }
        Some(Self { path: resolved(path), id: there.map(|there| (there.dev(), there.ino())) })
    }

    fn is(&self, other: &Self) -> bool {
        self.path == other.path || (self.id.is_some() && self.id == other.id)
    }

    fn is_at(&self, path: &Path) -> bool {
        Self::of(path).is_some_and(|other| self.is(&other))
    }

    fn name(&self) -> Option<&str> {
        self.path.file_name()?.to_str()
    }

    /// Whether this is the file of a rank in a repetition of the test. There may be very many such files, so
    /// only one is checked: the one with the numbers at the end of this name.
    fn is_data_of(&self, test: &ReadyTest) -> bool {
        let parameters = &test.meant.parameters;
        let name = || {
            let mut left = self.name();
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
        test.storage.keeps_data()
            && name().is_some_and(|name| self.is_at(test.storage.system_path(Path::new(&name))))
    }

    /// Whether this is a file with single transfers of the test.
    fn is_log_of(&self, test: &ReadyTest) -> bool {
        let Some(prefix) = &test.meant.parameters.transfer_csv else { return false };
        let numbers = || {
            let (rest, rank) = self.name()?.strip_suffix(".csv")?.rsplit_once('-')?;
            let (rank, repetition): (u32, u32) = (rank.parse().ok()?, rest.rsplit_once('-')?.1.parse().ok()?);
            Some(format!("-{repetition}-{rank:05}.csv"))
        };
        let is_log = |rest: String| {
            LOGGED.iter().any(|phase| self.is_at(Path::new(&format!("{prefix}{phase}{rest}"))))
        };
        numbers().is_some_and(is_log)
    }
}

/// The absolute path, without links and dots in its existing part.
fn resolved(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = whole.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    match known {
        None => whole,
        Some((part, there)) => whole.strip_prefix(part).map_or(whole.clone(), |rest| there.join(rest)),
    }
}

/// The file of a rank in a repetition.
pub(super) fn data_file(test: &IorParameters, rank: u32, repetition: u32) -> String {
    let name = first_path(test, rank);
    if test.multi_file { format!("{name}.{repetition}") } else { name }
}

/// Reports on Ctrl-C and SIGTERM the files that the writing tests leave.
pub(super) fn watch(tests: &[ReadyTest]) {
    interrupt::watch("ior", written(tests.iter().map(|test| (&test.meant.parameters, test.ranks))), "");
}

/// The files that the tests write, each test on its number of ranks.
fn written<'a>(tests: impl Iterator<Item = (&'a IorParameters, u32)>) -> impl Iterator<Item = PathBuf> {
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
    use super::*;
    use crate::personalities::classic::interrupt::LeftBehind;

    #[test]
    fn only_existing_files_are_listed_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let test_file = dir.path().join("f").display().to_string();
        let test = IorParameters {
            write: true,
            multi_file: true,
            file_per_rank: true,
            repetitions: 3,
            test_file,
            ..IorParameters::default()
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
