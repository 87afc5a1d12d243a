//! The options of `ls-lr`.

use std::path::PathBuf;

use clap::Parser;
use units::Usage;
use workloads::ls_lr::{EntryCalls, LsLrParameters, LsLrShape, Trees};

use crate::personalities::program::in_one_line;

/// As many walkers as ranks, each listing a large tree of its own as `ls -lR` does, all at once.
///
/// DIR is one directory for each walker (walker 0 lists the first), or one directory that holds or will
/// hold the trees of --make: DIR/ls-lr.0, DIR/ls-lr.1, ... Without --make, --walk and --remove the trees are
/// walked. Exit status: 0 done; 2 wrong usage; 4 something failed, or a tree has other
/// entries than it was created with.
#[derive(Parser)]
#[command(name = "ls-lr", max_term_width = 100, arg_required_else_help = true)]
pub(super) struct LsLrOptions {
    /// Trees, one for each walker, or the directory of the trees of --make
    #[arg(value_name = "DIR", required = true)]
    dirs: Vec<PathBuf>,
    /// Local walkers, as threads of this process; under mpirun or srun each rank is a walker
    #[arg(short = 'n', value_name = "WALKERS")]
    pub(super) ranks: Option<u32>,
    /// Make a tree for each walker first; one that is whole already is kept as it is
    #[arg(long)]
    make: bool,
    /// Walk the trees; this is what is done when nothing else is asked for
    #[arg(long)]
    walk: bool,
    /// Remove the trees at the end: what --make made, and nothing else
    #[arg(long)]
    remove: bool,
    /// Entries of each tree that is made, files and directories
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().entries)]
    entries: u64,
    /// Files in each directory of a tree that is made; 0: only directories
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().per_dir)]
    per_dir: u64,
    /// Directories in each directory of a tree that is made; 1: a chain
    #[arg(long, value_name = "N", requires = "make", default_value_t = LsLrShape::default().fan_out)]
    fan_out: u64,
    /// Bytes in each file of a tree that is made
    #[arg(long, value_name = "BYTES", requires = "make", default_value_t = LsLrShape::default().bytes)]
    bytes: u64,
    /// How often the trees are walked
    #[arg(short = 'i', long, value_name = "N", default_value_t = 1)]
    repetitions: u32,
    /// Drop the kernel's caches on all nodes before each walk (root only); what cannot be dropped is told
    #[arg(long)]
    cold: bool,
    /// Only statx an entry; leave out the attributes and links that ls -l also asks for
    #[arg(long)]
    stat_only: bool,
    /// Walker r walks the tree that rank r + N made, such as one of another node
    #[arg(long, value_name = "N", default_value_t = 0)]
    shift: u32,
    /// Tell when all walkers were at work at once for less than this
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    min_window: f64,
    /// Go on after a call that failed, as ls does; failures are counted and named, and the exit status is 4
    #[arg(long = "continue")]
    keep_going: bool,
    /// Write the records to a new file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<String>,
    /// Tell every walker's numbers, also of many
    #[arg(short, long)]
    pub(super) verbose: bool,
}

/// What was typed, or what is to be said instead: text and exit status.
pub(super) fn parse(tokens: &[String]) -> Result<LsLrOptions, (String, u8)> {
    LsLrOptions::try_parse_from(std::iter::once("ls-lr").chain(tokens.iter().map(String::as_str))).map_err(
        |error| {
            if !error.use_stderr() {
                return (error.render().to_string(), 0);
            }
            if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
                return ("name a directory for each walker; --help lists the options".to_owned(), 2);
            }
            (format!("{}; --help lists the options", in_one_line(&error)), 2)
        },
    )
}

impl LsLrOptions {
    /// What is meant for so many walkers; `holds` tells whether tree number n is in the one directory named.
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

    /// Whether the first directory named has tree number n in it.
    pub(super) fn holds(&self, tree: u32) -> bool {
        let inside = self.dirs.first().map(|dir| dir.join(format!("ls-lr.{tree}")));
        inside.is_some_and(|tree| tree.symlink_metadata().is_ok())
    }

    /// A single directory holds trees if it is to, or if one is there.
    fn trees(&self, ranks: u32, holds: impl Fn(u32) -> bool) -> Result<Trees, Usage> {
        let made = self.make || self.remove;
        let [dir] = &self.dirs[..] else {
            if made {
                return Err(Usage::new("--make and --remove take one directory, which holds all trees"));
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
    fn the_options_are_sound_and_a_bad_one_is_told_in_one_line() {
        LsLrOptions::command().debug_assert();
        for (words, told) in [
            ("", "name a directory for each walker"),
            ("--fast x", "unexpected argument '--fast' found"),
            ("--entries 5 x", "--make"),
            ("--make --entries many x", "invalid value 'many' for '--entries <N>'"),
            ("-i", "a value is required for '--repetitions <N>'"),
        ] {
            let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
            let (text, status) = parse(&tokens).err().unwrap();
            assert!(text.contains(told) && !text.contains('\n') && status == 2, "{words}: {text}");
        }
        let (help, status) = parse(&["--help".to_owned()]).err().unwrap();
        assert!(help.contains("--stat-only") && status == 0);
    }
}
