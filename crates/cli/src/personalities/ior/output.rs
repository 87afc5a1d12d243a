//! The common interface of the output formats of `ior`'s results.
//!
//! Invariant: all printed numbers come from a record or an event.

use command::ior::Parsed;
use workloads::ior::IorEvent;
use workloads::kit::observer::EventObserver;

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
