//! The verdict on each criterion, and on the sum of the parts of a group.
//!
//! Never here: summaries.

mod faults;
pub(crate) mod group;
pub(crate) mod score;

use plan::{ContractClause, Criterion, Group, Plan};
use results::finding::{Finding, Severity};
use results::reason::{any, reason};
use results::{ContractOutcome, Outcome, Statistics, Verdict};

use crate::best;
use crate::case::TestCriterion;
use crate::clients::{self, Remarks};
use crate::decision::{self, Decision};
use crate::findings::Findings;
use crate::index::Index;
use crate::remarks;
use crate::validity::{self, Unusable, at_once, steady, sustained};
use faults::Fault;

/// Evaluates every criterion of the plan, in its order. Sums of groups follow their last part, and scores
/// follow all tests. If the plan has the clauses of a contract, the verdicts are in the order of these.
pub(crate) fn all(index: &Index<'_>, findings: &Findings) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (at, test) in index.plan.tests.iter().enumerate() {
        let own = test.criteria.iter();
        verdicts.extend(own.map(|criterion| of_case(&TestCriterion { index, test, criterion }, findings)));
        let group = test.part.map(|part| &index.plan.groups[part]);
        let group = group.filter(|group| group.tests.last() == Some(&at));
        let sums = group.into_iter().flat_map(|group| group.criteria.iter().map(move |sum| (group, sum)));
        verdicts.extend(sums.map(|(group, sum)| of_group(index, findings, group, sum)));
    }
    verdicts.extend(index.plan.scores.iter().filter_map(|asked| score::verdict(index, findings, asked)));
    in_clauses(index.plan, verdicts)
}

/// The verdicts in the order of the contract, each with the outcome of its clause. A clause without a
/// criterion is NOT RUN.
fn in_clauses(plan: &Plan, verdicts: Vec<Verdict>) -> Vec<Verdict> {
    if plan.clauses.is_empty() {
        return verdicts;
    }
    let of_clause = |clause: &ContractClause| {
        let belongs = |one: &&Verdict| one.contract_clause.as_ref().is_some_and(|own| own.id == clause.id);
        let criteria: Vec<Verdict> = verdicts.iter().filter(belongs).cloned().collect();
        if criteria.is_empty() { vec![untested(clause)] } else { criteria }
    };
    let mut ordered: Vec<Verdict> = plan.clauses.iter().flat_map(of_clause).collect();
    Verdict::settle_clauses(&mut ordered);
    ordered
}

/// The verdict on a clause to which no criterion belongs.
fn untested(clause: &ContractClause) -> Verdict {
    Verdict {
        test: clause.id.clone(),
        clause: clause.text.clone(),
        contract_clause: Some(contract_outcome(clause)),
        reason: reason!(ClauseUntested),
        ..Verdict::default()
    }
}

fn contract_outcome(clause: &ContractClause) -> ContractOutcome {
    let ContractClause { id, source, .. } = clause;
    ContractOutcome { id: id.clone(), source: source.clone(), outcome: Outcome::NotRun }
}

pub(crate) fn of_case(case: &TestCriterion<'_>, findings: &Findings) -> Verdict {
    let threshold = decision::threshold(&case.test.id, case, findings);
    let best = best::repetition(case, findings);
    let usable = validity::measured(case).and_then(|values| Ok((values, threshold.clone()?, best.clone()?)));
    let decision = match usable {
        Ok((values, threshold, best)) => {
            let best = best.map(|best| best.at);
            let decision = decision::decide(case.criterion, case.test, &threshold, &values, best);
            decision::of_compared(case, decision)
        }
        Err(unusable) => Decision::none(unusable),
    };
    let errors = findings.errors_for(case);
    let (decision, limit) = clients::limited(case, findings, threshold.as_ref().ok(), decision);
    let fault = faults::found(case, &errors);
    let decision = faults::counted(case, fault.as_ref(), decision);
    let mut remarks = match decision.outcome {
        Outcome::NotRun => Remarks::default(),
        _ => limit.and(remarks::all(case, decision.statistics.as_ref())),
    };
    let best = best.ok().flatten().filter(|_| decision.outcome != Outcome::NotRun);
    best.into_iter().for_each(|best| remarks.note(best.reason));
    let threshold = threshold.ok().map(|threshold| threshold.value.value);
    let mut verdict = Verdict {
        test: case.test.id.clone(),
        criterion: case.criterion.to_string(),
        as_reported: case.test.line.as_app().is_some(),
        jobs: case.jobs().iter().map(|job| job.folder.clone()).collect(),
        time_windows: [sustained::time_windows, steady::time_windows, at_once::time_windows]
            .map(|of| of(case))
            .concat(),
        ..verdict(case.index.plan, case.criterion, decision, threshold, remarks, fault.as_ref())
    };
    apply(&errors, fault.as_ref(), &mut verdict);
    verdict
}

