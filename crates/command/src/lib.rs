//! Command lines of workloads: their options, and what a command line requests.
//!
//! [`WORKLOADS`] has a row for each workload. Its options are described once. The program parses them. Plan,
//! linter and judge read a [`WorkloadLine`], as far as it can be read.
//!
//! The options of `ior`, `mdtest` and `md-workbench` are enums with a table each, and one grammar in
//! [`classic`]. `fdtree` and `flash-io` have tables and grammars of their own. clap parses the others.
//!
//! Never here: running a command line, files, and the conclusions of a plan or of the linter.
#![forbid(unsafe_code)]

pub mod age;
pub mod backends;
mod clap_line;
pub mod classic;
mod data_key;
pub mod fdtree;
pub mod flash_io;
pub mod io500;
pub mod ior;
mod kind;
mod launcher;
pub mod ls_lr;
pub mod md_workbench;
pub mod mdtest;
pub mod mpi_io;
mod own_options;
mod packet;
pub mod pfind;
mod planned;
pub mod quota;
mod settings;
mod workload;

pub use backends::{
    Abilities, BACKENDS, Backend, BackendOption, CEPHFS, FileForm, Needs, POSIX, backend, discards_data,
    unmounted,
};
pub use data_key::{KeySource, check_nonce};
pub use ior::IorOption;
pub use launcher::{LaunchedRanks, TypedCommand};
pub use md_workbench::MdWorkbenchOption;
pub use mdtest::MdtestOption;
pub use own_options::OwnOption;
pub use packet::Packet;
pub use planned::PlannedLine;
pub use settings::Settings;
pub use workload::{
    Measures, ToolLine, WORKLOADS, Workload, WorkloadLine, WorkloadName, has_stamped_data, plan_keys,
    shows_progress,
};
