//! The best repetition of a test with `best_of`.
//!
//! Never here: what is compared of it.

use results::Outcome;
use results::reason::{Reason, reason};
use units::Quantity;

use crate::case::{TestCriterion, measuring_of};
use crate::findings::Findings;
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
pub(crate) fn repetition(
    case: &TestCriterion<'_>,
    findings: &Findings,
) -> Result<Option<BestRepetition>, Unusable> {
    let Some(best) = case.test.best_of.as_ref().filter(|_| !case.counts_errors()) else { return Ok(None) };
    let test = &case.index.plan.tests[best.test];
    let metric = &best.metric;
    let criterion = measuring_of(test, metric).expect("a plan is rejected where no metric chooses");
    let unusable = |(outcome, cause)| (outcome, reason!(ReferenceUnusable { metric, test: &test.id, cause }));
    let chooser = TestCriterion { test, criterion: &criterion, ..*case };
    let is_own = test.id == case.test.id;
    let values = if is_own { validity::measured(&chooser) } else { findings.usable(&chooser) };
    let values = values.map_err(unusable)?;
    // An extension can add repetitions to one of both.
    if test.repetitions != case.test.repetitions {
        let (ran, planned) = (case.test.repetitions, test.repetitions);
        let cause = reason!(RepetitionsMissing { ran, planned, cause: reason!(NoValues) });
        return Err(unusable((Outcome::Invalid, cause)));
    }
    // The first of equal ones.
    let highest = values.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
    Ok(highest.map(|(at, value)| {
        let (n, value) = (values.len(), Quantity { value: *value, dimension: criterion.dimension });
        let reason = reason!(BestRepetition { metric, test: &test.id, repetition: at + 1, n, value });
        BestRepetition { at, reason }
    }))
}
