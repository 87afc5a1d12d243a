//! Ageing: a file system is brought to a stated fill of blocks and inodes by many files that come and go.
//!
//! Each rank has a tree of its own. First files are made until the fill is reached, then a churn goes on
//! until the bytes that lie there were written so many times over, then the fill is put right by the file
//! system's own counters. What is done follows from seed, ranks, profile and geometry ([`model`]); what was
//! done stands beside the trees ([`state`]), so that a killed run goes on where it stopped.
//! docs/METHODOLOGY.md has the formulas.
//!
//! Invariant: no fill is ever brought above the ceiling, and nothing is removed that was not made here.

mod act;
mod adjust;
mod audit;
mod begin;
mod churn;
mod guard;
mod model;
mod part;
mod plan;
mod profile;
mod remove;
mod run;
mod settle;
mod sizes;
mod state;
mod tree;
mod watch;
mod worker;

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod model_tests;

pub use act::Operations;
pub use begin::{AgeingRequest, REJECTED};
pub use profile::{DEFAULT_PROFILE, Profile};
pub use remove::{Removed, remove};
pub use run::{AgeingOutcome, run};
pub use watch::AgeingProgress;
