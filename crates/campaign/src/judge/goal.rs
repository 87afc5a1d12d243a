//! What a statistic is compared with: a value of the plan, or a part of what another test measured.
//!
//! Never here: the comparison.

use results::Outcome;
use results::statistics;
use units::{Dimension, Quantity};

use super::{Case, measuring, usable};
use plan::{Goal, Test};

/// A goal as a value.
#[derive(Clone)]
pub(super) struct Aim {
    /// What the statistic is compared with.
    pub(super) threshold: Quantity,
    /// In words that follow the comparison.
    pub(super) written: String,
    /// The values of which it is a part, each repetition's, already multiplied by it; empty where it is a
    /// value of the plan.
    pub(super) measured: Vec<f64>,
    /// How many are compared with the same, of which one could be refuted by chance: the steps of a series.
    pub(super) among: usize,
}

/// The goal of a criterion, or why there is none.
pub(super) fn of(case: &Case<'_>) -> Result<Aim, (Outcome, String)> {
    let criterion = case.criterion;
    match &criterion.goal {
        Goal::Value(threshold) => {
            let written = criterion.written.clone();
            Ok(Aim { threshold: *threshold, written, measured: Vec::new(), among: 1 })
        }
        Goal::Share { share, test, metric, dimension } => {
            let measured: Vec<f64> =
                other(case, *test, metric, *dimension)?.iter().map(|value| value * share).collect();
            let mean = statistics::mean(&measured);
            let value = mean.ok_or((Outcome::Invalid, format!("{metric} has no value")))?;
            let threshold = Quantity { value, dimension: *dimension };
            let written = format!("{} = {threshold}", criterion.written);
            Ok(Aim { threshold, written, measured, among: among(case, *test) })
        }
    }
}

/// How many steps of a series are held against the one of `base`, where the case is one of them.
fn among(case: &Case<'_>, base: usize) -> usize {
    let series = |test: &Test| test.step.as_ref().map(|step| step.series);
    match (series(case.test), series(&case.plan.tests[base])) {
        (Some(own), Some(other)) if own == other => case.plan.series[own].steps.len() - 1,
        _ => 1,
    }
}

/// What another test measured, by the same rules.
fn other(
    case: &Case<'_>,
    test: usize,
    metric: &str,
    dimension: Dimension,
) -> Result<Vec<f64>, (Outcome, String)> {
    let test = &case.plan.tests[test];
    let criterion = measuring(metric, dimension);
    let other = Case { test, criterion: &criterion, ..*case };
    usable::values(&other, &other.jobs()).map_err(|(outcome, why)| {
        (outcome, format!("{} of {} is what it is compared with, and {why}", metric, test.id))
    })
}
