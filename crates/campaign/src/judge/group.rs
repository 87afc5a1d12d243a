//! Tests that ran at once: whether they did, and what the sum of them shows.
//!
//! Never here: the thresholds of parts.

use results::folder::{Campaign, Job};
use results::record::{Counts, Phase};
use results::{Outcome, Statistics, Stretch, StretchKind, Verdict};
use units::{Dimension, duration};

use super::decide::{self, Decision};
use super::warnings::Told;
use super::window::{self, Amount, Span};
use super::{Case, goal, lints, measuring, trend, usable, warnings, wrong};
use crate::lint::Finding;
use plan::{Criterion, Group, Plan, Test};

/// Whether a part ran at the same time as each of the others, in every repetition.
pub(super) fn overlapped(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    let Some(group) = case.test.part.map(|part| &case.plan.groups[part]) else { return Ok(()) };
    for job in jobs {
        for other in case.plan.parts(group).filter(|other| other.id != case.test.id) {
            beside(case, group, job, &other.id)?;
        }
    }
    Ok(())
}

fn beside(case: &Case<'_>, group: &Group, job: &Job, other: &str) -> Result<(), String> {
    let repetition = job.info.repetition;
    let Some(other_job) = part(case, other, repetition) else {
        return Err(format!("repetition {repetition}: {other}, which is to run at the same time, did not"));
    };
    let phase = case.metric().0;
    let (Some(own), Some(others)) = (window::of_job(job, phase), window::of_job(other_job, phase)) else {
        return Err(format!("repetition {repetition}: nothing tells when {other} ran"));
    };
    let shorter = own.seconds().min(others.seconds());
    let both = own.and(others).seconds();
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

/// The job of a part in a repetition.
fn part<'a>(case: &Case<'a>, id: &str, repetition: u32) -> Option<&'a Job> {
    case.campaign.jobs.iter().find(|job| job.info.test == id && job.info.repetition == repetition)
}

/// When all parts were at work in a repetition; `None` of a test that is no part.
fn common(case: &Case<'_>, repetition: u32) -> Option<Span> {
    let group = &case.plan.groups[case.test.part?];
    let spans = case.plan.parts(group).map(|other| {
        let job = part(case, &other.id, repetition)?;
        window::of_job(job, case.metric().0)
    });
    let all: Vec<Span> = spans.collect::<Option<_>>()?;
    all.into_iter().reduce(Span::and)
}

/// What the phases of a job moved while all parts were at work; `None` of a test that is no part, of a metric
/// that is no rate, and of records that do not tell.
fn amount(case: &Case<'_>, job: &Job) -> Option<Result<Amount, String>> {
    let span = common(case, job.info.repetition).filter(|_| window::is_rate(case))?;
    let mut all = Amount::default();
    let mut missed = None;
    for phase in case.phases(job) {
        match window::within(phase, span)? {
            Ok(one) => {
                all.moved += one.moved;
                all.seconds += one.seconds;
            }
            // Of several in one launch some may have been alone.
            Err(why) => missed = Some(why),
        }
    }
    let why = missed.unwrap_or_else(|| format!("{} was not at work with all others", case.test.id));
    Some(if all.seconds > 0.0 { Ok(all) } else { Err(why) })
}

/// Bytes that the phases of this name of a part moved while all parts of its group were at work, in all
/// repetitions; whole phases where that is not known.
pub(crate) fn moved_at_once(plan: &Plan, campaign: &Campaign, test: &Test, phase: &str) -> u64 {
    let criterion = measuring(&format!("{phase}.bw"), Dimension::BytesPerSecond);
    let case = Case { plan, campaign, findings: &[], test, criterion: &criterion };
    let moved = |job: &&Job| match amount(&case, job) {
        Some(Ok(amount)) => amount.moved as u64,
        _ => case.phases(job).map(|phase| phase.bytes).sum(),
    };
    case.jobs().iter().map(moved).sum()
}

/// The rate that a criterion on a part asks for, while all parts were at work; `None` where it is that of the
/// whole phase.
pub(super) fn rate(case: &Case<'_>, job: &Job) -> Result<Option<f64>, String> {
    let Some(found) = amount(case, job) else { return Ok(None) };
    let found = found.map_err(|why| format!("repetition {}: {why}", job.info.repetition))?;
    let rate = found.moved / found.seconds;
    let phases: Vec<&Phase> = case.phases(job).collect();
    let (bytes, ops) = phases.iter().fold((0, 0), |sum, phase| (sum.0 + phase.bytes, sum.1 + phase.ops));
    let counts_bytes = phases.iter().any(|phase| phase.counts == Counts::Bytes);
    Ok(match (case.metric().1, counts_bytes) {
        ("bw", true) | (_, false) => Some(rate),
        // A timeline of bytes tells transfers by their mean size.
        _ if bytes > 0 => Some(rate * ops as f64 / bytes as f64),
        _ => None,
    })
}

