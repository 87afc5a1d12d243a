//! Waivers: who answers for a finding, and why.
//!
//! Invariant: a waived finding stays listed; an error is never waived; a waiver that waives nothing is told.

use serde::Serialize;

use super::table::named;
use super::{Finding, Level, Place, Stage};

/// A waiver as a plan gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The test that gives it; empty for all.
    pub about: String,
    /// The lint.
    pub lint: String,
    /// Why.
    pub why: String,
    /// By whom.
    pub by: String,
    /// Line and column in the plan's file.
    pub at: Option<(usize, usize)>,
}

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
        let (waived, grave) = sign_one(&mut findings, waiver);
        idle.extend(told(waiver, waived, grave));
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

/// Puts the name of one waiver under what it waives, and gives how many findings that are, and the first that
/// cannot be waived.
fn sign_one(findings: &mut [Finding], waiver: &Waiver) -> (usize, Option<String>) {
    let signed = !waiver.why.trim().is_empty() && !waiver.by.trim().is_empty();
    let meant = |finding: &&mut Finding| {
        signed && finding.lint == waiver.lint && (waiver.about.is_empty() || waiver.about == finding.about)
    };
    let (mut waived, mut grave) = (0, None);
    for finding in findings.iter_mut().filter(meant) {
        if finding.level == Level::Error {
            grave.get_or_insert_with(|| finding.what.clone());
        } else {
            finding.waived = Some(Signed { why: waiver.why.clone(), by: waiver.by.clone() });
            waived += 1;
        }
    }
    (waived, grave)
}

/// Whether a lint has said all it will when a plan is checked; one of a later stage may still find something.
fn looks_now(lint: &str) -> bool {
    named(lint).is_none_or(|lint| lint.stages() == [Stage::Plan])
}

/// What is to be told of one waiver.
fn told(waiver: &Waiver, waived: usize, grave: Option<String>) -> Option<Finding> {
    let Waiver { about, lint, at, .. } = waiver;
    let (level, what, remedy) = if named(lint).is_none() {
        let what = format!("the waiver of `{lint}` names no lint");
        (Level::Error, what, "`assay lint --list` names them".to_owned())
    } else if waiver.why.trim().is_empty() || waiver.by.trim().is_empty() {
        let what = format!("the waiver of `{lint}` has no reason or no name under it");
        (Level::Error, what, "say why, and by whom".to_owned())
    } else if let Some(grave) = grave {
        let what = format!("{lint} cannot be waived here, it is an error: {grave}");
        (Level::Error, what, "mend what it found, and take the waiver out".to_owned())
    } else if waived == 0 && looks_now(lint) {
        let what = format!("the waiver of `{lint}` waives nothing: the lint found nothing");
        (Level::Info, what, "take it out".to_owned())
    } else {
        return None;
    };
    Some(Finding {
        lint: "waiver",
        level,
        about: about.clone(),
        phase: None,
        place: at.map(|(line, column)| Place::Plan(line, column)),
        what,
        remedy,
        waived: None,
    })
}
