//! Whether a rate held as long as it has to, and what the worst stretch of that length was.
//!
//! Never here: the threshold.

use results::folder::Job;
use results::record::{Counts, Phase};
use results::steady::{self, Sustained};
use results::{Stretch, StretchKind};
use units::duration;

use super::warnings::Told;
use super::{Case, window};

/// A window has at least so many intervals, and transfers or operations of each rank, or its edges decide
/// what is in it.
const INTERVALS: f64 = 10.0;

/// A worst window below this share of the mean speaks against the mean.
const EVEN: f64 = 0.9;

/// So many intervals may lack of a window at the edges of a phase.
const EDGES: f64 = 2.0;

/// Whether every repetition lasted as long as the rate has to hold, with every rank at work.
pub(super) fn held(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    let Some(needed_s) = case.test.sustained_s else { return Ok(()) };
    for (repetition, phase) in
        jobs.iter().flat_map(|job| case.phases(job).map(|phase| (job.info.repetition, phase)))
    {
        let (name, needed) = (&phase.phase, duration(needed_s));
        if phase.spans.transfer_s < needed_s {
            let lasted = duration(phase.spans.transfer_s);
            return Err(format!("repetition {repetition}: {name} lasted {lasted}, and has to hold {needed}"));
        }
        // Where all ranks did the same amount, the shortest time is that of the first that was done.
        let first_s = phase.balance.seconds_min;
        if first_s > 0.0 && first_s < needed_s {
            let first = duration(first_s);
            return Err(format!(
                "repetition {repetition}: {name}: a rank was done after {first}, and all have to hold \
                 {needed}"
            ));
        }
    }
    Ok(())
}

/// The rate of the worst window of a repetition.
pub(super) fn value(case: &Case<'_>, job: &Job) -> Result<f64, String> {
    let (repetition, name) = (job.info.repetition, case.metric().0);
    let needed = case.test.sustained_s.unwrap_or(0.0);
    let mut worst: Option<f64> = None;
    for phase in case.phases(job) {
        let found = found(phase, needed).ok_or_else(|| {
            let (window, interval) = (duration(needed), window::series(phase).map(|series| series.interval));
            let interval = interval.map_or("none".to_owned(), |s| format!("intervals of {}", duration(s)));
            format!(
                "repetition {repetition}: {name} has no whole window of {window} in its timeline ({interval})"
            )
        })?;
        worst = Some(worst.map_or(found.rate, |worst| worst.min(found.rate)));
    }
    worst.ok_or_else(|| format!("repetition {repetition} recorded no {}", case.criterion.metric))
}

/// The worst window of a phase; `None` where none of that length is whole, or the intervals are longer. Of a
/// phase that lasted no longer than the window all whole intervals are one.
fn found(phase: &Phase, needed: f64) -> Option<Sustained> {
    let series = window::series(phase).filter(|series| series.interval <= needed)?;
    let lacks = needed - series.span;
    let window = if (0.0..=EDGES * series.interval).contains(&lacks) { series.span } else { needed };
    steady::sustained(&series, window)
}

/// The worst window of each repetition.
pub(super) fn stretches(case: &Case<'_>, jobs: &[&Job]) -> Vec<Stretch> {
    let Some(needed) = case.test.sustained_s.filter(|_| !case.counts_errors()) else { return Vec::new() };
    let all = jobs.iter().flat_map(|job| case.phases(job).map(|phase| (job.info.repetition, phase)));
    let stretch = |(repetition, phase): (u32, &Phase)| {
        let Sustained { window, at, rate, share, .. } = found(phase, needed)?;
        Some(Stretch {
            repetition,
            phase: phase.phase.clone(),
            kind: StretchKind::Worst,
            from_s: at,
            seconds: window,
            rate,
            unit: window::dimension(phase).unit().to_owned(),
            share,
        })
    };
    all.filter_map(stretch).collect()
}

/// How many transfers or operations a rank ends in so much time, in the repetition in which it is fewest.
fn ended(phases: &[&Phase], seconds: f64) -> Option<f64> {
    phases.iter().filter_map(|phase| Some(seconds / phase.apart_s()?)).min_by(f64::total_cmp)
}

/// The worst window of all repetitions against its mean, and what keeps it from being told well.
pub(super) fn told(case: &Case<'_>, jobs: &[&Job]) -> Told {
    let mut all = Told::default();
    let Some(needed) = case.test.sustained_s else { return all };
    let phases: Vec<&Phase> = jobs.iter().flat_map(|job| case.phases(job)).collect();
    let Some(first) = phases.first() else { return all };
    let (name, wanted) = (&first.phase, duration(needed));
    let worst = stretches(case, jobs).into_iter().min_by(|a, b| a.share.total_cmp(&b.share));
    match worst {
        None => all.warnings.push(format!("{name}: no timeline tells what the worst {wanted} were")),
        Some(worst) => {
            let kind = if worst.share < EVEN { &mut all.warnings } else { &mut all.notes };
            kind.push(format!(
                "{name}: the worst {} of repetition {} ran at {}, {:.0} % of its mean (from {} on)",
                duration(worst.seconds),
                worst.repetition,
                window::shown(first, worst.rate),
                worst.share * 100.0,
                duration(worst.from_s)
            ));
        }
    }
    if let Some(few) = ended(&phases, needed).filter(|few| *few < INTERVALS) {
        let what = if first.counts == Counts::Operations { "operations" } else { "transfers" };
        all.warnings.push(format!(
            "{name}: {wanted} hold {few:.1} {what} of a rank, each of which counts when it ends, so the \
             worst may be told too low"
        ));
    }
    let intervals = phases.iter().filter_map(|phase| window::series(phase)).map(|series| series.interval);
    let coarsest = intervals.fold(0.0, f64::max);
    if coarsest > needed / INTERVALS {
        all.warnings.push(format!(
            "{name}: the timeline has intervals of {}, coarse for windows of {wanted}",
            duration(coarsest)
        ));
    }
    all
}
