//! Records and verdicts, in formats that outlive the program.
//!
//! A [`Record`] is one measured fact, a [`Verdict`] one decision. [`records`] has the file format of records.
//! The campaign folder holds both.
//!
//! Invariant: files are staged and renamed, never rewritten. Every format ever released still loads.
//! Never here: measuring, starting jobs, evaluating, printing.
#![forbid(unsafe_code)]

pub mod answers;
pub mod comparison;
pub mod finding;
pub mod folder;
pub mod history;
pub mod mounts;
pub mod reason;
pub mod record;
pub mod same_fs;
mod severity;
#[cfg(test)]
mod stored_tests;
pub mod summary;
mod verdict;

pub use finding::{Finding, Severity};
pub use folder::{progress, records};
pub use measure::{statistics, steady};
pub use reason::{Code, Reason};
pub use record::Record;
pub use verdict::{AS_WRITTEN, ContractOutcome, Outcome, Statistics, TimeWindow, TimeWindowKind, Verdict};
