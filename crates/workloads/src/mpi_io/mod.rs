//! `mpi_io`: what a file system owes programs that run on many ranks, case by case.
//!
//! A [`Case`] is a promise of a document, and the body that all ranks run to see whether it is kept. Each has
//! a directory of its own; its data is read back by the system's own calls, whatever wrote it. [`run`] goes
//! through the cases in order and tells what came of each.
//!
//! Invariant: all ranks agree on the outcome of a case, and begin the next one together.
//! Never here: time limits (whoever watches has them), text for people.

mod access;
mod calls;
mod case;
mod choose;
mod files;
mod known;
mod look;
mod posix;
mod random;
mod run;
mod scene;
mod stop;

pub use case::{Case, Needs, Ranks};
pub use choose::matches;
pub use known::{END_OF_JOB, KNOWN, Known, Library, TIMEOUT, Versions, learn};
pub use run::{Event, Suite, Watch, known, not_tried, run};
pub use scene::Scene;
pub use stop::{Stop, Trouble, Verdict};

/// All cases, in the order in which they run.
pub fn cases() -> Vec<Case> {
    let groups = [posix::cases(), access::cases(), calls::cases(), random::cases()];
    groups.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests;
