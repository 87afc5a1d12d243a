//! The facts of any metadata command line: mdtest, md-workbench, fdtree, `ls -lR`, ls-lr.
//!
//! Invariant: a value that cannot be parsed is unknown, never guessed.
//! Never here: checking that an option exists.

use crate::launcher::WorkloadName;
use crate::tool_line::tools::options_of;
use crate::words::{SplitLine, Valued, size};
use crate::{ior, md_workbench, mdtest};

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
    Mdtest(Box<mdtest::Line>),
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
            WorkloadName::Mdtest => Self::Mdtest(Box::new(mdtest::Line::read(words))),
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
                Self::Other(md_workbench::Line::read(words).named_dir().map(str::to_owned))
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
