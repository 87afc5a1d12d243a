//! The findings about the chosen tests of a plan, and those that a campaign must have.
//!
//! Never here: the checks.

use std::collections::BTreeSet;

use plan::Plan;
use plan::schedule::{self, Purpose};
use results::finding::{Finding, Severity};
use results::folder::Campaign;
use units::Usage;

use crate::{Drifted, plan_with};

/// The findings about a plan when only the tests of `only` run.
pub fn findings_of(plan: &Plan, only: &[String], drifted: Drifted) -> Result<Vec<Finding>, Usage> {
    match only {
        [] => Ok(plan_with(plan, drifted)),
        _ => about(plan, only, plan_with(plan, drifted)),
    }
}

/// Adds the findings about the plan that the campaign does not record as they are, and returns them. They
/// follow from the plan, so a folder cannot leave one out, make it less severe, or waive it.
pub fn complete(plan: &Plan, campaign: &mut Campaign, drifted: Drifted) -> Vec<Finding> {
    let facts = |one: &Finding| (one.code(), one.about.clone(), one.severity, one.waived.clone());
    let recorded: Vec<_> = campaign.info.findings.iter().map(facts).collect();
    let own = findings_of(plan, &campaign.info.only, drifted).unwrap_or_default().into_iter();
    let missing = own.filter(|own| own.severity > Severity::Info && !recorded.contains(&facts(own)));
    let missing: Vec<Finding> = missing.collect();
    campaign.info.findings.extend(missing.iter().cloned());
    missing
}

/// The errors among `findings` that are about tests of `only`, or of the whole plan.
pub fn errors(plan: &Plan, only: &[String], findings: &[Finding]) -> Result<Vec<Finding>, Usage> {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).cloned();
    about(plan, only, errors.collect())
}

/// Those of `findings` that are about tests or scores of `only`, or of the whole plan.
fn about(plan: &Plan, only: &[String], findings: Vec<Finding>) -> Result<Vec<Finding>, Usage> {
    let jobs = schedule::jobs(plan, only)?;
    let tests: BTreeSet<usize> = jobs
        .iter()
        .filter_map(|job| match job.purpose {
            Purpose::Test(index) => Some(index),
            _ => None,
        })
        .collect();
    let is_score = |about: &str| plan.scores.iter().any(|score| score.id == about);
    let is_of = |about: &str| match is_score(about) {
        true => only.is_empty() || only.iter().any(|name| name == about),
        false => tests.iter().any(|test| plan.concerns(&plan.tests[*test], about)),
    };
    Ok(findings.into_iter().filter(|finding| is_of(&finding.about)).collect())
}
