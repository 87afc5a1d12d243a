//! The output formats of `ior`'s results: their common interface, and the choice of one.
//!
//! Invariant: all printed numbers come from a record or an event.

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

impl IorEdition {
    /// The version as IOR prints it.
    pub(crate) fn version(self) -> &'static str {
        match self {
            Self::Ior41 => "4.1.0+dev",
            Self::Ior33 => "3.3.0",
        }
    }
}

/// The form and the files of the results of a run; the same for all tests of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IorLook {
    /// `-O summaryFormat`
    pub(crate) format: ResultFormat,
    /// `-O summaryFile`; `None` for the standard output.
    pub(crate) file: Option<String>,
    /// `-O summaryAlways`
    pub(crate) summary_always: bool,
    /// `--compat`, or the variable for the same; `None` for 4.1.
    pub(crate) edition: Option<IorEdition>,
    /// Whether the variable for output without own lines is on.
    pub(crate) plain: bool,
    /// `-O saveRankPerformanceDetailsCSV`
    pub(crate) rank_csv: Option<String>,
    /// `--record FILE`
    pub(crate) record: Option<String>,
    /// `--live FILE`
    pub(crate) live: Option<String>,
    /// `--progress FILE`
    pub(crate) progress: Option<String>,
}

impl IorLook {
    /// The version of the text.
    pub(crate) fn edition(&self) -> IorEdition {
        self.edition.unwrap_or_default()
    }

    /// Whether standard output has JSON or CSV and nothing else.
    pub(crate) fn is_data_on_stdout(&self) -> bool {
        self.file.is_none() && self.format != ResultFormat::Text
    }
}

/// One output format, on rank 0, from the first test to the last.
pub(crate) trait ResultOutput: for<'e> EventObserver<IorEvent<'e>> + Send {
    /// Prints the part above all tests, once, with the warnings before the first test.
    fn begin(&mut self, warnings: &str);

    /// A test is about to start. `space` is the space of its file system.
    fn test(&mut self, meant: &MeantIor, space: Option<storage::Space>);

    /// The test has ended on all ranks without a failure.
    fn end_test(&mut self) {}

    /// Prints the part below all tests. `complete` is false if a test failed. `failure` is the reason why the
    /// exit status is not 0, if it is known. Fails with the file if something could not be written.
    fn finish(&mut self, complete: bool, failure: Option<&str>) -> Result<(), String>;
}

/// The requested output for the run started as `argv`. Its files are created or emptied now.
pub(crate) fn open(look: &IorLook, argv: &[String]) -> Result<Box<dyn ResultOutput>, Usage> {
    let streams = Streams::open(look)?;
    let output: Box<dyn ResultOutput> = match look.format {
        ResultFormat::Text => Box::new(IorText::new(streams, look, argv)),
        ResultFormat::Json => Box::new(Json::new(streams, look, argv)),
        ResultFormat::Csv => Box::new(Csv::new(streams, look)),
    };
    match &look.rank_csv {
        None => Ok(output),
        Some(path) => Ok(Box::new(WithRanks::create(output, path)?)),
    }
}
