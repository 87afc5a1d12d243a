//! Command lines of workloads: their options, and what a command line requests.
//!
//! The options of `ior`, `mdtest` and `md-workbench` are enums with a table each. One grammar, in
//! [`classic`], turns a command line into occurrences of options. All readers use these occurrences: the
//! personalities that run the workload, and the plan and the linter, which read a [`classic::ReadLine`].
//!
//! The parsers of the other workloads are in `cli` (`fdtree/grammar.rs`, `flash_io/grammar.rs`,
//! `ls_lr/options.rs`, `mpi_io/args.rs`). This crate has only the facts of them that plans need, read by
//! [`words`].
//!
//! Never here: running a command line, files, and the conclusions of a plan or of the linter.
#![forbid(unsafe_code)]

pub mod age;
pub mod backends;
pub mod classic;
mod data_key;
pub mod fdtree;
pub mod flash_io;
pub mod ior;
mod launcher;
pub mod ls_lr;
pub mod md_workbench;
pub mod mdtest;
pub mod mpi_io;
mod name_facts;
mod own_options;
mod packet;
mod settings;
mod stamped;
pub mod tool_line;
pub mod words;

pub use backends::{Abilities, BACKENDS, Backend, BackendOption, FileForm, Needs, backend, discards_data};
pub use data_key::{KeySource, check_nonce};
pub use ior::IorOption;
pub use launcher::{LaunchedRanks, TypedCommand, WorkloadName};
pub use md_workbench::MdWorkbenchOption;
pub use mdtest::MdtestOption;
pub use name_facts::{LineFacts, WalkFacts};
pub use own_options::OwnOption;
pub use packet::Packet;
pub use settings::Settings;
pub use stamped::has_stamped_data;
pub use tool_line::{Measures, ToolLine};
