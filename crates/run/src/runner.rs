//! Runs the jobs of a plan one after the other and keeps their results.
//!
//! A job is a subprocess with a time limit. Its folder gets its final name only when the job has ended. After
//! any interruption, the next run with `resume` continues at the first job that has not ended.
//!
//! Invariant: a job that ended is never run again, except with a killed job of the same group. A failed job
//! ends only the tests that read its files. A stopped campaign leaves no process behind.
//! Never here: measuring, evaluating, printing.

mod again;
mod ask;
mod attempt;
mod beside;
mod dataset;
mod full_disk;
mod handed_out;
pub mod hosts;
mod job;
mod kept;
mod ownership;
mod probe;
mod rejections;
mod removal;
mod session;
mod setup;
mod shell;
mod site;
mod space;
mod unstarted;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use results::finding::Finding;
use results::folder::AcceptedValues;
use results::folder::{self, Build, Campaign, CampaignKey, Extension, Job, JobEnd, names};
use results::reason::{Reason, any, reason};
use results::summary::Summary;
use results::{Verdict, records};
use units::Usage;

use crate::launch::Surroundings;
use crate::machine::machine;
use crate::witness::Witness;
use attempt::{Attempt, AttemptEnd};
use full_disk::{JobFailure, takes_no_writes};
use hosts::Hosts;
pub use ownership::discard;
use plan::Plan;
use plan::deferred;
use plan::schedule::{self, PlannedJob};
use removal::LeftFiles;
use setup::Setup;
use site::CampaignSite;
pub use site::examine;
pub use space::too_small;
use unstarted::UnstartedJobs;

/// How often an observer is informed about running jobs.
const TICK: Duration = Duration::from_millis(100);

/// The input of a campaign.
#[derive(Debug)]
pub struct CampaignRequest {
    /// The plan.
    pub plan: Plan,
    /// The value of `{dir}` in the plan.
    pub dir: Option<PathBuf>,
    /// The campaign folder. It is new, or with `resume` that of a stopped campaign.
    pub folder: PathBuf,
    /// Whether to resume the campaign in `folder`.
    pub resume: bool,
    /// Repetitions that are added to the ended campaign in `folder` when it resumes.
    pub extend: Option<Extension>,
    /// The tests to run, with the jobs that they depend on; empty for all. A resumed campaign keeps its own
    /// selection.
    pub only: Vec<String>,
    /// The program that jobs run, called `PROGRAM ior …`.
    pub program: PathBuf,
    /// Program and version, for the record.
    pub tool: String,
    /// How it was built, for the record.
    pub build: Build,
    /// The command line as given, for the record.
    pub argv: Vec<String>,
    /// The nodes and the allocation around this process.
    pub around: Surroundings,
    /// The environment that jobs inherit.
    pub environment: Vec<(String, String)>,
    /// Becomes true when the campaign must stop.
    pub stop: Arc<AtomicBool>,
    /// What keys the stamped data of the jobs.
    pub data_key: Option<CampaignKey>,
    /// The witness that receives the hash of the chain.
    pub witness: Option<Witness>,
    /// Whether the ways to start ranks are probed before the first job, if the plan wants it.
    pub probe: bool,
    /// The command of `--notify`, for the record; empty without one.
    pub notify: String,
    /// What criteria with `of accepted` compare with, for the record.
    pub accepted: Vec<AcceptedValues>,
    /// The lint findings, with the waivers of the plan. They are kept in campaign.json.
    pub findings: Vec<Finding>,
    /// Evaluates the folder when all jobs have ended.
    pub evaluate: Evaluate,
}

/// The verdicts on a campaign and its summary, from its plan and its folder. It adds findings about the plan
/// that the folder lacks.
pub type Evaluate = fn(&Plan, &mut Campaign) -> (Vec<Verdict>, Summary);

