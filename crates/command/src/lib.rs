//! Command lines of workloads: which options they have, and what a line asks for.
//!
//! The options of `ior` and `mdtest` are enums with a table each. One grammar, in [`classic`], turns a line
//! into occurrences of options, and all readers use these: the personalities that run the line, [`IorLine`]
//! and [`ToolLine`] of a plan, [`IorFacts`] and [`MdtestFacts`] of the linter.
//! The other workloads have their parsers beside their personalities in `cli` (`fdtree/grammar.rs`,
//! `flash_io/grammar.rs`, `ls_lr/options.rs`, `mpi_io/args.rs`); here are only the facts that plans need of
//! them, over [`words`].
//!
//! Never here: running a line, files, what a plan or the linter concludes from it.
#![forbid(unsafe_code)]

pub mod classic;
mod ior;
mod launcher;
mod mdtest;
mod name_facts;
pub mod tool_line;
pub mod words;

pub use ior::{IorFacts, IorLine, IorOption, ReadShift, line as ior_line};
pub use launcher::{LaunchedRanks, TypedCommand, WorkloadName};
pub use mdtest::MdtestOption;
pub use name_facts::{LineFacts, MdtestFacts, WalkFacts};
pub use tool_line::{Measures, ToolLine};
