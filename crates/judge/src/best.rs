//! The best repetition of a test with `best_of`.
//!
//! Never here: what is compared of it.

use results::reason::{Reason, reason};
use results::record::MetricRow;
use units::Quantity;

use crate::case::{TestCriterion, measuring};
use crate::validity::{self, Unusable};

/// A repetition that was chosen out of several.
#[derive(Clone)]
pub(crate) struct BestRepetition {
    /// Its place among the values.
    pub(crate) at: usize,
    /// How it was chosen.
    pub(crate) reason: Reason,
}

/// The repetition that a criterion is about; `None` if it is about all. Counts of errors are always.
pub(crate) fn repetition(case: &TestCriterion<'_>) -> Result<Option<BestRepetition>, Unusable> {
    let Some(best) = case.test.best_of.as_ref().filter(|_| !case.counts_errors()) else { return Ok(None) };
    let test = &case.index.plan.tests[best.test];
    let row = MetricRow::in_phase(&best.metric);
    let counts = test.line.counts().unwrap_or_default();
    let Some(dimension) = row.map(|row| row.dimension(counts)) else { return Ok(None) };
    let criterion = measuring(&best.metric, dimension);
    let metric = &best.metric;
    let values = validity::measured(&TestCriterion { test, criterion: &criterion, ..*case }).map_err(
        |(outcome, cause)| (outcome, reason!(ReferenceUnusable { metric, test: &test.id, cause })),
    )?;
    // The first of equal ones.
    let highest = values.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
    Ok(highest.map(|(at, value)| {
        let (n, value) = (values.len(), Quantity { value: *value, dimension });
        let reason = reason!(BestRepetition { metric, test: &test.id, repetition: at + 1, n, value });
        BestRepetition { at, reason }
    }))
}
