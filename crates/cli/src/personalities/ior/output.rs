//! The output formats of `ior`'s results: their common interface, and the choice of one.
//!
//! Invariant: all printed numbers come from a record or an event.

use command::ior::{Output, Parsed, ResultFormat};
use units::Usage;
use workloads::ior::IorEvent;
use workloads::kit::observer::EventObserver;

use super::csv::Csv;
use super::json::Json;
use super::ranks_csv::WithRanks;
use super::streams::Streams;
use super::text::IorText;

/// One output format, on rank 0, from the first test to the last.
pub(crate) trait ResultOutput: for<'e> EventObserver<IorEvent<'e>> + Send {
    /// Prints the part above all tests, once, with the warnings before the first test.
    fn begin(&mut self, warnings: &str);

    /// A test is about to start. `space` is the space of its file system.
    fn test(&mut self, meant: &Parsed, space: Option<storage::Space>);

    /// The test has ended on all ranks without a failure.
    fn end_test(&mut self) {}

    /// Prints the part below all tests. `complete` is false if a test failed. `failure` is the reason why the
    /// exit status is not 0, if it is known. Fails with the file if something could not be written.
    fn finish(&mut self, complete: bool, failure: Option<&str>) -> Result<(), String>;
}

/// The requested output for the run started as `argv`. Its files are created or emptied now.
pub(crate) fn open(look: &Output, argv: &[String]) -> Result<Box<dyn ResultOutput>, Usage> {
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
