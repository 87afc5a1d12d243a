//! Starting the ranks by a launcher, again and again, until every case has an outcome.
//!
//! This process has no MPI: what hangs or crashes takes a job of ranks along, and the next one goes on behind
//! it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use measure::CycleClock;
use ranks::Halt;
use results::Record;
use results::record::{Case as Told, Clients, Evidence, Outcome};
use results::records::Sink;
use units::Usage;
use workloads::mpi_io::{Case, END_OF_JOB, Known, Library, known, matches, not_tried};

use super::args::Args;
use super::speech::Line;
use super::{tale, text};
use crate::personalities::kept::{Kept, run_record};
use crate::speech::{complain, say};

/// How long a launcher may take until the ranks are there, and between cases.
const START: Duration = Duration::from_secs(120);

/// How much longer than its limit a case may take before the job is killed from here.
const GRACE: Duration = Duration::from_secs(30);

/// How often it is looked whether somebody asked for the end.
const LOOK: Duration = Duration::from_millis(200);

/// How long a job that was asked to end may take.
const END: Duration = Duration::from_secs(5);

/// Runs all cases; gives the exit status.
pub(super) fn run(argv: &[String], args: &Args, cases: &[Case]) -> Result<u8, Usage> {
    let kept = Kept::open(args.record.as_deref())?;
    let open = cases.iter().map(|case| (case.name.to_string(), case.promise.to_string(), case.document));
    let mut drive = Drive {
        argv,
        args,
        kept,
        open: open.collect(),
        ended: Vec::new(),
        library: None,
        ranks: 0,
        broken: None,
        spared: Vec::new(),
        asked_to_stop: campaign::signals::stop_on_request().unwrap_or_default(),
    };
    while !drive.open.is_empty() && drive.broken.is_none() {
        drive.job()?;
    }
    Ok(drive.close())
}

struct Drive<'a> {
    argv: &'a [String],
    args: &'a Args,
    kept: Kept,
    /// Name, promise and document of those without an outcome, in order.
    open: VecDeque<(String, String, &'static str)>,
    ended: Vec<Told>,
    /// Known once the first ranks are there.
    library: Option<Library>,
    ranks: u32,
    /// Why nothing more can be run, or told.
    broken: Option<String>,
    /// Patterns of cases that are not tried any more.
    spared: Vec<&'static str>,
    /// Somebody asked this process to end.
    asked_to_stop: Arc<AtomicBool>,
}

/// How a job ended.
enum Ended {
    /// All its cases have an outcome.
    Done,
    /// Before that: in these words.
    Early(String),
    /// Somebody asked for it.
    Stopped,
}

