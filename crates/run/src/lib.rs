//! Running a campaign: machine facts, launches, datasets, and the evidence folder that they leave.
//!
//! Invariant: the program that measures runs as a subprocess, always; nothing but directories that the
//! campaign made itself is ever removed.
//! Never here: measuring, workloads, deciding what was measured, printing.
#![forbid(unsafe_code)]

pub mod dataset;
mod inherited_lock;
pub mod launch;
pub mod machine;
mod path_error;
pub mod runner;
pub mod signals;

pub use runner::{CampaignRequest, Ended, Event, Trouble, discard, look, run};