/// Why a campaign could not be run.
#[derive(Debug)]
pub enum Trouble {
    /// The request cannot be met.
    Usage(Usage),
    /// The files of the campaign could not be read or written.
    Io(io::Error),
    /// A file system of the campaign takes no writes. When it does again, the campaign can resume.
    NoWrites(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(usage) => usage.fmt(out),
            Self::Io(error) => write!(out, "campaign folder: {error}"),
            Self::NoWrites(why) => out.write_str(why),
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

/// A rejection for this reason.
fn rejected<T>(why: String) -> Result<T, Trouble> {
    Err(Trouble::Usage(Usage(why)))
}

/// How a campaign ended.
#[derive(Debug)]
pub enum Ended {
    /// All jobs ended, and the campaign is evaluated.
    Judged(Box<Campaign>),
    /// A probe of the launcher failed, so no job was started. It can be resumed.
    ProbeFailed {
        /// Why.
        reason: Reason,
        /// What has to be corrected.
        mistake: ProbeMistake,
        /// The folder of the probe, relative to the campaign folder.
        folder: String,
    },
    /// It paused because no further job could start. It can be resumed.
    Paused {
        /// Jobs that have ended.
        done: usize,
        /// Jobs in all.
        of: usize,
        /// Why no job could start.
        why: String,
    },
    /// It was stopped before all jobs had ended, and can be resumed.
    Stopped {
        /// Jobs that have ended.
        done: usize,
        /// Jobs in all.
        of: usize,
    },
}

/// What has to be corrected after a probe failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbeMistake {
    /// The plan, such as an option of its launcher.
    Plan,
    /// The environment or the request of the user, such as a variable or the number of nodes.
    Surroundings,
    /// It is not known.
    Unknown,
}

/// Something an observer may want to show.
#[derive(Debug)]
pub enum Event<'a> {
    /// The jobs are known. An earlier run completed `done` of them.
    Begins {
        /// Jobs in all.
        jobs: &'a [PlannedJob],
        /// Jobs that an earlier run of this campaign completed.
        done: usize,
    },
    /// A campaign resumes. It reports what was restored in its folder, and the folders of the attempts that
    /// were interrupted.
    Resumes {
        /// One text for each repair.
        restored: &'a [String],
        /// Relative to the campaign folder.
        aside: &'a [String],
    },
    /// A probe of the launcher ended.
    Probed(&'a Job),
    /// A job starts.
    Starts(&'a PlannedJob),
    /// A job has been running for this time, seconds. Sent several times a second.
    Runs(&'a PlannedJob, f64),
    /// A job of a group ended, and others still run.
    PartEnds(&'a PlannedJob),
    /// A job ended, with its records.
    Ends(&'a PlannedJob, &'a Job),
    /// A job that ended without a result runs again, because of this cause.
    Repeats(&'a PlannedJob, &'a str),
    /// A job is left out, for this reason.
    LeftOut(&'a PlannedJob, &'a Reason),
    /// Another campaign works in a directory under test: the name of its directory for files.
    Beside(&'a str),
    /// A problem that the user must correct by hand.
    Trouble(&'a str),
}

/// Runs the campaign to its end, or until it must stop. `observer` shows or ignores each event and must
/// return quickly.
pub fn run(asked: &CampaignRequest, observer: &mut dyn FnMut(&Event<'_>)) -> Result<Ended, Trouble> {
    let site = if asked.resume { CampaignSite::find(asked) } else { CampaignSite::make(asked) };
    let ended = site.and_then(|mut site| {
        let ended = run_jobs(asked, &site, observer);
        let remain = site.hosts.as_mut().map(Hosts::leave).unwrap_or_default();
        remain.iter().for_each(|line| observer(&Event::Trouble(line)));
        ended
    });
    ended.map_err(|trouble| full_disk::with_advice(trouble, asked))
}

fn run_jobs(
    asked: &CampaignRequest,
    site: &CampaignSite,
    observer: &mut dyn FnMut(&Event<'_>),
) -> Result<Ended, Trouble> {
    let tmpdir = asked.environment.iter().find(|(name, _)| name == "TMPDIR");
    session::remove_left(tmpdir.map(|(_, dir)| dir.as_str()));
    let mut setup = if asked.resume { Setup::resumed(asked)? } else { Setup::default() };
    let ran = run_each(asked, site, &mut setup, observer);
    for trouble in setup.restore(asked)?.into_iter().chain(site.kept.troubles()) {
        observer(&Event::Trouble(&trouble));
    }
    match ran? {
        Some(stopped) => Ok(stopped),
        None => finish(asked, site),
    }
}

/// Runs the jobs in order. Returns how the campaign ended if it was stopped.
fn run_each(
    asked: &CampaignRequest,
    site: &CampaignSite,
    setup: &mut Setup,
    observer: &mut dyn FnMut(&Event<'_>),
) -> Result<Option<Ended>, Trouble> {
    let jobs = schedule::jobs(&asked.plan, &site.info.only)?;
    let mut done = EndedJobs::of(asked, &jobs)?;
    observer(&Event::Resumes { restored: &site.resumed.restored, aside: &site.resumed.aside });
    report_witness(site, observer);
    observer(&Event::Begins { jobs: &jobs, done: done.ends.len() });
    if let Some(ended) = probe::before_jobs(asked, site, &jobs, &done, observer)? {
        return Ok(Some(ended));
    }
    let of = jobs.len();
    if let Some(why) = unstarted::unusable_data(site, &jobs, &done)? {
        return Ok(Some(Ended::Paused { done: done.ends.len(), of, why }));
    }
    let mut unstarted = UnstartedJobs::default();
    let (mut rest, mut left) = (jobs.as_slice(), LeftFiles::default());
    while let Some(first) = rest.first() {
        let together = |job: &&PlannedJob| job.at_once.is_some() && job.at_once == first.at_once;
        let (now, later) = rest.split_at(rest.iter().take_while(together).count().max(1));
        rest = later;
        let stopped = Ended::Stopped { done: done.ends.len(), of: jobs.len() };
        let open: Vec<&PlannedJob> = now.iter().filter(|job| !done.ends.contains_key(&key(job))).collect();
        if !open.is_empty() && asked.stop.load(Ordering::Relaxed) {
            return Ok(Some(stopped));
        }
        let mut bound = Vec::new();
        for job in open {
            match done.bound(job) {
                Err(why) => observer(&Event::LeftOut(job, &why)),
                Ok(job) => bound.push(job),
            }
        }
        loop {
            again::set_died_aside(asked, &bound)?;
            let ended = match run_group(asked, site, &bound, (setup, &mut unstarted), observer)? {
                GroupEnd::Ended(ended) => ended,
                GroupEnd::Stopped => return Ok(Some(stopped)),
                GroupEnd::Paused(why) => {
                    return Ok(Some(Ended::Paused { done: done.ends.len(), of, why }));
                }
            };
            if asked.stop.load(Ordering::Relaxed) || !again::runs_again(asked, &bound, &ended)? {
                done.ends.extend(ended.iter().map(self::ended));
                break;
            }
            let causes = bound.iter().zip(&ended).filter_map(|(job, ended)| Some((job, ended.died()?)));
            causes.for_each(|(job, cause)| observer(&Event::Repeats(job, cause)));
        }
        left.remove_after(site, now, observer)?;
    }
    left.remove_at_end(site, observer)?;
    Ok(None)
}

/// The jobs that have ended, in the campaign folder: how, and why if they failed.
struct EndedJobs<'a> {
    asked: &'a CampaignRequest,
    ends: BTreeMap<(String, u32), (JobEnd, Reason)>,
    folders: BTreeMap<(String, u32), String>,
}

impl<'a> EndedJobs<'a> {
    fn of(asked: &'a CampaignRequest, jobs: &[PlannedJob]) -> io::Result<Self> {
        let campaign = folder::load(&asked.folder)?;
        let runs_again = |job: &Job| again::of_ended(asked, jobs, &campaign, job);
        Ok(Self {
            asked,
            ends: campaign.jobs.iter().filter(|job| !runs_again(job)).map(ended).collect(),
            folders: jobs.iter().map(|job| (key(job), job.folder.clone())).collect(),
        })
    }

    /// The reason why a job that `job` depends on is missing, if one is.
    fn missing(&self, job: &PlannedJob) -> Option<Reason> {
        job.needs.iter().find_map(|needed| match self.ends.get(needed) {
            Some((JobEnd::Exit(0), _)) => None,
            Some((_, why)) => Some(why.clone().with(any::job, &needed.0).with(any::repetition, needed.1)),
            None => Some(reason!(NoneRan { job: &needed.0, repetition: needed.1 })),
        })
    }

    /// The job with the exported values of other jobs, or the reason why it cannot run.
    fn bound(&self, job: &PlannedJob) -> Result<PlannedJob, Reason> {
        if let Some(why) = self.missing(job) {
            return Err(why);
        }
        let folder = |test: &str, repetition: u32| {
            let folder = self.folders.get(&(test.to_owned(), repetition)).cloned().unwrap_or_default();
            self.asked.folder.join(names::JOBS).join(folder)
        };
        if let Some(why) =
            dataset::unfit(&self.asked.plan, job, &|maker| folder(maker, job.repetition_of(maker)))
        {
            return Err(why);
        }
        let mut bound = job.clone();
        let records = |test: &str, repetition: u32| {
            let records = records::load(&folder(test, repetition).join(names::RECORDS));
            let end = self.ends.get(&(test.to_owned(), repetition)).map(|(end, _)| end);
            deferred::recorded(end, records.unwrap_or_default())
        };
        if let Some(why) = deferred::unneeded(&self.asked.plan, job, &records) {
            return Err(why);
        }
        deferred::bind(&self.asked.plan, &mut bound, &records)?;
        Ok(bound)
    }
}

/// A job that has ended, as [`EndedJobs`] has it.
fn ended(job: &Job) -> ((String, u32), (JobEnd, Reason)) {
    ((job.info.test.clone(), job.info.repetition), (job.info.end.clone(), job.how_it_failed()))
}

fn key(job: &PlannedJob) -> (String, u32) {
    (job.test.clone(), job.repetition)
}

/// How jobs at the same time ended.
enum GroupEnd {
    /// Each as it ended.
    Ended(Vec<Job>),
    /// The campaign was stopped first.
    Stopped,
    /// They could not start, like others before them. They are not recorded and run again.
    Paused(String),
}

/// Runs jobs at the same time.
fn run_group(
    asked: &CampaignRequest,
    site: &CampaignSite,
    jobs: &[PlannedJob],
    (setup, unstarted): (&mut Setup, &mut UnstartedJobs),
    observer: &mut dyn FnMut(&Event<'_>),
) -> Result<GroupEnd, Trouble> {
    let mut attempts = Vec::new();
    for job in jobs {
        observer(&Event::Starts(job));
        let attempt = Attempt::begin(asked, site, job, setup)?;
        report_witness(site, observer);
        let Some(attempt) = attempt else { return Ok(GroupEnd::Stopped) };
        attempts.push(attempt);
    }
    site.beside.report(observer);
    for attempt in &mut attempts {
        if !attempt.ask_before(asked)? {
            return Ok(GroupEnd::Stopped);
        }
    }
    site.lend(true)?;
    let (ran, outlived) = run_at_once(asked, &attempts, jobs, observer);
    if outlived {
        site.outlived();
    }
    site.lend(false)?;
    for (attempt, ran) in attempts.iter_mut().zip(&ran) {
        if let Ok(Some(_)) = ran {
            attempt.ask_after(asked)?;
        }
    }
    let known: Vec<_> = attempts
        .iter()
        .zip(&ran)
        .filter_map(|(attempt, ran)| Some((attempt, ran.as_ref().ok()?.as_ref()?)))
        .collect();
    if known.len() == attempts.len()
        && let Some(why) = unstarted.note(&known)
    {
        return Ok(GroupEnd::Paused(why));
    }
    if let Some(full) = met_full(&known) {
        // Without their files the file system may have space. The jobs create them again.
        for job in jobs.iter().filter(|job| job.makes_files) {
            site.remove_files(job, &job.files)?;
        }
        return Err(full.into());
    }
    let mut ends = Vec::new();
    for (job, (attempt, ran)) in jobs.iter().zip(attempts.into_iter().zip(ran)) {
        let Some(ran) = ran? else { return Ok(GroupEnd::Stopped) };
        let ended = attempt.finish(asked, site, ran)?;
        observer(&Event::Ends(job, &ended));
        ends.push(ended);
        report_witness(site, observer);
    }
    site.beside.report(observer);
    Ok(GroupEnd::Ended(ends))
}

/// Why these jobs run again: one of them met a full file system. If one shows a fault of the storage system,
/// all of them count.
fn met_full(ended: &[(&Attempt<'_>, &AttemptEnd)]) -> Option<io::Error> {
    let mut full = None;
    for (attempt, ran) in ended {
        match attempt.failure(ran) {
            JobFailure::Fault => return None,
            JobFailure::Full(error) => full = full.or(Some(error)),
            JobFailure::Other => {}
        }
    }
    full
}

/// Reports what the witness did not take.
fn report_witness(site: &CampaignSite, observer: &mut dyn FnMut(&Event<'_>)) {
    site.receiver.troubles().iter().for_each(|trouble| observer(&Event::Trouble(trouble)));
}

/// An event of a running attempt.
enum AttemptEvent {
    /// This attempt (its index) has ended.
    Ended(usize),
    /// A process of this attempt (its index) with this id was killed but still exists.
    Stuck(usize, u32),
}

/// Runs the attempts, each in a thread. The second result is whether a process of an attempt is still alive
/// afterwards.
fn run_at_once(
    asked: &CampaignRequest,
    attempts: &[Attempt<'_>],
    jobs: &[PlannedJob],
    observer: &mut dyn FnMut(&Event<'_>),
) -> (Vec<Result<Option<AttemptEnd>, Trouble>>, bool) {
    let began = Instant::now();
    let (sender, receiver) = mpsc::channel();
    let mut stuck = vec![false; attempts.len()];
    let ran: Vec<_> = std::thread::scope(|scope| {
        let run = |(at, attempt)| {
            let sender = sender.clone();
            scope.spawn(move || {
                // If the receiver is gone, the end of this thread is waited for anyway.
                let send = |event| drop(sender.send(event));
                let ran = Attempt::run(attempt, asked, &|process| send(AttemptEvent::Stuck(at, process)));
                send(AttemptEvent::Ended(at));
                ran
            })
        };
        let threads: Vec<_> = attempts.iter().enumerate().map(run).collect();
        let mut running: BTreeSet<usize> = (0..attempts.len()).collect();
        while !running.is_empty() {
            match receiver.recv_timeout(TICK) {
                Ok(AttemptEvent::Ended(at)) => {
                    running.remove(&at);
                    if !running.is_empty() {
                        observer(&Event::PartEnds(&jobs[at]));
                    }
                }
                Ok(AttemptEvent::Stuck(at, process)) => {
                    stuck[at] = true;
                    observer(&Event::Trouble(&format!(
                        "{}: process {process} was killed but hangs in the kernel. The campaign waits for \
                         its end. To stop the campaign, press Ctrl-C.",
                        jobs[at].folder
                    )));
                }
                Err(_) => running.iter().for_each(|at| {
                    observer(&Event::Runs(&jobs[*at], began.elapsed().as_secs_f64()));
                }),
            }
        }
        let join = |thread: std::thread::ScopedJoinHandle<'_, Result<Option<AttemptEnd>, Trouble>>| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().map(join).collect()
    });
    let left =
        |(ran, stuck): (&Result<Option<AttemptEnd>, Trouble>, &bool)| *stuck && !matches!(ran, Ok(Some(_)));
    let outlived = ran.iter().zip(&stuck).any(left);
    (ran, outlived)
}

fn finish(asked: &CampaignRequest, site: &CampaignSite) -> Result<Ended, Trouble> {
    site.remove_own_directories();
    // A campaign that was killed at its very end may have done this before.
    let is_missing = |name: &str| !asked.folder.join(name).exists();
    if is_missing(names::AFTER) {
        folder::write_machine(&asked.folder, names::AFTER, &machine(&site.dirs))?;
    }
    let mut campaign = folder::load(&asked.folder)?;
    (campaign.verdicts, campaign.summary) = (asked.evaluate)(&asked.plan, &mut campaign);
    if is_missing(names::SUMMARY) {
        folder::write_summary(&asked.folder, &campaign.summary)?;
    }
    if is_missing(names::VERDICTS) {
        folder::write_verdicts(&asked.folder, &campaign.verdicts)?;
        campaign.head = folder::load(&asked.folder)?.head;
    }
    Ok(Ended::Judged(Box::new(campaign)))
}
