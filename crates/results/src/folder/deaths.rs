//! Why a job died, from its error stream.
//!
//! Launchers report external causes: a node, a time limit, a cancellation. They also reject jobs before any
//! rank starts. Reports quote lines of the stream.
//!
//! Invariant: pure. A text that is not in the table is not a cause, and is quoted unchanged.

use std::fmt;

use super::{DeadProcess, Job, JobEnd, names};
use crate::Record;
use crate::reason::{Reason, reason};
use crate::record::{self, APP, Failure};
use units::words;

/// The number of first and of last lines that are quoted for a job that died.
const FIRST_LINES: usize = 2;
const LAST_LINES: usize = 3;
/// The maximum length of a quoted line, characters.
const LINE_LENGTH: usize = 160;

impl Job {
    /// The cause that its launcher reports, with the line that reports it.
    pub fn cause(&self) -> Option<(DeathCause, &str)> {
        cause_of_death(self.error_lines.iter().map(String::as_str))
    }

    /// The cause, also if its launcher only reports in its output that a rank was killed. Other causes count
    /// more, because they kill ranks too. The exception is the end of Hydra's processes on the nodes: Hydra
    /// ends them itself after a rank was killed.
    pub fn death(&self) -> Option<DeathCause> {
        const KILL: i32 = 9;
        let is_kill = |dead: &DeadProcess| dead.signal == Some(KILL);
        // The ranks of a job that exceeded its limit were killed by this program.
        let dead = self.info.dead_process.as_ref().filter(|_| self.info.end != JobEnd::TimedOut);
        let killed = dead.filter(|dead| is_kill(dead)).map(|_| DeathCause::Killed);
        let counts = |line: &&str| killed.is_none() || !line.contains(HYDRA_CLOSED);
        let lines = self.error_lines.iter().map(String::as_str).filter(counts);
        cause_of_death(lines).map(|(cause, _)| cause).or(killed)
    }

    /// The failure that it recorded. An external program has no ranks.
    pub fn failure(&self) -> Option<Reason> {
        let Failure { step, rank, node, why, .. } = record::failures(&self.records).next()?;
        let has_ranks = !record::runs(&self.records).any(|run| run.workload == APP);
        let place = has_ranks.then_some((*rank, node));
        Some(reason!(RecordedFailure {
            step,
            error: why,
            rank: place.map(|(rank, _)| rank),
            node: place.map(|(_, node)| node),
        }))
    }

    /// How it ended, if it failed: its end, and what it recorded or printed about it.
    pub fn how_it_failed(&self) -> Reason {
        let timeout = (self.info.end == JobEnd::TimedOut).then_some(self.info.timeout_s);
        let failure = self.failure();
        let output = if failure.is_none() { self.error_summary() } else { None };
        reason!(JobFailed { timeout, failure, output, ..self.info.end.reason() })
    }

    /// Whether it yielded a result, good or bad: complete records, a measured phase, or a reported failure. A
    /// job that exceeded its time limit has one too, because it shows that the work takes longer.
    pub fn has_result(&self) -> bool {
        let is_result =
            |record: &Record| matches!(record, Record::End(_) | Record::Phase(_) | Record::Failure(_));
        self.info.end == JobEnd::Exit(0)
            || self.info.end == JobEnd::TimedOut
            || self.unreadable.is_some()
            || self.records.iter().any(is_result)
    }

