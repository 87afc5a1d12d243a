//! Runs the cases one after another, each in a directory of its own, and reports the outcome of each.
//!
//! Invariant: all ranks begin each case together.
//! Never here: time limits, and ending the process; the [`CaseWatch`] does both.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ranks::{Comm, Halt};
use results::record::{Case as CaseRecord, CaseOutcome};

use super::case::ConformanceCase;
use super::context::{CaseContext, LockRelease, StepWatch};
use super::known::{KnownFailure, RankLibrary};
use super::problem::{CaseProblem, CaseResult, EarlyEnd};

/// Watches the time of one rank's cases. It may end the process.
pub trait CaseWatch: StepWatch {
    /// A case begins.
    fn begin(&self, case: &ConformanceCase);
    /// The case has ended; gives the time since its beginning.
    fn end(&self) -> Duration;
}

/// An event that rank 0 reports.
#[derive(Debug)]
pub enum ConformanceEvent<'a> {
    /// A case begins, in this directory.
    Begin(&'a ConformanceCase, &'a Path),
    /// A case has ended.
    End(Box<CaseRecord>),
    /// This directory remains, for this reason.
    Left(&'a Path, String),
}

/// How to run the cases.
pub struct Suite<'a> {
    /// The directory under test.
    pub dir: &'a Path,
    /// Name of the run's own directory in it; the same on all ranks.
    pub run_name: &'a str,
    /// The library that the ranks run on.
    pub library: &'a RankLibrary,
    /// Seed of random numbers.
    pub seed: u64,
    /// The hints file that the environment names for ROMIO (`ROMIO_HINTS`).
    pub hints_file: Option<&'a Path>,
    /// How the lock of a killed process is tried.
    pub lock_release: LockRelease,
    /// Also run large cases.
    pub large: bool,
    /// Keep the files of cases that failed.
    pub keep_failed: bool,
    /// Run cases that are known to end the job. Only for a caller that starts the ranks again.
    pub runs_fatal: bool,
}

/// Runs the cases in order; rank 0 reports the events. Collective.
pub fn run(
    suite: &Suite<'_>,
    cases: &[ConformanceCase],
    comm: &dyn Comm,
    watch: &dyn CaseWatch,
    report: &mut dyn FnMut(ConformanceEvent<'_>) -> io::Result<()>,
) -> Result<(), Halt> {
    let run_dir = suite.dir.join(suite.run_name);
    let mut runner = Runner { suite, comm, watch, report, run_dir, kept: 0 };
    runner.on_rank_0("make the run's directory", |runner| fs::create_dir(&runner.run_dir))?;
    cases.iter().try_for_each(|case| runner.run_case(case))?;
    runner.on_rank_0("remove the run's directory", Runner::remove_run_directory)
}

struct Runner<'a, 't> {
    suite: &'a Suite<'a>,
    comm: &'a dyn Comm,
    watch: &'a dyn CaseWatch,
    report: &'t mut dyn FnMut(ConformanceEvent<'_>) -> io::Result<()>,
    run_dir: PathBuf,
    kept: u32,
}

