//! The events of a search on rank 0, for printing.

use results::reason::Reason;
use results::record::Phase;

use crate::kit::caches::Caches;
use crate::kit::observer::EventObserver;

/// The numbers of one rank.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FinderRow {
    /// Its node.
    pub node: String,
    /// Files that it examined.
    pub files: u64,
    /// Files that met all conditions.
    pub matched: u64,
    /// Directories that it read.
    pub directories: u64,
    /// Entries that it queried by `lstat`.
    pub queried: u64,
    /// Entries that it took from other ranks.
    pub taken: u64,
    /// Seconds in which it waited for work.
    pub waited_s: f64,
}

/// The whole tree has been searched, or calls have failed.
#[derive(Debug)]
pub struct Found {
    /// The record of the entries. Its operations are files.
    pub find: Phase,
    /// The record of the directories.
    pub directories: Phase,
    /// Files that met all conditions.
    pub matched: u64,
    /// Names that the directories returned.
    pub entries: u64,
    /// Of these, names whose kind was unknown.
    pub unknown: u64,
    /// The numbers of each rank.
    pub ranks: Vec<FinderRow>,
    /// The state of the caches.
    pub caches: Caches,
}

/// One event.
#[derive(Debug)]
pub enum PfindEvent<'a> {
    /// The ranks have met.
    Started {
        /// Number of ranks.
        ranks: u32,
        /// Number of nodes.
        nodes: u32,
    },
    /// The search has ended.
    Found(&'a Found),
    /// A notice for the reader of the numbers; also recorded.
    Notice(&'a Reason),
}

/// Receives the events of a run.
pub type PfindListener<'o> = dyn for<'e> EventObserver<PfindEvent<'e>> + 'o;
