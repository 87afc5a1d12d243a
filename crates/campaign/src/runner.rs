//! Runs a plan's jobs one after the other and keeps what they show.
//!
//! A job is a subprocess with a time limit, in a folder that gets its name only when the job has ended.
//! Whatever ends the campaign in between, the next run with `resume` goes on at the first job that has
//! not ended.
//!
//! Invariant: a job that ended is never run again; a failed job ends the tests that read its files and
//! nothing else; a campaign that was stopped leaves no process behind.
//! Never here: measuring, judging, printing.

mod full;
mod hold;
mod job;
mod place;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use results::folder::{self, Build, Campaign, Job, JobEnd, JobInfo, names};
use results::record::Record;
use results::records;
use units::Usage;

use crate::judge;
use crate::machine::{self, machine, now};
use crate::plan::Plan;
use crate::schedule::{self, PlannedJob};
use place::Place;

/// What is asked of a campaign.
#[derive(Debug)]
pub struct Campaigning {
    /// The plan.
    pub plan: Plan,
    /// What `{dir}` in the plan stands for.
    pub dir: Option<PathBuf>,
    /// The campaign's folder; new, or with `resume` that of a campaign that was stopped.
    pub folder: PathBuf,
    /// Whether to go on with the campaign in `folder`.
    pub resume: bool,
    /// The tests to run, with what they read; empty for all. A resumed campaign keeps its own choice.
    pub only: Vec<String>,
    /// The program that jobs run, called `PROGRAM ior …`.
    pub program: PathBuf,
    /// Program and version, for the record.
    pub tool: String,
    /// How it was built, for the record.
    pub build: Build,
    /// The command line as given, for the record.
    pub argv: Vec<String>,
    /// The environment that jobs inherit.
    pub environment: Vec<(String, String)>,
    /// Becomes true when the campaign is to stop.
    pub stop: Arc<AtomicBool>,
}

/// Why a campaign could not be run.
#[derive(Debug)]
pub enum Trouble {
    /// Something asked for cannot be.
    Usage(Usage),
    /// The campaign's own files could not be read or written.
    Io(io::Error),
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(usage) => usage.fmt(out),
            Self::Io(error) => write!(out, "campaign folder: {error}"),
        }
    }
}

impl std::error::Error for Trouble {}

