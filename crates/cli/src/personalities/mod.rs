//! The classic command lines: a parser and a renderer for each, over a workload. No engines here.

pub(crate) mod age;
mod classic;
mod failures;
pub(crate) mod fdtree;
pub(crate) mod flash_io;
pub(crate) mod ior;
mod latency;
pub(crate) mod ls_lr;
pub(crate) mod md_workbench;
pub(crate) mod mdtest;
pub(crate) mod mpi_io;
mod own_lines;
mod own_options;
mod perform;
mod program;
mod result_files;
mod run_records;
mod stuck;
mod waiting;

pub(crate) use classic::TypedKey;
use command::WorkloadName;
use lint::Drift;
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
    /// Rejects tokens that a run on this number of ranks would reject before it starts. The flag says whether
    /// the ranks are threads, which have no MPI.
    pub(crate) check: fn(&[String], u32, bool) -> Result<(), Usage>,
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

/// Rejects arguments of a workload that a run on this number of ranks would reject before it starts.
pub(crate) fn check(workload: &str, words: &[String], ranks: u32, local: bool) -> Result<(), Usage> {
    match (workload, named(workload)) {
        ("mpi-io", _) => mpi_io::check(words),
        (_, Some(personality)) => (personality.check)(words, ranks, local),
        (_, None) => Ok(()),
    }
}

/// The options of `ior` or `mdtest` in `words` that are rejected today or have another effect than before.
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
