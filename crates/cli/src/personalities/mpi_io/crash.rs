//! What the end of a job of ranks shows about the case that ran in it.
//!
//! A rank that crashed in a call is evidence against the library. A rank that was killed and a launcher that
//! died are not: memory may have run out, or a node may have failed. Nor is a status that can mean either.
//!
//! Open MPI and Slurm end with 128 and the signal of a rank. Hydra ends with the signals of all ranks,
//! combined bit by bit. Ranks that it ends itself have 9 (SIGKILL). So it shows SIGSEGV (11), but SIGABRT and
//! a request to end have the same status, 15.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The status of a launcher minus the signal of a rank that ended.
const SIGNALLED: i32 = 128;
/// Signals of a process that did something wrong itself: SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV.
const CRASHES: [i32; 5] = [4, 6, 7, 8, 11];
/// Those that are a status of Hydra. 4 is a status of this program.
const HYDRA_CRASHES: [i32; 4] = [6, 7, 8, 11];

/// Whether the status of a launcher shows that a rank crashed.
pub(super) fn is_shown_by(status: ExitStatus) -> bool {
    // A signal of the launcher itself says nothing about its ranks.
    let code = status.code().filter(|_| status.signal().is_none());
    code.is_some_and(|code| CRASHES.contains(&(code - SIGNALLED)) || HYDRA_CRASHES.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_crash_of_a_rank_is_evidence() {
        let exit = |code: i32| ExitStatus::from_raw(code << 8);
        for code in [139, 134, 135, 136, 132, 11, 6] {
            assert!(is_shown_by(exit(code)), "{code}");
        }
        // No crash: success, errors of ranks or launchers, SIGKILL and SIGTERM by both kinds of launcher, a
        // missing program.
        for code in [0, 1, 3, 4, 5, 9, 15, 127, 137, 143, 255] {
            assert!(!is_shown_by(exit(code)), "{code}");
        }
        for signal in [6, 9, 11, 15] {
            assert!(!is_shown_by(ExitStatus::from_raw(signal)), "the launcher had signal {signal}");
        }
    }
}
