//! The facts of any metadata command line: mdtest, md-workbench, fdtree, `ls -lR`, ls-lr.
//!
//! Invariant: a value that cannot be parsed is unknown, never guessed.
//! Never here: checking that an option exists.

use crate::MdtestOption::{self, *};
use crate::classic::{OptionInput, OptionValues, read_tokens};
use crate::ior;
use crate::launcher::WorkloadName;
use crate::tool_line::tools::options_of;
use crate::tool_line::{directories, does};
use crate::words::{SplitLine, Valued, size};

/// The facts of an mdtest command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MdtestFacts {
    /// The arguments, without the program's name.
    pub words: Vec<String>,
    /// It creates files or directories.
    pub creates: bool,
    /// It stats or reads them: `-T`, `-E`.
    pub stats: bool,
    /// It removes them.
    pub removes: bool,
    /// `-u`: a directory for each rank.
    pub unique: bool,
    /// `-N`, ranks between the creator and the rank that stats; `None` where it cannot be parsed.
    pub shift: Option<u64>,
    /// Files of one rank and repetition, where known.
    pub items: Option<u64>,
    /// `-i`
    pub repetitions: u64,
    /// `-W`, seconds; 0 for none.
    pub deadline_s: u64,
    /// `-d`
    pub dir: Option<String>,
    /// The index of `-k`, by which files are created by mknod, if it is on.
    pub makes_nodes_at: Option<usize>,
    /// Whether the user's commands run between phases.
    pub runs_commands: bool,
}

impl MdtestFacts {
    /// Reads the arguments that follow the program's name.
    pub fn read(line: &[String]) -> Self {
        let occurrences = read_tokens::<MdtestOption>(line);
        let given = OptionValues::of(&occurrences);
        let number = |option, otherwise| given.number(option, otherwise);
        Self {
            words: line.to_vec(),
            creates: does(&given, Create),
            stats: does(&given, Stat) || given.on(ReadFiles),
            removes: does(&given, Remove),
            unique: given.on(UniqueDirectory),
            shift: number(Shift, 0),
            items: items([
                number(Items, 0),
                number(ItemsPerDirectory, 0),
                number(Branching, 1),
                number(Depth, 0),
            ]),
            repetitions: number(Iterations, 1).unwrap_or(1).max(1),
            deadline_s: number(Deadline, 0).unwrap_or(0),
            dir: given.text(Directory).map(str::to_owned),
            makes_nodes_at: occurrences
                .iter()
                .find(|one| matches!(one.input, OptionInput::Flag(row, _) if row.id == MakeNode))
                .filter(|_| given.on(MakeNode))
                .map(|one| one.at),
            runs_commands: given.has(CommandBefore) || given.has(CommandAfter),
        }
    }
}

/// Items of one rank: `-n` in total, or `-I` in each directory of the tree that `-b` and `-z` describe.
fn items(numbers: [Option<u64>; 4]) -> Option<u64> {
    let [all, each, branching, depth] = numbers;
    let (all, each, branching, depth) = (all?, each?, branching?, depth?);
    let of_tree = each.saturating_mul(directories(branching, depth));
    Some(if all == 0 { of_tree } else { all })
}

/// A walk of trees: `ls -lR`, ls-lr.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkFacts {
    /// The arguments, without the program's name.
    pub words: Vec<String>,
    /// Whether it is `ls` itself, one process on one node.
    pub plain: bool,
    /// Whether it creates trees and walks none.
    pub makes: bool,
    /// Entries of a tree that it creates, where given.
    pub entries: Option<u64>,
    /// Whether it drops caches first.
    pub cold: bool,
    /// Ranks between the creator of a tree and the rank that walks it.
    pub shift: u64,
    /// The directory.
    pub dir: Option<String>,
}

impl WalkFacts {
    /// Reads the arguments that follow `ls` (`plain`) or `ls-lr`.
    pub fn read(line: &[String], plain: bool) -> Self {
        let valued = if plain { Valued::default() } else { options_of("ls_lr") };
        let words = SplitLine::read(line, valued);
        let number = |name: &str| words.long(name).and_then(size);
        let makes = words.long("make").is_some();
        Self {
            words: line.to_vec(),
            plain,
            makes: makes && words.long("walk").is_none(),
            entries: number("entries").or(makes.then_some(101_000)),
            cold: words.long("cold").is_some(),
            shift: number("shift").unwrap_or(0),
            dir: words.strays.first().cloned(),
        }
    }
}

/// The facts of the command line of any workload.
#[derive(Clone, Debug, PartialEq)]
pub enum LineFacts {
    /// Transfers.
    Ior(Box<ior::Line>),
    /// Operations on files and directories.
    Mdtest(MdtestFacts),
    /// A walk of trees.
    Walk(WalkFacts),
    /// Another workload, with the place of its files where the command line gives it.
    Other(Option<String>),
}

impl Default for LineFacts {
    fn default() -> Self {
        Self::Other(None)
    }
}

impl LineFacts {
    /// Reads the arguments that follow the name of a workload.
    pub fn read(workload: WorkloadName, words: &[String]) -> Self {
        match workload {
            WorkloadName::Ior => Self::Ior(Box::new(ior::Line::read(words))),
            WorkloadName::Mdtest => Self::Mdtest(MdtestFacts::read(words)),
            WorkloadName::Ls => Self::Walk(WalkFacts::read(words, true)),
            WorkloadName::LsLr => Self::Walk(WalkFacts::read(words, false)),
            WorkloadName::Fdtree => {
                let split = SplitLine::read(words, options_of("fdtree"));
                Self::Other(split.value('o').map(str::to_owned))
            }
            WorkloadName::FlashIo => {
                let split = SplitLine::read(words, options_of("flash_io"));
                let stray = split.strays.first().map(String::as_str);
                Self::Other(split.value('f').or(stray).map(str::to_owned))
            }
            WorkloadName::MdWorkbench => {
                let split = SplitLine::read(words, options_of("md_workbench"));
                Self::Other(split.value('o').map(str::to_owned))
            }
            WorkloadName::MpiIo | WorkloadName::Age => Self::Other(None),
        }
    }

    /// The arguments that follow the workload's name; empty for a workload that is [`Self::Other`].
    pub fn words(&self) -> &[String] {
        match self {
            Self::Ior(line) => &line.words,
            Self::Mdtest(line) => &line.words,
            Self::Walk(line) => &line.words,
            Self::Other(_) => &[],
        }
    }
}
