//! The workloads: what assay does to the storage under test. Each workload has its own folder and uses the
//! shared kit.
//!
//! A workload is the code that every rank runs. It moves data, measures, and gives records to the sink of
//! rank 0. `ior/` and the other workloads do not use each other. What two of them share is in [`kit`].
//!
//! Invariant: all ranks call collectives in the same order. A failure on one rank ends all ranks together.
//! Never here: verdicts, text for people, the command line.
#![deny(unsafe_code)]

pub mod ageing;
pub mod fdtree;
pub mod flash_io;
pub mod ior;
pub mod kit;
pub mod ls_lr;
pub mod md_workbench;
pub mod mdtest;
pub mod pfind;
pub mod quota;
