//! A campaign: a plan turned into jobs, the jobs run, their records judged clause by clause.
//!
//! [`Plan::parse`] reads and checks a plan, [`schedule::jobs`] lists what it launches, [`run`](runner::run)
//! launches that and keeps the evidence, [`judge()`] decides. Every later step can be redone from the
//! folder of an earlier one.
//!
//! Invariant: the program that measures runs as a subprocess, always; nothing but directories that the
//! campaign made itself is ever removed.
//! Never here: measuring, workloads, storage backends, printing.
#![forbid(unsafe_code)]

pub mod app;
pub mod dataset;
pub mod ior_line;
pub mod judge;
pub mod late;
pub mod launch;
pub mod line;
pub mod lint;
pub mod machine;
pub mod plan;
pub mod project;
pub mod runner;
pub mod schedule;
pub mod signals;
mod tool_line;
mod words;

pub use judge::{judge, judged, summary};
pub use plan::Plan;
pub use runner::{Campaigning, Ended, Event, Observer, Trouble, discard, run};
