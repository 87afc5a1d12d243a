//! The history of campaigns: what changed on a system, and when.
//!
//! Never here: measuring, evaluating a clause, printing.
#![forbid(unsafe_code)]

pub mod change;
