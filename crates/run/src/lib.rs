//! Running a campaign: machine facts, jobs, datasets, and the evidence package that they leave.
//!
//! Invariant: the measuring program always runs as a subprocess. Only directories that the campaign made are
//! removed.
//! Never here: measuring, workloads, verdicts, printing.
#![forbid(unsafe_code)]

pub mod bounded;
pub mod dataset;
mod inherited_lock;
pub mod launch;
pub mod machine;
pub mod notify;
mod path_error;
pub mod process;
pub mod runner;
pub mod signals;
pub mod submission;
pub mod witness;

pub use runner::hosts;
pub use runner::{CampaignRequest, Ended, Event, ProbeMistake, Trouble, discard, examine, run, too_small};
