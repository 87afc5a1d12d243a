//! The history of systems: the rates of their campaigns over years, what changed, and when.
//!
//! Invariant: a point leads back to its evidence. An entry is added once, however often it is given.
//! Never here: measuring, evaluating a clause, printing.
#![forbid(unsafe_code)]

pub mod change;
pub mod course;
pub mod event;
pub mod export;
pub mod import;
pub mod note;
pub mod retention;
pub mod standing;
pub mod store;
