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
use super::text::IorText;
use super::typed::MeantIor;

/// The form of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ResultFormat {
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
pub(crate) enum IorEdition {
    /// 4.1
    #[default]
    Ior41,
    /// 3.3 (`--compat 3.3`)
    Ior33,
}

/// How and where the results of a run are shown; the same for all tests of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IorLook {
    /// `-O summaryFormat`
    pub(crate) format: ResultFormat,
    /// `-O summaryFile`; `None` for the standard output.
    pub(crate) file: Option<String>,
    /// `-O summaryAlways`
    pub(crate) summary_always: bool,
    /// `--compat`
    pub(crate) edition: IorEdition,
    /// `-O saveRankPerformanceDetailsCSV`
    pub(crate) rank_csv: Option<String>,
    /// `--record FILE`
    pub(crate) record: Option<String>,
    /// `--live FILE`
    pub(crate) live: Option<String>,
}

/// One look, on rank 0, from the first test to the last.
pub(crate) trait ResultOutput: for<'e> EventObserver<IorEvent<'e>> + Send {
    /// What stands above all tests, once, with what is warned of beforehand.
    fn begin(&mut self, warnings: &str);

    /// The next test is about to start; its file system has this room.
    fn test(&mut self, meant: &MeantIor, space: Option<storage::Space>);

    /// That test has ended on all ranks, without a failure.
    fn end_test(&mut self) {}

    /// What stands below all tests; `complete` when none failed. Fails where something could not be
    /// written, with which file that was.
    fn finish(&mut self, complete: bool) -> Result<(), String>;
}

/// The look that is asked for, for the run started as `argv`; its files are created or emptied now.
pub(crate) fn open(look: &IorLook, argv: &[String]) -> Result<Box<dyn ResultOutput>, Usage> {
    let streams = Streams::open(look)?;
    let output: Box<dyn ResultOutput> = match look.format {
        ResultFormat::Text => Box::new(IorText::new(streams, look, argv)),
        ResultFormat::Json => Box::new(Json::new(streams, look, argv)),
        ResultFormat::Csv => Box::new(Csv::new(streams, look.edition)),
    };
    match &look.rank_csv {
        None => Ok(output),
        Some(path) => Ok(Box::new(WithRanks::create(output, path)?)),
    }
}
