//! Whether a test read the planned dataset.
//!
//! Never here: files. The manifest has their facts.

use plan::dataset_check::unfit_job;
use plan::{Dataset, Test};
use results::folder::{Job, JobEnd};
use results::reason::{Code, Reason, any, row};

use super::ended;
use crate::case::TestCriterion;

/// Why the measurement of a test is not one of its dataset: the dataset is incomplete, or too small.
pub(super) fn fit(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let Some(dataset) = case.index.plan.dataset_of(case.test) else { return Ok(()) };
    for job in case.index.jobs(&dataset.job()) {
        if job.info.end != JobEnd::Exit(0) {
            return Err(ended::why_failed(job).with(any::job, &job.info.test));
        }
        unfit_job(dataset, case.test, job).map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// The first job that examined the dataset of a test after `job` had read it. It is returned, with the
/// reason, only if it was rejected because the dataset was changed.
pub(crate) fn rejected_next<'a>(case: &TestCriterion<'a>, job: &Job) -> Option<(&'a Job, &'a Reason)> {
    let (index, test) = (case.index, case.test);
    let dataset = index.plan.dataset_of(test)?;
    let examines = |other: &&Job| {
        // A job in parallel examined the dataset before this one read it.
        let is_parallel = |reader: &Test| {
            reader.part.is_some() && reader.part == test.part && other.info.repetition == job.info.repetition
        };
        let reader = index.test_of_job(&other.info.test);
        reader.is_some_and(|reader| index.plan.dataset_of(reader) == Some(dataset) && !is_parallel(reader))
    };
    let is_change = |reason: &&Reason| {
        matches!(reason.code, Code::DatasetChanged | Code::DatasetWritten)
            && reason.get(row::DatasetWritten::dataset) == Some(&dataset.job())
    };
    for next in index.after(job).iter().filter(examines) {
        if next.info.end != JobEnd::NotStarted {
            return None;
        }
        // If a job was rejected for another reason, it is not known whether the dataset was changed.
        if let Some(reason) = next.info.rejection.as_ref().filter(is_change) {
            return Some((next, reason));
        }
    }
    None
}

/// Whether the job of this folder made the dataset of the test.
pub(crate) fn made_by(case: &TestCriterion<'_>, folder: &str) -> bool {
    let jobs = |dataset: &Dataset| case.index.jobs(&dataset.job());
    let dataset = case.index.plan.dataset_of(case.test);
    dataset.is_some_and(|dataset| jobs(dataset).iter().any(|job| job.folder == folder))
}

/// The first job that made the dataset of a test.
pub(crate) fn made<'a>(case: &TestCriterion<'a>) -> Option<(&'a Dataset, &'a Job)> {
    let dataset = case.index.plan.dataset_of(case.test)?;
    Some((dataset, *case.index.jobs(&dataset.job()).first()?))
}

/// The job that made the dataset that `reader` read, and whether it did so in an earlier campaign.
pub(crate) fn made_for<'a>(case: &TestCriterion<'a>, reader: &Job) -> Option<(&'a Dataset, &'a Job, bool)> {
    let dataset = case.index.plan.dataset_of(case.test)?;
    let before = |job: &&&Job| case.index.is_before(job, reader);
    let job = *case.index.jobs(&dataset.job()).iter().rev().find(before)?;
    Some((dataset, job, job.dataset.as_ref().is_some_and(|made| made.reused.is_some())))
}
