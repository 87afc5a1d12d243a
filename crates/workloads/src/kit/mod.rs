//! What workloads share: the offsets of transfers, their order and data, and the measuring loop.

pub mod balance;
pub mod beneath;
pub mod board;
pub mod caches;
pub mod checker;
pub mod clients;
pub(crate) mod contents;
pub mod current;
pub mod double_entry;
pub mod drive;
pub mod each_rank;
pub mod end;
pub mod failed_call;
pub mod few;
pub mod glibc;
pub mod layout;
pub mod mix;
pub mod node;
pub mod observer;
pub mod opened;
pub mod operations;
pub mod order;
pub mod pace;
pub mod parts;
pub mod path;
pub(crate) mod path_stack;
pub mod payload;
pub mod permutation;
pub mod process;
pub mod queued;
pub mod rank;
pub mod reduce;
pub(crate) mod small_data;
pub(crate) mod stamps;
pub mod status;
pub mod steps;
pub mod tally;
pub mod transfer_log;

#[cfg(test)]
mod drive_tests;
