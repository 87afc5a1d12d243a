//! What is said of plans and campaigns: the linter before and after, and the verdicts.
//!
//! Invariant: pure. The same plan and folder give the same findings and verdicts.
//! Never here: running, files, measuring, printing.
#![forbid(unsafe_code)]

pub mod judge;
pub mod lint;

pub use judge::{judge, judged, summary};
