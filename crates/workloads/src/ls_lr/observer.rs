//! The events of a run on rank 0, for printing.

use results::record::Phase;

use crate::kit::observer::EventObserver;

/// One walker's own numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkerRow {
    /// The node it is on.
    pub node: String,
    /// Number of its tree.
    pub tree: u32,
    /// Entries that it found by listing.
    pub entries: u64,
    /// Number of entries with which the tree was created; `None` if it is unknown.
    pub expected: Option<u64>,
    /// Directories that it listed, with the root.
    pub directories: u64,
    /// Entries whose statx answered.
    pub stats: u64,
    /// Those of them within the common window.
    pub stats_at_once: u64,
    /// Seconds from the common start to its end.
    pub seconds: f64,
}

/// Where the walkers' time went, shares of 0 to 1; the rest is their own work.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// In statx of entries.
    pub stat: f64,
    /// In calls on directories.
    pub list: f64,
    /// In attributes and links.
    pub further: f64,
}

/// What is known of the clients' caches before a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Caches {
    /// They were dropped on every node.
    pub dropped: bool,
    /// Entries that were new to a client, as a share of those that its walkers requested, 0 to 1. This is the
    /// lowest share of all nodes. `None` if no kernel reported it.
    pub new_names: Option<f64>,
}

/// All trees have been walked once.
#[derive(Debug)]
pub struct Walked {
    /// What is recorded: asking for entries.
    pub list: Phase,
    /// What is recorded: calls on directories.
    pub directories: Phase,
    /// By rank.
    pub walkers: Vec<WalkerRow>,
    /// Where the time went.
    pub shares: Shares,
    /// What was cached.
    pub caches: Caches,
    /// Ranks that found another number of entries than their tree was made with.
    pub mismatches: u64,
}

/// One thing that happened.
#[derive(Debug)]
pub enum LsLrEvent<'a> {
    /// Ranks have found each other.
    Started {
        /// How many.
        ranks: u32,
        /// On how many nodes.
        nodes: u32,
    },
    /// Trees are being made or removed: so many entries of rank 0's tree are done.
    Going {
        /// `making` or `removing`.
        what: &'static str,
        /// Entries done.
        done: u64,
        /// Entries in all.
        of: u64,
    },
    /// Trees have been made and counted by listing.
    Made {
        /// What is recorded.
        phase: &'a Phase,
        /// Entries counted in all trees.
        counted: u64,
        /// Trees that were whole before.
        before: u64,
    },
    /// Walkers are about to start.
    Walks {
        /// Which repetition, from 0.
        repetition: u32,
    },
    /// They have ended.
    Walked(&'a Walked),
    /// Trees have been removed.
    Removed {
        /// What is recorded.
        phase: &'a Phase,
        /// Trees that were there in part, so that the rate means nothing.
        parts: u64,
        /// Trees of which something stays, because it was not made here.
        left: u64,
        /// One directory that stays.
        first_left: Option<&'a str>,
    },
    /// Something the reader of the numbers has to know; also recorded.
    Notice(&'a str),
}

/// The listener for events of a run.
pub type LsLrListener<'o> = dyn for<'e> EventObserver<LsLrEvent<'e>> + 'o;
