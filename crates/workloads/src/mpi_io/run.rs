//! Going through the cases: each in a directory of its own, with its outcome told when it ends.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use measure::Clock;
use ranks::{Comm, Halt};
use results::record::{Case as Told, Outcome};

use super::case::Case;
use super::known::{Known, Library};
use super::scene::Scene;
use super::stop::{Stop, Trouble, Verdict};

/// Who looks after the time of each rank; may end the process.
pub trait Watch {
    /// A case begins, which may take so many times the time of others.
    fn begin(&self, case: &Case);
    /// This rank is done with `step`, or waits for the others at its end.
    fn step(&self, step: &'static str, waits: bool);
    /// The case has ended.
    fn end(&self);
}

/// What happens, on rank 0.
#[derive(Debug)]
pub enum Event<'a> {
    /// A case begins, in this directory.
    Begin(&'a Case, &'a Path),
    /// It has ended.
    End(Box<Told>),
    /// This directory could not be removed, or was to be kept.
    Left(&'a Path, String),
}

/// How the cases are run.
pub struct Suite<'a> {
    /// The directory in which they work.
    pub dir: &'a Path,
    /// The name of the run's own directory below it, the same on all ranks.
    pub own: &'a str,
    /// The library that the ranks run on.
    pub library: &'a Library,
    /// Where what is random begins.
    pub seed: u64,
    /// The file of hints that ROMIO was told of by the environment (`ROMIO_HINTS`).
    pub hints_file: Option<&'a Path>,
    /// The large ones too.
    pub large: bool,
    /// Files of a case that failed stay.
    pub keep_failed: bool,
    /// Cases that are known to end the job are tried all the same: somebody starts the ranks again.
    pub tries_fatal: bool,
}

/// Runs the cases in order, and tells rank 0 what comes of them. Collective.
pub fn run(
    suite: &Suite<'_>,
    cases: &[Case],
    comm: &dyn Comm,
    clock: &dyn Clock,
    watch: &dyn Watch,
    tell: &mut dyn FnMut(Event<'_>) -> io::Result<()>,
) -> Result<(), Halt> {
    let own = suite.dir.join(suite.own);
    let mut stage = Stage { suite, comm, clock, watch, tell, own, kept: 0 };
    stage.on_rank_0("make the run's directory", |stage| fs::create_dir(&stage.own))?;
    cases.iter().try_for_each(|case| stage.play(case))?;
    stage.on_rank_0("remove the run's directory", Stage::clean)
}

struct Stage<'a, 't> {
    suite: &'a Suite<'a>,
    comm: &'a dyn Comm,
    clock: &'a dyn Clock,
    watch: &'a dyn Watch,
    tell: &'t mut dyn FnMut(Event<'_>) -> io::Result<()>,
    own: PathBuf,
    kept: u32,
}

impl Stage<'_, '_> {
    fn on_rank_0(&mut self, step: &str, body: impl FnOnce(&mut Self) -> io::Result<()>) -> Result<(), Halt> {
        let done = if self.comm.rank() == 0 { body(self) } else { Ok(()) };
        let place = self.own.display().to_string();
        self.comm.agree(step, done.map_err(|error| format!("{place}: {error}")))
    }

