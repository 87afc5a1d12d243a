//! What rank 0 prints: text for people, or messages for the driver that started the ranks.
//!
//! If a case hangs, the watchdog of rank 0 reports it through here instead of the rank.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::time::Duration;

use command::mpi_io::MpiIoArgs;
use conformance::{ConformanceCase, ConformanceEvent, RankLibrary, TIMEOUT, mark_known_failure};
use results::Record;
use results::record::{Case as CaseRecord, CaseOutcome, Clients, End, Evidence};
use serde::{Deserialize, Serialize};
use units::several;

use super::rank_state::{CaseStanding, RankStates};
use super::text;
use super::watchdog::{Limits, RunningCase};
use crate::speech::{complain, say};

/// A slow case is advised to take the limit of most cases times this.
const MORE_TIME: u64 = 4;

/// The beginning of a message; no line of a launcher begins like this.
const PREFIX: &str = "{\"mpi_io\":";

/// One message of rank 0 to the driver that started the ranks: a line of JSON among their other output.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "mpi_io", rename_all = "snake_case")]
pub(super) enum Message {
    /// The ranks have started.
    Ready {
        ranks: u32,
        nodes: u32,
        host: String,
        mpi: Option<String>,
        library: String,
        clients: Box<Clients>,
        /// Why cases have more time than requested; empty if they have not.
        #[serde(default)]
        limits: String,
    },
    /// A case begins in a directory, with a time limit in seconds.
    Begin { name: String, dir: String, limit_s: u64 },
    /// A case has ended.
    End { case: Box<CaseRecord> },
    /// A directory remains, for this reason.
    Left { path: String, why: String },
    /// All cases have ended.
    Done,
}

impl Message {
    /// The message as a line, with its end.
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("a message is text and numbers") + "\n"
    }

    /// The message in a line of output, if there is one. A launcher may put its own text before it.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let at = line.find(PREFIX)?;
        serde_json::from_str(line[at..].trim_end()).ok()
    }
}

/// The records of cases without an outcome or ranks, for those that cannot report one themselves.
pub(super) fn pending(cases: &[ConformanceCase]) -> VecDeque<CaseRecord> {
    let record = |case: &ConformanceCase| CaseRecord {
        name: case.name.to_string(),
        promise: case.promise.to_string(),
        document: case.document.to_owned(),
        ..CaseRecord::default()
    };
    cases.iter().map(record).collect()
}

/// The names of cases, in order.
pub(super) fn names(pending: &VecDeque<CaseRecord>) -> Vec<String> {
    pending.iter().map(|pending| pending.name.clone()).collect()
}

/// The cases that have ended and those that have not, and how to report them.
pub(super) struct Reporter {
    /// As messages for the driver.
    to_driver: bool,
    library: RankLibrary,
    mpi: Option<String>,
    ranks: u32,
    record: Option<String>,
    ended: Vec<CaseRecord>,
    /// The cases that have not ended, in order.
    pending: VecDeque<CaseRecord>,
}

impl Reporter {
    /// A reporter for these cases. None has begun.
    pub(super) fn new(
        args: &MpiIoArgs,
        cases: &[ConformanceCase],
        library: RankLibrary,
        mpi: Option<String>,
    ) -> Self {
        Self {
            to_driver: args.speak_from.is_some(),
            library,
            mpi,
            ranks: 0,
            record: args.record.clone(),
            ended: Vec::new(),
            pending: pending(cases),
        }
    }

    /// The library that the ranks run on.
    pub(super) fn library(&self) -> &RankLibrary {
        &self.library
    }

    /// Reports that the ranks have started, with the number and the facts of their nodes.
    pub(super) fn ready(
        &mut self,
        library: RankLibrary,
        ranks: u32,
        (nodes, clients): (u32, &Clients),
        host: &str,
        limits: String,
    ) -> io::Result<()> {
        (self.library, self.ranks) = (library, ranks);
        let library = if self.mpi.is_some() { self.library.to_string() } else { String::new() };
        if self.to_driver {
            let (host, mpi) = (host.to_owned(), self.mpi.clone());
            let clients = Box::new(clients.clone());
            return say(&Message::Ready { ranks, nodes, host, mpi, library, clients, limits }.line());
        }
        say(&heading(ranks, nodes, &library)).and_then(|()| say(&limits))
    }

