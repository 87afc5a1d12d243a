//! What launchers say when a job dies of something that is not its own: a node, the time, somebody's hand.
//!
//! Invariant: pure; a text that is not in the table is no cause, and the judge then quotes it as it is.

use std::fmt;

/// Why a job ended that might have gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A rank was ended by a signal; which is said of all ranks once one of them has gone.
    Killed,
    /// The job, or the allocation it ran in, was ended by hand or by the batch system.
    Cancelled,
    /// The time of the job or of its allocation was over.
    Time,
    /// A node died, or could not be reached any more.
    Node,
}

impl fmt::Display for Cause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Killed => "a rank was killed",
            Self::Cancelled => "it was cancelled",
            Self::Time => "the time of its allocation was over",
            Self::Node => "a node died",
        })
    }
}

/// Texts of launchers. Each cause is looked for in all lines: that of the allocation's end stands behind
/// those of the ranks that ended with it.
const SAID: &[(&str, Cause)] = &[
    // Slurm
    ("Node failure on", Cause::Node),
    ("DUE TO NODE FAILURE", Cause::Node),
    ("Required node not available", Cause::Node),
    ("DUE TO TIME LIMIT", Cause::Time),
    ("Job allocation has expired", Cause::Time),
    ("CANCELLED AT", Cause::Cancelled),
    ("Force Terminated", Cause::Cancelled),
    // Open MPI: ORTE up to 4, PRTE since 5
    ("has lost communication with a remote daemon", Cause::Node),
    ("daemon has unexpectedly failed", Cause::Node),
    ("exited on signal 9", Cause::Killed),
    // Hydra
    ("assert (!closed) failed", Cause::Node),
    ("KILLED BY SIGNAL: 9", Cause::Killed),
    ("EXIT STRING: Killed (signal 9)", Cause::Killed),
    // ALPS and PALS
    ("node failed or halted", Cause::Node),
    ("died from signal 9", Cause::Killed),
    // PBS
    ("job killed: walltime", Cause::Time),
    // LSF
    ("TERM_RUNLIMIT", Cause::Time),
    ("TERM_OWNER", Cause::Cancelled),
    // Flux
    ("lost contact with job shell", Cause::Node),
    ("type=timeout", Cause::Time),
    ("type=cancel", Cause::Cancelled),
];

/// The gravest cause that these lines name, with the first line that names it.
pub fn cause<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<(Cause, &'a str)> {
    let of = |line: &str| SAID.iter().filter(|(text, _)| line.contains(text)).map(|(_, cause)| *cause).max();
    let named = lines.into_iter().filter_map(|line| Some((of(line)?, line)));
    named.reduce(|gravest, named| if named.0 > gravest.0 { named } else { gravest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_node_is_told_from_the_ranks_that_went_with_it() {
        for (text, wanted) in [
            (
                "srun: error: Node failure on node3\nsrun: error: node1: task 0: Killed\n\
                 srun: Force Terminated StepId=1.0",
                Some(Cause::Node),
            ),
            (
                "slurmstepd: error: *** STEP 4.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME \
                 LIMIT ***",
                Some(Cause::Time),
            ),
            (
                "slurmstepd: error: *** STEP 4.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***",
                Some(Cause::Cancelled),
            ),
            ("ORTE has lost communication with a remote daemon.\n  HNP daemon", Some(Cause::Node)),
            ("PRTE has lost communication with a remote daemon.", Some(Cause::Node)),
            ("=   BAD TERMINATION\n=   KILLED BY SIGNAL: 9 (Killed)", Some(Cause::Killed)),
            ("=>> PBS: job killed: walltime 3604 exceeded limit 3600", Some(Cause::Time)),
            ("60.2s: job.exception type=timeout severity=0 resource allocation expired", Some(Cause::Time)),
            (
                "1.1s: job.exception type=exec severity=0 lost contact with job shell on broker n3",
                Some(Cause::Node),
            ),
            ("ior: cannot open the file: Permission denied", None),
            ("", None),
        ] {
            assert_eq!(cause(text.lines()).map(|(cause, _)| cause), wanted, "{text}");
        }
    }
}
