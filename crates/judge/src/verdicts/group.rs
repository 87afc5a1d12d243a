//! The values of a group: the sum of its parts, or how they compare.
//!
//! Never here: whether the parts ran at the same time.

use plan::{Group, Test};
use results::Outcome;
use results::reason::{Reason, reason};
use results::record::{GroupValue, MetricRow, PartStatistic};
use units::Quantity;

use super::of_part;
use crate::case::{TestCriterion, measuring_of};
use crate::remarks::{Slowest, slowest_part};
use crate::validity::{Unusable, window};

/// Whether a criterion on a group compares its parts.
pub(super) fn compares(case: &TestCriterion<'_>) -> bool {
    compared(case).is_some()
}

fn compared(case: &TestCriterion<'_>) -> Option<(GroupValue, PartStatistic)> {
    MetricRow::named(case.metric())?.of_group()
}

/// What the parts of a group have together.
pub(crate) struct GroupValues {
    /// The value of each repetition.
    pub(crate) values: Vec<f64>,
    /// The part with the lowest rate of all repetitions, if rates are compared.
    pub(crate) slowest: Option<Reason>,
}

/// The values of a group. `cases` are its parts that yield the metric, whose values are those of `measured`.
pub(crate) fn values(
    group: &Group,
    cases: &[TestCriterion<'_>],
    measured: impl Fn(&TestCriterion<'_>) -> Result<Vec<f64>, Unusable>,
) -> Result<GroupValues, Unusable> {
    let Some((what, statistic)) = cases.first().and_then(compared) else {
        let mut values = vec![0.0; group.repetitions as usize];
        for case in cases {
            let of_part = measured(case).map_err(|unusable| of_part(case, unusable))?;
            values.iter_mut().zip(of_part).for_each(|(sum, value)| *sum += value);
        }
        return Ok(GroupValues { values, slowest: None });
    };
    let parts = parts(cases, what, measured)?;
    let repetition = |repetition: u32| {
        let at = repetition as usize - 1;
        let of_part =
            cases.iter().zip(&parts).filter_map(|(case, values)| Some((case.test, *values.get(at)?)));
        (repetition, of_part.collect::<Vec<_>>())
    };
    let repetitions: Vec<_> = (1..=group.repetitions).map(repetition).collect();
    let value = |(repetition, parts): &(u32, Vec<(&Test, f64)>)| {
        let values: Vec<f64> = parts.iter().map(|(_, value)| *value).collect();
        let uncertain = if what == GroupValue::Starts { uncertainty_s(cases, *repetition) } else { 0.0 };
        let metric = &cases[0].criterion.metric;
        let missing = || (Outcome::Invalid, reason!(MetricMissing { repetition: *repetition, metric }));
        statistic(&values).map(|value| value + uncertain).ok_or_else(missing)
    };
    let values = repetitions.iter().map(value).collect::<Result<_, _>>()?;
    let slowest = (what == GroupValue::Rates).then(|| slowest(cases[0].phase(), repetitions)).flatten();
    Ok(GroupValues { values, slowest })
}

/// How much two clocks of the parts may differ in a repetition, seconds.
fn uncertainty_s(cases: &[TestCriterion<'_>], repetition: u32) -> f64 {
    let jobs = cases.iter().filter_map(|case| case.jobs().get(repetition as usize - 1));
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
        // The usual rate while all parts were active.
        let row = MetricRow::rate_of(case.test.line.counts().unwrap_or_default());
        let metric = format!("{}.{}", case.phase(), row.name);
        let criterion = measuring_of(case.test, &metric).expect("the table has the usual rates");
        let rates = measured(&TestCriterion { criterion: &criterion, ..*case })?;
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

/// The part with the lowest rate of all repetitions.
fn slowest(phase: &str, repetitions: Vec<(u32, Vec<(&Test, f64)>)>) -> Option<Reason> {
    let Slowest { repetition, part: test, value, n, mean } = slowest_part(repetitions.into_iter(), false)?;
    let counts = test.line.counts().unwrap_or_default();
    let dimension = MetricRow::rate_of(counts).dimension(counts);
    let [value, mean] = [value, mean].map(|value| Quantity { value, dimension });
    Some(reason!(SlowestPart { phase, repetition, part: &test.id, n, value, mean }))
}
