//! Ageing: many created and removed files bring a file system to a stated utilization of blocks and inodes.
//!
//! Each rank has its own tree. First files are created up to the target utilization. Then a churn overwrites
//! the data the given number of times. At the end the utilization is corrected by the counters of the file
//! system. The operations follow from seed, ranks, profile and geometry ([`model`]). The progress is stored
//! next to the trees ([`state`]), so that a killed run can resume. docs/explanation/ageing.md has the
//! formulas.
//!
//! Invariant: the utilization never exceeds the ceiling, and only own files are removed.

mod act;
mod audit;
mod begin;
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
