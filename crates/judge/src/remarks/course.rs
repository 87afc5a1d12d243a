//! The order of the repetitions, the warm-up before them, and the time windows of rates.
//!
//! Never here: outcomes.

use plan::Comparison;
use results::folder::JobEnd;
use results::reason::{Code, Reason, any, reason, row};
use results::record::{Counts, Phase};
use results::statistics::{self, AlikeNeighbours};
use results::{Statistics, TimeWindow};
use units::{Dimension, Quantity};

use crate::case::TestCriterion;
use crate::clients::Remarks;
use crate::validity::{at_once as together, steady as steadiness, sustained as windows, window};

/// Above this probability the order may be chance.
const CHANCE: f64 = 0.05;
/// Smaller changes, as a share, do not matter.
const SHARE: f64 = 0.05;
/// A repetition that is worse than the others by less, as a share, did not stall.
const STALLED: f64 = 0.1;
/// The minimum number of intervals in a window, and of transfers or operations of each rank. With fewer, the
/// edges of the window decide its contents.
const INTERVALS: f64 = 10.0;
/// A worst window below this share of the mean is a warning.
const EVEN: f64 = 0.9;

/// Warnings about the order of the values. The first one differs, they fall or rise, neighbours are alike, or
/// one is far worse than the others.
pub(crate) fn order(case: &TestCriterion<'_>, statistics: Option<&Statistics>) -> Vec<Reason> {
    let values = statistics.map_or(&[][..], |statistics| &statistics.values);
    let all = [first(case, values), trend(case, values), dependent(case, values), stalled(case, values)];
    all.into_iter().flatten().collect()
}

fn dependent(case: &TestCriterion<'_>, values: &[f64]) -> Option<Reason> {
    let found = statistics::significant_dependence(values)?;
    let is_widened = case.criterion.stat.row().neighbours == AlikeNeighbours::Widen;
    Some(reason!(DependentRepetitions {
        lag_one: found.lag_one,
        p: found.chance,
        n: values.len(),
        widened: is_widened.then_some(true),
    }))
}

/// A repetition that is far worse than the others. The first one has a warning of its own.
fn stalled(case: &TestCriterion<'_>, values: &[f64]) -> Option<Reason> {
    let below = matches!(case.criterion.op, Comparison::AtLeast | Comparison::Above);
    let found = statistics::farthest(values, below)?;
    let worse = if below { 1.0 - found.ratio } else { found.ratio - 1.0 };
    if found.chance > CHANCE || worse <= STALLED || found.at == 0 && first(case, values).is_some() {
        return None;
    }
    Some(reason!(StalledRepetition {
        repetition: found.at + 1,
        share: found.ratio,
        others: values.len() - 1,
        p: found.chance
    }))
}

fn first(case: &TestCriterion<'_>, values: &[f64]) -> Option<Reason> {
    let first = statistics::first(values)?;
    if first.chance > CHANCE || (first.ratio - 1.0).abs() <= SHARE {
        return None;
    }
    let may_warm_up = case.test.course.warm_up == 0 && case.test.part.is_none();
    let no_warm_up = may_warm_up.then_some(true);
    Some(reason!(FirstDiffers { share: first.ratio, others: values.len() - 1, no_warm_up }))
}

fn trend(case: &TestCriterion<'_>, values: &[f64]) -> Option<Reason> {
    let trend = statistics::trend(values)?;
    if trend.chance > CHANCE || trend.share.abs() <= SHARE {
        return None;
    }
    Some(reason!(Trend {
        metric: &case.criterion.metric,
        change: trend.share,
        n: values.len(),
        p: trend.chance
    }))
}

/// The warm-up before the repetitions, which is excluded.
pub(super) fn warm_up(case: &TestCriterion<'_>) -> Option<Reason> {
    let planned = Some(case.test.course.warm_up).filter(|planned| *planned > 0)?;
    let jobs = case.index.jobs(&case.test.warm_up_job());
    let folders: Vec<&String> = jobs.iter().map(|job| &job.folder).collect();
    let failed = jobs.iter().find(|job| job.info.end != JobEnd::Exit(0));
    Some(reason!(WarmUp {
        ran: jobs.len(),
        planned: (jobs.len() < planned as usize).then_some(planned),
        folders: Some(folders).filter(|folders| !folders.is_empty()),
        failed: failed.map(|job| job.info.end.reason().with(any::job, &job.folder)),
    }))
}

/// The number of transfers or operations that a rank ends in this time, in the repetition with the fewest.
fn ended(phases: &[&Phase], seconds: f64) -> Option<f64> {
    phases.iter().filter_map(|phase| Some(seconds / phase.apart_s()?)).min_by(f64::total_cmp)
}

/// The worst window of all repetitions relative to its mean, and what makes it uncertain.
pub(super) fn sustained(case: &TestCriterion<'_>) -> Remarks {
    let mut all = Remarks::default();
    let (Some(needed), phases) = (case.test.sustained_s, case.all_phases()) else { return all };
    let Some(first) = phases.first() else { return all };
    let of = |code| reason!(WorstWindowUnknown { phase: &first.phase, window: needed, ..Reason::new(code) });
    let worst = windows::time_windows(case).into_iter().min_by(|a, b| a.share.total_cmp(&b.share));
    match worst {
        None => all.warn(of(Code::WorstWindowUnknown)),
        Some(worst) => {
            let even = worst.share >= EVEN;
            let reason = worst_window(first, &worst);
            if even { all.note(reason) } else { all.warn(reason) }
        }
    }
    if let Some(few) = ended(&phases, needed).filter(|few| *few < INTERVALS) {
        let operations = first.counts == Counts::Operations;
        let field = if operations { row::FewTransfers::operations } else { row::FewTransfers::transfers };
        all.warn(of(Code::FewTransfers).with(field, few));
    }
    let intervals = phases.iter().filter_map(|phase| window::series(phase)).map(|series| series.interval);
    let coarsest = intervals.fold(0.0, f64::max);
    if coarsest > needed / INTERVALS {
        all.warn(reason!(CoarseTimeline { interval: coarsest, ..of(Code::CoarseTimeline) }));
    }
    all
}

fn worst_window(phase: &Phase, worst: &TimeWindow) -> Reason {
    let dimension: Dimension = window::dimension(phase);
    reason!(WorstWindow {
        phase: &phase.phase,
        window: worst.seconds,
        repetition: worst.repetition,
        rate: Quantity { value: worst.rate, dimension },
        share: worst.share,
        from: worst.from_s
    })
}

/// The time window of the rate of a part.
pub(super) fn at_once(case: &TestCriterion<'_>) -> Remarks {
    let mut all = Remarks::default();
    if case.test.part.is_none() || !case.is_rate() {
        return all;
    }
    let shortest = together::time_windows(case).into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
    match shortest {
        Some(one) => {
            all.note(reason!(CommonWindow {
                phase: case.phase(),
                window: one.seconds,
                repetition: one.repetition,
                share: one.share
            }));
        }
        None => all.warn(reason!(CommonWindowUnknown { phase: case.phase() })),
    }
    all
}

/// The time after which the slowest repetition was steady.
pub(super) fn steady(case: &TestCriterion<'_>) -> Option<Reason> {
    let rule = case.test.course.steady.as_ref()?;
    let phases = case.all_phases();
    let reached = phases.iter().filter_map(|phase| steadiness::measured(phase, rule).ok().map(|(at, _)| at));
    let last = reached.max_by(f64::total_cmp)?;
    Some(reason!(SteadyFrom { phase: &phases[0].phase, window: rule.window, after: last }))
}
