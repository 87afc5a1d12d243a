//! Parts of a group: whether they ran in parallel, and what they moved while all were active.
//!
//! Never here: the thresholds of parts, and the sum of the group.

use plan::Group;
use results::folder::Job;
use results::reason::{Reason, any, reason};
use results::record::{Counts, Phase};
use results::{TimeWindow, TimeWindowKind};
use units::Dimension;

use super::window::{self, Span, WindowAmount};
use crate::case::TestCriterion;

/// Whether a part ran in parallel with each other part, in every repetition.
pub(super) fn overlapped(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let plan = case.index.plan;
    let Some(group) = case.test.part.map(|part| &plan.groups[part]) else { return Ok(()) };
    for job in case.jobs() {
        for other in plan.parts(group).filter(|other| other.id != case.test.id) {
            overlaps(case, group, job, &other.id).map_err(|reason| {
                let (repetition, part) = (job.info.repetition, &case.test.id);
                reason!(Overlap { repetition, part, other: &other.id, ..reason })
            })?;
        }
    }
    Ok(())
}

fn overlaps(case: &TestCriterion<'_>, group: &Group, job: &Job, other: &str) -> Result<(), Reason> {
    let Some(other_job) = case.index.job(other, job.info.repetition) else {
        return Err(reason!(PartMissing { .. }));
    };
    let phase = case.phase();
    let (Some(own), Some(others)) = (window::of_job(job, phase), window::of_job(other_job, phase)) else {
        return Err(reason!(PartTimeUnknown { .. }));
    };
    let shorter = own.seconds().min(others.seconds());
    let both = own.and(others).seconds();
    if both < group.overlap * shorter {
        return Err(reason!(Overlap { share: (both / shorter).max(0.0), needed: group.overlap, .. }));
    }
    Ok(())
}

/// The time in which all parts were active in a repetition; `None` if the test is not a part.
fn common(case: &TestCriterion<'_>, repetition: u32) -> Option<Span> {
    let group = &case.index.plan.groups[case.test.part?];
    let spans = case.index.plan.parts(group).map(|other| {
        let job = case.index.job(&other.id, repetition)?;
        window::of_job(job, case.phase())
    });
    let all: Vec<Span> = spans.collect::<Option<_>>()?;
    all.into_iter().reduce(Span::and)
}

/// What the phases of a job moved while all parts were active; `None` if the test is not a part, if the
/// metric is not a rate, or if the records do not contain it.
pub(crate) fn amount(case: &TestCriterion<'_>, job: &Job) -> Option<Result<WindowAmount, Reason>> {
    let span = common(case, job.info.repetition).filter(|_| case.is_rate())?;
    let mut all = WindowAmount::default();
    let mut missed = None;
    for phase in case.phases(job) {
        match window::within(phase, span)? {
            Ok(one) => {
                all.moved += one.moved;
                all.seconds += one.seconds;
            }
            // If a job has several phases, some of them may have run alone.
            Err(reason) => missed = Some(reason),
        }
    }
    let reason = missed.unwrap_or_else(|| reason!(PartNotAtWork { part: &case.test.id, .. }));
    Some(if all.seconds > 0.0 { Ok(all) } else { Err(reason) })
}

/// The rate of a part while all parts were active; `None` if the rate is that of the whole phase.
pub(super) fn rate(case: &TestCriterion<'_>, job: &Job) -> Result<Option<f64>, Reason> {
    let Some(found) = amount(case, job) else { return Ok(None) };
    let found = found.map_err(|reason| reason.with(any::repetition, job.info.repetition))?;
    let rate = found.moved / found.seconds;
    let phases: Vec<&Phase> = case.phases(job).collect();
    let (bytes, ops) = phases.iter().fold((0, 0), |sum, phase| (sum.0 + phase.bytes, sum.1 + phase.ops));
    let counts_bytes = phases.iter().any(|phase| phase.counts == Counts::Bytes);
    Ok(match (case.criterion.dimension == Dimension::BytesPerSecond) == counts_bytes {
        true => Some(rate),
        // A timeline of bytes gives transfers by their mean size.
        _ if bytes > 0 => Some(rate * ops as f64 / bytes as f64),
        _ => None,
    })
}

/// The common time of all parts in each repetition.
pub(crate) fn time_windows(case: &TestCriterion<'_>) -> Vec<TimeWindow> {
    let mut all = Vec::new();
    for job in case.jobs() {
        let (Some(span), Some(Ok(_))) = (common(case, job.info.repetition), amount(case, job)) else {
            continue;
        };
        for phase in case.phases(job) {
            let (Some(own), Some(Ok(found))) = (window::of_phase(phase), window::within(phase, span)) else {
                continue;
            };
            let timeline = phase.timeline.as_ref().map_or(0, |timeline| timeline.bytes.iter().sum::<u64>());
            let (rate, mean) = (found.moved / found.seconds, timeline as f64 / own.seconds());
            all.push(TimeWindow {
                repetition: job.info.repetition,
                phase: phase.phase.clone(),
                kind: TimeWindowKind::Common,
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
