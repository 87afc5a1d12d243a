//! Whether a test read the dataset that it was to read.
//!
//! Never here: files; what they were stands in the manifest.

use results::folder::{Job, JobEnd, Manifest};
use units::{bytes_binary, several};

use super::{Case, usable};
use plan::dataset_check::{CHANGED, dataset_of, maker, unfit_job};
use plan::{Dataset, Test};

/// Why nothing that the test measured is of the dataset that it was to read: that is not whole, or too small.
pub(super) fn fit(case: &Case<'_>) -> Result<(), String> {
    let Case { plan, campaign, test, .. } = case;
    let Some(dataset) = dataset_of(plan, test) else { return Ok(()) };
    let Some(job) = maker(campaign, dataset) else { return Ok(()) };
    if job.info.end != JobEnd::Exit(0) {
        let why = usable::why_failed(job);
        return Err(format!("{}, whose files it reads, {}{why}", job.info.test, job.info.end.words()));
    }
    unfit_job(dataset, test, job).map_or(Ok(()), Err)
}

/// The job that looked at the dataset of a test first after `job` had read it, with what it says where it was
/// refused because the dataset was another than was made.
pub(super) fn refused_next<'a>(case: &Case<'a>, job: &Job) -> Option<(&'a Job, &'a str)> {
    let Case { plan, campaign, test, .. } = case;
    let dataset = dataset_of(plan, test)?;
    let begin = format!("{} {CHANGED}: ", dataset.job());
    let looks = |other: &&Job| {
        let id = &other.info.test;
        let reader = plan.tests.iter().find(|reader| reader.id == *id || reader.warm_up_job() == *id);
        // What ran at once looked before this one read.
        let beside = |reader: &Test| {
            reader.part.is_some() && reader.part == test.part && other.info.repetition == job.info.repetition
        };
        reader.is_some_and(|reader| dataset_of(plan, reader) == Some(dataset) && !beside(reader))
    };
    let later = campaign.jobs.iter().skip_while(|other| other.folder != job.folder).skip(1).filter(looks);
    for next in later {
        if next.info.end != JobEnd::NotStarted {
            return None;
        }
        // Of one that was refused for something else nobody knows what it would have seen.
        if let Some(line) = next.last_words.iter().find(|line| line.starts_with(&begin)) {
            return Some((next, line));
        }
    }
    None
}

/// Whether the job of this folder made the dataset of the test.
pub(super) fn made_by(case: &Case<'_>, folder: &str) -> bool {
    made(case).is_some_and(|(_, job, _)| job.folder == folder)
}

/// The job that made the dataset of a test, and whether it did so in an earlier campaign.
pub(super) fn made<'a>(case: &Case<'a>) -> Option<(&'a Dataset, &'a Job, bool)> {
    let dataset = dataset_of(case.plan, case.test)?;
    let job = maker(case.campaign, dataset)?;
    let before = job.dataset.as_ref().is_some_and(|made| made.reused.is_some());
    Some((dataset, job, before))
}

/// What the reader of a number has to know of the dataset that was read.
pub(super) fn told(case: &Case<'_>) -> Option<String> {
    let (dataset, job, _) = made(case)?;
    let (who, made) = (dataset.job(), job.dataset.as_ref()?);
    if let Some(reused) = &made.reused {
        let Manifest { campaign, made: when, .. } = made;
        let files = several(reused.files, "file");
        let looked = match made.counted.is_empty() {
            true => format!("{files} of {} as they were", bytes_binary(made.bytes as f64)),
            false => format!("{files} counted"),
        };
        let samples = several(reused.samples, "sample");
        return Some(format!(
            "{who} was made by {campaign}, {when}, and used again: {looked}, {samples} compared"
        ));
    }
    made.instead_of.as_ref().map(|why| format!("{who} was made anew: {why}"))
}