/// The time that all parts had in common, of each repetition.
pub(super) fn stretches(case: &Case<'_>, jobs: &[&Job]) -> Vec<Stretch> {
    let mut all = Vec::new();
    for job in jobs {
        let (Some(span), Some(Ok(_))) = (common(case, job.info.repetition), amount(case, job)) else {
            continue;
        };
        for phase in case.phases(job) {
            let (Some(own), Some(Ok(found))) = (window::of_phase(phase), window::within(phase, span)) else {
                continue;
            };
            let timeline = phase.timeline.as_ref().map_or(0, |timeline| timeline.bytes.iter().sum::<u64>());
            let (rate, mean) = (found.moved / found.seconds, timeline as f64 / own.seconds());
            all.push(Stretch {
                repetition: job.info.repetition,
                phase: phase.phase.clone(),
                kind: StretchKind::Common,
                from_s: window::after_start(phase, own.and(span).from),
                seconds: found.seconds,
                rate,
                unit: window::dimension(phase).unit().to_owned(),
                share: if mean > 0.0 { rate / mean } else { 1.0 },
            });
        }
    }
    all
}

/// Of which time the rate of a part is.
pub(super) fn told(case: &Case<'_>, jobs: &[&Job]) -> Told {
    let mut all = Told::default();
    if case.test.part.is_none() || !window::is_rate(case) {
        return all;
    }
    let shortest = stretches(case, jobs).into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let name = case.metric().0;
    match shortest {
        Some(one) => all.notes.push(format!(
            "{name}: the rate is that while all parts were at work, {} in repetition {}, {:.2} times \
             the rate of its whole phase",
            duration(one.seconds),
            one.repetition,
            one.share
        )),
        None => all.warnings.push(format!(
            "{name}: no timeline tells what it did while all parts were at work; the rate is that of \
             its whole run"
        )),
    }
    all
}

/// The verdict on the sum of what the parts of a group measure.
pub(super) fn verdict(
    plan: &Plan,
    campaign: &Campaign,
    findings: &[Finding],
    group: &Group,
    criterion: &Criterion,
) -> Verdict {
    let case = |test| Case { plan, campaign, findings, test, criterion };
    let cases: Vec<Case<'_>> = plan.parts(group).map(case).filter(Case::yields).collect();
    let first = cases.first().expect("a plan is refused where no part yields the metric");
    let goal = goal::of(first);
    let decision = match sums(group, &cases).and_then(|values| Ok((values, goal.clone()?))) {
        Ok((values, goal)) => decide::decide(criterion, first.test, &goal, &values),
        Err((outcome, reason)) => Decision { outcome, reason, value: None, statistics: None },
    };
    let wrong = cases.iter().filter_map(|case| wrong::found(case, &case.jobs())).collect();
    let wrong = wrong::worst(wrong);
    let decision = wrong::counted(first, wrong.as_ref(), decision);
    let told = match decision.outcome {
        Outcome::NotRun => Told::default(),
        _ => told_of_sum(&cases, decision.statistics.as_ref()),
    };
    let changed = wrong.as_ref().and_then(|wrong| wrong.told(&decision.reason));
    let jobs = cases.iter().flat_map(Case::jobs).map(|job| job.folder.clone()).collect();
    let clause = if group.clause.is_empty() { &group.id } else { &group.clause };
    let mut verdict = Verdict {
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
        warnings: changed.into_iter().chain(told.warnings).collect(),
        notes: told.notes,
        jobs,
        stretches: Vec::new(),
    };
    let of_parts = cases.iter().flat_map(lints::grave);
    let mut grave: Vec<&Finding> = Vec::new();
    for finding in lints::about_group(findings, &group.id).into_iter().chain(of_parts) {
        // What is about several parts is said once.
        if !grave.contains(&finding) {
            grave.push(finding);
        }
    }
    lints::apply(&grave, wrong.as_ref(), &mut verdict);
    verdict
}

/// What is said of the sum, and of each part under its name.
fn told_of_sum(cases: &[Case<'_>], statistics: Option<&Statistics>) -> Told {
    let mut all = Told::default();
    all.warnings.extend(warnings::scatter(statistics));
    all.warnings.extend(trend::of_values(&cases[0], statistics));
    for case in cases {
        let named = |text: String| format!("{}: {text}", case.test.id);
        let Told { warnings, notes } = warnings::all(case, &case.jobs(), None);
        all.warnings.extend(warnings.into_iter().map(named));
        all.notes.extend(notes.into_iter().map(named));
    }
    all
}

/// The sum of the parts in each repetition.
fn sums(group: &Group, cases: &[Case<'_>]) -> Result<Vec<f64>, (Outcome, String)> {
    let mut sums = vec![0.0; group.repetitions as usize];
    for case in cases {
        let values = usable::measured(case, &case.jobs())
            .map_err(|(outcome, why)| (outcome, format!("{}: {why}", case.test.id)))?;
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }
    Ok(sums)
}
