//! md-workbench: a working set of small objects that is renewed continuously (md-workbench 4.1).
//!
//! Each rank has data sets, which are directories, and objects in them. In the benchmark a rank uses the
//! oldest objects of other ranks: it stats, reads and deletes one, and creates a new one. So the working set
//! keeps its size, and no rank uses what it created itself.
//!
//! [`command::md_workbench::Request`] has the settings, and rejects bad ones before any rank starts.
//! [`run`] is the code of every rank. A [`WorkbenchListener`] on rank 0 gets the events, and the results are
//! recorded.
//!
//! Never here: the command line, text for people.

mod data;
mod kinds;
mod latency_files;
mod objects;
mod result;
mod run;
mod warm;
mod wrong;

#[cfg(test)]
mod tests;

pub use result::{CallCount, LatencyQuantiles, ObjectCall, StepResult, WorkbenchPhase, WorkbenchStep};
pub use run::{WorkbenchEvent, WorkbenchListener, WorkbenchSummary, run};
