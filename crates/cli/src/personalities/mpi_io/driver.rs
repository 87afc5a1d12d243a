//! Starts the ranks by a launcher, again and again, until every case has an outcome.
//!
//! This process does not use MPI. A case that hangs or crashes ends its job of ranks; the next job continues
//! with the next case.
//!
//! Invariant: every case gets exactly one outcome, unless the driver is stopped or cannot start ranks.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use command::mpi_io::MpiIoArgs;
use conformance::{
    ConformanceCase, END_OF_JOB, KnownFailure, RankLibrary, mark_known_failure, matches, not_tried,
};
use measure::CycleClock;
use ranks::Halt;
use results::Record;
use results::record::{Case as CaseRecord, CaseOutcome, Evidence};
use results::records::Sink;
use units::Usage;

use super::crash;
use super::reporter::{self, Message, names};
use super::text;
use crate::personalities::run_records::{RunRecords, run_record};
use crate::speech::{complain, say};
use crate::status::{ERROR, FAIL};

/// How long a launcher may take to start the ranks, and how long the ranks may be silent between cases.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// Time after the limit of a case until this process kills the job.
const GRACE: Duration = Duration::from_secs(30);

/// How often to check for a request to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// How long a job may take to end after a request to end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs all cases; gives the exit status.
pub(super) fn run(argv: &[String], args: &MpiIoArgs, cases: &[ConformanceCase]) -> Result<u8, Usage> {
    let kept = RunRecords::open(args.record.as_deref())?;
    let mut driver = Driver {
        argv,
        args,
        kept,
        pending: reporter::pending(cases),
        ended: Vec::new(),
        library: None,
        ranks: 0,
        failure: None,
        excluded: Vec::new(),
        asked_to_stop: ::run::signals::stop_on_request().unwrap_or_default(),
    };
    while !driver.pending.is_empty() && driver.failure.is_none() {
        driver.run_job()?;
    }
    Ok(driver.close())
}

struct Driver<'a> {
    argv: &'a [String],
    args: &'a MpiIoArgs,
    kept: RunRecords,
    /// The cases without an outcome, in order.
    pending: VecDeque<CaseRecord>,
    ended: Vec<CaseRecord>,
    /// `None` until the first ranks have started.
    library: Option<RankLibrary>,
    ranks: u32,
    /// Why no more cases can be run or reported.
    failure: Option<String>,
    /// Patterns of cases that the next jobs do not run.
    excluded: Vec<&'static str>,
    /// A signal has requested the end of this process.
    asked_to_stop: Arc<AtomicBool>,
}

/// How a job ended.
enum JobResult {
    /// All its cases have an outcome.
    Done,
    /// Before that, with the status of the launcher if it is known.
    Early(Option<ExitStatus>),
    /// Not at all: nothing was heard of it for longer than the limit of its case.
    Silent(String),
    /// By a request to stop.
    Stopped,
}

