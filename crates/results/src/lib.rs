//! What was measured and what was decided, in the forms that outlive the program.
//!
//! [`Record`] is one measured fact, [`Verdict`] one decision; [`records`] is the wire form of the
//! first, and the campaign folder holds both.
//!
//! Invariant: files are staged and renamed, never rewritten; every format ever released still loads.
//! Never here: measuring, launching, judging, printing.
#![forbid(unsafe_code)]

pub mod finding;
pub mod folder;
pub mod mounts;
pub mod projection;
pub mod reason;
pub mod record;
pub mod records;
pub mod same_fs;
pub mod stragglers;
pub mod summary;
mod verdict;

pub use finding::{Finding, Severity};
pub use measure::{statistics, steady};
pub use reason::{Code, Reason};
pub use record::Record;
pub use verdict::{Outcome, Statistics, Stretch, StretchKind, Verdict};
