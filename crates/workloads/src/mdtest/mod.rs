//! mdtest: operations on the names of a regular tree, phase by phase (mdtest 4.1).
//!
//! [`MdtestParameters`] is what is meant, whoever parsed it; its `check` says no before any rank starts;
//! [`run`] is every rank's body. [`OPERATIONS`] is the one table of what can be done to items. What happens
//! is told to a [`MdtestListener`] on rank 0 and kept as records; the numbers are those of
//! docs/METHODOLOGY.md.
//!
//! Never here: the command line, text for people.

pub mod counts;
mod data;
mod directories;
mod extras;
mod files;
mod items;
pub mod names;
mod observer;
mod operations;
mod parameters;
mod phase;
mod place;
mod preload;
mod rules;
mod run;
mod status;
mod tree;
mod verify;

#[cfg(test)]
mod data_tests;
#[cfg(test)]
mod extra_tests;
#[cfg(test)]
mod failure_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod phase_tests;
#[cfg(test)]
mod recording;
#[cfg(test)]
mod scene;

pub use counts::ItemCounts;
pub use observer::{EndedPhase, MdtestEvent, MdtestListener, RankTimes};
pub use operations::{ItemOperation, OPERATIONS, When, names as operation_names};
pub use parameters::MdtestParameters;
pub use run::{MdtestSummary, run};
