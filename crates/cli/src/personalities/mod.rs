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
pub(crate) mod io500;
pub(crate) mod ior;
mod latency;
mod living;
pub(crate) mod ls_lr;
pub(crate) mod md_workbench;
pub(crate) mod mdtest;
pub(crate) mod mpi_io;
mod own_files;
mod own_lines;
mod perform;
pub(crate) mod pfind;
mod printer;
mod program;
pub(crate) mod quota;
#[cfg(test)]
mod rejection_tests;
mod run_records;
mod spread;
mod stuck;
mod waiting;
mod within;

use crate::session::RankStart;
pub(crate) use classic::data_key;
use classic::drift::{self, RejectedOptions, is_unfilled};
use command::classic::ClassicLine;
use command::{WORKLOADS, Workload, WorkloadName};
use lint::{Drift, LineRejection};
pub(crate) use run_records::parallel_libraries;
use units::Usage;

/// Runs a program and gives the exit status. Arguments: the whole command line, the tokens after the name of
/// the program, and the number of local ranks.
type RunProgram = fn(&[String], &[String], Option<u32>) -> u8;

/// A workload as a program.
struct Personality {
    /// `None` if its options are those of a command of assay.
    run: Option<RunProgram>,
    /// Rejects tokens that a run rejects on any machine.
    check: fn(&[String], RankStart) -> Result<LineEffect, Usage>,
}

fn personality(workload: WorkloadName) -> Personality {
    match workload {
        WorkloadName::Age => Personality { run: None, check: age::check },
        WorkloadName::Fdtree => Personality { run: Some(fdtree::run), check: fdtree::check },
        WorkloadName::FlashIo => Personality { run: Some(flash_io::run), check: flash_io::check },
        WorkloadName::Io500 => Personality { run: Some(io500::run), check: io500::check },
        WorkloadName::Ior => Personality { run: Some(ior::run), check: ior::check },
        // `ls` is no program of assay.
        WorkloadName::Ls => Personality { run: None, check: |_, _| Ok(LineEffect::Runs) },
        WorkloadName::LsLr => Personality { run: Some(ls_lr::run), check: ls_lr::check },
        WorkloadName::MdWorkbench => Personality { run: Some(md_workbench::run), check: md_workbench::check },
        WorkloadName::Mdtest => Personality { run: Some(mdtest::run), check: mdtest::check },
        WorkloadName::MpiIo => Personality { run: None, check: mpi_io::check },
        WorkloadName::Pfind => Personality { run: Some(pfind::run), check: pfind::check },
        WorkloadName::Quota => Personality { run: None, check: quota::check },
    }
}

/// Runs a classic program, and gives the exit status.
pub(crate) fn run(workload: WorkloadName, argv: &[String], tokens: &[String], local: Option<u32>) -> u8 {
    let run = personality(workload).run.expect("a classic program");
    run(argv, tokens, local)
}

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
    (personality(workload).check)(words, start)
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
        WorkloadName::Ior => RejectedOptions::read::<command::ior::Parsed>(words),
        WorkloadName::Mdtest => RejectedOptions::read::<command::mdtest::Parsed>(words),
        WorkloadName::MdWorkbench => RejectedOptions::read::<command::md_workbench::Parsed>(words),
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
        WorkloadName::Ior => {
            drift::drifted::<command::ior::Parsed>(words, |typed| typed.finished().map(|run| run.taken.notes))
        }
        WorkloadName::Mdtest => drift::drifted::<command::mdtest::Parsed>(words, |typed| {
            typed.finished().map(|run| run.taken.notes)
        }),
        _ => Vec::new(),
    }
}

/// The classic program of this name, in upper or lower case, with or without a directory before it.
pub(crate) fn named(program: &str) -> Option<WorkloadName> {
    let base = program.rsplit('/').next().unwrap_or(program).to_ascii_lowercase();
    programs().find(|(_, name)| *name == base).map(|(row, _)| row.name)
}

/// The names under which assay is a classic program, in order.
pub(crate) fn programs() -> impl Iterator<Item = (&'static Workload, &'static str)> {
    let classic = WORKLOADS.iter().filter(|row| row.is_classic());
    classic.flat_map(|row| row.names.iter().map(move |name| (row, *name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classic_programs_are_those_that_can_be_run_by_their_names() {
        for row in WORKLOADS {
            assert_eq!(personality(row.name).run.is_some(), row.is_classic(), "{:?}", row.name);
        }
    }
}
