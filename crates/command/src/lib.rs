//! Command lines of workloads: which options they have, and what a line asks for.
//!
//! Never here: running a line, files, what a plan or the linter makes of it.
#![forbid(unsafe_code)]

pub mod ior_line;
pub mod tool_line;
pub mod words;

pub use ior_line::IorLine;
pub use tool_line::{Measures, ToolLine};
