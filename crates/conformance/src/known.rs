//! Failures that releases of MPI libraries are known to have on every file system.
//!
//! Invariant: a listed case runs like every other; only the outcome of its failure differs.

use std::fmt;
use std::path::Path;

use ranks::{Comm, Halt};
use results::mounts::mount_of;
use storage::mpi_file::{Flag, Info, MpiFile, Opener};

use super::case::matches;

/// The libraries that are known by the beginning of their version text.
const LIBRARIES: [&str; 5] = ["Open MPI", "MPICH", "MVAPICH", "Intel(R) MPI", "CRAY MPICH"];

/// The library that the ranks run on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankLibrary {
    /// `Open MPI`, `MPICH`; empty for local ranks.
    pub name: String,
    /// Release, up to three numbers; missing ones are 0.
    pub version: [u32; 3],
    /// The component that implements MPI-IO: `ompio` or `romio`; empty if that is not known.
    pub io_component: String,
}

impl RankLibrary {
    /// Reads the first line of the library's version text (`MPI_Get_library_version`).
    pub fn read(words: &str) -> Self {
        let name = LIBRARIES.iter().find(|name| words.starts_with(**name)).copied().unwrap_or_default();
        let digits = |word: &&str| word.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
        let word = words.split([' ', '\t', ',', ':']).find(digits).unwrap_or_default();
        let mut numbers = word.trim_start_matches('v').split('.').map_while(|part| {
            let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part[..end].parse().ok()
        });
        let version = [(); 3].map(|()| numbers.next().unwrap_or(0));
        Self { name: name.to_owned(), version, io_component: String::new() }
    }
}

impl fmt::Display for RankLibrary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.version;
        write!(out, "{} {major}.{minor}.{patch}", self.name)?;
        if self.io_component.is_empty() { Ok(()) } else { write!(out, " ({})", self.io_component) }
    }
}

/// Finds which component of the library does MPI-IO in `dir`. Collective.
pub fn detect_io_component(comm: &dyn Comm, library: &mut RankLibrary, dir: &Path) -> Result<(), Halt> {
    let mut component = match (comm.rank(), library.name.as_str()) {
        (0, "Open MPI") => open_mpi_io_component(comm, dir),
        (0, "MPICH") => "romio",
        _ => "",
    }
    .as_bytes()
    .to_vec();
    comm.broadcast(0, &mut component)?;
    library.io_component = String::from_utf8_lossy(&component).into_owned();
    Ok(())
}

/// Open MPI has no call that names its MPI-IO component, so this reads which libraries the process has
/// loaded. With both loaded, Open MPI uses ROMIO on Lustre and OMPIO elsewhere. On Lustre the answer is
/// empty.
fn open_mpi_io_component(comm: &dyn Comm, dir: &Path) -> &'static str {
    // Open MPI loads the component when it opens the first file.
    if let Some(mpi) = comm.mpi() {
        let path = dir.join(format!("assay-mpi-io.probe-{}", std::process::id()));
        let how = [Flag::Create, Flag::Exclusive, Flag::ReadWrite, Flag::DeleteOnClose];
        // If the file cannot be made, the first case reports that.
        let _ = MpiFile::open(Opener::Alone(mpi), &path, &how, &Info::none(mpi)).and_then(MpiFile::close);
    }
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    match (maps.contains("mca_io_ompio"), maps.contains("mca_io_romio")) {
        (true, true) if is_lustre(dir) => "",
        (true, _) => "ompio",
        (false, true) => "romio",
        (false, false) => "",
    }
}

/// Whether the innermost mount that holds `dir` is Lustre.
fn is_lustre(dir: &Path) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    dir.canonicalize().is_ok_and(|dir| mount_of(&mounts, &dir).kind == "lustre")
}

/// The first and the last release that has a failure.
#[derive(Clone, Copy, Debug)]
pub struct VersionRange(pub [u32; 3], pub [u32; 3]);

/// The step of a failure that the watch reports when the time limit has passed.
pub const TIMEOUT: &str = "timeout";

/// The step of a failure that ended the job.
pub const END_OF_JOB: &str = "the end of the job";

