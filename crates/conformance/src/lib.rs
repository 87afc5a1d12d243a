//! What a file system owes POSIX and MPI between ranks, case by case.
//!
//! A [`ConformanceCase`] is a promise of a document, and the body that all ranks run to see if it is kept.
//! Each has a directory of its own; its data is read back by the system's own calls. [`run`] goes
//! through the cases in order and reports the outcome of each.
//!
//! Invariant: all ranks agree on the outcome of a case, and begin the next one together.
//! Never here: clocks and time limits (the [`CaseWatch`] has them), measurements, text for people.
#![deny(unsafe_code)]

mod access;
mod calls;
mod case;
mod context;
mod known;
mod mpi_files;
mod posix;
mod problem;
mod random;
mod run;
mod system_file;
mod test_data;

pub use case::{CaseNeeds, ConformanceCase, matches};
pub use context::{CaseContext, LockRelease, StepWatch};
pub use known::{
    END_OF_JOB, Effect, KNOWN_FAILURES, KnownFailure, RankLibrary, TIMEOUT, VersionRange, detect_io_component,
};
pub use posix::hold_lock;
pub use problem::{CaseProblem, CaseResult, EarlyEnd};
pub use run::{CaseWatch, ConformanceEvent, Suite, mark_known_failure, not_tried, run};

/// All cases, in the order in which they run.
pub fn cases() -> Vec<ConformanceCase> {
    let groups = [posix::cases(), access::cases(), calls::cases(), random::cases()];
    groups.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests;