    pub(super) fn event(&mut self, event: ConformanceEvent<'_>, limits: &Limits) -> io::Result<()> {
        match event {
            ConformanceEvent::Begin(case, dir) if self.to_driver => {
                let (name, dir) = (case.name.to_string(), dir.display().to_string());
                say(&Message::Begin { name, dir, limit_s: limits.of(case).as_secs() }.line())
            }
            ConformanceEvent::Begin(..) => Ok(()),
            ConformanceEvent::End(case) => self.end(*case),
            ConformanceEvent::Left(path, why) if self.to_driver => {
                say(&Message::Left { path: path.display().to_string(), why }.line())
            }
            ConformanceEvent::Left(path, why) => say(&left(&path.display().to_string(), &why)),
        }
    }

    fn end(&mut self, case: CaseRecord) -> io::Result<()> {
        self.pending.pop_front();
        let line = match self.to_driver {
            true => Message::End { case: Box::new(case.clone()) }.line(),
            false => text::line(&case),
        };
        self.ended.push(case);
        say(&line)
    }

    /// Reports that all cases have ended.
    pub(super) fn close(&self) -> io::Result<()> {
        let pending = names(&self.pending);
        say(&if self.to_driver { Message::Done.line() } else { text::table(&self.ended, &pending) })
    }

    pub(super) fn status(&self) -> u8 {
        text::status(&self.ended, &names(&self.pending))
    }

    /// Reports a case whose time limit has passed, and the end of the run. The process ends after this, with
    /// the returned status.
    pub(super) fn timed_out(&mut self, running: &RunningCase, states: &RankStates) -> u8 {
        let evidence = Evidence {
            step: TIMEOUT.to_owned(),
            rank: states.first_stuck(),
            what: states.summary(),
            ..Evidence::default()
        };
        // The case that runs is the first that has not ended. If it were not, its failure counts all the
        // same.
        let (outcome, why) = late(running, states);
        let pending = self.pending.front().filter(|pending| pending.name == running.name);
        let case = CaseRecord {
            name: running.name.clone(),
            outcome,
            why,
            evidence: Some(evidence),
            failed_ranks: states.stuck(),
            seconds: running.limit_s as f64,
            ranks: pending.map_or(0, |_| self.ranks),
            ..pending.cloned().unwrap_or_default()
        };
        let hangs = outcome == CaseOutcome::Fail;
        let case = if hangs { mark_known_failure(case, &self.library) } else { case };
        let record = Record::Case(Box::new(case.clone()));
        let reported = self.end(case).and_then(|()| if self.to_driver { Ok(()) } else { self.close() });
        let status = self.status();
        let end = Record::End(End { exit: status, ..End::default() });
        let kept = reported.and_then(|()| self.keep(&[record, end]));
        if let Err(error) = kept {
            complain(&format!("mpi-io: cannot report the end: {error}"));
        }
        if !self.to_driver {
            complain(
                "mpi-io: the case cannot be left, so the ranks end here. To run the other cases too, use \
                 `assay mpi-io --launch 'mpirun -n N' DIR`.",
            );
        }
        status
    }

    /// Appends to the file of records. The ranks are stuck, so nothing else writes to it any more.
    fn keep(&self, records: &[Record]) -> io::Result<()> {
        let Some(path) = &self.record else { return Ok(()) };
        let mut file = OpenOptions::new().append(true).open(path)?;
        records.iter().try_for_each(|record| {
            let line = serde_json::to_string(record)? + "\n";
            file.write_all(line.as_bytes())
        })
    }
}

