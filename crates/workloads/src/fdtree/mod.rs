//! fdtree: creates and removes a regular tree of directories and files, directory by directory (fdtree
//! 1.0.2).
//!
//! [`FdtreeParameters`] are the parsed parameters. Their `check` rejects wrong ones before any rank starts.
//! [`run`] is the body of every rank: each rank has its own tree, and the four phases start together. Events
//! go to a [`FdtreeListener`] on rank 0 and into records.
//!
//! Invariant: only names that belong to a tree of this shape are removed.
//! Never here: the command line, text for people.

mod find;
mod names;
mod operations;
mod run;
mod walk;

#[cfg(test)]
mod tests;

pub use find::{find, has_shape};
pub use run::{FdtreeEvent, FdtreeListener, FdtreeParameters, FdtreePhase, run};
