//! What is done to a system under test, each workload in its folder, over a shared kit.
//!
//! A workload is the body of every rank: it moves data, measures, and hands records to rank 0's sink.
//! `ior/` and its siblings never meet; what two of them share lives in [`kit`].
//!
//! Invariant: collectives come in the same order on all ranks, and a failure on one rank ends all of
//! them together.
//! Never here: judgement, a line of text for people, the command line.
#![deny(unsafe_code)]

pub mod ageing;
pub mod fdtree;
pub mod flash_io;
pub mod ior;
pub mod kit;
pub mod ls_lr;
pub mod mdtest;
