//! Cases of a conformance suite: how many had an outcome, and what is to be known of the others.
//!
//! Never here: whether the number is one that was asked for.

use results::folder::Job;
use results::record::{Case as Tried, Outcome, Record};
use units::several;

use super::Case;

/// So many cases are named in a sentence.
const NAMED: usize = 5;

/// How many cases of one job had this outcome; why that cannot be said where none was tried.
pub(super) fn value(case: &Case<'_>, job: &Job, outcome: Outcome) -> Result<f64, String> {
    let repetition = job.info.repetition;
    let group = case.metric().0;
    let all: Vec<&Tried> = of(case, job).collect();
    let Some(first) = all.first() else {
        return Err(format!("repetition {repetition} recorded no {}", case.criterion.metric));
    };
    let tried = |tried: &&&Tried| !matches!(tried.outcome, Outcome::Skipped | Outcome::Unsupported);
    let asks_of_these = matches!(outcome, Outcome::Skipped | Outcome::Unsupported);
    if !asks_of_these && all.iter().find(tried).is_none() {
        let (number, why) = (all.len(), &first.why);
        return Err(format!("repetition {repetition} tried none of the {number} {group} cases: {why}"));
    }
    Ok(all.iter().filter(|tried| tried.outcome == outcome).count() as f64)
}

/// The first case of a job that failed.
pub(super) fn failed(job: &Job) -> Option<&Tried> {
    tried(job).find(|tried| tried.outcome == Outcome::Fail)
}

/// What a reader of the number has to know: which cases failed, and which say nothing of the file system.
pub(super) fn told(case: &Case<'_>, jobs: &[&Job]) -> Vec<String> {
    if case.counts_cases().is_none() {
        return Vec::new();
    }
    let kinds = [
        (Outcome::Fail, "failed"),
        (Outcome::Library, "failed as is known of the MPI library, and say nothing of the file system"),
        (Outcome::Unsupported, "not supported here"),
        (Outcome::Skipped, "not tried here"),
    ];
    kinds.into_iter().filter_map(|(outcome, how)| sentence(case, jobs, outcome, how)).collect()
}

/// The cases of one outcome in the job that has most of them.
fn sentence(case: &Case<'_>, jobs: &[&Job], outcome: Outcome, how: &str) -> Option<String> {
    let number = |job: &&&Job| of(case, job).filter(|one| one.outcome == outcome).count();
    let job = jobs.iter().max_by_key(number)?;
    let cases: Vec<&Tried> = of(case, job).filter(|one| one.outcome == outcome).collect();
    let first = cases.first()?;
    let names: Vec<&str> = cases.iter().take(NAMED).map(|one| one.name.as_str()).collect();
    let more = match cases.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let why = match (&first.evidence, first.why.as_str()) {
        (Some(seen), _) if outcome == Outcome::Fail => {
            format!("; the first on rank {} at `{}`: {}", seen.rank, seen.step, seen.what)
        }
        (_, "") => String::new(),
        (_, why) => format!("; the first: {why}"),
    };
    let (number, all) = (cases.len(), several(of(case, job).count() as u64, "case"));
    Some(format!("{number} of {all} {how}: {}{more}{why}", names.join(", ")))
}

/// The cases of a job that the criterion is about.
fn of<'j>(case: &Case<'_>, job: &'j Job) -> impl Iterator<Item = &'j Tried> {
    let group = case.metric().0.to_owned();
    tried(job).filter(move |tried| group == "cases" || tried.group() == group)
}

fn tried(job: &Job) -> impl Iterator<Item = &Tried> {
    job.records.iter().filter_map(|record| match record {
        Record::Case(tried) => Some(&**tried),
        _ => None,
    })
}
