//! The classic command lines: a parser and a renderer for each, over a workload. No engines here.

pub(crate) mod age;
mod classic;
#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod facts_tests;
mod failures;
pub(crate) mod fdtree;
pub(crate) mod flash_io;
pub(crate) mod ior;
mod latency;
pub(crate) mod ls_lr;
pub(crate) mod md_workbench;
pub(crate) mod mdtest;
pub(crate) mod mpi_io;
mod own_files;
mod own_lines;
mod perform;
mod program;
#[cfg(test)]
mod rejection_tests;
mod result_files;
mod run_records;
mod stuck;
mod waiting;

use crate::session::RankStart;
pub(crate) use classic::data_key;
use classic::drift::{RejectedOptions, is_unfilled};
use command::WorkloadName;
use lint::{Drift, LineRejection};
use units::Usage;

/// A classic program that assay can run as.
pub(crate) struct Personality {
    /// Its name, as a command and as the name of a link to assay.
    pub(crate) name: &'static str,
    /// One line of help.
    pub(crate) about: &'static str,
    /// Runs it and gives the exit status. Arguments: the whole command line, the tokens after the program's
    /// name, and the number of local ranks.
    pub(crate) run: fn(&[String], &[String], Option<u32>) -> u8,
    /// Rejects tokens that a run rejects on any machine.
    pub(crate) check: fn(&[String], RankStart) -> Result<LineEffect, Usage>,
}

/// All of them, by name.
pub(crate) const PERSONALITIES: &[Personality] = &[
    Personality {
        name: "fdtree",
        about: "create and remove a tree of files (options and output of fdtree 1.0.2)",
        run: fdtree::run,
        check: fdtree::check,
    },
    Personality {
        name: "flash-io",
        about: "write a checkpoint and two plot files (options and output of FLASH-IO)",
        run: flash_io::run,
        check: flash_io::check,
    },
    Personality {
        name: "flash_benchmark_io",
        about: "write a checkpoint and two plot files (options and output of FLASH-IO)",
        run: flash_io::run,
        check: flash_io::check,
    },
    Personality {
        name: "ior",
        about: "transfer data in parallel (options and output of IOR 4.1)",
        run: ior::run,
        check: ior::check,
    },
    Personality {
        name: "ls-lr",
        about: "list large trees with many `ls -lR` at once",
        run: ls_lr::run,
        check: ls_lr::check,
    },
    Personality {
        name: "md-workbench",
        about: "renew a working set of objects (options and output of md-workbench 4.1)",
        run: md_workbench::run,
        check: md_workbench::check,
    },
    Personality {
        name: "mdtest",
        about: "work on files and directories in parallel (options and output of mdtest 4.1)",
        run: mdtest::run,
        check: mdtest::check,
    },
];

/// What a command line does that is not rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEffect {
    /// It runs the workload.
    Runs,
    /// It only prints, such as its help or its version.
    Prints,
}

/// The rejection of a command line in a plan that only prints.
pub(crate) const PRINTS: &str = "the command line runs nothing. Leave out the options for help and version.";

/// Rejects a command line that the program rejects on any machine, with the sentence of the program. A run,
/// the linter and the check of a plan use these rules. What depends on the machine is checked only by a run.
pub(crate) fn check(workload: WorkloadName, words: &[String], start: RankStart) -> Result<LineEffect, Usage> {
    match (workload, named(workload.command())) {
        (WorkloadName::MpiIo, _) => mpi_io::check(words, start),
        (WorkloadName::Age, _) => age::check(words, start),
        (_, Some(personality)) => (personality.check)(words, start),
        // `ls` is no program of assay.
        (_, None) => Ok(LineEffect::Runs),
    }
}

/// If the number of ranks is not known, a line is rejected that none of these numbers can run.
const SOME_RANKS: [u32; 3] = [1, 2, 1024];

/// Why the program rejects a command line, with the place of each option that is rejected by itself. `start`
/// is `None` if the number of ranks is not known. A placeholder such as `${SIZE}` is not rejected.
pub(crate) fn rejections(
    workload: WorkloadName,
    words: &[String],
    start: Option<RankStart>,
) -> Vec<LineRejection> {
    let options = match workload {
        WorkloadName::Ior => ior::rejected_options(words),
        WorkloadName::Mdtest => mdtest::rejected_options(words),
        WorkloadName::MdWorkbench => md_workbench::rejected_options(words),
        _ => RejectedOptions::default(),
    };
    let place = |(at, why): (usize, String)| LineRejection { place: Some((at, words[at].clone())), why };
    let alone: Vec<LineRejection> = options.rejected.into_iter().map(place).collect();
    if options.lack_values {
        return alone;
    }
    let check = |start| check(workload, words, start).err().map(|usage| usage.0);
    let why = match start {
        Some(start) => check(start),
        None => {
            let each = SOME_RANKS.map(|ranks| check(RankStart { launched: Some(ranks), local: None }));
            each.into_iter().collect::<Option<Vec<_>>>().and_then(|mut all| all.pop())
        }
    };
    let is_unfilled = || words.iter().any(|word| is_unfilled(word));
    let is_classic = matches!(workload, WorkloadName::Ior | WorkloadName::Mdtest | WorkloadName::MdWorkbench);
    match why {
        None => Vec::new(),
        Some(why) if alone.iter().any(|known| known.why == why) => alone,
        Some(_) if !is_classic && is_unfilled() => Vec::new(),
        Some(why) => vec![LineRejection { place: None, why }],
    }
}

/// The options of `ior` or `mdtest` in `words` that have another effect than before, or none.
pub(crate) fn drifted(workload: WorkloadName, words: &[String]) -> Vec<Drift> {
    match workload {
        WorkloadName::Ior => ior::drifted(words),
        WorkloadName::Mdtest => mdtest::drifted(words),
        _ => Vec::new(),
    }
}

/// The personality of this name, in upper or lower case, with or without a directory before it.
pub(crate) fn named(program: &str) -> Option<&'static Personality> {
    let base = program.rsplit('/').next().unwrap_or(program);
    PERSONALITIES.iter().find(|personality| personality.name.eq_ignore_ascii_case(base))
}