    /// The cause of the death of a job without a result, if its launcher, a node or a signal ended it.
    pub fn died(&self) -> Option<&'static str> {
        if self.has_result() || self.info.end == JobEnd::NotStarted {
            return None;
        }
        match (&self.info.end, self.death()) {
            (_, Some(DeathCause::Node)) => Some("a node failed"),
            (_, Some(DeathCause::Killed)) => Some("a rank was killed"),
            (JobEnd::Signal(_), _) => Some("its launcher was ended by a signal"),
            _ if self.launch_rejection() == Some(LaunchRejection::Node) => Some("a node was not reached"),
            _ => None,
        }
    }

    /// Why its launcher started no rank, if its error stream reports that.
    pub fn launch_rejection(&self) -> Option<LaunchRejection> {
        self.launch_rejection_line().map(|(rejection, _)| rejection)
    }

    /// The same, with the line that reports it.
    pub fn launch_rejection_line(&self) -> Option<(LaunchRejection, &str)> {
        let of = |line: &'_ String| {
            REJECTIONS.iter().find(|(text, _)| line.contains(text)).map(|(_, rejection)| *rejection)
        };
        self.error_lines.iter().find_map(|line| Some((of(line)?, line.as_str())))
    }

    /// A summary of its error stream in one line. It has the first lines, the line with the cause, the last
    /// lines, and the path of the complete stream.
    pub fn error_summary(&self) -> Option<String> {
        let (words, cause) = (&self.error_lines, self.cause().map(|(_, line)| line));
        let is_quoted = |(at, line): &(usize, &String)| {
            *at < FIRST_LINES || at + LAST_LINES >= words.len() || Some(line.as_str()) == cause
        };
        let quoted = words.iter().enumerate().filter(is_quoted);
        let lines: Vec<String> = quoted.map(|(_, line)| line.chars().take(LINE_LENGTH).collect()).collect();
        let is_cut = words.iter().any(|line| line.chars().nth(LINE_LENGTH).is_some());
        let all = match is_cut || lines.len() < words.len() {
            true => format!(" (complete: {}/{})", self.folder, names::STDERR),
            false => String::new(),
        };
        (!lines.is_empty()).then(|| lines.join(" / ") + &all)
    }
}

words! {
    /// Why a launcher starts no rank, or starts ranks that do not find each other.
    pub enum LaunchRejection {
        /// Open MPI does not start as root.
        Root = "root",
        /// Open MPI has fewer slots than ranks.
        Slots = "slots",
        /// The launcher does not know an option.
        Option = "option",
        /// The launcher does not find the program.
        Program = "program",
        /// The launcher cannot reach a node.
        Node = "node",
        /// The ranks find no MPI library, or one of another launcher.
        Mpi = "mpi",
    }
}

/// Messages of launchers, and of this program in the ranks that they start.
const REJECTIONS: &[(&str, LaunchRejection)] = &[
    // Open MPI 4 and 5
    ("has detected an attempt to run as root", LaunchRejection::Root),
    ("There are not enough slots available", LaunchRejection::Slots),
    ("Error: unknown option", LaunchRejection::Option),
    ("An unrecognized value was given", LaunchRejection::Option),
    ("was unable to launch the specified application", LaunchRejection::Program),
    ("was unable to find the specified executable", LaunchRejection::Program),
    ("was unable to reliably start one or more daemons", LaunchRejection::Node),
    // Hydra
    ("): unrecognized argument", LaunchRejection::Option),
    ("): execvp error on file", LaunchRejection::Program),
    // ssh of both
    ("Could not resolve hostname", LaunchRejection::Node),
    // Slurm
    ("srun: unrecognized option", LaunchRejection::Option),
    ("srun: invalid option", LaunchRejection::Option),
    ("error: execve(): ", LaunchRejection::Program),
    ("Requested node configuration is not available", LaunchRejection::Node),
    // this program
    (", but no MPI library was found", LaunchRejection::Mpi),
    ("the library does not belong to this launcher", LaunchRejection::Mpi),
];

/// An external cause that ended a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeathCause {
    /// A signal ended a rank. Launchers report this for all ranks after one rank has ended.
    Killed,
    /// A user or the batch system ended the job, or its allocation.
    Cancelled,
    /// The time limit of the job or of its allocation was reached.
    Time,
    /// A node failed, or could not be reached any more.
    Node,
}

impl fmt::Display for DeathCause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Killed => "a rank was killed",
            Self::Cancelled => "it was cancelled",
            Self::Time => "the time of its allocation was over",
            Self::Node => "a node failed",
        })
    }
}

/// What mpiexec of Hydra reports when the connection to its process on a node ended.
const HYDRA_CLOSED: &str = "assert (!closed) failed";

