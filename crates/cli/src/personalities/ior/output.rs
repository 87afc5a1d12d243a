//! The looks of `ior`'s results: what every one of them is told, and which one was asked for.
//!
//! Invariant: no look computes a number that is not in a record or an event.

use units::Usage;
use workloads::ior::IorEvent;
use workloads::kit::observer::EventObserver;

use super::csv::Csv;
use super::json::Json;
use super::ranks_csv::WithRanks;
use super::streams::Streams;
use super::text::Text;
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
pub(crate) trait Output: for<'e> EventObserver<IorEvent<'e>> + Send {
    /// What stands above all tests, once, with what is warned of beforehand.
    fn begin(&mut self, warnings: &str);

    /// The next test is about to start; its file system has this room.
    fn test(&mut self, meant: &Meant, space: Option<storage::Space>);

    /// That test has ended on all ranks, without a failure.
    fn end_test(&mut self);

    /// What stands below all tests; `complete` when none failed. Fails where something could not be
    /// written, with which file that was.
    fn finish(&mut self, complete: bool) -> Result<(), String>;
}

/// The look that is asked for, for the run started as `argv`; its files are created or emptied now.
pub(crate) fn open(look: &Look, argv: &[String]) -> Result<Box<dyn Output>, Usage> {
    let streams = Streams::open(look)?;
    let output: Box<dyn Output> = match look.format {
        Format::Text => Box::new(Text::new(streams, look, argv)),
        Format::Json => Box::new(Json::new(streams, look, argv)),
        Format::Csv => Box::new(Csv::new(streams, look.edition)),
    };
    match &look.rank_csv {
        None => Ok(output),
        Some(path) => Ok(Box::new(WithRanks::create(output, path)?)),
    }
}
