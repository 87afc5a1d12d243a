//! A program that another one runs on its ranks, with its text in a file.

use std::sync::atomic::AtomicBool;

use ranks::{Comm, Halt};
use units::Usage;

use super::perform::RankContext;
use super::printer::Printer;
use super::program::StartedProgram;

/// The program that runs others on its ranks.
pub(crate) struct Host<'a> {
    pub(crate) program: &'a StartedProgram<'a>,
    /// The version of MPI, if the ranks use it.
    pub(crate) standard: Option<(i32, i32)>,
    /// Set if a library cannot be left in order, so that the process ends without MPI's finalization.
    pub(crate) abandoned: &'a AtomicBool,
}

/// The inputs of a program that another one runs. It takes its options as if it had been started alone, and
/// gives its exit status. Collective.
pub(crate) struct RunWithin<'a> {
    pub(crate) host: &'a Host<'a>,
    /// What this rank works with.
    pub(crate) part: RankContext<'a>,
    /// The file of the text, on rank 0.
    pub(crate) to: Option<Printer>,
}

/// The value of each rank, or the rejection of the lowest rank that has one. Collective.
pub(crate) fn agree<T>(comm: &dyn Comm, ready: Result<T, Usage>) -> Result<T, Halt> {
    comm.agree("options", ready.map_err(|usage| usage.0))
}
