//! Scores: the weighted geometric mean or sum of the parts in each repetition.
//!
//! A repetition of the campaign gives one score, so the scores of the repetitions are decided like any other
//! values. A part that cannot be used leaves no score: one without it would be that of another benchmark.

use plan::{Criterion, Score, ScoreFormula};
use results::finding::Finding;
use results::reason::reason;
use results::{Outcome, Verdict};

use super::{of_part, of_parts};
use crate::best;
use crate::case::{TestCriterion, measuring};
use crate::findings::Findings;
use crate::index::Index;
use crate::validity::{self, Unusable};

/// The verdict on a score; `None` if it is only reported.
pub(super) fn verdict(index: &Index<'_>, findings: &Findings, score: &Score) -> Option<Verdict> {
    score.criterion.as_ref().map(|criterion| on(index, findings, score, criterion))
}

/// The verdict on any criterion of a score.
pub(crate) fn on(index: &Index<'_>, findings: &Findings, score: &Score, criterion: &Criterion) -> Verdict {
    let measured = measured(score);
    let cases = cases(index, score, &measured);
    let first = &index.plan.tests[score.parts[0].test];
    let first = TestCriterion { index, test: first, criterion };
    let values = values(score, &cases, findings, validity::measured);
    let errors = |of_parts: Vec<Finding>| [of_parts, findings.about_whole(&score.id)].concat();
    let how = match score.formula {
        ScoreFormula::GeometricMean => format!("geometric mean of {}", cases.len()),
        ScoreFormula::Sum => format!("sum of {}", cases.len()),
    };
    of_parts(findings, &first, (&score.id, &how), &cases, values, errors)
}

/// The score of each repetition, in its unit, without a criterion. An error about a part leaves none.
pub(crate) fn reported(index: &Index<'_>, findings: &Findings, score: &Score) -> Result<Vec<f64>, Unusable> {
    let measured = measured(score);
    let cases = cases(index, score, &measured);
    values(score, &cases, findings, |case| findings.usable(case))
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

/// The score of each repetition, or of the best ones of tests with `best_of`. The values of the parts are
/// those of `measured`.
fn values(
    score: &Score,
    cases: &[TestCriterion<'_>],
    findings: &Findings,
    measured: impl Fn(&TestCriterion<'_>) -> Result<Vec<f64>, Unusable>,
) -> Result<Vec<f64>, Unusable> {
    let mut parts = Vec::new();
    for (part, case) in score.parts.iter().zip(cases) {
        let of_part = |unusable| of_part(case, unusable);
        let values = measured(case).map_err(of_part)?;
        let best = best::repetition(case, findings).map_err(of_part)?;
        let values = match best.and_then(|best| values.get(best.at).copied()) {
            Some(value) => vec![value],
            None => values,
        };
        parts.push((part, values));
    }
    let repetitions = parts.iter().map(|(_, values)| values.len()).min().unwrap_or(0);
    let at = |at: usize| {
        let all = parts.iter().map(|(part, values)| (part.weight, values[at] / part.unit));
        match score.formula {
            ScoreFormula::GeometricMean => all.map(|(weight, value)| weight * value.ln()).sum::<f64>().exp(),
            ScoreFormula::Sum => all.map(|(weight, value)| weight * value).sum(),
        }
    };
    let finite = |(repetition, value): (u32, f64)| {
        let found = value.to_string();
        let reason = || reason!(ValueNotFinite { repetition, metric: "score", found });
        value.is_finite().then_some(value).ok_or_else(|| (Outcome::Invalid, reason()))
    };
    (1..).zip((0..repetitions).map(at)).map(finite).collect()
}
