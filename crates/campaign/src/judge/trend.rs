//! What the order and the sizes of repetitions say: that the first was another, that they fall or rise, that
//! their mean is above what was done in all that time, and what ran before them.
//!
//! Never here: outcomes.

use results::Statistics;
use results::folder::{Job, JobEnd};
use results::record::Phase;
use results::statistics::{self, Moved};
use units::{Dimension, Quantity, several};

use super::{Case, window};
use plan::Stat;

/// The chance above which an order may mean nothing.
const CHANCE: f64 = 0.05;
/// Changes below this share are nobody's concern.
const SHARE: f64 = 0.05;
/// Share by which the mean of rates and the rate of all may differ.
const HARMONIC: f64 = 0.01;

/// What is to be said of the repetitions of a criterion.
pub(super) fn told(case: &Case<'_>, jobs: &[&Job], statistics: Option<&Statistics>) -> Vec<String> {
    let order = of_values(case, statistics);
    order.into_iter().chain([harmonic(case, jobs), warm_up(case)].into_iter().flatten()).collect()
}

/// What the order of the values says.
pub(super) fn of_values(case: &Case<'_>, statistics: Option<&Statistics>) -> Vec<String> {
    let values = statistics.map_or(&[][..], |statistics| &statistics.values);
    [first(case, values), trend(case, values)].into_iter().flatten().collect()
}

fn first(case: &Case<'_>, values: &[f64]) -> Option<String> {
    let first = statistics::first(values)?;
    if first.chance > CHANCE || (first.ratio - 1.0).abs() <= SHARE {
        return None;
    }
    let (percent, others) = (first.ratio * 100.0, values.len() - 1);
    let remedy = match case.test.course.warm_up {
        0 if case.test.part.is_none() => "; `warm_up = 1` runs one before that does not count",
        _ => "",
    };
    Some(format!(
        "repetition 1 was at {percent:.0} % of the mean of the {others} others, and it counts{remedy}"
    ))
}

fn trend(case: &Case<'_>, values: &[f64]) -> Option<String> {
    let trend = statistics::trend(values)?;
    if trend.chance > CHANCE || trend.share.abs() <= SHARE {
        return None;
    }
    let (n, how) = (values.len(), if trend.share < 0.0 { "fell" } else { "rose" });
    let (percent, chance) = (trend.share.abs() * 100.0, trend.chance * 100.0);
    Some(format!(
        "{} {how} by {percent:.0} % over the {n} repetitions; by chance alone that has {chance:.1} %",
        case.criterion.metric
    ))
}

/// The rate of all repetitions together, where each moved the same amount and their mean is another.
fn harmonic(case: &Case<'_>, jobs: &[&Job]) -> Option<String> {
    let name = case.metric().1;
    let meant = case.criterion.stat == Stat::Mean && window::is_rate(case) && case.test.part.is_none();
    let phases: Vec<&Phase> = jobs.iter().flat_map(|job| case.phases(job)).collect();
    let fixed = phases.windows(2).all(|pair| (pair[0].bytes, pair[0].ops) == (pair[1].bytes, pair[1].ops));
    let timed = phases.iter().any(|phase| phase.stonewall.is_some() || phase.window.is_some());
    if !meant || !fixed || timed || phases.len() < 2 {
        return None;
    }
    let moved = |phase: &&Phase| match name {
        "bw" => Moved { amount: phase.bytes as f64, seconds: phase.spans.total_s },
        "iops" => Moved { amount: phase.ops as f64, seconds: phase.spans.transfer_s },
        _ => Moved { amount: phase.ops as f64, seconds: phase.spans.total_s },
    };
    let rates: Vec<f64> =
        phases.iter().filter_map(|phase| phase.metric(name)).map(|metric| metric.value).collect();
    let (mean, whole) =
        (statistics::mean(&rates)?, statistics::total_rate(&phases.iter().map(moved).collect::<Vec<_>>())?);
    let dimension = if name == "bw" { Dimension::BytesPerSecond } else { Dimension::PerSecond };
    let shown = |value| Quantity { value, dimension }.to_string();
    (mean > whole * (1.0 + HARMONIC)).then(|| {
        format!(
            "each repetition moved the same amount: all of them over all their time are {}, and the mean of \
             their rates is {}, {:.1} % more",
            shown(whole),
            shown(mean),
            (mean / whole - 1.0) * 100.0
        )
    })
}

/// What ran before the repetitions and counts for nothing.
fn warm_up(case: &Case<'_>) -> Option<String> {
    let planned = case.test.course.warm_up;
    if planned == 0 {
        return None;
    }
    let name = case.test.warm_up_job();
    let jobs: Vec<&Job> = case.campaign.jobs.iter().filter(|job| job.info.test == name).collect();
    let folders: Vec<&str> = jobs.iter().map(|job| job.folder.as_str()).collect();
    let failed = jobs.iter().find(|job| job.info.end != JobEnd::Exit(0));
    let failed = failed.map_or(String::new(), |job| format!("; one {}", job.info.end.words()));
    let ran = jobs.len() as u64;
    let wanted = if ran < u64::from(planned) { format!(" of {planned}") } else { String::new() };
    let listed = if folders.is_empty() { String::new() } else { format!(": {}", folders.join(", ")) };
    let verb = if ran == 1 { "counts" } else { "count" };
    Some(format!(
        "{}{wanted} ran before the repetitions and {verb} for nothing{listed}{failed}",
        several(ran, "warm-up")
    ))
}
