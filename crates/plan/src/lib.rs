//! Plans: TOML text that is checked completely, the flat list of its tests, and the jobs that these become.
//!
//! Invariant: pure. Nothing here starts a process or opens a file.
//! Never here: evaluating measurements, advice.
#![forbid(unsafe_code)]

pub mod app;
pub mod dataset_check;
pub mod deferred;
pub mod estimate;
mod extension;
mod language;
pub mod launcher;
pub mod line;
mod model;
mod parse;
mod placement;
pub mod schedule;
mod words;

pub use command::{CEPHFS, POSIX, WorkloadName, unmounted};
pub use deferred::left_out;
pub use language::{PlanErrors, keys_paper, schema};
pub use model::*;
pub use parse::among;
pub use placement::{ClientNodes, Placement};
