//! The command line of `mpi-io`: its options, and the groups of its cases.

use std::path::{Path, PathBuf};

use units::Usage;

use crate::planned::{PlannedLine, check_options, check_stray};

/// The groups of mpi-io cases: the part of a case's name before the first dot.
const GROUPS: &[&str] = &[
    "access",
    "atomic",
    "consistency",
    "datarep",
    "delete",
    "end",
    "errors",
    "flock",
    "groups",
    "hints",
    "large",
    "open",
    "partial",
    "pointers",
    "posix",
    "requests",
    "size",
    "views",
];

/// Check POSIX and MPI-IO guarantees between many ranks
///
/// Each case checks a promise of a document on all ranks. It removes what it creates in DIR.
///
/// `assay mpi-io --launch 'mpirun -n 4' DIR` starts the ranks itself. It starts them again after a case that
/// hung or crashed, until all cases have an outcome. `mpirun -n 4 assay mpi-io DIR` ends at such a case.
/// `assay -n 4 mpi-io --only 'posix.*' DIR` needs no MPI.
#[derive(Clone, Debug, PartialEq, clap::Args)]
pub struct MpiIoArgs {
    /// Check the file system of this directory
    #[arg(value_name = "DIR", required_unless_present = "list")]
    pub dir: Option<PathBuf>,
    /// List the cases with their promise and least number of ranks, then exit
    #[arg(long)]
    pub list: bool,
    /// Run only cases that match, for example 'posix.locks.*'; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub only: Vec<String>,
    /// Skip cases that match; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub skip: Vec<String>,
    /// Start the ranks with this command, and again after a hang or crash
    #[arg(long, value_name = "COMMAND")]
    pub launch: Option<String>,
    /// End a case after this many seconds, or up to 10 times as many on slow storage
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub timeout: u32,
    /// Let the lock of a killed process stay at most this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub lock_release: u32,
    /// Also run cases that move over 1 GiB or create a sparse 10 TB file
    #[arg(long)]
    pub large: bool,
    /// Seed the random choices with this whole number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u32,
    /// Keep the files of failed cases
    #[arg(long)]
    pub keep_failed: bool,
    /// Write the outcomes as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    pub record: Option<String>,
    /// Begin at this case and print messages for the process that started the ranks
    #[arg(long, value_name = "CASE", hide = true)]
    pub speak_from: Option<String>,
    /// Lock the file DIR until the input ends, as a process that a case kills
    #[arg(long, value_name = "OWNER", hide = true)]
    pub hold_lock: Option<String>,
}

impl MpiIoArgs {
    /// The directory under test. Not for `--list`, which needs none.
    pub fn tested_dir(&self) -> &Path {
        self.dir.as_deref().expect("DIR is required unless --list is given")
    }

    /// Rejects values that make no sense. `has_ranks` is whether the ranks start in another way than by
    /// `--launch`.
    pub fn check(&self, has_ranks: bool) -> Result<(), Usage> {
        for (option, seconds) in [("timeout", self.timeout), ("lock-release", self.lock_release)] {
            if seconds == 0 {
                return Err(Usage(format!("--{option} 0: too short. Give at least 1 second.")));
            }
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

    /// Whether the selected cases may be in a group.
    fn may_hold(&self, group: &str) -> bool {
        let fits = |pattern: &String| {
            let before_dot = pattern.split('.').next().unwrap_or_default();
            before_dot.contains(['*', '?']) || before_dot == group
        };
        self.only.is_empty() || self.only.iter().any(fits)
    }
}

impl PlannedLine for MpiIoArgs {
    fn check_planned(&self) -> Result<(), Usage> {
        check_stray("mpi-io", self.dir.as_deref().and_then(Path::to_str))?;
        check_options(&[
            ("launch", self.launch.is_some()),
            ("record", self.record.is_some()),
            ("speak-from", self.speak_from.is_some()),
            ("hold-lock", self.hold_lock.is_some()),
            ("list", self.list),
        ])
    }

    fn phases(&self) -> Vec<&'static str> {
        ["cases"].into_iter().chain(GROUPS.iter().copied().filter(|group| self.may_hold(group))).collect()
    }

    // With --large, a case moves 2 GiB from one rank. The other cases have a few files of some MiB.
    fn set_bytes(&self, ranks: u64) -> u64 {
        let large = if self.large && self.may_hold("large") { 5 << 30 } else { 0 };
        ranks.saturating_mul(16 << 20).saturating_add(large)
    }

    fn set_names(&self, ranks: u64, _preload: u64) -> u64 {
        ranks.saturating_mul(1000)
    }
}
