//! Tests that ran at once: whether they did, and what the sum of them shows.
//!
//! Never here: the thresholds of parts.

use jiff::Timestamp;
use results::folder::Job;
use results::{Outcome, Verdict};

use super::decide::{self, Decision};
use super::{Case, goal, usable, warnings};
use crate::plan::{Criterion, Group, Plan};

/// When a job ran, seconds since 1970.
fn window(job: &Job) -> Option<(f64, f64)> {
    let began = job.info.started.parse::<Timestamp>().ok()?.as_duration().as_secs_f64();
    Some((began, began + job.info.seconds))
}

/// Whether a part ran at the same time as each of the others, in every repetition.
pub(super) fn overlapped(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    let Some(group) = case.test.part.map(|part| &case.plan.groups[part]) else { return Ok(()) };
    for job in jobs {
        for other in &group.tests {
            let id = &case.plan.tests[*other].id;
            if *id != case.test.id {
                beside(case, group, job, id)?;
            }
        }
    }
    Ok(())
}

fn beside(case: &Case<'_>, group: &Group, job: &Job, other: &str) -> Result<(), String> {
    let repetition = job.info.repetition;
    let same = |job: &&Job| job.info.test == other && job.info.repetition == repetition;
    let Some(other_job) = case.campaign.jobs.iter().find(same) else {
        return Err(format!("repetition {repetition}: {other}, which is to run at the same time, did not"));
    };
    let (Some(own), Some(others)) = (window(job), window(other_job)) else {
        return Err(format!("repetition {repetition}: nothing tells when {other} ran"));
    };
    let both = own.1.min(others.1) - own.0.max(others.0);
    let shorter = (own.1 - own.0).min(others.1 - others.0);
    if both < group.overlap * shorter {
        let (share, needed) = ((both / shorter).max(0.0) * 100.0, group.overlap * 100.0);
        return Err(format!(
            "repetition {repetition}: {share:.0} % of the shorter of {} and {other} ran while the other did, \
             and {needed:.0} % are asked for",
            case.test.id
        ));
    }
    Ok(())
}

/// The verdict on the sum of what the parts of a group measure.
pub(super) fn verdict(
    plan: &Plan,
    campaign: &results::folder::Campaign,
    group: &Group,
    criterion: &Criterion,
) -> Verdict {
    let cases: Vec<Case<'_>> = group
        .tests
        .iter()
        .map(|part| Case { plan, campaign, test: &plan.tests[*part], criterion })
        .filter(Case::yields)
        .collect();
    let first = cases.first().expect("a plan is refused where no part yields the metric");
    let goal = goal::of(first);
    let decision = match sums(group, &cases).and_then(|values| Ok((values, goal.clone()?))) {
        Ok((values, goal)) => decide::decide(criterion, first.test, &goal, &values),
        Err((outcome, reason)) => Decision { outcome, reason, value: None, statistics: None },
    };
    let mut warnings = Vec::new();
    for case in cases.iter().filter(|_| decision.outcome != Outcome::NotRun) {
        let id = &case.test.id;
        let told = warnings::all(case, &case.jobs(), decision.statistics.as_ref());
        warnings.extend(told.into_iter().map(|warning| format!("{id}: {warning}")));
    }
    let jobs = cases.iter().flat_map(Case::jobs).map(|job| job.folder.clone()).collect();
    let clause = if group.clause.is_empty() { &group.id } else { &group.clause };
    Verdict {
        test: group.id.clone(),
        clause: clause.clone(),
        metric: criterion.metric.clone(),
        criterion: format!("sum of {}: {criterion}", cases.len()),
        outcome: decision.outcome,
        reason: decision.reason,
        value: decision.value,
        threshold: goal.ok().map(|goal| goal.threshold.value),
        unit: criterion.goal.dimension().unit().to_owned(),
        statistics: decision.statistics,
        warnings,
        jobs,
    }
}

/// The sum of the parts in each repetition.
fn sums(group: &Group, cases: &[Case<'_>]) -> Result<Vec<f64>, (Outcome, String)> {
    let mut sums = vec![0.0; group.repetitions as usize];
    for case in cases {
        let values = usable::values(case, &case.jobs())
            .map_err(|(outcome, why)| (outcome, format!("{}: {why}", case.test.id)))?;
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    Ok(sums)
}
