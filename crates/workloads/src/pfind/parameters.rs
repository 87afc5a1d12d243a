//! The settings of a search, and its conditions.

use std::path::PathBuf;

use command::pfind::NamePattern;
use storage::{Client, EntryStatus};

/// The settings of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PfindParameters {
    /// The root of the search.
    pub dir: PathBuf,
    /// Only files whose status changed when that of this file did, or later.
    pub newer: Option<PathBuf>,
    /// Only files of this size, bytes.
    pub bytes: Option<u64>,
    /// Only files with such a name.
    pub name: Option<NamePattern>,
    /// The most pending entries of a rank.
    pub queue: usize,
    /// Whether every second request for work goes to the previous rank.
    pub asks_previous: bool,
    /// Drop the caches of all nodes before.
    pub cold: bool,
    /// Whether the run continues after a failed call.
    pub keep_going: bool,
    /// The kernel interface of this client.
    pub client: Client,
}

impl PfindParameters {
    /// Whether there is any condition.
    pub(super) fn has_conditions(&self) -> bool {
        self.newer.is_some() || self.bytes.is_some() || self.name.is_some()
    }
}

/// The conditions, with the time of the file of `newer`.
#[derive(Clone, Copy)]
pub(super) struct Conditions<'p> {
    pub(super) parameters: &'p PfindParameters,
    /// Seconds since 1970, and nanoseconds.
    pub(super) changed_from: Option<(i64, i64)>,
}

impl Conditions<'_> {
    pub(super) fn name_matches(&self, name: &[u8]) -> bool {
        self.parameters.name.as_ref().is_none_or(|pattern| pattern.matches(name))
    }

    /// Whether the status of a file decides.
    pub(super) fn need_status(&self) -> bool {
        self.changed_from.is_some() || self.parameters.bytes.is_some()
    }

    /// Whether a file with a matching name meets the other conditions.
    pub(super) fn hold(&self, found: &EntryStatus) -> bool {
        self.parameters.bytes.is_none_or(|bytes| bytes == found.bytes)
            && self.changed_from.is_none_or(|from| found.changed >= from)
    }
}
