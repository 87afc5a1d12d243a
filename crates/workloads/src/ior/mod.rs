//! IOR: parallel transfers of one size in segments and blocks, written, read and compared.
//!
//! [`command::ior::Request`] has the settings, and rejects bad ones before any rank starts. [`run`] is the
//! code of every rank. An [`IorListener`] on rank 0 gets the events, and the results are recorded.
//! docs/explanation/clock-and-phases.md defines the numbers.
//!
//! Never here: the command line, text for people.

mod before_close;
mod cache_before;
mod data_sample;
mod each_rank;
mod files;
mod hog;
mod identity;
mod layout;
mod names;
mod numbers;
mod observer;
mod outliers;
mod phase;
mod prefill;
mod prepare;
mod record;
mod reorder;
mod repetition;
mod setting;
mod sync_time;
mod test;
mod transfer;
mod wrong;

#[cfg(test)]
mod controls_tests;
#[cfg(test)]
mod numbers_tests;
#[cfg(test)]
mod scale_tests;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod tests;

pub use layout::layout;
pub use names::without_repetition as first_path;
pub use observer::{IorEvent, IorListener, IorRankTimes, PhaseStart, RankStamps, WearOut};
pub use reorder::RankPlacement;
pub use repetition::run;
pub use test::{IorContext, IorSummary};
