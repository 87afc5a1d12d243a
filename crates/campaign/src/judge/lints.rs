//! What the linter says to a verdict: errors make it INVALID. What somebody has to answer for is listed in
//! the summary, with who does.
//!
//! Never here: the checks themselves.

use results::folder::Campaign;
use results::summary;
use results::{Outcome, Verdict};

use crate::lint::{self, Finding, Level};
use crate::plan::Plan;

/// All findings about a plan and about what its campaign recorded, with the plan's waivers.
pub(super) fn findings(plan: &Plan, campaign: &Campaign) -> Vec<Finding> {
    let mut all = lint::plan(plan);
    all.extend(lint::measured(plan, campaign));
    all
}

/// Has the findings about a test count for its verdicts.
pub(super) fn apply(plan: &Plan, findings: &[Finding], verdict: &mut Verdict) {
    if verdict.outcome == Outcome::NotRun {
        return;
    }
    let about = about(plan, &verdict.test);
    // A finding that begins with a metric is about the criterion on it alone.
    let metrics: Vec<&str> = plan.tests.iter().flat_map(|test| &test.criteria).map(|c| &*c.metric).collect();
    let of_another = |finding: &Finding| {
        let first = finding.what.split([' ', ':']).next().unwrap_or_default();
        metrics.contains(&first) && first != verdict.metric
    };
    let grave: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.invalidates() && about.contains(&finding.about) && !of_another(finding))
        .collect();
    for Finding { lint, what, remedy, .. } in grave {
        if verdict.outcome == Outcome::Invalid {
            verdict.warnings.push(format!("{what} ({lint}); {remedy}"));
        } else {
            verdict.reason = format!("{what} ({lint}); {remedy}. What was measured: {}", verdict.reason);
            verdict.outcome = Outcome::Invalid;
        }
    }
}

/// What a finding may be about to count for a test: itself, its dataset, the parts of its group.
fn about(plan: &Plan, id: &str) -> Vec<String> {
    let mut about = vec![id.to_owned()];
    if let Some(group) = plan.groups.iter().find(|group| group.id == id) {
        about.extend(group.tests.iter().map(|part| plan.tests[*part].id.clone()));
    }
    let test = plan.tests.iter().find(|test| test.id == id);
    about.extend(test.and_then(|test| test.uses.as_ref()).map(|uses| uses.maker(plan)));
    about
}

/// The findings as the folder keeps them.
pub(super) fn kept(findings: &[Finding]) -> Vec<summary::Finding> {
    let signed = |finding: &Finding| finding.waived.as_ref().map(|by| format!("{}: {}", by.by, by.why));
    let kept = |finding: &Finding| summary::Finding {
        lint: finding.lint.to_owned(),
        test: finding.about.clone(),
        level: match finding.level {
            Level::Error => "error",
            Level::Waiver => "waiver",
            Level::Info => "info",
        }
        .to_owned(),
        found: finding.what.clone(),
        remedy: finding.remedy.clone(),
        waived: signed(finding).unwrap_or_default(),
    };
    findings.iter().map(kept).collect()
}
