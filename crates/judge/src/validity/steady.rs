//! Whether the rate of a repetition became steady and stayed so, and its steady rate.
//!
//! Never here: the threshold.

use results::folder::Job;
use results::reason::{Code, Reason, any, reason};
use results::record::Phase;
use results::steady::{self, Steadiness, SteadyRule, SteadyState, SteadyWindow};
use results::{Outcome, TimeWindow, TimeWindowKind};

use super::{Unusable, window};
use crate::case::TestCriterion;

/// Whether every repetition became steady in time and stayed steady while it was measured. A repetition that
/// clearly did not comes before one that varies too much to know.
pub(super) fn reached(case: &TestCriterion<'_>) -> Result<(), Unusable> {
    let Some(rule) = &case.test.course.steady else { return Ok(()) };
    let not_steady = |(repetition, phase): (u32, &Phase)| {
        let reason = measured(phase, rule).err()?.with(any::repetition, repetition);
        let unclear = reason.code == Code::SteadyUnclear;
        Some((if unclear { Outcome::Inconclusive } else { Outcome::Invalid }, reason))
    };
    let all: Vec<Unusable> = case.numbered_phases().filter_map(not_steady).collect();
    let worst = all.iter().position(|one| one.0 == Outcome::Invalid).unwrap_or(0);
    all.into_iter().nth(worst).map_or(Ok(()), Err)
}

/// The rate in the steady window of a repetition. If a job has several repetitions, it is their mean.
pub(super) fn value(case: &TestCriterion<'_>, job: &Job) -> Result<f64, Reason> {
    let missing = || case.missing(job);
    let rule = case.test.course.steady.as_ref().ok_or_else(missing)?;
    let rates: Result<Vec<f64>, Reason> =
        case.phases(job).map(|phase| measured(phase, rule).map(|(_, found)| found.rate)).collect();
    let rates = rates.map_err(|reason| reason.with(any::repetition, job.info.repetition))?;
    results::statistics::mean(&rates).ok_or_else(missing)
}

/// The time after which the phase was steady, and the measured window; or why it was not steady.
pub(crate) fn measured(phase: &Phase, rule: &SteadyRule) -> Result<(f64, SteadyWindow), Reason> {
    let of = |reason: Reason| Err(reason.with(any::phase, &phase.phase));
    let Some(series) = window::series(phase) else { return of(reason!(NoSteadyState { .. })) };
    let found = steady::steady(&series, rule);
    match (found.state, found.seen, found.measured) {
        (SteadyState::Steady, Some(seen), Some(measured)) if found.clear => Ok((seen.end, measured)),
        _ if !found.clear => of(unclear(&found, rule, series.span)),
        _ => of(not_steady(&found, rule, series.span)),
    }
}

/// What a run varied by, so that it is not known whether it was steady.
fn unclear(found: &Steadiness, rule: &SteadyRule, span: f64) -> Reason {
    let reason =
        reason!(SteadyUnclear { window: found.window, slope_max: rule.slope, range_max: rule.range, .. });
    let Some(trend) = found.trend else {
        let within = rule.within.unwrap_or(span).min(span);
        let (slope, range) = found.seen.map_or((0.0, 0.0), |seen| (seen.slope, seen.range));
        return reason!(SteadyUnclear { within, slope, range, ..reason });
    };
    reason!(SteadyUnclear {
        left_after: found.left,
        time: trend.seconds,
        slope: trend.slope,
        slope_error: trend.uncertainty,
        ..reason
    })
}

/// Why a run was not steady.
fn not_steady(found: &Steadiness, rule: &SteadyRule, span: f64) -> Reason {
    let within = rule.within.unwrap_or(span).min(span);
    let Some(seen) = found.seen else { return reason!(NoSteadyState { window: found.window, within, .. }) };
    let measured = rule.measured;
    match found.state {
        SteadyState::NotReached => reason!(NoSteadyState {
            window: found.window,
            within,
            until: seen.end,
            slope: seen.slope,
            slope_max: rule.slope,
            range: seen.range,
            range_max: rule.range,
            ..
        }),
        SteadyState::Left => {
            let trend = found.trend.filter(|trend| trend.slope.abs() > rule.slope);
            reason!(NoSteadyState {
                window: found.window,
                steady_after: seen.end,
                left_after: found.left.unwrap_or(span),
                measured,
                slope_max: rule.slope,
                time: trend.map(|trend| trend.seconds),
                slope: trend.map(|trend| trend.slope),
                ..
            })
        }
        SteadyState::Unmeasured | SteadyState::Steady => {
            reason!(NoSteadyState { window: found.window, steady_after: seen.end, measured, .. })
        }
    }
}

/// The steady window of each repetition.
pub(crate) fn time_windows(case: &TestCriterion<'_>) -> Vec<TimeWindow> {
    let Some(rule) = case.test.course.steady.filter(|_| !case.counts_errors()) else { return Vec::new() };
    let window = |(repetition, phase): (u32, &Phase)| {
        let (_, SteadyWindow { from, to, rate }) = measured(phase, &rule).ok()?;
        let series = window::series(phase)?;
        let mean = series.moved.iter().map(|moved| *moved as f64).sum::<f64>()
            / (series.moved.len() as f64 * series.interval);
        Some(TimeWindow {
            repetition,
            phase: phase.phase.clone(),
            kind: TimeWindowKind::Steady,
            from_s: from,
            seconds: to - from,
            rate,
            unit: window::dimension(phase).unit().to_owned(),
            share: if mean > 0.0 { rate / mean } else { 1.0 },
        })
    };
    case.numbered_phases().filter_map(window).collect()
}