/// The outcome of a case whose time limit has passed, and why. Slow is not wrong. It is a failure only if all
/// ranks answer and none does anything: a call does not return.
fn late(running: &RunningCase, states: &RankStates) -> (CaseOutcome, String) {
    let seconds = running.limit_s;
    let passed = format!("timeout after {seconds} s");
    // The option sets the limit of most cases, which a slow file system may have raised. So only more than
    // that has an effect.
    let more = (running.usual_limit_s * MORE_TIME).max(1);
    match states.standing(Duration::from_secs(seconds)) {
        CaseStanding::Slow(progress) => (
            CaseOutcome::Undecided,
            format!("{passed}: slow, but not stuck: {progress}. Run it again with --timeout {more}."),
        ),
        CaseStanding::Hangs if running.large => (
            CaseOutcome::Undecided,
            format!(
                "{passed}: a single call of this large case may last longer. Run it again with --timeout \
                 {more}."
            ),
        ),
        CaseStanding::Hangs => (
            CaseOutcome::Fail,
            format!(
                "{passed}: it hangs: no rank did anything in the last {} s, though the directory answers.",
                seconds.div_ceil(2)
            ),
        ),
        CaseStanding::NoAnswer => (
            CaseOutcome::Undecided,
            format!(
                "{passed}: the file system does not answer, or a rank has not reached its limit. This does \
                 not show whether the promise holds. Run the case again when all answer."
            ),
        ),
    }
}

/// The first line: ranks, nodes and library.
pub(super) fn heading(ranks: u32, nodes: u32, library: &str) -> String {
    let on = if library.is_empty() { "local ranks, without MPI" } else { library };
    let [ranks, nodes] =
        [(ranks, "rank"), (nodes, "node")].map(|(number, what)| several(number.into(), what));
    format!("{ranks} on {nodes}: {on}\n")
}

/// The line for a directory that remains.
pub(super) fn left(path: &str, why: &str) -> String {
    format!("{:12} {path} stays: {why}\n", "")
}

#[cfg(test)]
mod tests {
    use super::super::activity::Activity;
    use super::super::rank_state::Note;
    use super::*;

    #[test]
    fn the_advised_time_is_longer_also_for_cases_with_another_limit() {
        let mut library = RankLibrary::read("Open MPI v4.1.4, package: Debian OpenMPI");
        library.io_component = "ompio".to_owned();
        let limits = Limits { most: Duration::from_secs(60), lock_release: Duration::ZERO, library };
        let case = |name| ConformanceCase::new(name, "POSIX", "takes its time", |_| Ok(()));
        let mut factor = case("posix.large");
        factor.time_factor = 5;
        for (case, limit_s) in [(case("posix.most"), 60), (factor, 300), (case("end.iread_at"), 10)] {
            let running = RunningCase::begin(&case, &limits, 1);
            let activity = Activity { steps: 1, bytes: 0, idle: Duration::ZERO };
            let own = Note::new(0, "write", false, activity);
            let (outcome, why) = late(&running, &RankStates::unknown(&own));
            assert_eq!((running.limit_s, outcome), (limit_s, CaseOutcome::Undecided));
            assert!(why.ends_with("Run it again with --timeout 240."), "{}: {why}", case.name);
        }
    }

    #[test]
    fn a_message_is_read_back_also_after_text_of_a_launcher() {
        let case = CaseRecord { name: "posix.a".into(), seconds: 0.5, ..CaseRecord::default() };
        for message in [
            Message::Begin { name: "posix.a".into(), dir: "/d\"".into(), limit_s: 60 },
            Message::End { case: Box::new(case) },
            Message::Done,
        ] {
            assert!(message.line().starts_with(PREFIX), "{}", message.line());
            assert_eq!(Message::parse(&format!("[1,0]<stdout>: {}", message.line())), Some(message));
        }
        assert_eq!(Message::parse("PASS posix.a"), None);
        assert_eq!(Message::parse("{\"mpi_io\":\"unknown\"}"), None);
    }
}