    fn play(&mut self, case: &Case) -> Result<(), Halt> {
        let obstacle = case.obstacle(self.comm.size(), self.comm.mpi().is_some(), self.suite.large);
        if let Some(why) = obstacle {
            let told = Told { outcome: Outcome::Skipped, why, ..self.told(case) };
            return self.on_rank_0("tell", |stage| (stage.tell)(Event::End(Box::new(told))));
        }
        let fatal = Known::of(&case.name, self.suite.library).into_iter().find(|known| known.is_fatal);
        if let Some(known) = fatal.filter(|_| !self.suite.tries_fatal) {
            let told = not_tried(self.told(case), self.suite.library, known);
            return self.on_rank_0("tell", |stage| (stage.tell)(Event::End(Box::new(told))));
        }
        let dir = self.own.join(&*case.name);
        self.on_rank_0("begin a case", |stage| {
            fs::create_dir(&dir)?;
            (stage.tell)(Event::Begin(case, &dir))
        })?;
        self.watch.begin(case);
        let began = self.clock.ns();
        let Suite { seed, hints_file, .. } = *self.suite;
        let mut scene = Scene { comm: self.comm, dir: &dir, seed, hints_file, watch: self.watch };
        let verdict = case.run(&mut scene);
        // A rank may be done long before the others.
        self.watch.step("the end", true);
        self.comm.barrier()?;
        let seconds = self.clock.ns().saturating_sub(began) as f64 / 1e9;
        self.watch.end();
        let told = judged(Told { seconds, ..self.told(case) }, verdict, self.suite.library)?;
        let failed = matches!(told.outcome, Outcome::Fail | Outcome::Library);
        self.on_rank_0("end a case", |stage| {
            (stage.tell)(Event::End(Box::new(told)))?;
            stage.leave(&dir, failed && stage.suite.keep_failed)
        })
    }

    fn told(&self, case: &Case) -> Told {
        Told {
            name: case.name.to_string(),
            promise: case.promise.to_string(),
            document: case.document.to_owned(),
            ranks: self.comm.size(),
            ..Told::default()
        }
    }

    /// Removes what a case made, unless it is to stay. What cannot be removed is told and stays.
    fn leave(&mut self, dir: &Path, keep: bool) -> io::Result<()> {
        let why = if keep {
            "kept: the case failed".to_owned()
        } else {
            match removed(dir) {
                Ok(()) => return Ok(()),
                Err(error) => error.to_string(),
            }
        };
        self.kept += 1;
        (self.tell)(Event::Left(dir, why))
    }

    fn clean(&mut self) -> io::Result<()> {
        if self.kept > 0 { Ok(()) } else { fs::remove_dir(&self.own) }
    }
}

/// Removes a directory with all that is in it. Where the case ended late, the watch of a rank may put its
/// note there meanwhile.
fn removed(dir: &Path) -> io::Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => fs::remove_dir_all(dir),
        done => done,
    }
}

/// The case with its outcome; what is known of the library is not the file system's fault.
fn judged(told: Told, verdict: Verdict, library: &Library) -> Result<Told, Halt> {
    let (trouble, failed_ranks) = match verdict {
        Ok(()) => {
            let listed = Known::of(&told.name, library);
            let note = |known: &&Known| format!("passes, though {library} is known to fail: {}", known.why);
            let why = listed.first().map(note).unwrap_or_default();
            return Ok(Told { outcome: Outcome::Pass, why, ..told });
        }
        Err(Stop::All(halt)) => return Err(halt),
        Err(Stop::Case { trouble, ranks }) => (trouble, ranks),
    };
    Ok(match trouble {
        Trouble::Unsupported(why) => Told { outcome: Outcome::Unsupported, why, ..told },
        Trouble::Skipped(why) => Told { outcome: Outcome::Skipped, why, ..told },
        Trouble::Fail(evidence) => {
            known(Told { outcome: Outcome::Fail, evidence: Some(*evidence), failed_ranks, ..told }, library)
        }
    })
}

/// A case that would end the job, as is known.
pub fn not_tried(told: Told, library: &Library, row: &Known) -> Told {
    let why = format!("not tried, since it ends the job; known of {library}: {}", row.why);
    Told { outcome: Outcome::Library, why, ..told }
}

/// A failure, called the library's where it is known to be.
pub fn known(mut told: Told, library: &Library) -> Told {
    let words = told
        .evidence
        .as_ref()
        .map_or_else(|| told.why.clone(), |seen| format!("{} {} {}", seen.what, seen.expected, seen.found));
    let step = told.evidence.as_ref().map_or("", |seen| seen.step.as_str());
    let listed = Known::of(&told.name, library);
    if let Some(row) = listed.iter().find(|row| row.is_of(step, &words)) {
        told.outcome = Outcome::Library;
        let why = format!("known of {library}: {}", row.why);
        told.why = if told.why.is_empty() { why } else { format!("{}; {why}", told.why) };
    }
    told
}
