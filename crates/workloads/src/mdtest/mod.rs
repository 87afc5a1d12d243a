//! mdtest: metadata operations on a regular tree, phase by phase (mdtest 4.1).
//!
//! [`MdtestParameters`] holds the settings, independent of the parser. Its `check` rejects bad settings
//! before any rank starts. [`run`] is the code of every rank. [`OPERATIONS`] is the single table of the
//! operations on items. An [`MdtestListener`] on rank 0 gets the events, and the results are recorded.
//! docs/explanation/metadata.md defines the numbers.
//!
//! Never here: the command line, text for people.

pub mod counts;
mod data;
mod directories;
mod extras;
mod files;
mod items;
mod left_out;
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
mod removal_tests;
#[cfg(test)]
mod scene;

pub use counts::ItemCounts;
pub use observer::{EndedPhase, MdtestEvent, MdtestListener, RankTimes};
pub use operations::{ItemOperation, OPERATIONS, When, names as operation_names};
pub use parameters::MdtestParameters;
pub use run::{MdtestSummary, run, stop_at_warning};