impl Drive<'_> {
    /// One launch: goes on until its end, or until it hangs.
    fn job(&mut self) -> Result<(), Usage> {
        let mut child = self.start()?;
        let lines = lines_of(&mut child);
        let mut begun: Option<(String, PathBuf)> = None;
        let before = self.ended.len();
        let ended = self.listen(&mut child, &lines, &mut begun);
        stop(&mut child, matches!(ended, Ended::Done));
        // What was told before the end and not heard yet.
        for line in lines.try_iter() {
            match line {
                Line::Begin { name, dir, .. } => begun = Some((name, PathBuf::from(dir))),
                line => self.hear(line),
            }
        }
        if let Some((_, dir)) = begun.as_ref().filter(|_| !matches!(ended, Ended::Done)) {
            self.tidy(dir);
        }
        let why = match ended {
            Ended::Done => return Ok(()),
            Ended::Early(why) => why,
            Ended::Stopped => {
                self.broken = Some("stopped, as was asked for".to_owned());
                return Ok(());
            }
        };
        let last = begun.as_ref().map(|(name, _)| name.clone());
        match begun.filter(|(name, _)| self.open.front().is_some_and(|(open, ..)| open == name)) {
            Some((name, _)) => self.lost(&name, &why),
            // What took too long has told its outcome itself, and ended the job.
            None if self.ended.len() > before => {}
            None => self.broken = Some(format!("the launched job {why} before it began a case")),
        }
        if let Some(name) = last {
            self.spare(&name);
        }
        Ok(())
    }

    /// Hears a job until it ends, hangs or is to end; `begun` is its last case, with its directory.
    fn listen(
        &mut self,
        child: &mut Child,
        lines: &Receiver<Line>,
        begun: &mut Option<(String, PathBuf)>,
    ) -> Ended {
        let mut patience = START;
        let mut heard = Instant::now();
        loop {
            if self.asked_to_stop.load(Ordering::Relaxed) {
                return Ended::Stopped;
            }
            let line = lines.recv_timeout(LOOK);
            if line.is_ok() {
                heard = Instant::now();
            }
            match line {
                Ok(Line::Begin { name, dir, limit_s }) => {
                    *begun = Some((name, PathBuf::from(dir)));
                    patience = Duration::from_secs(limit_s) + GRACE;
                }
                Ok(Line::Done) => return Ended::Done,
                Ok(line) => {
                    if matches!(line, Line::End { .. }) {
                        patience = START;
                    }
                    self.hear(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Ended::Early(ended_with(child.wait().ok())),
                Err(RecvTimeoutError::Timeout) if heard.elapsed() < patience => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Ended::Early(format!("was silent for {} s", patience.as_secs()));
                }
            }
        }
    }

    fn start(&self) -> Result<Child, Usage> {
        let line = self.args.launch.as_deref().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let program =
            std::env::current_exe().map_err(|error| Usage(format!("cannot find itself: {error}")))?;
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(program).arg("mpi-io").args(self.passed());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        child.map_err(|error| {
            Usage(format!("--launch {}: {error}; name a command that starts ranks", words[0]))
        })
    }

    /// The options that the ranks get.
    fn passed(&self) -> Vec<String> {
        let args = self.args;
        let mut words = Vec::new();
        for (option, patterns) in [("--only", &args.only), ("--skip", &args.skip)] {
            patterns.iter().for_each(|pattern| words.extend([option.to_owned(), pattern.clone()]));
        }
        self.spared.iter().for_each(|pattern| words.extend(["--skip".to_owned(), (*pattern).to_owned()]));
        words.extend(["--timeout".to_owned(), args.timeout.to_string()]);
        words.extend(["--seed".to_owned(), args.seed.to_string()]);
        let flags = [("--large", args.large), ("--keep-failed", args.keep_failed)];
        words.extend(flags.iter().filter(|(_, on)| *on).map(|(flag, _)| (*flag).to_owned()));
        let next = self.open.front().map(|(name, ..)| name.clone()).unwrap_or_default();
        words.extend(["--speak-from".to_owned(), next]);
        words.push(args.dir.as_deref().unwrap_or_else(|| ".".as_ref()).display().to_string());
        words
    }

    fn hear(&mut self, line: Line) {
        let told = match line {
            Line::Ready { ranks, nodes, host, mpi, library } if self.library.is_none() => {
                let mut known = mpi.as_deref().map_or_else(Library::default, Library::read);
                let files = library.rsplit_once('(').map(|(_, files)| files.trim_end_matches(')'));
                known.files = files.unwrap_or_default().to_owned();
                (self.library, self.ranks) = (Some(known), ranks);
                let about = run_record("mpi-io", self.argv, ranks, mpi.as_deref(), &CycleClock::new());
                self.kept.about(about);
                self.kept.on_node(&host);
                self.kept
                    .begin(nodes, 0, &Clients::default())
                    .and_then(|()| say(&tale::heading(ranks, nodes, &library)))
            }
            Line::End { case } => {
                if self.open.front().is_some_and(|(open, ..)| *open == case.name) {
                    self.end(*case);
                }
                Ok(())
            }
            Line::Left { path, why } => say(&tale::left(&path, &why)),
            Line::Ready { .. } | Line::Begin { .. } | Line::Done => Ok(()),
        };
        if let Err(error) = told {
            self.broken = Some(format!("cannot write the results: {error}"));
        }
    }

    /// The next case has its outcome.
    fn end(&mut self, case: Told) {
        self.open.pop_front();
        self.tell(case);
    }

    fn tell(&mut self, case: Told) {
        let said = say(&text::line(&case));
        let kept = self.kept.put(&Record::Case(Box::new(case.clone())));
        self.ended.push(case);
        if let Err(error) = said.and(kept) {
            self.broken = Some(format!("cannot write the results: {error}"));
        }
    }

    /// A case took its job along without a word.
    fn lost(&mut self, name: &str, why: &str) {
        let (promise, document) = self.open.front().map(|(_, p, d)| (p.clone(), *d)).unwrap_or_default();
        let what = format!("the job {why} while the case ran");
        let evidence = Evidence { step: END_OF_JOB.to_owned(), what, ..Evidence::default() };
        let case = Told {
            name: name.to_owned(),
            promise,
            document: document.to_owned(),
            ranks: self.ranks,
            outcome: Outcome::Fail,
            evidence: Some(evidence),
            ..Told::default()
        };
        let library = self.library.clone().unwrap_or_default();
        self.end(known(case, &library));
    }

    /// Cases that are known to end the job as `name` just did have their outcome without a job of their own.
    fn spare(&mut self, name: &str) {
        let library = self.library.clone().unwrap_or_default();
        let rows: Vec<_> = Known::of(name, &library).into_iter().filter(|row| row.is_fatal).collect();
        for row in rows {
            self.spared.push(row.case);
            let alike = |open: &(String, String, &'static str)| matches(row.case, &open.0);
            for (name, promise, document) in
                self.open.iter().filter(|open| alike(open)).cloned().collect::<Vec<_>>()
            {
                let document = document.to_owned();
                let told = Told { name, promise, document, ranks: self.ranks, ..Told::default() };
                self.tell(not_tried(told, &library, row));
            }
            self.open.retain(|open| !alike(open));
        }
    }

    /// Removes the directory that a job could not remove itself; one that does not answer stays, and so does
    /// one that is to be kept.
    fn tidy(&self, case_dir: &Path) {
        let Some(own) = case_dir.parent().filter(|own| is_own(own)).map(Path::to_owned) else { return };
        let shown = own.display().to_string();
        let why = if self.args.keep_failed {
            Some("kept: the case failed".to_owned())
        } else {
            let (tell, told) = channel();
            thread::spawn(move || tell.send(std::fs::remove_dir_all(&own)));
            match told.recv_timeout(GRACE) {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some("it does not answer".to_owned()),
            }
        };
        if let Some(why) = why {
            let _ = say(&tale::left(&shown, &why));
        }
    }

    /// The table, the last record, and the exit status.
    fn close(mut self) -> u8 {
        let open: Vec<String> = self.open.iter().map(|(name, ..)| name.clone()).collect();
        let mut status = text::status(&self.ended, &open);
        if let Some(why) = &self.broken {
            complain(&format!("mpi-io: {why}"));
            status = status.max(1);
        }
        let halt = self.broken.take().map(|why| Halt {
            step: "launch".to_owned(),
            rank: 0,
            node: String::new(),
            why,
        });
        let said = say(&text::table(&self.ended, &open));
        if let Err(error) = said.and(self.kept.end(halt.as_ref(), status)) {
            complain(&format!("mpi-io: cannot write the results: {error}"));
            status = status.max(1);
        }
        status
    }
}

/// Whether a directory has the name of a run's own.
fn is_own(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.to_string_lossy().starts_with("assay-mpi-io."))
}