/// A verdict on a criterion, without its identification.
fn verdict(
    plan: &Plan,
    criterion: &Criterion,
    decision: Decision,
    threshold: Option<f64>,
    remarks: Remarks,
    fault: Option<&Fault>,
) -> Verdict {
    let later = fault.and_then(|fault| fault.later(&decision.reason));
    let later = later.map(|reason| Finding::new(Severity::Info, reason));
    let terms = &criterion.terms;
    Verdict {
        clause: terms.requirement.clone(),
        contract_clause: terms.clause.map(|place| contract_outcome(&plan.clauses[place])),
        label: terms.label.clone(),
        as_written: terms.as_written,
        metric: criterion.metric.clone(),
        outcome: decision.outcome,
        reason: decision.reason,
        statistic: criterion.stat.to_string(),
        value: decision.value,
        threshold,
        unit: criterion.goal.dimension().unit().to_owned(),
        statistics: decision.statistics,
        warnings: later.into_iter().chain(remarks.warnings).collect(),
        notes: remarks.notes,
        ..Verdict::default()
    }
}

/// Applies errors to a verdict. `fault` is what the storage system did not do.
fn apply(errors: &[Finding], fault: Option<&Fault>, verdict: &mut Verdict) {
    if verdict.outcome == Outcome::NotRun {
        return;
    }
    for finding in errors {
        let fault = fault.filter(|_| verdict.outcome == Outcome::Fail);
        let stays = fault.is_some_and(|fault| !fault.outweighed_by(finding));
        if verdict.outcome == Outcome::Invalid || stays {
            verdict.warnings.push(finding.clone());
        } else {
            let measured = std::mem::take(&mut verdict.reason);
            verdict.reason = finding.reason.clone().with(any::measured, measured);
            verdict.outcome = Outcome::Invalid;
        }
    }
}

/// The verdict on the parts of a group: on their sum, or on how they compare.
pub(crate) fn of_group(
    index: &Index<'_>,
    findings: &Findings,
    group: &Group,
    criterion: &Criterion,
) -> Verdict {
    let case = |test| TestCriterion { index, test, criterion };
    let cases: Vec<TestCriterion<'_>> =
        index.plan.parts(group).map(case).filter(TestCriterion::yields).collect();
    let first = cases.first().expect("a plan is rejected where no part yields the metric");
    let found = group::values(group, &cases, validity::measured);
    let (values, slowest) = match found {
        Ok(found) => (Ok(found.values), found.slowest),
        Err(unusable) => (Err(unusable), None),
    };
    let errors = |of_parts: Vec<Finding>| [findings.about_whole(&group.id), of_parts].concat();
    let n = cases.len();
    let how = if group::compares(first) { format!("{n} parts") } else { format!("sum of {n}") };
    let mut verdict = of_parts(findings, first, (&group.id, &how), &cases, values, errors);
    verdict.notes.extend(slowest.map(|reason| Finding::new(Severity::Info, reason)));
    verdict
}

/// The verdict on a `whole`, a group or a score, which is named with how its values are made of its parts.
/// `first` is its criterion on its first test. `errors` adds those of the whole to those of its parts.
fn of_parts(
    findings: &Findings,
    first: &TestCriterion<'_>,
    whole: (&str, &str),
    cases: &[TestCriterion<'_>],
    values: Result<Vec<f64>, Unusable>,
    errors: impl FnOnce(Vec<Finding>) -> Vec<Finding>,
) -> Verdict {
    let (criterion, (id, how)) = (first.criterion, whole);
    let threshold = decision::threshold(id, first, findings);
    let decision = match values.and_then(|values| Ok((values, threshold.clone()?))) {
        Ok((values, threshold)) => decision::decide(criterion, first.test, &threshold, &values, None),
        Err(unusable) => Decision::none(unusable),
    };
    let of_parts: Vec<Vec<Finding>> = cases.iter().map(|case| findings.errors_for(case)).collect();
    let fault = faults::of_several(cases, &of_parts);
    let decision = faults::counted(first, fault.as_ref(), decision);
    let remarks = match decision.outcome {
        Outcome::NotRun => Remarks::default(),
        _ => of_several(cases, decision.statistics.as_ref()),
    };
    let threshold = threshold.ok().map(|threshold| threshold.value.value);
    let mut verdict = Verdict {
        test: id.to_owned(),
        criterion: format!("{how}: {criterion}"),
        as_reported: cases.iter().any(|case| case.test.line.as_app().is_some()),
        jobs: cases.iter().flat_map(TestCriterion::jobs).map(|job| job.folder.clone()).collect(),
        ..verdict(first.index.plan, criterion, decision, threshold, remarks, fault.as_ref())
    };
    let errors = each_once(errors(of_parts.concat()));
    apply(&errors, fault.as_ref(), &mut verdict);
    verdict
}

/// The findings without repetition: one can be about several parts.
fn each_once(all: Vec<Finding>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for finding in all {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    findings
}

/// The warnings and notes about a sum or a score, and about each part with the name of the part.
fn of_several(cases: &[TestCriterion<'_>], statistics: Option<&Statistics>) -> Remarks {
    let mut all = Remarks::default();
    remarks::variability(statistics, None).into_iter().for_each(|reason| all.warn(reason));
    remarks::order(&cases[0], statistics).into_iter().for_each(|reason| all.warn(reason));
    for case in cases {
        let about = |finding: Finding| finding.about(&case.test.id);
        let Remarks { warnings, notes } = remarks::all(case, None);
        all.warnings.extend(warnings.into_iter().map(about));
        all.notes.extend(notes.into_iter().map(about));
    }
    all
}

/// The reason of a part, as that of the sum or the score.
fn of_part(case: &TestCriterion<'_>, (outcome, cause): Unusable) -> Unusable {
    (outcome, reason!(PartUnusable { part: &case.test.id, cause }))
}
