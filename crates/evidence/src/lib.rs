//! The evidence of a campaign as others read it: opened from a folder or an archive, examined, evaluated
//! again, and signed.
//!
//! Invariant: nothing in a folder is trusted that can be derived again. No archive is changed.
//! Never here: printing, exit statuses, options of commands.

pub mod differences;
pub mod examination;
pub mod folder;
pub mod signatures;
pub mod state;

/// The program that makes evidence, with its version, as campaigns record it.
pub const TOOL: &str = concat!("assay ", env!("CARGO_PKG_VERSION"));
