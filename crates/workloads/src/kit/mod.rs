//! What workloads share: where transfers go, in which order, with which data, and the loop itself.

pub mod checker;
pub mod drive;
pub mod glibc;
pub mod layout;
pub mod order;
pub mod payload;
pub mod permutation;
pub mod reduce;

#[cfg(test)]
mod drive_tests;
