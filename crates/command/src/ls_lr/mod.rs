//! The command line of `ls-lr`: its options, and the shape of its trees.

mod shape;

use std::path::PathBuf;

use units::Usage;

pub use shape::LsLrShape;

use crate::planned::{PlannedLine, check_options, check_stray};

/// List many large trees at the same time, each as `ls -lR` does
///
/// There are as many walkers as ranks, and each lists its own tree. DIR is one directory for each walker
/// (walker 0 lists the first), or one directory for the trees of --make: DIR/ls-lr.0, DIR/ls-lr.1, ...
/// Without --make, --walk and --remove the trees are walked.
///
/// Exit status: 0 done; 2 wrong usage; 4 something failed, or a tree has other entries than it was created
/// with.
#[derive(Clone, Debug, PartialEq, clap::Parser)]
#[command(name = "ls-lr", max_term_width = 100, arg_required_else_help = true)]
pub struct LsLrOptions {
    /// List these trees, one per walker, or use this directory for --make
    #[arg(value_name = "DIR", required = true)]
    pub dirs: Vec<PathBuf>,
    /// Start this many walkers as threads of this process
    ///
    /// Under mpirun or srun each rank is a walker.
    #[arg(short = 'n', value_name = "WALKERS")]
    pub ranks: Option<u32>,
    /// Create a tree for each walker first, unless it is complete already
    #[arg(long)]
    pub make: bool,
    /// Walk the trees (default without --make and --remove)
    #[arg(long)]
    pub walk: bool,
    /// Remove the trees at the end: what --make created, and nothing else
    #[arg(long)]
    pub remove: bool,
    /// Create this many files and directories in each tree
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().entries)]
    pub entries: u64,
    /// Create this many files per directory; 0: only directories
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().per_dir)]
    pub per_dir: u64,
    /// Create this many subdirectories per directory; 1: a chain
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().fan_out)]
    pub fan_out: u64,
    /// Write this many bytes into each file
    #[arg(long, value_name = "BYTES", requires = "make", default_value_t = LsLrShape::default().bytes)]
    pub bytes: u64,
    /// Walk the trees this many times
    #[arg(short = 'i', long, value_name = "N", default_value_t = 1)]
    pub repetitions: u32,
    /// Drop the kernel's caches on all nodes before each walk (root only)
    ///
    /// A warning reports caches that cannot be dropped.
    #[arg(long)]
    pub cold: bool,
    /// Only statx each entry, without the attributes and links of ls -l
    #[arg(long)]
    pub stat_only: bool,
    /// Let walker r walk the tree of rank r + N, such as one of another node
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub shift: u32,
    /// Warn if all walkers worked at the same time for less than this
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    pub min_window: f64,
    /// Continue after a failed call, as ls does
    ///
    /// Failures are counted and listed, and the exit status is 4.
    #[arg(long = "continue")]
    pub keep_going: bool,
    /// Write the records as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    pub record: Option<String>,
    /// Print the numbers of every walker, also of many
    #[arg(short, long)]
    pub verbose: bool,
}

impl PlannedLine for LsLrOptions {
    fn check_planned(&self) -> Result<(), Usage> {
        check_stray("ls-lr", self.dir())?;
        if self.ranks.is_some() {
            return Err(Usage::new("`-n`: the plan's `ranks` sets the number of walkers. Leave -n out."));
        }
        check_options(&[("record", self.record.is_some())])
    }

    fn phases(&self) -> Vec<&'static str> {
        let walk = self.walk || !(self.make || self.remove);
        let all = [("make", self.make), ("list", walk), ("directories", walk), ("remove", self.remove)];
        all.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }

    fn dir(&self) -> Option<&str> {
        self.dirs.first()?.to_str()
    }

    fn creates(&self) -> bool {
        self.make
    }

    fn removes(&self) -> bool {
        self.remove
    }

    fn set_bytes(&self, ranks: u64) -> u64 {
        self.set_names(ranks, 0).saturating_mul(self.bytes)
    }

    fn set_names(&self, ranks: u64, _preload: u64) -> u64 {
        self.entries.saturating_mul(ranks)
    }

    fn repetitions(&self) -> u64 {
        u64::from(self.repetitions).max(1)
    }

    fn shift(&self) -> u64 {
        self.shift.into()
    }

    fn drops_caches(&self) -> bool {
        self.cold
    }
}
