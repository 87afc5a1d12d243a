//! Random command lines from the tables of options: the linter reports what the program rejects, and nothing
//! else.

use clap::{Args, CommandFactory};
use command::classic::{ClassicOption, ModuleOption, OptionKind};
use command::{IorOption, MdWorkbenchOption, MdtestOption, WorkloadName};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use units::Usage;

use super::{ior, mdtest, rejections};
use crate::session::RankStart;

const FLAGS: &[&str] = &["", "", "", "=0", "=2", "=x"];
const NUMBERS: &[&str] = &["0", "1", "2", "3", "8", "45", "200", "-1", "99999999999", "1k", "x", ""];
const SIZES: &[&str] =
    &["0", "4", "8", "8k", "64k", "1m", "3m", "10m", "-8", "9p", "99999999999999999999", "1x"];
const TEXTS: &[&str] = &[
    "f",
    "g",
    "a@b",
    "a@",
    "DUMMY",
    "MMAP",
    "URING",
    "AIO",
    "HDF5",
    "NCMPI",
    "MPIIO",
    "POSIX",
    "tape",
    "s",
    "t",
    "link,statx",
    "ior",
    "3.3",
    "5MB/s",
    "0",
    "1",
    "0.5",
    "80%",
    "LEVEL0.h",
    "K=V",
    "posix.*",
    "",
];

/// The values of an option of this kind.
fn values(kind: OptionKind) -> &'static [&'static str] {
    match kind {
        OptionKind::Flag => FLAGS,
        OptionKind::Number => NUMBERS,
        OptionKind::Size => SIZES,
        OptionKind::Text | OptionKind::Directives => TEXTS,
    }
}

/// An option of a random command line: its names, and some of its values.
#[derive(Clone, Debug)]
struct RandomOption {
    names: Vec<String>,
    /// Whether its value is a token of its own.
    takes_next: bool,
    values: &'static [&'static str],
}

impl RandomOption {
    fn tokens(&self, name: &Index, value: &Index, is_glued: bool) -> Vec<String> {
        let (name, value) = (name.get(&self.names).clone(), *value.get(self.values));
        match (name.starts_with("-O "), self.takes_next) {
            (true, _) => vec!["-O".to_owned(), format!("{}={}", &name[3..], value.trim_start_matches('='))],
            (_, false) => vec![format!("{name}{value}")],
            (_, true) if is_glued => vec![format!("{name}={value}")],
            (_, true) => vec![name, value.to_owned()],
        }
    }
}

/// The options of a classic program and of all backends.
fn classic<I: ClassicOption>() -> Vec<RandomOption> {
    let letter = |letter: Option<char>| letter.map(|letter| format!("-{letter}"));
    let rows = I::rows().map(|row| {
        let long = row.long.map(|long| format!("--{long}"));
        let listed = row.directives.iter().map(|name| format!("-O {name}"));
        let names = letter(row.short).into_iter().chain(long).chain(listed).collect();
        RandomOption { names, takes_next: row.kind != OptionKind::Flag, values: values(row.kind) }
    });
    let retired = I::retired().iter().map(|row| {
        let listed = row.directive.map(|name| format!("-O {name}"));
        let names = letter(row.short).into_iter().chain(listed).collect();
        RandomOption {
            names,
            takes_next: row.takes_value,
            values: if row.takes_value { NUMBERS } else { FLAGS },
        }
    });
    let modules = ModuleOption::all().map(|known| RandomOption {
        names: vec![format!("--{known}")],
        takes_next: known.option.kind != OptionKind::Flag,
        values: values(known.option.kind),
    });
    let wrong = ["--nope", "-?", "-", "--", "stray", "-wrF", "-wF=0", "-wb", "-O", "--posix.nope"].map(stray);
    let all = rows.chain(retired).chain(modules).chain(wrong);
    let all: Vec<_> = all.filter(|option| !option.names.is_empty()).collect();
    // The backend decides much, so it is given often.
    let backend = RandomOption { names: vec!["-a".to_owned()], takes_next: true, values: &TEXTS[4..12] };
    let backends = vec![backend; all.len() / 6];
    all.into_iter().chain(backends).collect()
}

/// The options of a command that clap parses.
fn parsed(command: &clap::Command) -> Vec<RandomOption> {
    let option = |arg: &clap::Arg| {
        let short = arg.get_short().map(|letter| format!("-{letter}"));
        let names: Vec<_> = short.into_iter().chain(arg.get_long().map(|long| format!("--{long}"))).collect();
        let takes_next = arg.get_action().takes_values();
        RandomOption { names, takes_next, values: if takes_next { TEXTS } else { &[""] } }
    };
    let named = command.get_arguments().filter(|arg| !arg.is_positional());
    named.map(option).chain([stray("d")]).collect()
}

fn stray(word: &str) -> RandomOption {
    RandomOption { names: vec![word.to_owned()], takes_next: false, values: &[""] }
}

