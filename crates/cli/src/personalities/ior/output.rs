//! The looks of `ior`'s results: what every one of them is told, and which one was asked for.
//!
//! Invariant: no look computes a number that is not in a record or an event.

use std::io;

use workloads::ior::Observer;

use super::typed::Meant;

/// The form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// The classic tables.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// A row for each phase.
    Csv,
}

/// The version of IOR whose text is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Edition {
    /// 4.1
    #[default]
    Ior41,
    /// 3.3 (`--compat 3.3`)
    Ior33,
}

/// How and where the results of a run are shown; the same for all tests of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// `-O summaryFormat`
    pub(crate) format: Format,
    /// `-O summaryFile`; `None` for the standard output.
    pub(crate) file: Option<String>,
    /// `-O summaryAlways`
    pub(crate) summary_always: bool,
    /// `--compat`
    pub(crate) edition: Edition,
    /// `-O saveRankPerformanceDetailsCSV`
    pub(crate) rank_csv: Option<String>,
}

/// One look, on rank 0, from the first test to the last.
pub(crate) trait Output: Observer + Send {
    /// What stands above all tests, once.
    fn begin(&mut self);

    /// The next test is about to start; its file system has this room.
    fn test(&mut self, meant: &Meant, space: Option<storage::Space>);

    /// That test has ended on all ranks, without a failure.
    fn end_test(&mut self);

    /// What stands below all tests; `complete` when none failed. Fails where something could not be
    /// written.
    fn finish(&mut self, complete: bool) -> io::Result<()>;
}
