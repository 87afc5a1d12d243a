//! Whether a rate was sustained for the required time, and its worst time window of that length.
//!
//! Never here: the threshold.

use results::folder::Job;
use results::reason::{Reason, reason};
use results::record::Phase;
use results::steady::{self, Sustained};
use results::{TimeWindow, TimeWindowKind};

use super::window;
use crate::case::TestCriterion;

/// A window at the edges of a phase may lack this many intervals.
const EDGES: f64 = 2.0;

/// Whether every repetition lasted for the required time, with every rank active.
pub(super) fn held(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let Some(needed_s) = case.test.sustained_s else { return Ok(()) };
    for (repetition, phase) in case.numbered_phases() {
        let (name, needed) = (&phase.phase, needed_s);
        let lasted = phase.spans.transfer_s;
        if lasted < needed_s {
            return Err(reason!(SustainedNotMet { repetition, phase: name, needed, lasted }));
        }
        // If all ranks have equal work, the shortest time is that of the first rank to end.
        let first_rank = phase.balance.seconds_min;
        if first_rank > 0.0 && first_rank < needed_s {
            return Err(reason!(SustainedNotMet { repetition, phase: name, needed, first_rank }));
        }
    }
    Ok(())
}

/// The rate of the worst window of a repetition.
pub(super) fn value(case: &TestCriterion<'_>, job: &Job) -> Result<f64, Reason> {
    let needed = case.test.sustained_s.unwrap_or(0.0);
    let mut worst: Option<f64> = None;
    for phase in case.phases(job) {
        let found = found(phase, needed).ok_or_else(|| {
            let interval = window::series(phase).map(|series| series.interval);
            let repetition = job.info.repetition;
            reason!(NoWholeWindow { phase: case.phase(), repetition, window: needed, interval })
        })?;
        worst = Some(worst.map_or(found.rate, |worst| worst.min(found.rate)));
    }
    worst.ok_or_else(|| case.missing(job))
}

/// The worst window of a phase; `None` without a complete window of that length, or if the intervals are
/// longer. If a phase lasted only as long as the window, all complete intervals are one window.
fn found(phase: &Phase, needed: f64) -> Option<Sustained> {
    let series = window::series(phase).filter(|series| series.interval <= needed)?;
    let lacks = needed - series.span;
    let window = if (0.0..=EDGES * series.interval).contains(&lacks) { series.span } else { needed };
    steady::sustained(&series, window)
}

/// The worst window of each repetition.
pub(crate) fn time_windows(case: &TestCriterion<'_>) -> Vec<TimeWindow> {
    let Some(needed) = case.test.sustained_s.filter(|_| !case.counts_errors()) else { return Vec::new() };
    let window = |(repetition, phase): (u32, &Phase)| {
        let Sustained { window, at, rate, share, .. } = found(phase, needed)?;
        Some(TimeWindow {
            repetition,
            phase: phase.phase.clone(),
            kind: TimeWindowKind::Worst,
            from_s: at,
            seconds: window,
            rate,
            unit: window::dimension(phase).unit().to_owned(),
            share,
        })
    };
    case.numbered_phases().filter_map(window).collect()
}
