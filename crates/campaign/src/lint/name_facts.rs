//! What a line of operations on names says that a lint needs: mdtest, fdtree, `ls -lR`, ls-lr.
//!
//! Invariant: a value that cannot be read is unknown; none is guessed.

use super::words::{Words, size};
use command::tool_line::tools::options_of;

/// A line of mdtest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MdtestFacts {
    /// Its words, without the program's name.
    pub words: Vec<String>,
    /// It makes names.
    pub creates: bool,
    /// It looks at them: `-T`, `-E`.
    pub looks: bool,
    /// It removes them.
    pub removes: bool,
    /// `-u`: a directory for each rank.
    pub unique: bool,
    /// `-N`, ranks between maker and looker, where it can be read.
    pub shift: Option<u64>,
    /// Files of one rank and repetition, where they can be told.
    pub items: Option<u64>,
    /// `-i`
    pub repetitions: u64,
    /// `-W`, seconds; 0 for none.
    pub deadline_s: u64,
    /// `-d`
    pub dir: Option<String>,
    /// `-k`: files are made by mknod.
    pub makes_nodes: bool,
    /// Whether commands of the user's run between phases.
    pub runs_commands: bool,
}

impl MdtestFacts {
    /// Reads the words behind the program's name.
    pub fn read(line: &[String]) -> Self {
        let (valued, long_valued) = options_of("mdtest");
        let words = Words::read(line, valued, long_valued);
        let on = |letter| words.count(letter) > 0;
        let all = !"CTEUr".chars().any(on);
        let number = |letter, otherwise| match words.value(letter) {
            None => Some(otherwise),
            Some(given) => given.value.as_deref().and_then(size),
        };
        Self {
            words: line.to_vec(),
            creates: all || on('C'),
            looks: all || on('T') || on('E'),
            removes: all || on('r'),
            unique: on('u'),
            shift: number('N', 0),
            items: items(number('n', 0), number('I', 0), number('b', 1), number('z', 0)),
            repetitions: number('i', 1).unwrap_or(1).max(1),
            deadline_s: number('W', 0).unwrap_or(0),
            dir: words.value('d').and_then(|given| given.value.clone()),
            makes_nodes: on('k'),
            runs_commands: words.longs.iter().any(|given| given.name.starts_with("run-cmd-")),
        }
    }
}

/// Items of one rank: `-n` of them, or `-I` in each directory of a tree of `-b` and `-z`.
fn items(all: Option<u64>, each: Option<u64>, branching: Option<u64>, depth: Option<u64>) -> Option<u64> {
    let (all, each, branching, depth) = (all?, each?, branching?, depth?);
    let level = |level: u64| branching.saturating_pow(level as u32);
    let directories =
        if branching == 0 { 1 } else { (0..=depth.min(64)).map(level).fold(0, u64::saturating_add) };
    match (all, each) {
        (all, 0) => Some(all),
        (0, each) => Some(each.saturating_mul(directories)),
        (all, _) => Some(all),
    }
}

/// A walk of trees: `ls -lR`, ls-lr.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WalkFacts {
    /// Its words, without the program's name.
    pub words: Vec<String>,
    /// Whether it is `ls` itself, one process on one node.
    pub plain: bool,
    /// Whether it makes trees, and walks none.
    pub makes: bool,
    /// Entries of a tree that it makes, where told.
    pub entries: Option<u64>,
    /// Whether caches are dropped before.
    pub cold: bool,
    /// Ranks between maker and walker.
    pub shift: u64,
    /// The directory.
    pub dir: Option<String>,
}

impl WalkFacts {
    /// Reads the words behind `ls` (`plain`) or `ls-lr`.
    pub fn read(line: &[String], plain: bool) -> Self {
        let (valued, long_valued) = if plain { ("", &[][..]) } else { options_of("ls_lr") };
        let words = Words::read(line, valued, long_valued);
        let number = |name: &str| words.long(name).and_then(size);
        let makes = words.long("make").is_some();
        Self {
            words: line.to_vec(),
            plain,
            makes: makes && words.long("walk").is_none(),
            entries: number("entries").or(makes.then_some(101_000)),
            cold: words.long("cold").is_some(),
            shift: number("shift").unwrap_or(0),
            dir: words.strays.first().map(|(word, _)| word.clone()),
        }
    }
}

/// The directory of a line of another workload: behind an option, or a word of its own.
pub(super) fn place(key: &str, line: &[String]) -> Option<String> {
    let (valued, long_valued) = options_of(key);
    let words = Words::read(line, valued, long_valued);
    let letter = if key == "fdtree" { 'o' } else { 'f' };
    let given = words.value(letter).and_then(|given| given.value.clone());
    given.or_else(|| words.strays.first().map(|(word, _)| word.clone()).filter(|_| key == "flash_io"))
}