impl Driver<'_> {
    /// Starts the ranks once, and follows them until the job ends or hangs.
    fn run_job(&mut self) -> Result<(), Usage> {
        let mut child = self.start()?;
        let messages = messages_of(&mut child);
        let mut begun: Option<(String, PathBuf)> = None;
        let before = self.ended.len();
        let ended = self.follow(&mut child, &messages, &mut begun);
        stop(&mut child, matches!(ended, JobResult::Done));
        // Messages that arrived before the end of the job and were not received yet.
        for message in messages.try_iter() {
            match message {
                Message::Begin { name, dir, .. } => begun = Some((name, PathBuf::from(dir))),
                message => self.receive(message),
            }
        }
        if let Some((_, dir)) = begun.as_ref().filter(|_| !matches!(ended, JobResult::Done)) {
            self.remove_run_directory(dir);
        }
        let (why, outcome) = match ended {
            JobResult::Done => return Ok(()),
            JobResult::Early(status) => early(status),
            // This shows no broken promise: not even the watch of the ranks could report or end them.
            JobResult::Silent(why) => (why, CaseOutcome::Undecided),
            JobResult::Stopped => {
                self.failure = Some("stopped on request".to_owned());
                return Ok(());
            }
        };
        let last = begun.as_ref().map(|(name, _)| name.clone());
        let is_next = |name: &str| self.pending.front().is_some_and(|pending| pending.name == name);
        match begun.filter(|(name, _)| is_next(name)) {
            Some(_) => self.end_next(&why, outcome),
            // A case whose time limit passed has reported its outcome itself before it ended the job.
            None if self.ended.len() > before => {}
            None => self.failure = Some(format!("the launched job {why} before it began a case")),
        }
        if let Some(name) = last {
            self.exclude_alike(&name);
        }
        Ok(())
    }

    /// Receives the messages of a job until it ends, hangs or should stop. `begun` gets the last case that
    /// began, with its directory.
    fn follow(
        &mut self,
        child: &mut Child,
        messages: &Receiver<Message>,
        begun: &mut Option<(String, PathBuf)>,
    ) -> JobResult {
        let mut silence_max = START_TIMEOUT;
        let mut received = Instant::now();
        loop {
            if self.asked_to_stop.load(Ordering::Relaxed) {
                return JobResult::Stopped;
            }
            let message = messages.recv_timeout(POLL_INTERVAL);
            if message.is_ok() {
                received = Instant::now();
            }
            match message {
                Ok(Message::Begin { name, dir, limit_s }) => {
                    *begun = Some((name, PathBuf::from(dir)));
                    silence_max = Duration::from_secs(limit_s) + GRACE;
                }
                Ok(Message::Done) => return JobResult::Done,
                Ok(message) => {
                    if matches!(message, Message::End { .. }) {
                        silence_max = START_TIMEOUT;
                    }
                    self.receive(message);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return JobResult::Early(child.wait().ok());
                }
                Err(RecvTimeoutError::Timeout) if received.elapsed() < silence_max => {}
                Err(RecvTimeoutError::Timeout) => {
                    return JobResult::Silent(format!("was silent for {} s", silence_max.as_secs()));
                }
            }
        }
    }

    fn start(&self) -> Result<Child, Usage> {
        let line = self.args.launch.as_deref().expect("the driver runs only with --launch");
        let words: Vec<&str> = line.split_whitespace().collect();
        let program = std::env::current_exe()
            .map_err(|error| Usage(format!("cannot find the program itself: {error}")))?;
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(program).arg("mpi-io").args(self.rank_arguments());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        child.map_err(|error| {
            Usage(format!("--launch {}: {error}. Give a command that starts ranks.", words[0]))
        })
    }

    fn rank_arguments(&self) -> Vec<String> {
        let args = self.args;
        let mut words = Vec::new();
        for (option, patterns) in [("--only", &args.only), ("--skip", &args.skip)] {
            patterns.iter().for_each(|pattern| words.extend([option.to_owned(), pattern.clone()]));
        }
        self.excluded.iter().for_each(|pattern| words.extend(["--skip".to_owned(), (*pattern).to_owned()]));
        let numbers =
            [("--timeout", args.timeout), ("--lock-release", args.lock_release), ("--seed", args.seed)];
        numbers.iter().for_each(|(option, number)| words.extend([(*option).to_owned(), number.to_string()]));
        let flags = [("--large", args.large), ("--keep-failed", args.keep_failed)];
        words.extend(flags.iter().filter(|(_, on)| *on).map(|(flag, _)| (*flag).to_owned()));
        let next = self.pending.front().expect("a job is started only for pending cases").name.clone();
        words.extend(["--speak-from".to_owned(), next]);
        words.push(args.tested_dir().display().to_string());
        words
    }

    fn receive(&mut self, message: Message) {
        let reported = match message {
            Message::Ready { ranks, nodes, host, mpi, library, clients, limits }
                if self.library.is_none() =>
            {
                let mut known = mpi.as_deref().map_or_else(RankLibrary::default, RankLibrary::read);
                // A library without a known component has no parentheses.
                let component = library.rsplit_once('(').map(|(_, name)| name.trim_end_matches(')'));
                known.io_component = component.unwrap_or_default().to_owned();
                (self.library, self.ranks) = (Some(known), ranks);
                let about = run_record("mpi-io", self.argv, ranks, mpi.as_deref(), &CycleClock::new());
                self.kept.about(about, &host);
                self.kept
                    .begin(nodes, 0, &clients)
                    .and_then(|()| say(&(reporter::heading(ranks, nodes, &library) + &limits)))
            }
            Message::End { case } => {
                if self.pending.front().is_some_and(|pending| pending.name == case.name) {
                    self.pending.pop_front();
                    self.report(*case);
                }
                Ok(())
            }
            Message::Left { path, why } => say(&reporter::left(&path, &why)),
            Message::Ready { .. } | Message::Begin { .. } | Message::Done => Ok(()),
        };
        if let Err(error) = reported {
            self.failure = Some(format!("cannot write the results: {error}"));
        }
    }

    /// Prints and records the outcome of a case.
    fn report(&mut self, case: CaseRecord) {
        let said = say(&text::line(&case));
        let kept = self.kept.put(&Record::Case(Box::new(case.clone())));
        self.ended.push(case);
        if let Err(error) = said.and(kept) {
            self.failure = Some(format!("cannot write the results: {error}"));
        }
    }

    /// Records that the next case ended its job without a message.
    fn end_next(&mut self, why: &str, outcome: CaseOutcome) {
        let Some(pending) = self.pending.pop_front() else { return };
        let what = format!("the job {why} while the case ran");
        let evidence = Evidence { step: END_OF_JOB.to_owned(), what, ..Evidence::default() };
        let case = CaseRecord { outcome, evidence: Some(evidence), ranks: self.ranks, ..pending };
        let library = self.library.clone().unwrap_or_default();
        let mut case = mark_known_failure(case, &library);
        if case.outcome == CaseOutcome::Undecided
            && let Some(seen) = case.evidence.take()
        {
            case.why =
                format!("{}. This does not show whether the promise holds. Run the case again.", seen.what);
        }
        self.report(case);
    }

    /// Records as not tried the cases that are known to end the job as `name` just did, so that no job is
    /// spent on them.
    fn exclude_alike(&mut self, name: &str) {
        let library = self.library.clone().unwrap_or_default();
        let rows = KnownFailure::listed_for(name, &library).into_iter().filter(|row| row.is_fatal());
        for row in rows.collect::<Vec<_>>() {
            self.excluded.push(row.case);
            let pending = std::mem::take(&mut self.pending);
            let (alike, others): (VecDeque<_>, _) =
                pending.into_iter().partition(|case| matches(row.case, &case.name));
            self.pending = others;
            for pending in alike {
                self.report(not_tried(CaseRecord { ranks: self.ranks, ..pending }, &library, row));
            }
        }
    }

    /// Removes the directory of the run, which the job could not remove itself. It remains if the file system
    /// does not answer, or with `--keep-failed`.
    fn remove_run_directory(&self, case_dir: &Path) {
        let Some(run_dir) = case_dir.parent().filter(|run_dir| is_run_dir(run_dir)).map(Path::to_owned)
        else {
            return;
        };
        let shown = run_dir.display().to_string();
        let why = if self.args.keep_failed {
            Some("kept: the case failed".to_owned())
        } else {
            let (sender, receiver) = channel();
            thread::spawn(move || sender.send(std::fs::remove_dir_all(&run_dir)));
            match receiver.recv_timeout(GRACE) {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some("it does not answer".to_owned()),
            }
        };
        if let Some(why) = why {
            let _ = say(&reporter::left(&shown, &why));
        }
    }

    /// Prints the table and writes the last record; gives the exit status.
    fn close(mut self) -> u8 {
        let pending = names(&self.pending);
        let mut status = text::status(&self.ended, &pending);
        if let Some(why) = &self.failure {
            complain(&format!("mpi-io: {why}"));
            status = if status == FAIL { FAIL } else { ERROR };
        }
        let halt = self.failure.take().map(|why| Halt { step: "launch".to_owned(), why, ..Halt::default() });
        let said = say(&text::table(&self.ended, &pending));
        if let Err(error) = said.and(self.kept.end(halt.as_ref(), status)) {
            complain(&format!("mpi-io: cannot write the results: {error}"));
            status = if status == FAIL { FAIL } else { ERROR };
        }
        status
    }
}

