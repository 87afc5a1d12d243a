//! Whether the rate of a repetition became steady and stayed so, and its steady rate.
//!
//! Never here: the threshold.

use results::folder::Job;
use results::reason::{Code, Datum, Reason};
use results::record::Phase;
use results::steady::{self, Steadiness, SteadyRule, SteadyState, SteadyWindow};
use results::{TimeWindow, TimeWindowKind};

use super::window;
use crate::case::TestCriterion;

/// Whether every repetition became steady in time and stayed steady while it was measured.
pub(super) fn reached(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let Some(rule) = &case.test.course.steady else { return Ok(()) };
    case.numbered_phases().try_for_each(|(repetition, phase)| {
        measured(phase, rule).map(drop).map_err(|reason| reason.with("repetition", repetition))
    })
}

/// The rate in the steady window of a repetition. If a job has several repetitions, it is their mean.
pub(super) fn value(case: &TestCriterion<'_>, job: &Job) -> Result<f64, Reason> {
    let missing = || case.missing(job);
    let rule = case.test.course.steady.as_ref().ok_or_else(missing)?;
    let rates: Result<Vec<f64>, Reason> =
        case.phases(job).map(|phase| measured(phase, rule).map(|(_, found)| found.rate)).collect();
    let rates = rates.map_err(|reason| reason.with("repetition", job.info.repetition))?;
    results::statistics::mean(&rates).ok_or_else(missing)
}

/// The time after which the phase was steady, and the measured window; or why it was not steady.
pub(crate) fn measured(phase: &Phase, rule: &SteadyRule) -> Result<(f64, SteadyWindow), Reason> {
    let of = |reason: Reason| Err(reason.with("phase", &phase.phase));
    let Some(series) = window::series(phase) else { return of(Reason::new(Code::NoSteadyState)) };
    let found = steady::steady(&series, rule);
    match (found.state, found.seen, found.measured) {
        (SteadyState::Steady, Some(seen), Some(measured)) => Ok((seen.end, measured)),
        _ => of(not_steady(&found, rule, series.span)),
    }
}

/// Why a run was not steady.
fn not_steady(found: &Steadiness, rule: &SteadyRule, span: f64) -> Reason {
    let within = Datum::seconds(rule.within.unwrap_or(span).min(span));
    let reason = Reason::new(Code::NoSteadyState).with("window", Datum::seconds(found.window));
    let Some(seen) = found.seen else { return reason.with("within", within) };
    let measured = Datum::seconds(rule.measured);
    match found.state {
        SteadyState::NotReached => reason
            .with("within", within)
            .with("until", Datum::seconds(seen.end))
            .with("slope", Datum::share(seen.slope))
            .with("slope_max", Datum::share(rule.slope))
            .with("range", Datum::share(seen.range))
            .with("range_max", Datum::share(rule.range)),
        SteadyState::Left => reason
            .with("steady_after", Datum::seconds(seen.end))
            .with("left_after", Datum::seconds(found.left.unwrap_or(span)))
            .with("measured", measured),
        SteadyState::Unmeasured | SteadyState::Steady => {
            reason.with("steady_after", Datum::seconds(seen.end)).with("measured", measured)
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
