//! What a statistic is compared with: a value of the plan, or a part of what another test measured.
//!
//! Never here: the comparison.

use results::Outcome;
use results::statistics;
use units::{Dimension, Quantity};

use super::{Case, usable};
use crate::plan::{Criterion, Goal, Op, Stat};

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
}

/// The goal of a criterion, or why there is none.
pub(super) fn of(case: &Case<'_>) -> Result<Aim, (Outcome, String)> {
    let criterion = case.criterion;
    match &criterion.goal {
        Goal::Value(threshold) => {
            Ok(Aim { threshold: *threshold, written: criterion.written.clone(), measured: Vec::new() })
        }
        Goal::Share { share, test, metric, dimension } => {
            let measured: Vec<f64> =
                other(case, *test, metric, *dimension)?.iter().map(|value| value * share).collect();
            let mean = statistics::mean(&measured);
            let value = mean.ok_or((Outcome::Invalid, format!("{metric} has no value")))?;
            let threshold = Quantity { value, dimension: *dimension };
            Ok(Aim { threshold, written: format!("{} = {threshold}", criterion.written), measured })
        }
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
    let criterion = Criterion {
        metric: metric.to_owned(),
        stat: Stat::Mean,
        op: Op::AtLeast,
        goal: Goal::Value(Quantity { value: 0.0, dimension }),
        written: String::new(),
    };
    let other = Case { plan: case.plan, campaign: case.campaign, test, criterion: &criterion };
    usable::values(&other, &other.jobs()).map_err(|(outcome, why)| {
        (outcome, format!("{} of {} is what it is compared with, and {why}", metric, test.id))
    })
}