/// Messages of launchers. Each cause is searched in all lines, because the end of the allocation is reported
/// after the ranks that ended with it.
const MESSAGES: &[(&str, DeathCause)] = &[
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
    (HYDRA_CLOSED, DeathCause::Node),
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

/// The most severe cause in these lines, with the first line that reports it.
pub fn cause_of_death<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<(DeathCause, &'a str)> {
    let of =
        |line: &str| MESSAGES.iter().filter(|(text, _)| line.contains(text)).map(|(_, cause)| *cause).max();
    let causes = lines.into_iter().filter_map(|line| Some((of(line)?, line)));
    causes.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::JobInfo;

    #[test]
    fn a_failed_node_is_distinguished_from_the_ranks_that_ended_with_it() {
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
    fn a_kill_in_the_output_of_the_launcher_is_a_cause_unless_its_error_stream_reports_another() {
        let job = |signal: Option<i32>, lines: &str| {
            let dead = DeadProcess { pid: 7, signal, ..DeadProcess::default() };
            let end = JobEnd::Exit(1);
            let info = JobInfo { end, dead_process: Some(dead), ..JobInfo::default() };
            Job { info, error_lines: lines.lines().map(str::to_owned).collect(), ..Job::default() }
        };
        let limit = "=>> PBS: job killed: walltime 3604 exceeded limit 3600";
        let both = format!("{HYDRA_CLOSED}\n{limit}");
        for (signal, lines, cause, repeats) in [
            (Some(9), "", Some(DeathCause::Killed), Some("a rank was killed")),
            (Some(11), "", None, None),
            (None, "", None, None),
            (Some(9), "Node failure on n1", Some(DeathCause::Node), Some("a node failed")),
            (Some(9), limit, Some(DeathCause::Time), None),
            (Some(9), HYDRA_CLOSED, Some(DeathCause::Killed), Some("a rank was killed")),
            (Some(9), &both, Some(DeathCause::Time), None),
            (None, HYDRA_CLOSED, Some(DeathCause::Node), Some("a node failed")),
        ] {
            let job = job(signal, lines);
            assert_eq!((job.death(), job.died()), (cause, repeats), "{signal:?} {lines}");
        }
        let mut late = job(Some(9), "");
        late.info.end = JobEnd::TimedOut;
        assert_eq!(late.death(), None, "its ranks were killed at the end of its time");
    }

    #[test]
    fn the_mistakes_that_launchers_report_are_distinguished() {
        for (text, wanted) in [
            ("mpirun.openmpi has detected an attempt to run as root.", Some(LaunchRejection::Root)),
            (
                "There are not enough slots available in the system to satisfy the 4",
                Some(LaunchRejection::Slots),
            ),
            ("mpirun.openmpi: Error: unknown option \"--bogus\"", Some(LaunchRejection::Option)),
            (
                "[mpiexec@n1] match_arg (utils/args/args.c:163): unrecognized argument bogus",
                Some(LaunchRejection::Option),
            ),
            ("srun: unrecognized option '--bogus'", Some(LaunchRejection::Option)),
            (
                "mpirun was unable to launch the specified application as it could not access",
                Some(LaunchRejection::Program),
            ),
            (
                "[proxy:0:0@n1] HYDU_create_process (utils/launch/launch.c:73): execvp error on file ./x (No \
                 such file or directory)",
                Some(LaunchRejection::Program),
            ),
            ("slurmstepd: error: execve(): ./x: No such file or directory", Some(LaunchRejection::Program)),
            ("ssh: Could not resolve hostname n1: Name or service not known", Some(LaunchRejection::Node)),
            (
                "ior: hydra (MPICH) started 2 ranks, but no MPI library was found: searched for libmpi.so.40",
                Some(LaunchRejection::Mpi),
            ),
            ("ior: cannot open the file: Permission denied", None),
        ] {
            let job = Job { error_lines: vec!["-".into(), text.into()], ..Job::default() };
            assert_eq!(job.launch_rejection(), wanted, "{text}");
        }
    }

    #[test]
    fn a_long_error_stream_is_quoted_by_its_first_and_last_lines_the_cause_and_its_path() {
        let mut job = Job { folder: "jobs/0001-w-r1".into(), ..Job::default() };
        assert_eq!(job.error_summary(), None);
        job.error_lines = (1..=5).map(|line| format!("line {line}")).collect();
        assert_eq!(job.error_summary().as_deref(), Some("line 1 / line 2 / line 3 / line 4 / line 5"));
        job.error_lines = (1..=9).map(|line| format!("line {line}")).collect();
        job.error_lines[4] = "srun: error: Node failure on n3".into();
        let edges = "line 1 / line 2 / srun: error: Node failure on n3 / line 7 / line 8 / line 9";
        let all = " (complete: jobs/0001-w-r1/stderr.txt)";
        assert_eq!(job.error_summary(), Some(format!("{edges}{all}")));
        job.error_lines = vec!["x".repeat(LINE_LENGTH + 1)];
        assert_eq!(job.error_summary(), Some(format!("{}{all}", "x".repeat(LINE_LENGTH))));
    }
}