impl Runner<'_, '_> {
    fn on_rank_0(&mut self, step: &str, body: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Halt> {
        let done = if self.comm.rank() == 0 { body(self) } else { Ok(()) };
        let place = self.run_dir.display().to_string();
        self.comm.agree(step, done.map_err(|error| format!("{place}: {error}")))
    }

    fn run_case(&mut self, case: &ConformanceCase) -> Result<(), Halt> {
        let skip_reason = case.skip_reason(self.comm.size(), self.comm.mpi().is_some(), self.suite.large);
        if let Some(why) = skip_reason {
            let record = CaseRecord { outcome: CaseOutcome::Skipped, why, ..self.record_of(case) };
            return self.tell(record);
        }
        let known = KnownFailure::listed_for(&case.name, self.suite.library);
        let fatal = known.into_iter().find(|known| known.is_fatal() && !self.suite.runs_fatal);
        if let Some(known) = fatal {
            return self.tell(not_tried(self.record_of(case), self.suite.library, known));
        }
        let dir = self.run_dir.join(&*case.name);
        self.on_rank_0("begin a case", |runner| {
            fs::create_dir(&dir)?;
            (runner.report)(ConformanceEvent::Begin(case, &dir))
        })?;
        self.watch.begin(case);
        let Suite { seed, hints_file, lock_release, .. } = *self.suite;
        let (comm, watch, note) = (self.comm, self.watch, String::new());
        let mut cx = CaseContext { comm, dir: &dir, seed, hints_file, lock_release, note, watch };
        let verdict = case.run(&mut cx);
        // A rank may finish its part long before the others.
        self.watch.step("the end", true);
        self.comm.barrier()?;
        let seconds = self.watch.end().as_secs_f64();
        let record = CaseRecord { seconds, why: cx.note, ..self.record_of(case) };
        let record = with_outcome(record, verdict, self.suite.library)?;
        let failed = matches!(record.outcome, CaseOutcome::Fail | CaseOutcome::Library);
        self.on_rank_0("end a case", |runner| {
            (runner.report)(ConformanceEvent::End(Box::new(record)))?;
            runner.remove_case_directory(&dir, failed && runner.suite.keep_failed)
        })
    }

    /// Reports a case that does not run.
    fn tell(&mut self, record: CaseRecord) -> Result<(), Halt> {
        self.on_rank_0("report", |runner| (runner.report)(ConformanceEvent::End(Box::new(record))))
    }

    fn record_of(&self, case: &ConformanceCase) -> CaseRecord {
        CaseRecord {
            name: case.name.to_string(),
            promise: case.promise.to_string(),
            document: case.document.to_owned(),
            ranks: self.comm.size(),
            ..CaseRecord::default()
        }
    }

    /// Removes the directory of a case unless it is to be kept. A directory that remains is reported.
    fn remove_case_directory(&mut self, dir: &Path, keep: bool) -> io::Result<()> {
        let why = if keep {
            "kept: the case failed".to_owned()
        } else {
            match remove_all(dir) {
                Ok(()) => return Ok(()),
                Err(error) => error.to_string(),
            }
        };
        self.kept += 1;
        (self.report)(ConformanceEvent::Left(dir, why))
    }

    fn remove_run_directory(&mut self) -> io::Result<()> {
        if self.kept > 0 { Ok(()) } else { fs::remove_dir(&self.run_dir) }
    }
}

/// Removes a directory with its contents. If the case ended late, the watch of a rank may create its note at
/// the same time, so this tries twice.
fn remove_all(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => fs::remove_dir_all(dir),
        done => done,
    }
}

/// The record with the outcome of the case. A known failure of the library does not count against the file
/// system.
fn with_outcome(record: CaseRecord, verdict: CaseResult, library: &RankLibrary) -> Result<CaseRecord, Halt> {
    let (problem, failed_ranks) = match verdict {
        Ok(()) => {
            let listed = KnownFailure::listed_for(&record.name, library);
            let note =
                |known: &&KnownFailure| format!("passes, though {library} is known to fail: {}", known.why);
            let why = listed.first().map_or(record.why.clone(), note);
            return Ok(CaseRecord { outcome: CaseOutcome::Pass, why, ..record });
        }
        Err(EarlyEnd::All(halt)) => return Err(halt),
        Err(EarlyEnd::Case { problem, ranks }) => (problem, ranks),
    };
    Ok(match problem {
        CaseProblem::Unsupported(why) => CaseRecord { outcome: CaseOutcome::Unsupported, why, ..record },
        CaseProblem::Skipped(why) => CaseRecord { outcome: CaseOutcome::Skipped, why, ..record },
        CaseProblem::Fail(evidence) => mark_known_failure(
            CaseRecord { outcome: CaseOutcome::Fail, evidence: Some(*evidence), failed_ranks, ..record },
            library,
        ),
    })
}

/// The record of a case that is not tried because it is known to end the job.
pub fn not_tried(record: CaseRecord, library: &RankLibrary, row: &KnownFailure) -> CaseRecord {
    let why = format!("not tried, since it ends the job; known of {library}: {}", row.why);
    CaseRecord { outcome: CaseOutcome::Library, why, ..record }
}

/// Changes the outcome of a failure to `CaseOutcome::Library` if it is a known failure of the library.
pub fn mark_known_failure(mut record: CaseRecord, library: &RankLibrary) -> CaseRecord {
    let words = record
        .evidence
        .as_ref()
        .map_or_else(|| record.why.clone(), |seen| format!("{} {} {}", seen.what, seen.expected, seen.found));
    let step = record.evidence.as_ref().map_or("", |seen| seen.step.as_str());
    let listed = KnownFailure::listed_for(&record.name, library);
    if let Some(row) = listed.iter().find(|row| row.explains(step, &words)) {
        record.outcome = CaseOutcome::Library;
        let why = format!("known of {library}: {}", row.why);
        record.why = if record.why.is_empty() { why } else { format!("{}; {why}", record.why) };
    }
    record
}
