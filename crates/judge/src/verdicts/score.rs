//! Scores: the weighted geometric mean of the parts in each repetition.
//!
//! A repetition of the campaign gives one score, so the scores of the repetitions are decided like any other
//! values. A part that cannot be used leaves no score: a mean without it would be that of another benchmark.

use plan::{Criterion, Score};
use results::finding::Finding;
use results::{Outcome, Verdict};

use super::{apply, each_once, faults, of_part, of_several};
use crate::case::{TestCriterion, measuring};
use crate::clients::Remarks;
use crate::decision::{self, Decision};
use crate::findings::Findings;
use crate::index::Index;
use crate::validity::{self, Unusable};

/// The verdict on a score; `None` if it is only reported.
pub(super) fn verdict(index: &Index<'_>, findings: &Findings, score: &Score) -> Option<Verdict> {
    let criterion = score.criterion.as_ref()?;
    let measured = measured(score);
    let cases = cases(index, score, &measured);
    let first = &index.plan.tests[score.parts[0].test];
    let threshold =
        decision::threshold(&score.id, &TestCriterion { index, test: first, criterion }, findings);
    let decision =
        match values(score, &cases, validity::measured).and_then(|values| Ok((values, threshold.clone()?))) {
            Ok((values, threshold)) => decision::decide(criterion, first, &threshold, &values),
            Err(unusable) => Decision::none(unusable),
        };
    let of_parts: Vec<Vec<Finding>> = cases.iter().map(|case| findings.errors_for(case)).collect();
    let fault = faults::of_several(&cases, &of_parts);
    let decision =
        faults::counted(&TestCriterion { index, test: first, criterion }, fault.as_ref(), decision);
    let remarks = match decision.outcome {
        Outcome::NotRun => Remarks::default(),
        _ => of_several(&cases, decision.statistics.as_ref()),
    };
    let mut verdict = Verdict {
        test: score.id.clone(),
        criterion: format!("geometric mean of {}: {criterion}", cases.len()),
        as_reported: cases.iter().any(|case| case.test.line.as_app().is_some()),
        jobs: cases.iter().flat_map(TestCriterion::jobs).map(|job| job.folder.clone()).collect(),
        ..super::verdict(
            index.plan,
            criterion,
            decision,
            threshold.ok().map(|of| of.value.value),
            remarks,
            fault.as_ref(),
        )
    };
    let own = findings.about_whole(&score.id);
    let errors: Vec<Finding> = each_once(of_parts.into_iter().flatten().chain(own));
    apply(&errors, fault.as_ref(), &mut verdict);
    Some(verdict)
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
