//! The values of a group: the sum of its parts, or how they compare.
//!
//! Never here: whether the parts ran at the same time.

use measure::statistics::mean;
use plan::Group;
use results::Outcome;
use results::reason::{Reason, reason};
use results::record::{GroupValue, MetricRow, PartStatistic};
use units::Quantity;

use super::of_part;
use crate::case::{TestCriterion, measuring};
use crate::validity::{Unusable, measured, window};

/// Whether a criterion on a group compares its parts.
pub(super) fn compares(case: &TestCriterion<'_>) -> bool {
    compared(case).is_some()
}

fn compared(case: &TestCriterion<'_>) -> Option<(GroupValue, PartStatistic)> {
    MetricRow::named(case.metric())?.of_group()
}

/// The value of a group in each repetition. `cases` are its parts that yield the metric, whose values are
/// those of `measured`.
pub(crate) fn values(
    group: &Group,
    cases: &[TestCriterion<'_>],
    measured: impl Fn(&TestCriterion<'_>) -> Result<Vec<f64>, Unusable>,
) -> Result<Vec<f64>, Unusable> {
    let Some((what, statistic)) = cases.first().and_then(compared) else {
        let mut sums = vec![0.0; group.repetitions as usize];
        for case in cases {
            let values = measured(case).map_err(|unusable| of_part(case, unusable))?;
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        return Ok(sums);
    };
    let parts = parts(cases, what, measured)?;
    let all = (0..group.repetitions as usize).map(|at| {
        let values: Vec<f64> = parts.iter().filter_map(|part| part.get(at).copied()).collect();
        let metric = &cases[0].criterion.metric;
        let missing = || (Outcome::Invalid, reason!(MetricMissing { repetition: at + 1, metric }));
        let uncertain = if what == GroupValue::Starts { uncertainty_s(cases, at) } else { 0.0 };
        statistic(&values).map(|value| value + uncertain).ok_or_else(missing)
    });
    all.collect()
}

/// How much two clocks of the parts may differ in a repetition, seconds.
fn uncertainty_s(cases: &[TestCriterion<'_>], at: usize) -> f64 {
    let jobs = cases.iter().filter_map(|case| case.jobs().get(at));
    let mut each: Vec<f64> = jobs.map(|job| window::uncertainty_s(job)).collect();
    each.sort_by(|a, b| b.total_cmp(a));
    each.iter().take(2).sum()
}

/// What is compared, of each part in each repetition.
fn parts(
    cases: &[TestCriterion<'_>],
    what: GroupValue,
    measured: impl Fn(&TestCriterion<'_>) -> Result<Vec<f64>, Unusable>,
) -> Result<Vec<Vec<f64>>, Unusable> {
    let part = |case: &TestCriterion<'_>| {
        let rates = rates(case, &measured)?;
        match what {
            GroupValue::Rates => Ok(rates),
            GroupValue::Starts => {
                let start = |job| window::of_job(job, case.phase()).map(|span| span.from);
                let missing = |job| (Outcome::Invalid, case.missing(job));
                case.jobs().iter().map(|job| start(job).ok_or_else(|| missing(job))).collect()
            }
        }
    };
    cases.iter().map(|case| part(case).map_err(|unusable| of_part(case, unusable))).collect()
}

/// The usual rate of a part while all parts were active, in each repetition.
fn rates(
    case: &TestCriterion<'_>,
    measured: &impl Fn(&TestCriterion<'_>) -> Result<Vec<f64>, Unusable>,
) -> Result<Vec<f64>, Unusable> {
    let counts = case.test.line.counts().unwrap_or_default();
    let row = MetricRow::rate_of(counts);
    let criterion = measuring(&format!("{}.{}", case.phase(), row.name), row.dimension(counts));
    measured(&TestCriterion { criterion: &criterion, ..*case })
}

/// The part with the lowest rate of all repetitions, if the criterion compares rates.
pub(super) fn slowest(cases: &[TestCriterion<'_>]) -> Option<Reason> {
    let (what, _) = cases.first().and_then(compared)?;
    let parts = parts(cases, what, measured).ok().filter(|_| what == GroupValue::Rates)?;
    let all = cases.iter().zip(&parts).flat_map(|(case, rates)| {
        (1_u32..).zip(rates).map(move |(repetition, rate)| (*rate, repetition, case))
    });
    let (rate, repetition, case) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let at = repetition as usize - 1;
    let mean = mean(&parts.iter().filter_map(|rates| rates.get(at).copied()).collect::<Vec<f64>>())?;
    let counts = case.test.line.counts().unwrap_or_default();
    let dimension = MetricRow::rate_of(counts).dimension(counts);
    let [value, mean] = [rate, mean].map(|value| Quantity { value, dimension });
    let (phase, part) = (case.phase(), &case.test.id);
    Some(reason!(SlowestPart { phase, repetition, part, n: cases.len(), value, mean }))
}
