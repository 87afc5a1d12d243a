//! The options of `mpi-io`.

use std::path::{Path, PathBuf};

use conformance::{ConformanceCase, matches};
use units::Usage;

/// Check POSIX and MPI-IO guarantees between many ranks
///
/// Each case checks a promise of a document on all ranks. It removes what it creates in DIR.
///
/// `assay mpi-io --launch 'mpirun -n 4' DIR` starts the ranks itself. It starts them again after a case that
/// hung or crashed, until all cases have an outcome. `mpirun -n 4 assay mpi-io DIR` ends at such a case.
/// `assay -n 4 mpi-io --only 'posix.*' DIR` needs no MPI.
#[derive(clap::Args, Clone)]
pub(crate) struct MpiIoArgs {
    /// Check the file system of this directory
    #[arg(value_name = "DIR", required_unless_present = "list")]
    pub(super) dir: Option<PathBuf>,
    /// List the cases with their promise and least number of ranks, then exit
    #[arg(long)]
    pub(super) list: bool,
    /// Run only cases that match, for example 'posix.locks.*'; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(super) only: Vec<String>,
    /// Skip cases that match; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(super) skip: Vec<String>,
    /// Start the ranks with this command, and again after a hang or crash
    #[arg(long, value_name = "COMMAND")]
    pub(super) launch: Option<String>,
    /// End a case after this many seconds, or up to 10 times as many on slow storage
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(super) timeout: u32,
    /// Also run cases that move over 1 GiB or create a sparse 10 TB file
    #[arg(long)]
    pub(super) large: bool,
    /// Seed the random choices with this whole number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u32,
    /// Keep the files of failed cases
    #[arg(long)]
    pub(super) keep_failed: bool,
    /// Write the outcomes as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<String>,
    /// Begin at this case and print messages for the process that started the ranks
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
                return Err(Usage(format!(
                    "{option} {pattern}: no case matches. `assay mpi-io --list` lists all."
                )));
            }
        }
        let mut selected: Vec<ConformanceCase> = all
            .into_iter()
            .filter(|case| self.only.is_empty() || any(&self.only, case))
            .filter(|case| !any(&self.skip, case))
            .collect();
        if selected.is_empty() {
            return Err(Usage::new("--only and --skip leave no case. `assay mpi-io --list` lists all."));
        }
        if let Some(first) = self.speak_from.as_ref().filter(|first| !first.is_empty()) {
            let at = selected.iter().position(|case| case.name == **first);
            let at = at.ok_or_else(|| Usage(format!("--speak-from {first}: no case matches")))?;
            selected.drain(..at);
        }
        Ok(selected)
    }

    /// The directory under test. Not for `--list`, which needs none.
    pub(super) fn dir(&self) -> &Path {
        self.dir.as_deref().expect("DIR is required unless --list is given")
    }

    /// Rejects values that make no sense. `has_ranks` is whether the ranks start in another way than by
    /// `--launch`.
    pub(super) fn check(&self, has_ranks: bool) -> Result<(), Usage> {
        if self.timeout == 0 {
            return Err(Usage::new("--timeout 0: too short. Give at least 1 second."));
        }
        if self.launch.as_ref().is_some_and(|launch| launch.trim().is_empty()) {
            return Err(Usage::new(
                "--launch '': empty. Give a command that starts ranks, such as 'mpirun -n 4'.",
            ));
        }
        if self.launch.is_some() && has_ranks {
            let why = "--launch starts the ranks itself. Leave out -n and the launcher around it.";
            return Err(Usage::new(why));
        }
        Ok(())
    }

    /// Rejects a directory that does not exist.
    pub(super) fn check_dir(&self) -> Result<(), Usage> {
        let dir = self.dir();
        if dir.is_dir() {
            return Ok(());
        }
        Err(Usage(format!("{}: not a directory. Create it or choose another.", dir.display())))
    }
}
