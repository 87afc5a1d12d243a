//! fdtree: a regular tree of directories and files is made and taken away, directory by directory
//! (fdtree 1.0.2).
//!
//! [`FdtreeParameters`] is what is meant, whoever parsed it; its `check` says no before any rank starts;
//! [`run`] is every rank's body: each rank has a tree of its own, and the four phases go in step. What
//! happens is told to a [`FdtreeListener`] on rank 0 and kept as records.
//!
//! Invariant: nothing is removed but the names that a tree of this shape has.
//! Never here: the command line, text for people.

mod find;
mod operations;
mod run;
mod shape;
mod walk;

#[cfg(test)]
mod tests;

pub use find::{find, has_shape};
pub use run::{FdtreeEvent, FdtreeListener, FdtreeParameters, FdtreePhase, run};
pub use shape::{BLOCK, FdtreeShape};