/// How a job ended before its time, and what this shows about the case that ran.
fn early(status: Option<ExitStatus>) -> (String, CaseOutcome) {
    let why = status.map_or_else(|| "ended".to_owned(), |status| format!("ended with {status}"));
    let is_crash = status.is_some_and(crash::is_shown_by);
    (why, if is_crash { CaseOutcome::Fail } else { CaseOutcome::Undecided })
}

/// Whether a directory has a name that a run gives to its own.
fn is_run_dir(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with("assay-mpi-io."))
}

/// The messages of the ranks. Their other output goes to the error stream.
fn messages_of(child: &mut Child) -> Receiver<Message> {
    let (sender, receiver) = channel();
    if let Some(out) = child.stdout.take() {
        thread::spawn(move || {
            for text in BufReader::new(out).split(b'\n').map_while(Result::ok) {
                let text = String::from_utf8_lossy(&text).into_owned();
                match Message::parse(&text) {
                    Some(message) => {
                        if sender.send(message).is_err() {
                            return;
                        }
                    }
                    None => complain(&text),
                }
            }
        });
    }
    receiver
}

/// Waits for the end of a job. Unless the job `is_done`, this requests its end at once.
fn stop(child: &mut Child, is_done: bool) {
    use rustix::process::{Pid, Signal, kill_process};
    let begin = Instant::now();
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let mut sent = None;
    while let Ok(None) = child.try_wait() {
        let waited = begin.elapsed();
        let next = match (is_done, waited) {
            (true, waited) if waited < START_TIMEOUT => None,
            (_, waited) if waited < STOP_TIMEOUT || is_done && waited < START_TIMEOUT + STOP_TIMEOUT => {
                Some(Signal::TERM)
            }
            _ => Some(Signal::KILL),
        };
        if let (Some(pid), Some(signal)) = (pid, next.filter(|signal| sent != Some(*signal))) {
            let _ = kill_process(pid, signal);
            sent = Some(signal);
        }
        thread::sleep(Duration::from_millis(10));
    }
}
