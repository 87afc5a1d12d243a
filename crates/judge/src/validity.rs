//! Whether a measurement can be used, and its values.
//!
//! Each rule is a function that returns the reason against it.
//!
//! Never here: the threshold, and findings about the file system or the nodes.

mod agreeing;
pub(crate) mod at_once;
pub(crate) mod cached;
mod command;
pub(crate) mod dataset;
mod ended;
pub(crate) mod errors;
pub(crate) mod faults;
pub(crate) mod kernel;
pub(crate) mod names;
mod own_node;
mod placement;
pub(crate) mod reported;
mod required;
pub(crate) mod state;
pub(crate) mod steady;
pub(crate) mod sustained;
pub(crate) mod window;

use results::Outcome;
use results::folder::Job;
use results::reason::{Reason, reason};

use crate::case::TestCriterion;

/// The outcome and reason of a verdict without values.
pub(crate) type Unusable = (Outcome, Reason);

/// The value of each repetition in base units, or why they cannot be evaluated.
pub(crate) fn measured(case: &TestCriterion<'_>) -> Result<Vec<f64>, Unusable> {
    let invalid = |reason| (Outcome::Invalid, reason);
    let jobs = case.jobs();
    dataset::fit(case).map_err(invalid)?;
    if jobs.is_empty() {
        return Err((Outcome::NotRun, ended::why_not_run(case)));
    }
    ended::once(case).map_err(invalid)?;
    jobs.iter().try_for_each(|job| ended::well(case, job)).map_err(invalid)?;
    placement::as_planned(case).map_err(invalid)?;
    command::as_planned(case).map_err(invalid)?;
    reported::consistent(case).map_err(invalid)?;
    agreeing::facts(case).map_err(invalid)?;
    state::reached(case).map_err(invalid)?;
    let planned = case.test.repetitions as usize;
    if jobs.len() < planned {
        // If a campaign resumes, the missing repetitions may still decide.
        let outcome = if case.index.has_ended() { Outcome::Invalid } else { Outcome::Inconclusive };
        return Err((
            outcome,
            reason!(RepetitionsMissing { ran: jobs.len(), planned, cause: ended::why_not_run(case) }),
        ));
    }
    at_once::overlapped(case).map_err(invalid)?;
    if !case.counts_errors() {
        let rules = [
            errors::no_wrong_data,
            errors::as_written,
            errors::no_failures,
            kernel::in_pace,
            cached::cold,
            kernel::once,
            kernel::moved,
            kernel::on_device,
            sustained::held,
            required::met,
        ];
        rules.iter().try_for_each(|rule| rule(case)).map_err(invalid)?;
        steady::reached(case)?;
    }
    jobs.iter()
        .map(|job| value(case, job).and_then(|value| finite(case, job, value)).map_err(invalid))
        .collect()
}

/// The value, if it is a number that can be compared.
fn finite(case: &TestCriterion<'_>, job: &Job, value: f64) -> Result<f64, Reason> {
    let reason = || {
        reason!(ValueNotFinite {
            repetition: job.info.repetition,
            metric: &case.criterion.metric,
            found: value.to_string()
        })
    };
    value.is_finite().then_some(value).ok_or_else(reason)
}

/// The value of one job. If the job has several repetitions, it is their mean, or for errors their sum.
fn value(case: &TestCriterion<'_>, job: &Job) -> Result<f64, Reason> {
    let name = case.metric();
    if let Some(outcome) = case.counts_cases() {
        return errors::cases_with(case, job, outcome);
    }
    if case.test.line.as_app().is_some() {
        return case.printed(job).ok_or_else(|| case.missing(job));
    }
    match name {
        "sustained" => return sustained::value(case, job),
        "steady" => return steady::value(case, job),
        "own_node_share" => return own_node::share(case, job).ok_or_else(|| case.missing(job)),
        _ => {}
    }
    if let Some(rate) = at_once::rate(case, job)? {
        return Ok(rate);
    }
    let values: Vec<f64> = case.phases(job).filter_map(|phase| phase.metric(name)).map(|m| m.value).collect();
    if values.is_empty() {
        return Err(case.missing(job));
    }
    let sum: f64 = values.iter().sum();
    Ok(if case.counts_errors() { sum } else { sum / values.len() as f64 })
}