/// What a known failure does to the job of ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The case fails, and the job continues.
    Fails,
    /// The job ends.
    EndsJob,
    /// The job hangs until the time limit of the case, at least on some numbers of ranks.
    HangsJob,
}

/// A known failure.
#[derive(Clone, Copy, Debug)]
pub struct KnownFailure {
    /// Name of the library, as in [`RankLibrary::name`].
    pub library: &'static str,
    /// Releases in which the failure was observed.
    pub versions: VersionRange,
    /// `ompio` or `romio`; empty for either.
    pub io_component: &'static str,
    /// Pattern of the names of the cases.
    pub case: &'static str,
    /// Part of the failure's message; a failure of the case with another message is not known. Empty for
    /// fatal failures, which have no message.
    pub message_part: &'static str,
    /// What it does to the job.
    pub effect: Effect,
    /// What the library does, in a sentence.
    pub why: &'static str,
}

impl KnownFailure {
    /// The rows for this case on this library.
    pub fn listed_for(case: &str, library: &RankLibrary) -> Vec<&'static Self> {
        let here = |known: &&Self| {
            let VersionRange(first, last) = known.versions;
            known.library == library.name
                && (first..=last).contains(&library.version)
                && (known.io_component.is_empty() || known.io_component == library.io_component)
                && matches(known.case, case)
        };
        KNOWN_FAILURES.iter().filter(here).collect()
    }

    /// Whether the job does not survive it. The driver then runs one case of the row, and records the others
    /// as not tried.
    pub fn is_fatal(&self) -> bool {
        self.effect != Effect::Fails
    }

    /// Whether a failure of the case at this step, with this message, is the one of this row.
    pub(super) fn explains(&self, step: &str, words: &str) -> bool {
        if self.is_fatal() {
            [TIMEOUT, END_OF_JOB].contains(&step)
        } else {
            words.contains(self.message_part)
        }
    }
}

mod rows;

pub use rows::KNOWN_FAILURES;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_identified_by_its_version_text() {
        for (words, name, version) in [
            ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "Open MPI", [4, 1, 4]),
            ("MPICH Version:\t4.0.2", "MPICH", [4, 0, 2]),
            ("MPICH Version:      5.0.2", "MPICH", [5, 0, 2]),
            ("MPICH Version: 4.2.0rc1", "MPICH", [4, 2, 0]),
            ("Something else", "", [0, 0, 0]),
        ] {
            let library = RankLibrary::read(words);
            assert_eq!((library.name.as_str(), library.version), (name, version), "{words}");
        }
    }

    #[test]
    fn a_failure_is_known_only_if_its_message_is_listed() {
        let versions = VersionRange([1, 0, 0], [1, 0, 0]);
        let (library, case, message_part, why) = ("Open MPI", "a", "torn", "it tears");
        let effect = Effect::Fails;
        let row = KnownFailure { library, versions, io_component: "", case, message_part, effect, why };
        assert!(row.explains("compare", "a write is torn") && !row.explains("timeout", "a write is lost"));
        let fatal = KnownFailure { message_part: "", effect: Effect::EndsJob, ..row };
        assert!(
            fatal.explains(TIMEOUT, "rank 1 hangs") && fatal.explains(END_OF_JOB, "ended with signal 11")
        );
        assert!(!fatal.explains("compare", "wrong data is no crash"));
    }

    #[test]
    fn rows_match_existing_cases_and_give_a_reason() {
        let cases = crate::cases();
        for known in KNOWN_FAILURES {
            assert!(cases.iter().any(|case| matches(known.case, &case.name)), "{}: no such case", known.case);
            assert!(LIBRARIES.contains(&known.library), "{}: no library is named so", known.library);
            let components = ["", "ompio", "romio"];
            assert!(components.contains(&known.io_component), "{}: no component", known.io_component);
            assert!(known.versions.0 <= known.versions.1, "{}", known.case);
            assert!(!known.why.is_empty() && !known.why.ends_with('.'), "{}", known.case);
            assert_eq!(
                known.message_part.is_empty(),
                known.is_fatal(),
                "{}: any failure would be known",
                known.case
            );
        }
    }
}
