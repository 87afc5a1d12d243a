//! How a job died, by its error stream: what launchers say when it was of something that is not its own (a
//! node, the time, somebody's hand), and which lines of the stream are quoted, alike wherever that is done.
//!
//! Invariant: pure; a text that is not in the table is no cause, and is then quoted as it is.

use std::fmt;

use super::{Job, names};

/// How many of its first and of its last lines are quoted of a job that died.
const FIRST_LINES: usize = 2;
const LAST_LINES: usize = 3;
/// How much of each, characters.
const LINE_LENGTH: usize = 160;

impl Job {
    /// What its launcher says that it died of, with the line that says so.
    pub fn cause(&self) -> Option<(DeathCause, &str)> {
        cause_of_death(self.last_words.iter().map(String::as_str))
    }

    /// What its error stream says, in one line: its first lines, which say what, the last ones, which say how
    /// it ended, what its launcher said of it, and where the others are.
    pub fn last_said(&self) -> Option<String> {
        let (words, cause) = (&self.last_words, self.cause().map(|(_, line)| line));
        let is_quoted = |(at, line): &(usize, &String)| {
            *at < FIRST_LINES || at + LAST_LINES >= words.len() || Some(line.as_str()) == cause
        };
        let quoted = words.iter().enumerate().filter(is_quoted);
        let lines: Vec<String> = quoted.map(|(_, line)| line.chars().take(LINE_LENGTH).collect()).collect();
        let is_cut = words.iter().any(|line| line.chars().nth(LINE_LENGTH).is_some());
        let all = match is_cut || lines.len() < words.len() {
            true => format!("; all of it: {}/{}", self.folder, names::STDERR),
            false => String::new(),
        };
        (!lines.is_empty()).then(|| lines.join(" / ") + &all)
    }
}

/// Why a job ended that might have gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeathCause {
    /// A rank was ended by a signal; which is said of all ranks once one of them has gone.
    Killed,
    /// The job, or the allocation it ran in, was ended by hand or by the batch system.
    Cancelled,
    /// The time of the job or of its allocation was over.
    Time,
    /// A node died, or could not be reached any more.
    Node,
}

impl fmt::Display for DeathCause {
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
const SAID: &[(&str, DeathCause)] = &[
    // Slurm
    ("Node failure on", DeathCause::Node),
    ("DUE TO NODE FAILURE", DeathCause::Node),
    ("Required node not available", DeathCause::Node),
    ("DUE TO TIME LIMIT", DeathCause::Time),
    ("Job allocation has expired", DeathCause::Time),
    ("CANCELLED AT", DeathCause::Cancelled),
    ("Force Terminated", DeathCause::Cancelled),
    // Open MPI: ORTE up to 4, PRTE since 5
    ("has lost communication with a remote daemon", DeathCause::Node),
    ("daemon has unexpectedly failed", DeathCause::Node),
    ("exited on signal 9", DeathCause::Killed),
    // Hydra
    ("assert (!closed) failed", DeathCause::Node),
    ("KILLED BY SIGNAL: 9", DeathCause::Killed),
    ("EXIT STRING: Killed (signal 9)", DeathCause::Killed),
    // ALPS and PALS
    ("node failed or halted", DeathCause::Node),
    ("died from signal 9", DeathCause::Killed),
    // PBS
    ("job killed: walltime", DeathCause::Time),
    // LSF
    ("TERM_RUNLIMIT", DeathCause::Time),
    ("TERM_OWNER", DeathCause::Cancelled),
    // Flux
    ("lost contact with job shell", DeathCause::Node),
    ("type=timeout", DeathCause::Time),
    ("type=cancel", DeathCause::Cancelled),
];

/// The gravest cause that these lines name, with the first line that names it.
pub fn cause_of_death<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<(DeathCause, &'a str)> {
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
                Some(DeathCause::Node),
            ),
            (
                "slurmstepd: error: *** STEP 4.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME \
                 LIMIT ***",
                Some(DeathCause::Time),
            ),
            (
                "slurmstepd: error: *** STEP 4.0 ON n1 CANCELLED AT 2026-01-01T00:00:00 ***",
                Some(DeathCause::Cancelled),
            ),
            ("ORTE has lost communication with a remote daemon.\n  HNP daemon", Some(DeathCause::Node)),
            ("PRTE has lost communication with a remote daemon.", Some(DeathCause::Node)),
            ("=   BAD TERMINATION\n=   KILLED BY SIGNAL: 9 (Killed)", Some(DeathCause::Killed)),
            ("=>> PBS: job killed: walltime 3604 exceeded limit 3600", Some(DeathCause::Time)),
            (
                "60.2s: job.exception type=timeout severity=0 resource allocation expired",
                Some(DeathCause::Time),
            ),
            (
                "1.1s: job.exception type=exec severity=0 lost contact with job shell on broker n3",
                Some(DeathCause::Node),
            ),
            ("ior: cannot open the file: Permission denied", None),
            ("", None),
        ] {
            assert_eq!(cause_of_death(text.lines()).map(|(cause, _)| cause), wanted, "{text}");
        }
    }

    #[test]
    fn of_pages_the_edges_are_quoted_with_the_line_that_names_the_cause_and_where_the_others_are() {
        let mut job = Job { folder: "jobs/0001-w-r1".into(), ..Job::default() };
        assert_eq!(job.last_said(), None);
        job.last_words = (1..=5).map(|line| format!("line {line}")).collect();
        assert_eq!(job.last_said().as_deref(), Some("line 1 / line 2 / line 3 / line 4 / line 5"));
        job.last_words = (1..=9).map(|line| format!("line {line}")).collect();
        job.last_words[4] = "srun: error: Node failure on n3".into();
        let edges = "line 1 / line 2 / srun: error: Node failure on n3 / line 7 / line 8 / line 9";
        let all = "; all of it: jobs/0001-w-r1/stderr.txt";
        assert_eq!(job.last_said(), Some(format!("{edges}{all}")));
        job.last_words = vec!["x".repeat(LINE_LENGTH + 1)];
        assert_eq!(job.last_said(), Some(format!("{}{all}", "x".repeat(LINE_LENGTH))));
    }
}
