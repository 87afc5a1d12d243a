//! Whether the rate of a repetition became steady and stayed so, and what it was then.
//!
//! Never here: the threshold.

use results::folder::Job;
use results::record::Phase;
use results::steady::{self, Measured, Steadiness, SteadyRule, SteadyState};
use results::{Stretch, StretchKind};
use units::duration;

use super::{Case, window};

/// Whether every repetition became steady in time and stayed so while it was measured.
pub(super) fn reached(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    let Some(rule) = &case.test.course.steady else { return Ok(()) };
    for job in jobs {
        for phase in case.phases(job) {
            measured(phase, rule).map_err(|why| format!("repetition {}: {why}", job.info.repetition))?;
        }
    }
    Ok(())
}

/// The rate in the steady stretch of a repetition, the mean of several in one launch.
pub(super) fn value(case: &Case<'_>, job: &Job) -> Result<f64, String> {
    let repetition = job.info.repetition;
    let missing = || format!("repetition {repetition} recorded no {}", case.criterion.metric);
    let rule = case.test.course.steady.as_ref().ok_or_else(missing)?;
    let rates: Result<Vec<f64>, String> =
        case.phases(job).map(|phase| measured(phase, rule).map(|(_, found)| found.rate)).collect();
    let rates = rates.map_err(|why| format!("repetition {repetition}: {why}"))?;
    results::statistics::mean(&rates).ok_or_else(missing)
}

/// Whether the phase became steady in time and stayed so while it was measured.
pub(crate) fn is_steady(phase: &Phase, rule: &SteadyRule) -> bool {
    measured(phase, rule).is_ok()
}

/// When the phase had become steady, and the stretch that was measured then; or what it was instead.
fn measured(phase: &Phase, rule: &SteadyRule) -> Result<(f64, Measured), String> {
    let name = &phase.phase;
    let Some(series) = window::series(phase) else {
        return Err(format!("{name} has no timeline that tells whether it was steady"));
    };
    let found = steady::steady(&series, rule);
    match (found.state, found.seen, found.measured) {
        (SteadyState::Steady, Some(seen), Some(measured)) => Ok((seen.end, measured)),
        _ => Err(format!("{name} {}", instead(&found, rule, series.span))),
    }
}

/// What a run that is no steady one was.
fn instead(found: &Steadiness, rule: &SteadyRule, span: f64) -> String {
    let (window, measured) = (duration(found.window), duration(rule.measured));
    let within = duration(rule.within.unwrap_or(span).min(span));
    let Some(seen) = found.seen else {
        return format!(
            "has no whole window of {window} within {within}, so nothing tells whether it was steady"
        );
    };
    let at = duration(seen.end);
    match found.state {
        SteadyState::NotReached => format!(
            "had not become steady within {within}: the window of {window} until {at} changed by {:+.1} \
             % from end to end ({:.0} % are allowed) and varied by {:.1} % ({:.0} %)",
            seen.slope * 100.0,
            rule.slope * 100.0,
            seen.range * 100.0,
            rule.range * 100.0
        ),
        SteadyState::Left => format!(
            "had become steady after {at}, and was not any more after {}, before {measured} of it were \
             measured",
            duration(found.left.unwrap_or(span))
        ),
        SteadyState::Unmeasured | SteadyState::Steady => {
            format!("had become steady after {at}, and ended before {measured} of that were measured")
        }
    }
}

/// The steady stretch of each repetition.
pub(super) fn stretches(case: &Case<'_>, jobs: &[&Job]) -> Vec<Stretch> {
    let Some(rule) = case.test.course.steady.filter(|_| !case.counts_errors()) else { return Vec::new() };
    let all = jobs.iter().flat_map(|job| case.phases(job).map(|phase| (job.info.repetition, phase)));
    let stretch = |(repetition, phase): (u32, &Phase)| {
        let (_, Measured { from, to, rate }) = measured(phase, &rule).ok()?;
        let series = window::series(phase)?;
        let mean = series.moved.iter().map(|moved| *moved as f64).sum::<f64>()
            / (series.moved.len() as f64 * series.interval);
        Some(Stretch {
            repetition,
            phase: phase.phase.clone(),
            kind: StretchKind::Steady,
            from_s: from,
            seconds: to - from,
            rate,
            unit: window::dimension(phase).unit().to_owned(),
            share: if mean > 0.0 { rate / mean } else { 1.0 },
        })
    };
    all.filter_map(stretch).collect()
}

/// When the repetition that took longest had become steady.
pub(super) fn told(case: &Case<'_>, jobs: &[&Job]) -> Option<String> {
    let rule = case.test.course.steady.as_ref()?;
    let phases: Vec<&Phase> = jobs.iter().flat_map(|job| case.phases(job)).collect();
    let reached = phases.iter().filter_map(|phase| measured(phase, rule).ok().map(|(at, _)| at));
    let last = reached.max_by(f64::total_cmp)?;
    let (name, window, at) = (&phases[0].phase, duration(rule.window), duration(last));
    Some(format!("{name}: steady by windows of {window}, in every repetition after {at} at the latest"))
}
