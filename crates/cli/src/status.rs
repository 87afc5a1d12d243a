//! The exit statuses of all commands.
//!
//! Clap ends with 2 for wrong usage, so 2 has no other meaning.

/// The command did what was asked. All clauses PASS, and all findings that need a waiver have one.
pub(crate) const DONE: u8 = 0;
/// A clause is FAIL, a case of `mpi-io` failed, `verify` derives other outcomes, or `io500 --verify` found an
/// invalid run. Nothing else has this status.
pub(crate) const FAIL: u8 = 1;
/// Wrong usage: the command line or the plan is rejected, and nothing was started.
pub(crate) const USAGE: u8 = 2;
/// No usable answer: a clause is INVALID, INCONCLUSIVE or NOT RUN, evidence does not verify, or a finding is
/// not waived.
pub(crate) const UNDECIDED: u8 = 3;
/// An error of the program or of I/O, or wrong data in a workload.
pub(crate) const ERROR: u8 = 4;

/// The file system of a campaign folder, or of the files under test, is full or read-only. The campaign can
/// be resumed when it takes writes again.
pub(crate) const NO_WRITES: u8 = 5;

/// [`ERROR`] if something went wrong, else [`DONE`].
pub(crate) fn error_if(wrong: bool) -> u8 {
    if wrong { ERROR } else { DONE }
}
