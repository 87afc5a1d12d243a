//! Waivers: the findings that they apply to, and waivers that apply to none.
//!
//! Invariant: a waived finding stays listed. An error is never waived. A waiver that applies to no finding is
//! a finding.
//! Never here: waivers of what only the records of a run decide, which `judge` settles.

use plan::{Plan, Waiver};
use results::finding::{Approval, Finding, Severity, SourcePosition};
use results::reason::{Code, Field, Text, any, reason, row};

use crate::table::{Lint, LintStage, named};

/// Marks the waived findings of a plan, and adds the waivers that apply to none.
pub(crate) fn settle_plan(plan: &Plan, findings: Vec<Finding>) -> Vec<Finding> {
    // Without the cores of a node, nothing can be found that this waiver applies to.
    let looks = |waiver: &&Waiver| plan.clients.cores.is_some() || waiver.lint != Code::NotPacked.id();
    let waivers: Vec<Waiver> = plan.all_waivers().filter(looks).cloned().collect();
    settle(findings, &waivers)
}

/// Marks the waived findings, and adds the waivers that apply to none.
pub fn settle(mut findings: Vec<Finding>, waivers: &[Waiver]) -> Vec<Finding> {
    let mut idle = Vec::new();
    for waiver in waivers {
        idle.extend(rejected(waiver, &approve(&mut findings, waiver)));
    }
    findings.extend(idle);
    findings
}

/// Marks the waived findings on the machine.
pub(crate) fn approve_all(plan: &Plan, findings: &mut [Finding]) {
    for waiver in plan.all_waivers() {
        approve(findings, waiver);
    }
}

/// The findings that a waiver applies to.
#[derive(Debug, Default)]
struct WaiverEffect {
    /// Number of findings that it can waive.
    waivable: usize,
    /// Number of errors.
    errors: usize,
}

/// Marks the findings of one waiver. Where it has no name yet, adds how to approve it.
fn approve(findings: &mut [Finding], waiver: &Waiver) -> WaiverEffect {
    let mut meant = WaiverEffect::default();
    let own = |one: &&mut Finding| one.code().id() == waiver.lint && one.about == waiver.about;
    for finding in findings.iter_mut().filter(own) {
        if finding.severity == Severity::Error {
            meant.errors += 1;
            continue;
        }
        meant.waivable += 1;
        if !waiver.approved_by.is_empty() {
            finding.waived =
                Some(Approval { approved_by: waiver.approved_by.clone(), why: waiver.why.clone() });
        } else if finding.severity == Severity::NeedsWaiver {
            let reason = std::mem::take(&mut finding.reason);
            finding.reason = reason.with(any::approve_with, &waiver.approve_with);
        }
    }
    meant
}

/// The finding about a waiver, if there is one.
fn rejected(waiver: &Waiver, meant: &WaiverEffect) -> Option<Finding> {
    let about = |severity: Severity, field: Field<Text>| {
        let place = SourcePosition::Plan(waiver.at.0, waiver.at.1);
        Finding::new(severity, reason!(Waiver { .. }).with(field, &waiver.lint))
            .about(&waiver.about)
            .at(Some(place))
    };
    if Code::named(&waiver.lint).is_none() {
        return Some(about(Severity::Error, row::Waiver::unknown));
    }
    if meant.errors > 0 {
        return Some(about(Severity::Error, row::Waiver::error));
    }
    let is_idle = meant.waivable == 0 && named(&waiver.lint).is_some_and(only_now);
    is_idle.then(|| about(Severity::Info, row::Waiver::idle))
}

/// Whether this is the finding that a waiver applies to nothing.
pub(crate) fn is_idle(finding: &Finding) -> bool {
    finding.code() == Code::Waiver && finding.reason.has(row::Waiver::idle)
}

/// Whether all findings of a lint are known when a plan is checked.
fn only_now(lint: &Lint) -> bool {
    lint.stage() == LintStage::Plan && !lint.records_decide
}