/// The lines that the ranks tell; what else is printed goes to the error stream.
fn lines_of(child: &mut Child) -> Receiver<Line> {
    let (tell, told) = channel();
    if let Some(out) = child.stdout.take() {
        thread::spawn(move || {
            for text in BufReader::new(out).split(b'\n').map_while(Result::ok) {
                let text = String::from_utf8_lossy(&text).into_owned();
                match Line::read(&text) {
                    Some(line) => {
                        if tell.send(line).is_err() {
                            return;
                        }
                    }
                    None => complain(&text),
                }
            }
        });
    }
    told
}

/// How a job ended, in words.
fn ended_with(status: Option<ExitStatus>) -> String {
    status.map_or_else(|| "ended".to_owned(), |status| format!("ended with {status}"))
}

/// Waits for the end of a job, which is asked for unless it comes by itself.
fn stop(child: &mut Child, comes: bool) {
    use rustix::process::{Pid, Signal, kill_process};
    let begin = Instant::now();
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let mut sent = None;
    while let Ok(None) = child.try_wait() {
        let waited = begin.elapsed();
        let next = match (comes, waited) {
            (true, waited) if waited < START => None,
            (_, waited) if waited < END || comes && waited < START + END => Some(Signal::TERM),
            _ => Some(Signal::KILL),
        };
        if let (Some(pid), Some(signal)) = (pid, next.filter(|signal| sent != Some(*signal))) {
            let _ = kill_process(pid, signal);
            sent = Some(signal);
        }
        thread::sleep(Duration::from_millis(10));
    }
}
