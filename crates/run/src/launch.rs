//! Where jobs are started: the nodes there are, and the batch script that starts a whole campaign.
//!
//! Never here: the words of a launcher, which `plan::launcher` has.

pub mod batch;
mod nodes;

pub use nodes::{Surroundings, for_jobs, told};

#[cfg(test)]
mod tests;
