//! Old command lines and their looks: a parser and a renderer each, over a workload. No engines here.

pub(crate) mod age;
mod classic;
mod failures;
pub(crate) mod fdtree;
pub(crate) mod flash_io;
pub(crate) mod ior;
mod latency;
pub(crate) mod ls_lr;
pub(crate) mod mdtest;
pub(crate) mod mpi_io;
mod own_options;
mod perform;
mod program;
mod run_records;
mod stuck;

use command::WorkloadName;
use lint::Drift;
use units::Usage;

/// A classic program this one can be.
pub(crate) struct Personality {
    /// Its name, as a command and as the name of a link.
    pub(crate) name: &'static str,
    /// One line of help.
    pub(crate) about: &'static str,
    /// Runs it: the whole command line as given, the tokens behind the program's name, how many local
    /// ranks; gives the exit status.
    pub(crate) run: fn(&[String], &[String], Option<u32>) -> u8,
    /// Says no to tokens that a run on so many ranks would reject before it starts; whether these are
    /// threads, which have no MPI.
    pub(crate) check: fn(&[String], u32, bool) -> Result<(), Usage>,
}

/// All of them, by name.
pub(crate) const PERSONALITIES: &[Personality] = &[
    Personality {
        name: "fdtree",
        about: "a tree of directories and files made and removed: the options and the output of fdtree 1.0.2",
        run: fdtree::run,
        check: fdtree::check,
    },
    Personality {
        name: "flash-io",
        about: "a checkpoint and two plot files of many arrays: the options and the output of FLASH-IO",
        run: flash_io::run,
        check: flash_io::check,
    },
    Personality {
        name: "flash_benchmark_io",
        about: "a checkpoint and two plot files of many arrays: the options and the output of FLASH-IO",
        run: flash_io::run,
        check: flash_io::check,
    },
    Personality {
        name: "ior",
        about: "parallel transfers: the options and the output of IOR 4.1",
        run: ior::run,
        check: ior::check,
    },
    Personality {
        name: "ls-lr",
        about: "many `ls -lR` at once, each in a large tree",
        run: ls_lr::run,
        check: ls_lr::check,
    },
    Personality {
        name: "mdtest",
        about: "operations on names in parallel: the options and the output of mdtest 4.1",
        run: mdtest::run,
        check: mdtest::check,
    },
];

/// Says no to words of a workload that a run on so many ranks would reject before it starts.
pub(crate) fn check(workload: &str, words: &[String], ranks: u32, local: bool) -> Result<(), Usage> {
    match (workload, named(workload)) {
        ("mpi-io", _) => mpi_io::check(words),
        (_, Some(personality)) => (personality.check)(words, ranks, local),
        (_, None) => Ok(()),
    }
}

/// What of the options of `ior` or `mdtest` is rejected today, or taken otherwise than it was.
pub(crate) fn drifted(workload: WorkloadName, words: &[String]) -> Vec<Drift> {
    match workload {
        WorkloadName::Ior => ior::drifted(words),
        WorkloadName::Mdtest => mdtest::drifted(words),
        _ => Vec::new(),
    }
}

/// The personality of that name, whatever its case and whatever folder stands before it.
pub(crate) fn named(program: &str) -> Option<&'static Personality> {
    let base = program.rsplit('/').next().unwrap_or(program);
    PERSONALITIES.iter().find(|personality| personality.name.eq_ignore_ascii_case(base))
}
