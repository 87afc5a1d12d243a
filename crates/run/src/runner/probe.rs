//! Probes of the launcher before the first job: one for each way in which later jobs start their ranks.
//!
//! A wrong option, too few slots or a missing MPI library then costs one probe instead of all jobs. A probe
//! starts the ranks of a job, and each rank writes a few bytes into one file on the job's file system.
//!
//! Invariant: a probe is never a job of the plan. Its folder is evidence, and no verdict uses it.
//! Never here: sentences.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use results::folder::{self, Job, JobEnd, JobInfo, LaunchRejection, names};
use results::reason::{Reason, reason};
use results::record::{self, APP};

use super::job::Prepared;
use super::site::CampaignSite;
use super::{CampaignRequest, Ended, EndedJobs, Event, ProbeMistake, Trouble, key, report_witness};
use crate::machine::now;
use plan::launcher::{LaunchKind, LauncherJob};
use plan::schedule::{PlannedJob, Purpose};
use plan::{POSIX, WorkloadName};

/// The test's name in the facts of a probe.
const TEST: &str = "probe";
/// The time after which a probe is killed, seconds, if the job has a longer time limit.
const TIMEOUT_S: f64 = 300.0;
/// The command line of a probe for external programs, which need not use MPI.
///
/// It takes a second because Hydra passes the end of its input on to the ranks. If they have ended before it
/// does that, SIGPIPE ends Hydra. That happened with `true` on a busy machine.
const EXTERNAL: [&str; 2] = ["sleep", "1"];

/// Runs the probes for all jobs that have not ended. Returns how the campaign ended if a probe failed or the
/// campaign was stopped.
pub(super) fn before_jobs(
    asked: &CampaignRequest,
    site: &CampaignSite,
    jobs: &[PlannedJob],
    done: &EndedJobs<'_>,
    observer: &mut dyn FnMut(&Event<'_>),
) -> Result<Option<Ended>, Trouble> {
    if !asked.probe || !asked.plan.launch.probe {
        return Ok(None);
    }
    let stopped = || Ended::Stopped { done: done.ends.len(), of: jobs.len() };
    for job in geometries(asked, site, jobs, done) {
        if asked.stop.load(Ordering::Relaxed) {
            return Ok(Some(stopped()));
        }
        let Some(probe) = run(asked, site, job, observer)? else { return Ok(Some(stopped())) };
        observer(&Event::Probed(&probe));
        if let Some((reason, mistake)) = failure(asked, job, &probe) {
            return Ok(Some(Ended::ProbeFailed { reason, mistake, folder: probe.folder }));
        }
    }
    Ok(None)
}

/// The first open job of each way to start ranks: the arguments of the launcher, and the file system.
fn geometries<'j>(
    asked: &CampaignRequest,
    site: &CampaignSite,
    jobs: &'j [PlannedJob],
    done: &EndedJobs<'_>,
) -> Vec<&'j PlannedJob> {
    // The number of nodes of a searched test is that of one of its steps, which are probed.
    let is_searched = |job: &PlannedJob| match job.purpose {
        Purpose::Test(index) => asked.plan.tests[index].search.is_some(),
        Purpose::Dataset(_) | Purpose::State(_) => false,
    };
    let mut known = Vec::new();
    let mut first = Vec::new();
    let is_launched = |job: &&PlannedJob| asked.plan.launch_for(job).kind != LaunchKind::Local;
    let is_open = |job: &&PlannedJob| !done.ends.contains_key(&key(job)) && !is_searched(job);
    for job in jobs.iter().filter(is_launched).filter(is_open) {
        let geometry = (arguments(asked, site, job), &asked.plan.launch_for(job).env, job.fs.clone());
        if !known.contains(&geometry) {
            known.push(geometry);
            first.push(job);
        }
    }
    first
}

/// The command line that starts a job, without its program and arguments.
fn arguments(asked: &CampaignRequest, site: &CampaignSite, job: &PlannedJob) -> Vec<String> {
    asked.plan.launch_for(job).kind.command(&LauncherJob {
        program: String::new(),
        placement: job.placement.clone(),
        nodes: site.nodes.of(job.number),
        words: Vec::new(),
        starts_ranks: false,
        external: job.workload == APP,
    })
}