impl From<Usage> for Trouble {
    fn from(usage: Usage) -> Self {
        Self::Usage(usage)
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// How a campaign ended.
#[derive(Debug)]
pub enum Ended {
    /// All jobs ended, and the campaign is judged.
    Judged(Box<Campaign>),
    /// It was stopped before the job of this folder name had ended, and can be resumed.
    Stopped {
        /// Jobs that have ended.
        done: usize,
        /// Jobs in all.
        of: usize,
    },
}

/// Something an observer may want to show.
#[derive(Debug)]
pub enum Event<'a> {
    /// The jobs are known; `done` of them had ended before.
    Begins {
        /// Jobs in all.
        jobs: &'a [PlannedJob],
        /// Jobs that an earlier run of this campaign has done.
        done: usize,
    },
    /// A campaign goes on: what was mended in its folder, and the folders of attempts that ended with it.
    Resumes {
        /// One clause for each thing.
        mended: &'a [String],
        /// Relative to the campaign's folder.
        aside: &'a [String],
    },
    /// A job starts.
    Starts(&'a PlannedJob),
    /// A job has been running for so many seconds; several times a second.
    Runs(&'a PlannedJob, f64),
    /// A job ended, with what it recorded.
    Ends(&'a PlannedJob, &'a Job),
    /// A job is left out, for this reason.
    LeftOut(&'a PlannedJob, &'a str),
}

/// Is told what happens.
pub trait Observer {
    /// Shows or ignores one event; it must not take long.
    fn see(&mut self, event: &Event<'_>);
}

/// An observer that shows nothing.
pub struct Blind;

impl Observer for Blind {
    fn see(&mut self, _event: &Event<'_>) {}
}

/// Runs the campaign to its end, or until it is asked to stop.
pub fn run(asked: &Campaigning, observer: &mut dyn Observer) -> Result<Ended, Trouble> {
    let place = if asked.resume { Place::find(asked)? } else { Place::make(asked)? };
    run_jobs(asked, &place, observer).map_err(|trouble| full::told(trouble, asked, &place))
}

fn run_jobs(asked: &Campaigning, place: &Place, observer: &mut dyn Observer) -> Result<Ended, Trouble> {
    let jobs = schedule::jobs(&asked.plan, &place.info.only)?;
    let mut ends: BTreeMap<(String, u32), JobEnd> = folder::load(&asked.folder)?
        .jobs
        .into_iter()
        .map(|job| ((job.info.test, job.info.repetition), job.info.end))
        .collect();
    observer.see(&Event::Resumes { mended: &place.resumed.mended, aside: &place.resumed.aside });
    observer.see(&Event::Begins { jobs: &jobs, done: ends.len() });
    for job in &jobs {
        let key = (job.test.clone(), job.repetition);
        if !ends.contains_key(&key) {
            if asked.stop.load(Ordering::Relaxed) {
                return Ok(Ended::Stopped { done: ends.len(), of: jobs.len() });
            }
            match missing(job, &ends) {
                Some(why) => observer.see(&Event::LeftOut(job, &why)),
                None => match launch(asked, place, job, observer)? {
                    Some(end) => drop(ends.insert(key, end)),
                    None => return Ok(Ended::Stopped { done: ends.len(), of: jobs.len() }),
                },
            }
        }
        for files in &job.removes {
            place.remove_files(job, files)?;
        }
    }
    finish(asked, place)
}

/// Why `job` does not find what it needs, if so.
fn missing(job: &PlannedJob, ends: &BTreeMap<(String, u32), JobEnd>) -> Option<String> {
    job.needs.iter().find_map(|needed| match ends.get(needed) {
        Some(JobEnd::Exit(0)) => None,
        Some(end) => Some(format!("{} repetition {} {}", needed.0, needed.1, judge::how(end))),
        None => Some(format!("{} repetition {} was not run", needed.0, needed.1)),
    })
}

/// Runs one job; `None` when the campaign was stopped before it ended.
fn launch(
    asked: &Campaigning,
    place: &Place,
    job: &PlannedJob,
    observer: &mut dyn Observer,
) -> Result<Option<JobEnd>, Trouble> {
    let files = place.files(job)?;
    let (fill_before, load_before) = (machine::fill(&files), machine::load());
    let staged = folder::stage_job(&asked.folder, &job.folder)?;
    let prepared = job::Prepared::new(asked, job, &files, &staged.dir());
    observer.see(&Event::Starts(job));
    let started = now();
    let mut tick = |seconds: f64| observer.see(&Event::Runs(job, seconds));
    let Some((end, seconds)) = prepared.run(&asked.stop, &mut tick)? else { return Ok(None) };
    // Records that cannot be read are for the judge to refuse, at the end.
    let records = records::load(&staged.dir().join(names::RECORDS)).unwrap_or_default();
    let info = JobInfo {
        number: job.number,
        test: job.test.clone(),
        repetition: job.repetition,
        argv: prepared.argv,
        env: prepared.env_recorded,
        cwd: format!("{}/{}", names::JOBS, job.folder),
        started,
        seconds,
        timeout_s: job.timeout_s,
        end: end.clone(),
        sha256: BTreeMap::new(),
        load_before,
        fill_before,
        fill_after: machine::fill(&files),
        layout: machine::layout(&files),
        libraries: place.hashes.libraries(&libraries(&records)),
    };
    let info = full::finish(&staged, &info, place, job)?;
    let relative = format!("{}/{}", names::JOBS, job.folder);
    observer.see(&Event::Ends(job, &Job::read(&asked.folder, relative, info, records)));
    Ok(Some(end))
}

/// The libraries that a job says it had loaded.
fn libraries(records: &[Record]) -> Vec<String> {
    let loaded = |record: &Record| match record {
        Record::End(end) => Some(end.libraries.clone()),
        _ => None,
    };
    records.iter().find_map(loaded).unwrap_or_default()
}

fn finish(asked: &Campaigning, place: &Place) -> Result<Ended, Trouble> {
    place.remove_own_directories();
    // A campaign that was killed at its very end may have done these before.
    let is_missing = |name: &str| !asked.folder.join(name).exists();
    if is_missing(names::AFTER) {
        folder::write_machine(&asked.folder, names::AFTER, &machine(&place.dirs))?;
    }
    let mut campaign = folder::load(&asked.folder)?;
    campaign.verdicts = judge::judge(&asked.plan, &campaign);
    if is_missing(names::VERDICTS) {
        folder::write_verdicts(&asked.folder, &campaign.verdicts)?;
        campaign.head = folder::load(&asked.folder)?.head;
    }
    Ok(Ended::Judged(Box::new(campaign)))
}
