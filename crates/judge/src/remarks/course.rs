//! The order of the repetitions, the warm-up before them, and the time windows of rates.
//!
//! Never here: outcomes.

use plan::Comparison;
use results::folder::JobEnd;
use results::reason::{Code, Datum, Reason};
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
    let reason = Reason::new(Code::DependentRepetitions).with("lag_one", found.lag_one);
    let reason = reason.with("p", found.chance).with("n", values.len());
    Some(if case.criterion.stat.row().neighbours == AlikeNeighbours::Widen {
        reason.with("widened", true)
    } else {
        reason
    })
}

/// A repetition that is far worse than the others. The first one has a warning of its own.
fn stalled(case: &TestCriterion<'_>, values: &[f64]) -> Option<Reason> {
    let below = matches!(case.criterion.op, Comparison::AtLeast | Comparison::Above);
    let found = statistics::farthest(values, below)?;
    let worse = if below { 1.0 - found.ratio } else { found.ratio - 1.0 };
    if found.chance > CHANCE || worse <= STALLED || found.at == 0 && first(case, values).is_some() {
        return None;
    }
    let reason = Reason::new(Code::StalledRepetition).with("repetition", found.at + 1);
    let reason = reason.with("share", Datum::share(found.ratio)).with("others", values.len() - 1);
    Some(reason.with("p", found.chance))
}

fn first(case: &TestCriterion<'_>, values: &[f64]) -> Option<Reason> {
    let first = statistics::first(values)?;
    if first.chance > CHANCE || (first.ratio - 1.0).abs() <= SHARE {
        return None;
    }
    let reason = Reason::new(Code::FirstDiffers).with("share", Datum::share(first.ratio));
    let reason = reason.with("others", values.len() - 1);
    let may_warm_up = case.test.course.warm_up == 0 && case.test.part.is_none();
    Some(if may_warm_up { reason.with("no_warm_up", true) } else { reason })
}

fn trend(case: &TestCriterion<'_>, values: &[f64]) -> Option<Reason> {
    let trend = statistics::trend(values)?;
    if trend.chance > CHANCE || trend.share.abs() <= SHARE {
        return None;
    }
    let reason = Reason::new(Code::Trend).with("metric", &case.criterion.metric);
    let reason = reason.with("change", Datum::share(trend.share)).with("n", values.len());
    Some(reason.with("p", trend.chance))
}

/// The warm-up before the repetitions, which is excluded.
pub(super) fn warm_up(case: &TestCriterion<'_>) -> Option<Reason> {
    let planned = Some(case.test.course.warm_up).filter(|planned| *planned > 0)?;
    let jobs = case.index.jobs(&case.test.warm_up_job());
    let folders: Vec<&String> = jobs.iter().map(|job| &job.folder).collect();
    let reason = Reason::new(Code::WarmUp).with("ran", jobs.len());
    let reason = if folders.is_empty() { reason } else { reason.with("folders", folders) };
    let reason = reason.with_some("planned", (jobs.len() < planned as usize).then_some(planned));
    let failed = jobs.iter().find(|job| job.info.end != JobEnd::Exit(0));
    Some(reason.with_some("failed", failed.map(|job| job.info.end.reason().with("job", &job.folder))))
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
    let of = |code| Reason::new(code).with("phase", &first.phase).with("window", Datum::seconds(needed));
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
        all.warn(of(Code::FewTransfers).with(if operations { "operations" } else { "transfers" }, few));
    }
    let intervals = phases.iter().filter_map(|phase| window::series(phase)).map(|series| series.interval);
    let coarsest = intervals.fold(0.0, f64::max);
    if coarsest > needed / INTERVALS {
        all.warn(of(Code::CoarseTimeline).with("interval", Datum::seconds(coarsest)));
    }
    all
}

fn worst_window(phase: &Phase, worst: &TimeWindow) -> Reason {
    let dimension: Dimension = window::dimension(phase);
    let reason = Reason::new(Code::WorstWindow).with("phase", &phase.phase);
    let reason = reason.with("window", Datum::seconds(worst.seconds)).with("repetition", worst.repetition);
    let reason = reason.with("rate", Quantity { value: worst.rate, dimension });
    reason.with("share", Datum::share(worst.share)).with("from", Datum::seconds(worst.from_s))
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
            let reason = Reason::new(Code::CommonWindow).with("phase", case.phase());
            let reason =
                reason.with("window", Datum::seconds(one.seconds)).with("repetition", one.repetition);
            all.note(reason.with("share", Datum::share(one.share)));
        }
        None => all.warn(Reason::new(Code::CommonWindowUnknown).with("phase", case.phase())),
    }
    all
}

/// The time after which the slowest repetition was steady.
pub(super) fn steady(case: &TestCriterion<'_>) -> Option<Reason> {
    let rule = case.test.course.steady.as_ref()?;
    let phases = case.all_phases();
    let reached = phases.iter().filter_map(|phase| steadiness::measured(phase, rule).ok().map(|(at, _)| at));
    let last = reached.max_by(f64::total_cmp)?;
    let reason = Reason::new(Code::SteadyFrom).with("phase", &phases[0].phase);
    Some(reason.with("window", Datum::seconds(rule.window)).with("after", Datum::seconds(last)))
}
