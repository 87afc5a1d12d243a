//! The options of `mpi-io`.

use std::path::{Path, PathBuf};

use conformance::{ConformanceCase, matches};
use units::Usage;

/// Check POSIX and MPI-IO guarantees between many ranks
///
/// Each case is a promise of a document, tried on all ranks; what it makes in DIR it removes. `assay mpi-io
/// --launch 'mpirun -n 4' DIR` starts the ranks itself, and again after a case that hung or crashed, until
/// all have an outcome; `mpirun -n 4 assay mpi-io DIR` ends at such a case. `assay -n 4 mpi-io --only
/// 'posix.*' DIR` needs no MPI.
#[derive(clap::Args, Clone)]
pub(crate) struct MpiIoArgs {
    /// Directory on the file system to look at
    #[arg(value_name = "DIR", required_unless_present = "list")]
    pub(super) dir: Option<PathBuf>,
    /// List the cases, with ranks and promise, and end
    #[arg(long)]
    pub(super) list: bool,
    /// Only cases that are so called, such as 'posix.locks.*'; several times: any of them
    #[arg(long, value_name = "PATTERN")]
    pub(super) only: Vec<String>,
    /// No cases that are so called
    #[arg(long, value_name = "PATTERN")]
    pub(super) skip: Vec<String>,
    /// Start the ranks by this command, as often as it takes
    #[arg(long, value_name = "COMMAND")]
    pub(super) launch: Option<String>,
    /// End a case that takes longer, as failed
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(super) timeout: u32,
    /// Also cases that move more than 1 GiB or make a file of 10 TB (sparse)
    #[arg(long)]
    pub(super) large: bool,
    /// Where what is random begins
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u32,
    /// Keep the files of cases that failed
    #[arg(long)]
    pub(super) keep_failed: bool,
    /// Keep the outcomes in a file of records
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<String>,
    /// Begin at this case, and speak to the program that started the ranks
    #[arg(long, value_name = "CASE", hide = true)]
    pub(super) speak_from: Option<String>,
}

impl MpiIoArgs {
    /// The selected cases, in order.
    pub(super) fn cases(&self) -> Result<Vec<ConformanceCase>, Usage> {
        let all = conformance::cases();
        let any =
            |patterns: &[String], case: &ConformanceCase| patterns.iter().any(|p| matches(p, &case.name));
        for (option, patterns) in [("--only", &self.only), ("--skip", &self.skip)] {
            let unmatched =
                patterns.iter().find(|pattern| !all.iter().any(|case| matches(pattern, &case.name)));
            if let Some(pattern) = unmatched {
                return Err(Usage(format!("{option} {pattern}: no case is so called; --list tells them")));
            }
        }
        let mut selected: Vec<ConformanceCase> = all
            .into_iter()
            .filter(|case| self.only.is_empty() || any(&self.only, case))
            .filter(|case| !any(&self.skip, case))
            .collect();
        if selected.is_empty() {
            return Err(Usage::new("--only and --skip leave no case; --list tells them"));
        }
        if let Some(first) = self.speak_from.as_ref().filter(|first| !first.is_empty()) {
            let at = selected.iter().position(|case| case.name == **first);
            let at = at.ok_or_else(|| Usage(format!("--speak-from {first}: no case is so called")))?;
            selected.drain(..at);
        }
        Ok(selected)
    }

    /// The directory under test. Not for `--list`, which needs none.
    pub(super) fn dir(&self) -> &Path {
        self.dir.as_deref().expect("DIR is required unless --list is given")
    }

    /// Rejects values that make no sense.
    pub(super) fn check(&self) -> Result<(), Usage> {
        if self.timeout == 0 {
            return Err(Usage::new("--timeout 0: give at least 1 second"));
        }
        if self.launch.as_ref().is_some_and(|launch| launch.trim().is_empty()) {
            return Err(Usage::new("--launch '': name the command that starts ranks, such as 'mpirun -n 4'"));
        }
        if let (Some(dir), false) = (&self.dir, self.list)
            && !dir.is_dir()
        {
            return Err(Usage(format!("{}: is no directory; make it first", dir.display())));
        }
        Ok(())
    }
}