fn options(workload: WorkloadName) -> Vec<RandomOption> {
    let of_table = |classic: &[(&str, &str)], all: &[command::OwnOption]| -> Vec<RandomOption> {
        let classic = classic.iter().map(|(option, _)| {
            let (name, value) = option.split_once(' ').unwrap_or((option, ""));
            (name.to_owned(), value)
        });
        let all = classic.chain(all.iter().map(|option| (format!("--{}", option.word), option.value)));
        let option = |(name, value): (String, &str)| RandomOption {
            names: vec![name],
            takes_next: !value.is_empty(),
            values: match value {
                "" => &[""],
                "FILE" | "TREE" | "DIR" | "KEY=VALUE" | "PREFIX" => TEXTS,
                _ => NUMBERS,
            },
        };
        all.map(option).chain([stray("f")]).collect()
    };
    match workload {
        WorkloadName::Ior => classic::<IorOption>(),
        WorkloadName::Mdtest => classic::<MdtestOption>(),
        WorkloadName::MdWorkbench => classic::<MdWorkbenchOption>(),
        WorkloadName::Fdtree => of_table(command::fdtree::CLASSIC, command::fdtree::OWN),
        WorkloadName::FlashIo => {
            let letters = [("-q", ""), ("-b", ""), ("-i", ""), ("-f PREFIX", ""), ("-h", "")];
            of_table(&letters, command::flash_io::OWN)
        }
        WorkloadName::Io500 => parsed(&command::io500::Io500Options::command()),
        WorkloadName::Pfind => parsed(&command::pfind::PfindOptions::command()),
        WorkloadName::LsLr => parsed(&command::ls_lr::LsLrOptions::command()),
        WorkloadName::MpiIo => {
            parsed(&command::mpi_io::MpiIoArgs::augment_args(clap::Command::new("mpi-io")))
        }
        WorkloadName::Quota => parsed(&command::quota::QuotaArgs::augment_args(clap::Command::new("quota"))),
        WorkloadName::Age => parsed(&command::age::AgeArgs::augment_args(clap::Command::new("age"))),
        WorkloadName::Ls => Vec::new(),
    }
}

/// Random arguments of a workload.
pub(super) fn line(workload: WorkloadName) -> impl Strategy<Value = Vec<String>> {
    let option = (select(options(workload)), any::<Index>(), any::<Index>(), any::<bool>());
    let tokens = option.prop_map(|(option, name, value, is_glued)| option.tokens(&name, &value, is_glued));
    let has_dir = matches!(
        workload,
        WorkloadName::Pfind
            | WorkloadName::LsLr
            | WorkloadName::MpiIo
            | WorkloadName::Quota
            | WorkloadName::Age
    );
    vec(tokens, 0..7).prop_map(move |all| {
        let dir = if has_dir { vec!["d".to_owned()] } else { Vec::new() };
        [dir, all.concat()].concat()
    })
}

/// Options whose files only the machine has.
const OF_THE_MACHINE: &[&str] =
    &["-f ", "--data-key ", ".hintsFileName=", "the directory", "-a URING: ", "-a AIO: "];

/// What a run rejects before its ranks start: by the rules, and then by what the machine lacks.
fn rejected_by_run(workload: WorkloadName, words: &[String], local: u32) -> Option<String> {
    let prepared: Result<(), Usage> = match workload {
        WorkloadName::Ior => {
            command::classic::parse(words).and_then(|typed| ior::prepare(typed, None, Some(local)).map(drop))
        }
        WorkloadName::Mdtest => command::classic::parse(words)
            .and_then(|typed| mdtest::prepare(typed, None, Some(local)).map(drop)),
        _ => super::check(workload, words, RankStart { launched: None, local: Some(local) }).map(drop),
    };
    prepared.err().map(|usage| usage.0)
}

/// The linter has errors if and only if a run on this number of local ranks is rejected. One of them has the
/// sentence of the run.
fn agrees(workload: WorkloadName, words: &[String], local: u32) -> Result<(), TestCaseError> {
    let start = RankStart { launched: None, local: Some(local) };
    let found = rejections(workload, words, Some(start));
    command::WorkloadLine::read(workload, words);
    let prints = matches!(super::check(workload, words, start), Ok(super::LineEffect::Prints));
    let run = rejected_by_run(workload, words, local).filter(|_| !prints);
    match run {
        Some(why) if found.iter().any(|rejection| rejection.why == why) => Ok(()),
        Some(why) if found.is_empty() && OF_THE_MACHINE.iter().any(|part| why.contains(part)) => Ok(()),
        Some(why) => {
            Err(TestCaseError::fail(format!("a run is rejected: {why}, the linter finds {found:?}")))
        }
        None if found.is_empty() => Ok(()),
        None => Err(TestCaseError::fail(format!("a run is not rejected, the linter finds {found:?}"))),
    }
}

fn agree_on_random_lines(workload: WorkloadName, cases: u32) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    // With one local rank, a backend that needs MPI would start it in this process.
    let lines = (line(workload), select(&[0_u32, 2, 3, 16][..]));
    proptest::test_runner::TestRunner::new(config)
        .run(&lines, |(words, local)| agrees(workload, &words, local))
        .unwrap_or_else(|error| panic!("{}: {error}", workload.command()));
}

#[test]
fn the_linter_rejects_the_lines_of_ior_that_a_run_rejects() {
    agree_on_random_lines(WorkloadName::Ior, 4000);
}

#[test]
fn the_linter_rejects_the_lines_of_mdtest_that_a_run_rejects() {
    agree_on_random_lines(WorkloadName::Mdtest, 4000);
}

#[test]
fn the_linter_rejects_the_lines_of_the_other_workloads_that_their_rules_reject() {
    for workload in [
        WorkloadName::MdWorkbench,
        WorkloadName::Fdtree,
        WorkloadName::Pfind,
        WorkloadName::Io500,
        WorkloadName::FlashIo,
        WorkloadName::LsLr,
        WorkloadName::MpiIo,
        WorkloadName::Quota,
        WorkloadName::Age,
    ] {
        agree_on_random_lines(workload, 1000);
    }
}
