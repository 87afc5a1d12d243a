//! Waivers: which findings somebody has approved, and which waivers are not needed.
//!
//! Invariant: a waived finding stays listed; an error is never waived; a waiver that waives nothing is
//! reported. Never here: waivers of what only the linter finds; it reports those before the run.

use plan::{Test, Waiver};
use results::finding::{Approval, Finding, Severity, SourcePosition};
use results::reason::{Code, Reason};

use crate::case::{TestCriterion, measuring};
use crate::findings::Findings;
use crate::index::Index;
use crate::summary::metrics;
use crate::validity;

/// The codes of findings in the records that a waiver settles.
pub const WAIVABLE: &[Code] = &[
    Code::CovHigh,
    Code::CovMissing,
    Code::Exclusive,
    Code::FillRecorded,
    Code::Harmonic,
    Code::LayoutUndeclared,
    Code::LsWalk,
    Code::MdTooShort,
    Code::OneFsTwice,
    Code::PathOnWrongFs,
    Code::RateTooShort,
    Code::Straggler,
    Code::WearoutTail,
];

/// The findings with the waivers of the plan.
pub(crate) fn settled(index: &Index<'_>, mut findings: Findings) -> Findings {
    let plan = index.plan;
    let waivers: Vec<&Waiver> = plan.all_waivers().collect();
    for waiver in &waivers {
        approve(&mut findings.records, waiver);
    }
    // Of a part of the tests it is not known what the others would have needed, nor of one scale what
    // another.
    let whole = index.has_ended() && index.campaign.info.only.is_empty() && plan.scales.is_empty();
    if whole {
        let all = findings.before.iter().chain(&findings.records).chain(&findings.idle);
        let all: Vec<&Finding> = all.collect();
        let idle = idle(&all, &waivers, &|waiver| was_usable(index, &waiver.about));
        findings.records.extend(idle);
    }
    findings
}

/// Puts the name of one waiver to what it is about, or that nobody has approved it.
fn approve(findings: &mut [Finding], waiver: &Waiver) {
    let means = |finding: &&mut Finding| {
        finding.code().id() == waiver.lint
            && finding.about == waiver.about
            && finding.severity < Severity::Error
    };
    for finding in findings.iter_mut().filter(means) {
        if waiver.approved_by.is_empty() {
            let reason = std::mem::take(&mut finding.reason);
            finding.reason = reason.with("approve_with", &waiver.approve_with);
        } else {
            finding.waived =
                Some(Approval { approved_by: waiver.approved_by.clone(), why: waiver.why.clone() });
        }
    }
}

/// The waivers of what the evaluation decides which have waived nothing, where all that they are about was
/// `looked` at. One that is in the plan for several tests is needed where one of them needs it.
fn idle(findings: &[&Finding], waivers: &[&Waiver], looked: &dyn Fn(&Waiver) -> bool) -> Vec<Finding> {
    let needed = |waiver: &Waiver| {
        let means = |finding: &&Finding| finding.code().id() == waiver.lint && finding.about == waiver.about;
        findings.iter().any(means) || !looked(waiver)
    };
    let decided = |waiver: &Waiver| Code::named(&waiver.lint).is_some_and(|code| WAIVABLE.contains(&code));
    let mut idle: Vec<&Waiver> = Vec::new();
    for waiver in waivers.iter().filter(|waiver| decided(waiver)) {
        let same = |other: &&Waiver| (other.at, &other.lint) == (waiver.at, &waiver.lint);
        let twins = waivers.iter().filter(|other| same(other));
        if !twins.into_iter().any(|other| needed(other)) && !idle.iter().any(same) {
            idle.push(waiver);
        }
    }
    idle.into_iter().map(unneeded).collect()
}

/// That a waiver waives nothing.
fn unneeded(waiver: &Waiver) -> Finding {
    let reason = Reason::new(Code::Waiver).with("waived", &waiver.lint);
    let place = Some(SourcePosition::Plan(waiver.at.0, waiver.at.1));
    Finding::new(Severity::Info, reason).about(&waiver.about).at(place)
}

/// Whether all may be used that is measured by the tests that findings called `about` are about; false where
/// that is nothing.
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
    use super::*;

    #[test]
    fn a_waiver_that_was_not_needed_is_reported_once_for_its_place_when_all_is_over() {
        let waiver = |about: &str, lint: &str, line: usize| Waiver {
            about: about.into(),
            lint: lint.into(),
            why: "so".into(),
            approved_by: "lead".into(),
            approve_with: String::new(),
            at: (line, 1),
        };
        let slow = Finding::new(Severity::NeedsWaiver, Reason::new(Code::Straggler)).about("B");
        let given = [
            waiver("A", "straggler", 1),
            waiver("B", "straggler", 1),
            waiver("A", "cov-high", 2),
            waiver("B", "cov-high", 2),
            waiver("A", "compressible", 3),
        ];
        let given: Vec<&Waiver> = given.iter().collect();
        assert_eq!(idle(&[&slow], &given, &|waiver| waiver.about != "B"), [], "of B it is not known");
        let found = idle(&[&slow], &given, &|_| true);
        let found: Vec<_> = found.iter().map(|one| (one.about.as_str(), one.code())).collect();
        assert_eq!(found, [("A", Code::Waiver)], "those that the linter decides are reported by it");
        assert_eq!(idle(&[], &given[2..3], &|_| true)[0].reason.text("waived"), Some("cov-high"));
    }

    #[test]
    fn a_waiver_without_a_name_approves_nothing_and_an_error_is_never_waived() {
        let waiver = |by: &str| Waiver {
            about: "T".into(),
            lint: "straggler".into(),
            why: "so".into(),
            approved_by: by.into(),
            approve_with: "--set approved_by=NAME".into(),
            at: (1, 1),
        };
        let of = |severity, by| {
            let mut findings = [Finding::new(severity, Reason::new(Code::Straggler)).about("T")];
            approve(&mut findings, &waiver(by));
            let [finding] = findings;
            (finding.waived.is_some(), finding.reason.text("approve_with").is_some())
        };
        assert_eq!(of(Severity::NeedsWaiver, "lead"), (true, false));
        assert_eq!(of(Severity::NeedsWaiver, ""), (false, true));
        assert_eq!(of(Severity::Error, "lead"), (false, false));
    }
}
