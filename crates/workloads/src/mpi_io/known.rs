//! What is known to fail in a release of a library, whatever the file system.
//!
//! Invariant: a case that is listed runs all the same; only how its failure is called differs.

use std::fmt;
use std::path::Path;

use ranks::{Comm, Halt};
use storage::mpi_file::{Flag, Info, MpiFile, Whose};

use super::choose::matches;

/// The library that the ranks run on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    /// `Open MPI`, `MPICH`; empty for local ranks.
    pub name: String,
    /// Release, up to three numbers; missing ones are 0.
    pub version: [u32; 3],
    /// Which of its two parts does files: `ompio` or `romio`; empty where that is not known.
    pub files: String,
}

impl Library {
    /// Reads the first line of what a library says of itself.
    pub fn read(words: &str) -> Self {
        let names = ["Open MPI", "MPICH", "MVAPICH", "Intel(R) MPI", "CRAY MPICH"];
        let name = names.iter().find(|name| words.starts_with(**name)).copied().unwrap_or_default();
        let digits = |word: &&str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
        let word = words.split([' ', '\t', ',', ':']).find(digits).unwrap_or_default();
        let mut numbers = word.trim_start_matches('v').split('.').map_while(|part| {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..end].parse().ok()
        });
        let version = [(); 3].map(|()| numbers.next().unwrap_or(0));
        Self { name: name.to_owned(), version, files: String::new() }
    }
}

impl fmt::Display for Library {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.version;
        write!(out, "{} {major}.{minor}.{patch}", self.name)?;
        if self.files.is_empty() { Ok(()) } else { write!(out, " ({})", self.files) }
    }
}

/// Learns which part of the library does files in `dir`. Collective.
pub fn learn(comm: &dyn Comm, library: &mut Library, dir: &Path) -> Result<(), Halt> {
    let mut files = match (comm.rank(), library.name.as_str()) {
        (0, "Open MPI") => part_of_open_mpi(comm, dir),
        (0, "MPICH") => "romio",
        _ => "",
    }
    .as_bytes()
    .to_vec();
    comm.broadcast(0, &mut files)?;
    library.files = String::from_utf8_lossy(&files).into_owned();
    Ok(())
}

/// Open MPI tells by no call which of its parts does files: the parts that it has loaded do. Where it has
/// both, it takes ROMIO on Lustre and its own elsewhere; on Lustre that is left open here.
fn part_of_open_mpi(comm: &dyn Comm, dir: &Path) -> &'static str {
    // They are loaded when the first file is opened.
    if let Some(mpi) = comm.mpi() {
        let path = dir.join(format!("assay-mpi-io.probe-{}", std::process::id()));
        let how = [Flag::Create, Flag::Exclusive, Flag::ReadWrite, Flag::DeleteOnClose];
        // One that cannot be made is for the first case to tell.
        let _ = MpiFile::open(Whose::Alone(mpi), &path, &how, &Info::none(mpi)).and_then(MpiFile::close);
    }
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    match (maps.contains("mca_io_ompio"), maps.contains("mca_io_romio")) {
        (true, true) if is_lustre(dir) => "",
        (true, _) => "ompio",
        (false, true) => "romio",
        (false, false) => "",
    }
}

/// Whether the last mount above `dir` is of Lustre.
fn is_lustre(dir: &Path) -> bool {
    let Ok(dir) = dir.canonicalize() else { return false };
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let rows = mounts.lines().map(|line| line.split(' ').skip(1));
    let rows = rows.filter_map(|mut row| Some((row.next()?, row.next()?)));
    let above = rows.filter(|(place, _)| dir.starts_with(place));
    above.max_by_key(|(place, _)| place.len()).is_some_and(|(_, kind)| kind == "lustre")
}

/// The first and the last release that has it.
#[derive(Clone, Copy, Debug)]
pub struct Versions(pub [u32; 3], pub [u32; 3]);

/// The step of a failure that is told by who watches the time.
pub const TIMEOUT: &str = "timeout";

/// The step of a failure that took the job along.
pub const END_OF_JOB: &str = "the end of the job";

/// A known failure.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The library.
    pub library: &'static str,
    /// Releases in which it was seen.
    pub versions: Versions,
    /// `ompio`, `romio`, or empty for either.
    pub files: &'static str,
    /// The case, as a pattern.
    pub case: &'static str,
    /// What the failure says; another failure of the case is no known one. Empty for what is fatal, which
    /// says nothing.
    pub says: &'static str,
    /// It ends or hangs the job: who sees to the job tries one such case, and takes the others as the same.
    pub is_fatal: bool,
    /// What the library does, in a sentence.
    pub why: &'static str,
}

impl Known {
    /// The row for this case on this library, if there is one.
    pub fn of(case: &str, library: &Library) -> Vec<&'static Self> {
        let here = |known: &&Self| {
            let Versions(first, last) = known.versions;
            known.library == library.name
                && (first..=last).contains(&library.version)
                && (known.files.is_empty() || known.files == library.files)
                && matches(known.case, case)
        };
        KNOWN.iter().filter(here).collect()
    }

    /// Whether a failure of its case at this step, in these words, is the one that is known.
    pub(super) fn is_of(&self, step: &str, words: &str) -> bool {
        if self.is_fatal { [TIMEOUT, END_OF_JOB].contains(&step) } else { words.contains(self.says) }
    }
}

mod rows;

pub use rows::KNOWN;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_known_by_the_first_line_of_its_words() {
        for (words, name, version) in [
            ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open MPI", [4, 1, 4]),
            ("MPICH Version:\t4.0.2", "MPICH", [4, 0, 2]),
            ("MPICH Version:      5.0.2", "MPICH", [5, 0, 2]),
            ("MPICH Version: 4.2.0rc1", "MPICH", [4, 2, 0]),
            ("Something else", "", [0, 0, 0]),
        ] {
            let library = Library::read(words);
            assert_eq!((library.name.as_str(), library.version), (name, version), "{words}");
        }
    }

    #[test]
    fn a_failure_is_known_only_if_it_is_the_one_that_is_listed() {
        let versions = Versions([1, 0, 0], [1, 0, 0]);
        let (library, case, says, why) = ("Open MPI", "a", "torn", "it tears");
        let row = Known { library, versions, files: "", case, says, is_fatal: false, why };
        assert!(row.is_of("compare", "a write is torn") && !row.is_of("timeout", "a write is lost"));
        let fatal = Known { says: "", is_fatal: true, ..row };
        assert!(fatal.is_of(TIMEOUT, "rank 1 hangs") && fatal.is_of(END_OF_JOB, "ended with signal 11"));
        assert!(!fatal.is_of("compare", "wrong data is no crash"));
    }

    #[test]
    fn rows_name_cases_that_there_are_and_say_why() {
        let cases = super::super::cases();
        for known in KNOWN {
            assert!(cases.iter().any(|case| matches(known.case, &case.name)), "{}: no such case", known.case);
            assert!(known.versions.0 <= known.versions.1, "{}", known.case);
            assert!(!known.why.is_empty() && !known.why.ends_with('.'), "{}", known.case);
            assert_eq!(known.says.is_empty(), known.is_fatal, "{}: any failure would be known", known.case);
        }
    }
}
