//! Command lines of workloads: which options they have, and what a line asks for.
//!
//! Never here: running a line, files, what a plan or the linter concludes from it.
#![forbid(unsafe_code)]

pub mod classic;
mod ior;
mod ior_facts;
pub mod ior_line;
mod launcher;
mod mdtest;
mod name_facts;
pub mod tool_line;
pub mod words;

pub use ior::IorOption;
pub use ior_facts::{IorFacts, ReadShift};
pub use ior_line::IorLine;
pub use launcher::{LaunchedRanks, TypedCommand, WorkloadName};
pub use mdtest::MdtestOption;
pub use name_facts::{LineFacts, MdtestFacts, WalkFacts};
pub use tool_line::{Measures, ToolLine};
