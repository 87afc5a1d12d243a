//! The options of `ls-lr`.

use std::path::PathBuf;

use clap::Parser;
use units::Usage;
use workloads::ls_lr::{EntryCalls, LsLrParameters, LsLrShape, Trees};

use crate::personalities::program::in_one_line;

/// List many large trees at the same time, each as `ls -lR` does
///
/// There are as many walkers as ranks, and each lists its own tree. DIR is one directory for each walker
/// (walker 0 lists the first), or one directory for the trees of --make: DIR/ls-lr.0, DIR/ls-lr.1, ...
/// Without --make, --walk and --remove the trees are walked.
///
/// Exit status: 0 done; 2 wrong usage; 4 something failed, or a tree has other entries than it was created
/// with.
#[derive(Parser)]
#[command(name = "ls-lr", max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct LsLrOptions {
    /// List these trees, one per walker, or use this directory for --make
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,
    /// Start this many walkers as threads of this process
    ///
    /// Under mpirun or srun each rank is a walker.
    #[arg(short = 'n', value_name = "WALKERS")]
    pub(super) ranks: Option<u32>,
    /// Create a tree for each walker first, unless it is complete already
    #[arg(long)]
    make: bool,
    /// Walk the trees (default without --make and --remove)
    #[arg(long)]
    walk: bool,
    /// Remove the trees at the end: what --make created, and nothing else
    #[arg(long)]
    remove: bool,
    /// Create this many files and directories in each tree
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().entries)]
    entries: u64,
    /// Create this many files per directory; 0: only directories
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().per_dir)]
    per_dir: u64,
    /// Create this many subdirectories per directory; 1: a chain
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().fan_out)]
    fan_out: u64,
    /// Write this many bytes into each file
    #[arg(long, value_name = "BYTES", requires = "make", default_value_t = LsLrShape::default().bytes)]
    bytes: u64,
    /// Walk the trees this many times
    #[arg(short = 'i', long, value_name = "N", default_value_t = 1)]
    repetitions: u32,
    /// Drop the kernel's caches on all nodes before each walk (root only)
    ///
    /// A warning reports caches that cannot be dropped.
    #[arg(long)]
    cold: bool,
    /// Only statx each entry, without the attributes and links of ls -l
    #[arg(long)]
    stat_only: bool,
    /// Let walker r walk the tree of rank r + N, such as one of another node
    #[arg(long, value_name = "N", default_value_t = 0)]
    shift: u32,
    /// Warn if all walkers worked at the same time for less than this
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    min_window: f64,
    /// Continue after a failed call, as ls does
    ///
    /// Failures are counted and listed, and the exit status is 4.
    #[arg(long = "continue")]
    keep_going: bool,
    /// Write the records as JSON lines to this new file
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<String>,
    /// Print the numbers of every walker, also of many
    #[arg(short, long)]
    pub(super) verbose: bool,
}

/// The parsed options, or a text to print instead and the exit status.
pub(super) fn parse(tokens: &[String]) -> Result<LsLrOptions, (String, u8)> {
    LsLrOptions::try_parse_from(std::iter::once("ls-lr").chain(tokens.iter().map(String::as_str))).map_err(
        |error| {
            if !error.use_stderr() {
                return (error.render().to_string(), 0);
            }
            if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                return (
                    "no directory is given. Give one per walker; `ls-lr --help` lists the options."
                        .to_owned(),
                    2,
                );
            }
            (format!("{}. `ls-lr --help` lists the options.", in_one_line(&error)), 2)
        },
    )
}

impl LsLrOptions {
    /// The parameters for this number of walkers. `holds` says whether tree number n is in the only
    /// directory.
    pub(super) fn parameters(
        &self,
        ranks: u32,
        holds: impl Fn(u32) -> bool,
    ) -> Result<LsLrParameters, Usage> {
        let Self { entries, per_dir, fan_out, bytes, .. } = *self;
        let parameters = LsLrParameters {
            trees: self.trees(ranks, holds)?,
            shape: LsLrShape { entries, per_dir, fan_out, bytes },
            make: self.make,
            walk: self.walk || !(self.make || self.remove),
            remove: self.remove,
            repetitions: self.repetitions,
            calls: if self.stat_only { EntryCalls::Stat } else { EntryCalls::All },
            cold: self.cold,
            shift: self.shift,
            least_window_s: self.min_window,
            keep_going: self.keep_going,
            ..LsLrParameters::default()
        };
        parameters.check(ranks)?;
        Ok(parameters)
    }

    /// Whether the first directory contains tree number n.
    pub(super) fn holds(&self, tree: u32) -> bool {
        let inside = self.dirs.first().map(|dir| dir.join(format!("ls-lr.{tree}")));
        inside.is_some_and(|tree| tree.symlink_metadata().is_ok())
    }

    /// A single directory is the one of --make if trees are to be made or removed, or if one of them exists.
    fn trees(&self, ranks: u32, holds: impl Fn(u32) -> bool) -> Result<Trees, Usage> {
        let made = self.make || self.remove;
        let [dir] = &self.dirs[..] else {
            if made {
                return Err(Usage::new(
                    "--make and --remove take one directory for all trees. Give only one.",
                ));
            }
            return Ok(Trees::Given(self.dirs.clone()));
        };
        let under = Trees::Under(dir.clone());
        Ok(if made || (0..ranks).any(holds) { under } else { Trees::Given(self.dirs.clone()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_options_are_sound_and_an_error_is_one_line() {
        LsLrOptions::command().debug_assert();
        for (words, part) in [
            ("", "no directory is given"),
            ("--fast x", "unexpected argument '--fast' found"),
            ("--entries 5 x", "--make"),
            ("--make --entries many x", "invalid value 'many' for '--entries <N>'"),
            ("-i", "a value is required for '--repetitions <N>'"),
        ] {
            let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            let (text, status) = parse(&tokens).err().unwrap();
            assert!(text.contains(part) && !text.contains('\n') && status == 2, "{words}: {text}");
        }
        let (help, status) = parse(&["--help".to_owned()]).err().unwrap();
        assert!(help.contains("--stat-only") && status == 0);
    }
}
