//! What an mdtest run tells while it goes on, on rank 0, for those who print it.

use results::record::Phase;

use crate::kit::observer::EventObserver;

/// One rank's own numbers in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankTimes {
    /// Operations it did.
    pub operations: u64,
    /// Seconds until it had done them.
    pub own_s: f64,
    /// Seconds until all ranks had.
    pub seconds: f64,
}

/// A phase that has ended.
#[derive(Debug)]
pub struct EndedPhase<'a> {
    /// What is recorded of it.
    pub phase: &'a Phase,
    /// Its label in mdtest's tables, such as `File creation`.
    pub label: &'static str,
    /// Operations that one rank was to do; of the two phases of the tree, the directories of the tree.
    pub items: u64,
    /// Rank 0's own numbers.
    pub rank_0: RankTimes,
    /// All ranks' own numbers, by rank; empty where nobody wants them.
    pub ranks: &'a [RankTimes],
}

/// One thing that happened.
#[derive(Debug)]
pub enum MdtestEvent<'a> {
    /// Ranks have found each other: how many there are on how many nodes, and for each rank whether it is on
    /// the node of rank 0 (for the line `Nodemap`).
    Started {
        /// How many ranks.
        ranks: u32,
        /// On how many nodes.
        nodes: u32,
        /// Whether each is on the node of rank 0.
        on_node_0: &'a [bool],
    },
    /// Names will shift by so many ranks from phase to phase, after the ranks of a node were counted in.
    Shift(i64),
    /// The seed of shuffled orders.
    RandomSeed(u64),
    /// A run on so many ranks begins; one rank has so many items in all its directories.
    Ranks {
        /// How many take part.
        ranks: u32,
        /// Items of one rank.
        items: u64,
    },
    /// Rank 0 waits so many seconds.
    Delay(u32),
    /// An iteration begins, from 0.
    Iteration(u32),
    /// A phase begins.
    Begins {
        /// As records name it.
        phase: &'static str,
        /// Operations of one rank.
        items: u64,
    },
    /// A phase has ended.
    Ended(EndedPhase<'a>),
    /// So many files were found in each preloaded directory, counted by listing, after so many seconds.
    Preloaded {
        /// How many directories.
        directories: u64,
        /// Files in each.
        files_each: u64,
        /// How long it took, seconds.
        seconds: f64,
    },
    /// The deadline stopped the creation of files: fewest, most and mean items of a rank.
    Stonewall {
        /// Fewest.
        least: u64,
        /// Most.
        most: u64,
        /// Mean.
        mean: f64,
    },
    /// Names that were made or removed for the tree (`-vv`), or for items on rank 0 (`-vvv`).
    Name {
        /// The call, such as `mkdir`.
        what: &'static str,
        /// The name.
        path: &'a str,
    },
    /// Something mdtest prints as `WARNING: `.
    Warning(&'a str),
    /// Something the reader of the numbers has to know; also recorded.
    Notice(&'a str),
    /// A run on one number of ranks is over: so many items held wrong data.
    Over {
        /// Over all ranks and iterations.
        wrong: u64,
    },
}

/// What is told the events of a run.
pub type MdtestListener<'o> = dyn for<'e> EventObserver<MdtestEvent<'e>> + 'o;