/// Runs one probe; `None` if the campaign was stopped.
fn run(
    asked: &CampaignRequest,
    site: &CampaignSite,
    job: &PlannedJob,
    observer: &mut dyn FnMut(&Event<'_>),
) -> Result<Option<Job>, Trouble> {
    let number = next_number(asked)?;
    // A directory that is missing is created again. If it cannot be used, the ranks report why.
    let data = site.data(job).unwrap_or_else(|_| site.data_path(&job.fs));
    let file = data.join(format!("{}{number}", names::PROBE));
    let planned = probe_job(job, number, &file);
    let staged = folder::stage_job(&asked.folder, &planned.folder, &site.process)?;
    site.receiver.hand_out(&asked.folder)?;
    report_witness(site, observer);
    let prepared = Prepared::new(asked, &planned, &site.nodes, data, &staged.dir());
    let started = now();
    site.lend(true)?;
    let ended = prepared.run(&asked.stop, &|_| true);
    site.lend(false)?;
    // The ranks remove the file, unless they were killed.
    let _ = fs::remove_file(&file);
    let Some((end, seconds)) = ended? else { return Ok(None) };
    let info = JobInfo {
        number: 0,
        test: TEST.to_owned(),
        repetition: number,
        argv: prepared.argv,
        env: prepared.env_recorded,
        cwd: format!("{}/{}", names::JOBS, planned.folder),
        started,
        seconds,
        timeout_s: planned.timeout_s,
        end,
        ..JobInfo::default()
    };
    let info = staged.finish(info)?;
    site.receiver.hand_out(&asked.folder)?;
    report_witness(site, observer);
    Ok(Some(Job::read(&asked.folder, format!("{}/{}", names::JOBS, planned.folder), info)))
}

/// A number that no earlier probe of the campaign has, in any state.
fn next_number(asked: &CampaignRequest) -> std::io::Result<u32> {
    let mut most = 0;
    for entry in fs::read_dir(asked.folder.join(names::JOBS))? {
        let name = entry?.file_name();
        let number = name.to_str().map(|name| name.trim_start_matches('.'));
        let number = number.and_then(|name| name.strip_prefix(names::PROBE));
        let number = number.and_then(|name| name.split('.').next()?.parse::<u32>().ok());
        most = most.max(number.unwrap_or(0));
    }
    Ok(most + 1)
}

/// A job that starts its ranks like `job`. Each rank writes into the shared `file`.
fn probe_job(job: &PlannedJob, number: u32, file: &Path) -> PlannedJob {
    let (backend, file) = (POSIX.to_uppercase(), file.to_string_lossy());
    let transfer = ["-w", "-a", &backend, "-t", "4k", "-b", "4k", "-o", &file];
    let (workload, words): (_, &[&str]) = match job.workload {
        APP => (APP, &EXTERNAL),
        _ => (WorkloadName::Ior.command(), &transfer),
    };
    PlannedJob {
        test: TEST.to_owned(),
        folder: format!("{}{number}", names::PROBE),
        workload,
        words: words.iter().map(ToString::to_string).collect(),
        starts_ranks: false,
        timeout_s: job.timeout_s.min(TIMEOUT_S),
        ..job.clone()
    }
}

/// Why a probe failed, and what has to be corrected; `None` if it did not.
fn failure(asked: &CampaignRequest, job: &PlannedJob, probe: &Job) -> Option<(Reason, ProbeMistake)> {
    let ranks = job.placement.ranks;
    let reason = match &probe.info.end {
        JobEnd::Exit(0) => return differs(asked, job, probe, reason!(ProbeFailed { ranks })),
        JobEnd::Exit(status) => reason!(ProbeFailed { ranks, status: *status }),
        JobEnd::Signal(signal) => reason!(ProbeFailed { ranks, signal: *signal }),
        JobEnd::TimedOut => reason!(ProbeFailed { ranks, timeout: probe.info.timeout_s }),
        JobEnd::NotStarted => reason!(ProbeFailed { ranks }),
    };
    if let Some((rejection, line)) = probe.launch_rejection_line() {
        let mistake = match rejection {
            LaunchRejection::Option => ProbeMistake::Plan,
            LaunchRejection::Program
            | LaunchRejection::Node
            | LaunchRejection::Root
            | LaunchRejection::Slots
            | LaunchRejection::Mpi => ProbeMistake::Surroundings,
        };
        return Some((
            reason!(ProbeFailed { launch_rejected: rejection.word(), output: line, ..reason }),
            mistake,
        ));
    }
    let reason = match probe.failure() {
        Some(failure) => reason!(ProbeFailed { failure, ..reason }),
        None => reason!(ProbeFailed { output: probe.error_summary(), ..reason }),
    };
    Some((reason, ProbeMistake::Unknown))
}

/// How the ranks and nodes of a probe that ended differ from the plan.
fn differs(
    asked: &CampaignRequest,
    job: &PlannedJob,
    probe: &Job,
    reason: Reason,
) -> Option<(Reason, ProbeMistake)> {
    if job.workload == APP {
        return None;
    }
    let Some(run) = record::runs(&probe.records).next() else {
        return Some((
            reason!(ProbeFailed { output: probe.error_summary(), ..reason }),
            ProbeMistake::Unknown,
        ));
    };
    if run.ranks != job.placement.ranks {
        return Some((reason!(ProbeFailed { started: run.ranks, ..reason }), ProbeMistake::Plan));
    }
    let nodes = job.placement.nodes.filter(|nodes| *nodes != run.nodes && !asked.plan.clients.simulated)?;
    Some((reason!(ProbeFailed { nodes: run.nodes, planned: nodes, ..reason }), ProbeMistake::Plan))
}
