//! Waivers: who answers for a finding, and why.
//!
//! Invariant: a waived finding stays listed; an error is never waived; a waiver that waives nothing is told.

use serde::Serialize;

use super::table::named;
use super::{Finding, Level, Place, Stage};
use plan::Waiver;

/// The signature under a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Signed {
    /// Why.
    pub why: String,
    /// By whom.
    pub by: String,
}

/// Marks the findings that are waived, and tells the waivers that waive nothing.
pub fn settle(mut findings: Vec<Finding>, waivers: &[Waiver]) -> Vec<Finding> {
    let mut idle = Vec::new();
    for waiver in waivers {
        let (meant, grave) = sign_one(&mut findings, waiver);
        idle.extend(told(waiver, meant, grave));
    }
    findings.extend(idle);
    findings
}

/// Marks the findings that are waived, where an earlier stage has told the waivers that waive nothing.
pub(super) fn sign(findings: &mut [Finding], waivers: &[Waiver]) {
    for waiver in waivers {
        sign_one(findings, waiver);
    }
}

/// Puts the name of one waiver under what it is about, or that nobody has signed it, and gives how many
/// findings that are, and the first that cannot be waived.
fn sign_one(findings: &mut [Finding], waiver: &Waiver) -> (usize, Option<String>) {
    let (mut meant, mut grave) = (0, None);
    for finding in findings.iter_mut().filter(|one| one.lint == waiver.lint && one.about == waiver.about) {
        if finding.level == Level::Error {
            grave.get_or_insert_with(|| finding.what.clone());
            continue;
        }
        meant += 1;
        if waiver.by.is_empty() {
            finding.remedy +=
                &format!("; its waiver says why, and nobody has signed it: {}", waiver.signed_by);
        } else {
            finding.waived = Some(Signed { why: waiver.why.clone(), by: waiver.by.clone() });
        }
    }
    (meant, grave)
}

/// Whether a lint has said all it will when a plan is checked; one of a later stage may still find something.
fn looks_now(lint: &str) -> bool {
    named(lint).is_none_or(|lint| lint.stages() == [Stage::Plan])
}

/// The waivers of lints that look at later stages which have waived nothing, once all stages are over and
/// all that they are about was `looked` at. One that stands in the plan for several tests is needed where one
/// of them needs it.
pub(crate) fn idle(
    findings: &[Finding],
    waivers: &[Waiver],
    looked: &dyn Fn(&Waiver) -> bool,
) -> Vec<Finding> {
    let needed = |waiver: &Waiver| {
        let means = |finding: &Finding| finding.lint == waiver.lint && finding.about == waiver.about;
        findings.iter().any(means) || !looked(waiver)
    };
    let mut idle: Vec<&Waiver> = Vec::new();
    for waiver in waivers.iter().filter(|waiver| named(&waiver.lint).is_some() && !looks_now(&waiver.lint)) {
        let same = |other: &&Waiver| (other.at, &other.lint) == (waiver.at, &waiver.lint);
        if !waivers.iter().filter(same).any(needed) && !idle.iter().any(same) {
            idle.push(waiver);
        }
    }
    idle.into_iter().map(unneeded).collect()
}

/// That a waiver waives nothing.
fn unneeded(waiver: &Waiver) -> Finding {
    let what = format!("the waiver of `{}` waives nothing: the lint found nothing", waiver.lint);
    about(waiver, Level::Info, what, "take it out")
}

/// What is to be told of one waiver.
fn told(waiver: &Waiver, meant: usize, grave: Option<String>) -> Option<Finding> {
    let lint = &waiver.lint;
    let error = |what: String, remedy: &str| Some(about(waiver, Level::Error, what, remedy));
    if named(lint).is_none() {
        error(format!("the waiver of `{lint}` names no lint"), "`assay lint --list` names them")
    } else if let Some(grave) = grave {
        let what = format!("{lint} cannot be waived here, it is an error: {grave}");
        error(what, "mend what it found, and take the waiver out")
    } else {
        (meant == 0 && looks_now(lint)).then(|| unneeded(waiver))
    }
}

/// A finding about a waiver.
fn about(waiver: &Waiver, level: Level, what: String, remedy: &str) -> Finding {
    Finding {
        lint: "waiver",
        level,
        about: waiver.about.clone(),
        phase: None,
        jobs: Vec::new(),
        place: Some(Place::Plan(waiver.at.0, waiver.at.1)),
        what,
        remedy: remedy.to_owned(),
        waived: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::Found;

    #[test]
    fn a_waiver_that_no_stage_needed_is_told_once_for_its_place_when_all_is_over() {
        let waiver = |about: &str, lint: &str, line: usize| Waiver {
            about: about.into(),
            lint: lint.into(),
            why: "so".into(),
            by: "lead".into(),
            signed_by: String::new(),
            at: (line, 1),
        };
        let of = |lint: &str| named(lint).expect("a lint");
        let findings = [Found::new("slow", "look").about("B").of(of("straggler"))];
        let given = [
            waiver("A", "straggler", 1),
            waiver("B", "straggler", 1),
            waiver("A", "cov-high", 2),
            waiver("B", "cov-high", 2),
            waiver("A", "compressible", 3),
        ];
        assert_eq!(idle(&findings, &given, &|waiver| waiver.about != "B"), [], "of B nobody knows");
        let told = idle(&findings, &given, &|_| true);
        let told: Vec<_> =
            told.iter().map(|one| (one.about.as_str(), one.level, one.what.as_str())).collect();
        let what = "the waiver of `cov-high` waives nothing: the lint found nothing";
        assert_eq!(told, [("A", Level::Info, what)], "those of the plan's stage are told by it");
    }
}
