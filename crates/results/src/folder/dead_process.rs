//! The process whose end Hydra (MPICH, Intel MPI) reports first in its output.
//!
//! Hydra ends all ranks when one fails. Its own status does not say which one that was. Intel MPI reports
//! each rank that ended, and their order does not show which was the first to end.
//!
//! Invariant: pure. What the output does not state stays unknown.

use serde::{Deserialize, Serialize};

/// The first process of a rank that its launcher reports as ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadProcess {
    /// Its rank; not all versions of Hydra report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Its number on its node.
    pub pid: u32,
    /// Its node.
    pub node: String,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Its exit status, if no signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
}

/// The first line of the report on a process.
const BEGIN: &str = "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES";

impl DeadProcess {
    /// The process in the output of a job, if Hydra reports one there.
    pub fn in_output<'a>(lines: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut lines = lines.into_iter().skip_while(|line| !line.contains(BEGIN)).skip(1);
        let mut found = Self::of_place(lines.next()?)?;
        let mut code = None;
        for line in lines.take_while(|line| !line.contains(BEGIN)) {
            let value = |key: &str| Some(line.split_once(key)?.1.trim());
            // `KILLED BY SIGNAL: 9 (Killed)`, and `EXIT STRING: Killed (signal 9)` of older versions.
            let named = value("KILLED BY SIGNAL:").and_then(|text| text.split(' ').next());
            let told =
                value("EXIT STRING:").and_then(|text| text.rsplit_once("(signal ")?.1.strip_suffix(')'));
            let signal = named.or(told).and_then(|number| number.parse().ok());
            found.signal = found.signal.or(signal);
            code = code.or(value("EXIT CODE:").and_then(|number| number.parse().ok()));
        }
        // Older versions give the number of a signal as an exit code, too.
        found.status = code.filter(|_| found.signal.is_none());
        Some(found)
    }

    /// The place in `=   RANK 1 PID 18263 RUNNING AT node3`; the rank is optional.
    fn of_place(line: &str) -> Option<Self> {
        let (process, node) = line.split_once(" RUNNING AT ")?;
        let after = |key: &str| process.split_once(key)?.1.split(' ').next()?.parse().ok();
        let (rank, pid) = (after("RANK "), after("PID ")?);
        Some(Self { rank, pid, node: node.trim().to_owned(), ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<DeadProcess> {
        DeadProcess::in_output(text.lines())
    }

    #[test]
    fn the_report_of_hydra_4_states_process_node_and_signal() {
        let text = "write 12.5\n=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n\
                    =   PID 18263 RUNNING AT n3\n=   EXIT CODE: 9\n=   CLEANING UP REMAINING PROCESSES\n\
                    YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n\
                    This typically refers to a problem with your application.";
        let wanted = DeadProcess { pid: 18263, node: "n3".into(), signal: Some(9), ..DeadProcess::default() };
        assert_eq!(found(text), Some(wanted));
    }

    #[test]
    fn the_report_of_intel_mpi_states_the_rank_too_and_an_exit_code_is_no_signal() {
        let begin =
            "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK 5 PID 77 RUNNING AT n1";
        let dead = DeadProcess { rank: Some(5), pid: 77, node: "n1".into(), ..DeadProcess::default() };
        assert_eq!(
            found(&format!("{begin}\n=   KILLED BY SIGNAL: 11 (Segmentation fault)")),
            Some(DeadProcess { signal: Some(11), ..dead.clone() })
        );
        assert_eq!(
            found(&format!("{begin}\n=   EXIT CODE: 4\n=====")),
            Some(DeadProcess { status: Some(4), ..dead })
        );
    }

    #[test]
    fn the_end_of_the_first_reported_process_is_not_taken_from_the_report_on_another() {
        let report = |rank: u32, end: &str| {
            format!(
                "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK {rank} PID 7{rank} \
                 RUNNING AT n1\n=   {end}\n=====\n"
            )
        };
        let (status, signal) = ("EXIT CODE: 4", "KILLED BY SIGNAL: 9 (Killed)");
        let first = DeadProcess { rank: Some(0), pid: 70, node: "n1".into(), ..DeadProcess::default() };
        assert_eq!(
            found(&(report(0, status) + &report(1, signal))),
            Some(DeadProcess { status: Some(4), ..first.clone() })
        );
        assert_eq!(
            found(&(report(0, signal) + &report(1, status))),
            Some(DeadProcess { signal: Some(9), ..first.clone() })
        );
        assert_eq!(found(&(report(0, "") + &report(1, status))), Some(first));
    }

    #[test]
    fn other_output_and_a_cut_report_state_nothing() {
        let cut = "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES";
        for text in ["", "PID 7 RUNNING AT n1", cut, &format!("{cut}\n=   EXIT CODE: 9")] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
