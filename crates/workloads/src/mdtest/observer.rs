//! The events that an mdtest run reports while it runs, on rank 0, for the program that prints them.

use results::reason::Reason;
use results::record::Phase;

use crate::kit::observer::EventObserver;

/// The numbers of one rank in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankTimes {
    /// Operations that it did.
    pub operations: u64,
    /// Seconds until it had done them.
    pub own_s: f64,
    /// Seconds until all ranks had done theirs.
    pub seconds: f64,
}

/// A phase that has ended.
#[derive(Debug)]
pub struct EndedPhase<'a> {
    /// The record of the phase.
    pub phase: &'a Phase,
    /// Its label in mdtest's tables, such as `File creation`.
    pub label: &'static str,
    /// Operations that one rank should do. For the two phases of the tree, the directories of the tree.
    pub items: u64,
    /// The numbers of rank 0.
    pub rank_0: RankTimes,
    /// The numbers of all ranks, by rank; empty unless requested.
    pub ranks: &'a [RankTimes],
}

/// One event.
#[derive(Debug)]
pub enum MdtestEvent<'a> {
    /// The placement of the ranks: their number, the number of nodes, and the ranks on the node of rank 0
    /// (for the line `Nodemap`).
    Started {
        /// Number of ranks.
        ranks: u32,
        /// Number of nodes.
        nodes: u32,
        /// Whether each rank is on the node of rank 0.
        on_node_0: &'a [bool],
    },
    /// Items will shift by this many ranks from phase to phase. The ranks of a node are already included.
    Shift(i64),
    /// The seed of shuffled orders.
    RandomSeed(u64),
    /// A run on this many ranks begins. `items` is the number of items of one rank in all its directories.
    Ranks {
        /// Number of ranks that take part.
        ranks: u32,
        /// Items of one rank.
        items: u64,
    },
    /// Rank 0 waits for this many seconds.
    Delay(u32),
    /// An iteration begins, from 0.
    Iteration(u32),
    /// A phase begins.
    Begins {
        /// The name of the phase in records.
        phase: &'static str,
        /// Operations of one rank.
        items: u64,
    },
    /// A phase has ended.
    Ended(EndedPhase<'a>),
    /// The files in each preloaded directory, counted by a listing.
    Preloaded {
        /// Number of directories.
        directories: u64,
        /// Files in each.
        files_each: u64,
        /// Duration, seconds.
        seconds: f64,
    },
    /// The deadline stopped the creation of files. The values are numbers of items of a rank.
    Stonewall {
        /// Fewest.
        least: u64,
        /// Most.
        most: u64,
        /// Mean.
        mean: f64,
    },
    /// A path that was made or removed for the tree (`-vv`), or for items on rank 0 (`-vvv`).
    Name {
        /// The call, such as `mkdir`.
        what: &'static str,
        /// The path.
        path: &'a str,
    },
    /// A text that mdtest prints after `WARNING: `. With `--warningAsErrors` the run stops after it.
    Warning(&'a str),
    /// A notice for the reader of the numbers; also recorded.
    Notice(&'a Reason),
    /// A run on one number of ranks has ended.
    Over {
        /// Number of items with wrong data, over all ranks and iterations.
        wrong: u64,
    },
}

/// Receives the events of a run.
pub type MdtestListener<'o> = dyn for<'e> EventObserver<MdtestEvent<'e>> + 'o;
