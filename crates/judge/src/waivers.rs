//! Waivers: which findings are waived, and which waivers are not needed.
//!
//! Invariant: a waived finding stays listed. An error is never waived. A waiver without a finding is
//! reported.
//! Never here: waivers of findings that only the linter has. It reports them before the run.

use plan::{Test, Waiver};
use results::finding::{Approval, Finding, Severity, SourcePosition};
use results::reason::{Code, any, reason};

use crate::case::{TestCriterion, measuring};
use crate::findings::Findings;
use crate::index::Index;
use crate::summary::metrics;
use crate::validity;

/// The codes of findings in the records that a waiver can waive.
pub const WAIVABLE: &[Code] = &[
    Code::AttemptsRepeated,
    Code::BackingStore,
    Code::CampaignBeside,
    Code::CovHigh,
    Code::CovMissing,
    Code::Exclusive,
    Code::FillRecorded,
    Code::Harmonic,
    Code::LayoutUndeclared,
    Code::LinkedFile,
    Code::LsWalk,
    Code::MappedObject,
    Code::MdTooShort,
    Code::OneFsTwice,
    Code::OtherNodes,
    Code::OtherProgram,
    Code::PathOnWrongFs,
    Code::ProgramChanged,
    Code::RateTooShort,
    Code::ReportedCached,
    Code::ReportedLess,
    Code::ReportedShort,
    Code::Straggler,
    Code::SystemCallFilter,
    Code::TracedProcess,
    Code::UncountedProcess,
    Code::UnexplainedTime,
    Code::WearoutTail,
];

/// The findings with the waivers of the plan.
pub(crate) fn with_waivers(index: &Index<'_>, mut findings: Findings) -> Findings {
    let plan = index.plan;
    let waivers: Vec<&Waiver> = plan.all_waivers().collect();
    for waiver in &waivers {
        approve(&mut findings.records, waiver);
    }
    // If only some tests were selected, the needs of the others are not known. The same applies to other
    // scales.
    let whole = index.has_ended() && index.campaign.info.only.is_empty() && plan.scales.is_empty();
    if whole {
        let all = findings.before.iter().chain(&findings.records).chain(&findings.unused);
        let all: Vec<&Finding> = all.collect();
        let unneeded = unneeded(&all, &waivers, &|waiver| was_usable(index, &waiver.about));
        findings.records.extend(unneeded);
    }
    findings
}

/// Applies one waiver to its findings: adds the approval, or how to approve it.
fn approve(findings: &mut [Finding], waiver: &Waiver) {
    let means = |finding: &&mut Finding| {
        finding.code().id() == waiver.lint
            && finding.about == waiver.about
            && finding.severity < Severity::Error
    };
    for finding in findings.iter_mut().filter(means) {
        if waiver.approved_by.is_empty() {
            let reason = std::mem::take(&mut finding.reason);
            finding.reason = reason.with(any::approve_with, &waiver.approve_with);
        } else {
            finding.waived =
                Some(Approval { approved_by: waiver.approved_by.clone(), why: waiver.why.clone() });
        }
    }
}

/// Waivers of codes of the judge that waived nothing, if all their subjects were `examined`. A waiver in the
/// plan for several tests is needed if one of them needs it.
fn unneeded(findings: &[&Finding], waivers: &[&Waiver], examined: &dyn Fn(&Waiver) -> bool) -> Vec<Finding> {
    let needed = |waiver: &Waiver| {
        let means = |finding: &&Finding| finding.code().id() == waiver.lint && finding.about == waiver.about;
        findings.iter().any(means) || !examined(waiver)
    };
    let decided = |waiver: &Waiver| Code::named(&waiver.lint).is_some_and(|code| WAIVABLE.contains(&code));
    let mut unneeded: Vec<&Waiver> = Vec::new();
    for waiver in waivers.iter().filter(|waiver| decided(waiver)) {
        let same = |other: &&Waiver| (other.at, &other.lint) == (waiver.at, &waiver.lint);
        let copies = waivers.iter().filter(|other| same(other));
        if !copies.into_iter().any(|other| needed(other)) && !unneeded.iter().any(same) {
            unneeded.push(waiver);
        }
    }
    unneeded.into_iter().map(unneeded_finding).collect()
}

/// The finding that a waiver waives nothing.
fn unneeded_finding(waiver: &Waiver) -> Finding {
    let place = Some(SourcePosition::Plan(waiver.at.0, waiver.at.1));
    Finding::new(Severity::Info, reason!(Waiver { waived: &waiver.lint })).about(&waiver.about).at(place)
}

/// Whether all measurements of the tests in the subject `about` can be used; false if there is no such test.
fn was_usable(index: &Index<'_>, about: &str) -> bool {
    let mut tests = index.plan.tests.iter().filter(|test| index.plan.concerns(test, about)).peekable();
    let of_test = |test: &Test| {
        let metrics = metrics(index, test);
        let usable = |(metric, dimension): &(String, units::Dimension)| {
            let criterion = measuring(metric, *dimension);
            validity::measured(&TestCriterion { index, test, criterion: &criterion }).is_ok()
        };
        !metrics.is_empty() && metrics.iter().all(usable)
    };
    tests.peek().is_some() && tests.all(of_test)
}

#[cfg(test)]
mod tests {
    use results::reason::row;

    use super::*;

    #[test]
    fn an_unneeded_waiver_is_reported_once_for_its_place_in_the_plan() {
        let waiver = |about: &str, lint: &str, line: usize| Waiver {
            about: about.into(),
            lint: lint.into(),
            why: "so".into(),
            approved_by: "lead".into(),
            approve_with: String::new(),
            at: (line, 1),
        };
        let slow = Finding::new(Severity::NeedsWaiver, reason!(Straggler { .. })).about("B");
        let given = [
            waiver("A", "straggler", 1),
            waiver("B", "straggler", 1),
            waiver("A", "cov-high", 2),
            waiver("B", "cov-high", 2),
            waiver("A", "compressible", 3),
        ];
        let given: Vec<&Waiver> = given.iter().collect();
        let found = unneeded(&[&slow], &given, &|waiver| waiver.about != "B");
        assert_eq!(found, [], "B was not examined");
        let found = unneeded(&[&slow], &given, &|_| true);
        let found: Vec<_> = found.iter().map(|one| (one.about.as_str(), one.code())).collect();
        assert_eq!(found, [("A", Code::Waiver)], "the linter reports its own waivers");
        assert_eq!(
            unneeded(&[], &given[2..3], &|_| true)[0].reason.get(row::Waiver::waived),
            Some("cov-high")
        );
    }

    #[test]
    fn a_waiver_without_an_approver_is_not_approved_and_an_error_is_never_waived() {
        let waiver = |by: &str| Waiver {
            about: "T".into(),
            lint: "straggler".into(),
            why: "so".into(),
            approved_by: by.into(),
            approve_with: "--set approved_by=NAME".into(),
            at: (1, 1),
        };
        let of = |severity, by| {
            let mut findings = [Finding::new(severity, reason!(Straggler { .. })).about("T")];
            approve(&mut findings, &waiver(by));
            let [finding] = findings;
            (finding.waived.is_some(), finding.reason.get(any::approve_with).is_some())
        };
        assert_eq!(of(Severity::NeedsWaiver, "lead"), (true, false));
        assert_eq!(of(Severity::NeedsWaiver, ""), (false, true));
        assert_eq!(of(Severity::Error, "lead"), (false, false));
    }
}
