//! The events of a run on rank 0, for printing.

use results::reason::Reason;
use results::record::Phase;

use crate::kit::caches::Caches;
use crate::kit::observer::EventObserver;

/// The numbers of one walker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WalkerRow {
    /// Its node.
    pub node: String,
    /// The number of its tree.
    pub tree: u32,
    /// Entries that its listing returned.
    pub entries: u64,
    /// Number of entries with which the tree was created; `None` if it is unknown.
    pub expected: Option<u64>,
    /// Directories that it listed, including the root.
    pub directories: u64,
    /// Entries whose statx succeeded.
    pub stats: u64,
    /// Those of them within the common window.
    pub stats_at_once: u64,
    /// Seconds from the common start to its end.
    pub seconds: f64,
}

/// How the walkers spent their time, shares of 0 to 1. The rest was spent in assay itself.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// In statx of entries.
    pub stat: f64,
    /// In calls on directories.
    pub list: f64,
    /// In attributes and links.
    pub further: f64,
}

/// All trees have been walked once.
#[derive(Debug)]
pub struct Walked {
    /// The record of the calls on entries.
    pub list: Phase,
    /// The record of the calls on directories.
    pub directories: Phase,
    /// The numbers of each walker, by rank.
    pub walkers: Vec<WalkerRow>,
    /// How the time was spent.
    pub shares: Shares,
    /// The state of the caches.
    pub caches: Caches,
    /// Ranks whose tree had another number of entries than it was created with.
    pub mismatches: u64,
}

/// One event.
#[derive(Debug)]
pub enum LsLrEvent<'a> {
    /// The ranks have met.
    Started {
        /// Number of ranks.
        ranks: u32,
        /// Number of nodes.
        nodes: u32,
    },
    /// Progress: trees are being created or removed. The numbers are those of rank 0's tree.
    Going {
        /// `making` or `removing`.
        what: &'static str,
        /// Entries done.
        done: u64,
        /// Number of entries.
        of: u64,
    },
    /// Trees have been created and counted by a listing.
    Made {
        /// The record of the phase.
        phase: &'a Phase,
        /// Entries counted in all trees.
        counted: u64,
        /// Trees that were complete before.
        before: u64,
    },
    /// Walkers are about to start.
    Walks {
        /// The repetition, from 0.
        repetition: u32,
    },
    /// The walkers have ended.
    Walked(&'a Walked),
    /// Trees have been removed.
    Removed {
        /// The record of the phase.
        phase: &'a Phase,
        /// Trees of which only a part existed, so that the rate is not usable.
        parts: u64,
        /// Trees that are not removed completely, because some entries were not made by assay.
        left: u64,
        /// One directory that remains.
        first_left: Option<&'a str>,
    },
    /// A notice for the reader of the numbers; also recorded.
    Notice(&'a Reason),
}

/// Receives the events of a run.
pub type LsLrListener<'o> = dyn for<'e> EventObserver<LsLrEvent<'e>> + 'o;
