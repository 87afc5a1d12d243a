//! Scores: the weighted geometric mean of the parts in each repetition.
//!
//! A repetition of the campaign gives one score, so the scores of the repetitions are decided like any other
//! values. A part that cannot be used leaves no score: a mean without it would be that of another benchmark.

use plan::{Criterion, Score};
use results::Verdict;
use results::finding::Finding;

use super::{of_part, of_parts};
use crate::case::{TestCriterion, measuring};
use crate::findings::Findings;
use crate::index::Index;
use crate::validity::{self, Unusable};

/// The verdict on a score; `None` if it is only reported.
pub(super) fn verdict(index: &Index<'_>, findings: &Findings, score: &Score) -> Option<Verdict> {
    let criterion = score.criterion.as_ref()?;
    let measured = measured(score);
    let cases = cases(index, score, &measured);
    let first = &index.plan.tests[score.parts[0].test];
    let first = TestCriterion { index, test: first, criterion };
    let values = values(score, &cases, validity::measured);
    let errors = |of_parts: Vec<Finding>| [of_parts, findings.about_whole(&score.id)].concat();
    let how = format!("geometric mean of {}", cases.len());
    Some(of_parts(findings, &first, (&score.id, &how), &cases, values, errors))
}

/// The score of each repetition, in its unit, without a criterion. An error about a part leaves none.
pub(crate) fn reported(index: &Index<'_>, findings: &Findings, score: &Score) -> Result<Vec<f64>, Unusable> {
    let measured = measured(score);
    let cases = cases(index, score, &measured);
    values(score, &cases, |case| findings.usable(case))
}

/// A criterion for each part that only reads its metric.
fn measured(score: &Score) -> Vec<Criterion> {
    score.parts.iter().map(|part| measuring(&part.metric, part.dimension)).collect()
}

fn cases<'a>(index: &'a Index<'a>, score: &Score, measured: &'a [Criterion]) -> Vec<TestCriterion<'a>> {
    let case = |(part, criterion): (&plan::ScorePart, &'a Criterion)| TestCriterion {
        index,
        test: &index.plan.tests[part.test],
        criterion,
    };
    score.parts.iter().zip(measured).map(case).collect()
}

/// The weighted geometric mean of the parts in each repetition, whose values are those of `measured`.
fn values(
    score: &Score,
    cases: &[TestCriterion<'_>],
    measured: impl Fn(&TestCriterion<'_>) -> Result<Vec<f64>, Unusable>,
) -> Result<Vec<f64>, Unusable> {
    let repetitions = cases.iter().map(|case| case.test.repetitions).min().unwrap_or(0);
    let mut logs = vec![0.0; repetitions as usize];
    for (part, case) in score.parts.iter().zip(cases) {
        let values = measured(case).map_err(|unusable| of_part(case, unusable))?;
        logs.iter_mut().zip(values).for_each(|(log, value)| *log += part.weight * (value / part.unit).ln());
    }
    Ok(logs.into_iter().map(f64::exp).collect())
}
