//! Jobs that run again because they have no result. The plan says how often a job does that died. A user may
//! also name tests after the verdicts were known.
//!
//! Invariant: a job with a result, good or bad, is never replaced. Every attempt stays in the evidence.
//! Never here: the meaning of an attempt for a verdict.

use std::io;

use results::folder::{self, Campaign, Extension, Job, names};
use units::Usage;

use super::{CampaignRequest, Trouble, rejected};
use plan::schedule::PlannedJob;

/// Sets the folders of jobs aside that died and run again now.
pub(super) fn set_died_aside(asked: &CampaignRequest, jobs: &[PlannedJob]) -> io::Result<()> {
    for job in jobs.iter().filter(|job| folder::has(&asked.folder, &path(&job.folder))) {
        let campaign = folder::load(&asked.folder)?;
        let ended = campaign.jobs.iter().find(|ended| ended.folder == path(&job.folder));
        if let Some(cause) = ended.and_then(Job::died) {
            folder::set_died_aside(&asked.folder, &job.folder, cause)?;
        }
    }
    Ok(())
}

/// Whether one of the jobs that just `ended` runs again. The jobs of a group never do, because the others ran
/// beside it.
pub(super) fn runs_again(asked: &CampaignRequest, jobs: &[PlannedJob], ended: &[Job]) -> io::Result<bool> {
    let ([planned], [ended]) = (jobs, ended) else { return Ok(false) };
    if attempts(asked, planned) == 0 || ended.died().is_none() {
        return Ok(false);
    }
    Ok(may_run_again(asked, planned, &folder::load(&asked.folder)?, ended))
}

/// Whether a job of an earlier run of the campaign runs again.
pub(super) fn of_ended(
    asked: &CampaignRequest,
    jobs: &[PlannedJob],
    campaign: &Campaign,
    ended: &Job,
) -> bool {
    let planned = jobs.iter().find(|job| path(&job.folder) == ended.folder);
    planned.is_some_and(|planned| may_run_again(asked, planned, campaign, ended))
}

fn may_run_again(asked: &CampaignRequest, planned: &PlannedJob, campaign: &Campaign, ended: &Job) -> bool {
    let begin = format!("{}.killed-", ended.folder);
    let died = campaign.course.died.iter().filter(|attempt| attempt.folder.starts_with(&begin)).count();
    ended.died().is_some() && planned.at_once.is_none() && died < attempts(asked, planned)
}

/// How often a job may run again.
fn attempts(asked: &CampaignRequest, job: &PlannedJob) -> usize {
    asked.plan.launch_for(job).attempts as usize
}

fn path(folder: &str) -> String {
    format!("{}/{folder}", names::JOBS)
}

/// Chooses the jobs that `extension` repeats: those of its tests without a result. Rejects tests that have
/// none, and jobs that cannot run again by themselves.
pub(super) fn choose(
    jobs: &[PlannedJob],
    campaign: &Campaign,
    extension: &mut Extension,
) -> Result<(), Trouble> {
    for test in &extension.repeat {
        let without: Vec<&Job> =
            campaign.jobs.iter().filter(|job| job.info.test == *test && !job.has_result()).collect();
        if without.is_empty() {
            return rejected(format!(
                "every job of test {test} has a result, so none is repeated. A result is never replaced. To \
                 add repetitions, use --repetitions."
            ));
        }
        for job in without {
            let planned = jobs.iter().find(|planned| path(&planned.folder) == job.folder);
            if let Some(why) = planned.and_then(alone) {
                return Err(Usage(format!("{}: {why} Start a new campaign.", job.folder)).into());
            }
            extension.jobs.push(job.folder.clone());
        }
    }
    Ok(())
}

/// Why a job cannot run again after the campaign has ended; `None` if it can.
fn alone(job: &PlannedJob) -> Option<&'static str> {
    match job {
        job if job.at_once.is_some() => Some("it ran together with other jobs."),
        job if !job.needs.is_empty() => Some("it needs files that were removed when the campaign ended."),
        _ => None,
    }
}
