//! mdtest: metadata operations on a regular tree, phase by phase (mdtest 4.1).
//!
//! [`command::mdtest::Request`] has the settings, and rejects bad ones before any rank starts. [`run`] is the
//! code of every rank. An [`MdtestListener`] on rank 0 gets the events, and the results are recorded.
//! docs/explanation/metadata.md defines the numbers.
//!
//! Never here: the command line, text for people.

mod data;
mod directories;
mod extras;
mod files;
mod items;
mod left_out;
pub mod names;
mod observer;
mod phase;
mod place;
mod preload;
mod run;
mod state;
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

pub use observer::{EndedPhase, MdtestEvent, MdtestListener, RankTimes};
pub use run::run;
pub use state::{MdtestSummary, stop_at_warning};
