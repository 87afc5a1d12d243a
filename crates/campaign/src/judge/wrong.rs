//! Wrong data that was found: for criteria that allow none a miss, whatever else is known.
//!
//! Invariant: data that was found wrong is wrong on a degraded file system too, and in a job that died later.
//! Never here: what else a criterion may count.

use results::Outcome;
use results::folder::Job;
use results::record::{BadRange, Check, Phase};

use super::decide::Decision;
use super::{Case, dataset, lints, phases};
use crate::lint::Finding;
use plan::dataset_check::WRITTEN;
use plan::{Goal, Op};

/// The lint that says that the data was another file system's.
const ELSEWHERE: &str = "path-on-wrong-fs";

/// The first comparison of a job that found wrong data.
pub(super) fn bad(job: &Job) -> Option<&Check> {
    phases(job).find_map(of_phase)
}

fn of_phase(phase: &Phase) -> Option<&Check> {
    phase.check.as_ref().filter(|check| check.bad_transfers > 0 && phase.backend != "dummy")
}

/// How much of it a job found, and where the first was.
pub(super) fn said(job: &Job, check: &Check) -> String {
    let at = check.bad.first().map(|bad| format!(", {}", first(bad))).unwrap_or_default();
    let transfers = units::several(check.bad_transfers, "transfer");
    format!("{transfers} held wrong data ({}{at})", job.folder)
}

fn first(bad: &BadRange) -> String {
    let BadRange { path, offset, expected, found, .. } = bad;
    let words = match (expected.as_str(), found.as_str()) {
        ("", "") => String::new(),
        _ => format!(", expected {expected}, found {found}"),
    };
    format!("first in {path} at {offset}{words}")
}

/// Wrong data that a criterion about errors found.
pub(super) struct Wrong {
    /// How much, and where the first was.
    said: String,
    /// Why it says nothing of the file system under test, where it does not.
    excuse: Option<Excuse>,
    /// What the next reader of the dataset was refused for, and where that stands.
    refused: Option<(String, String)>,
}

enum Excuse {
    /// It was read, or made, on another file system, as this finding says.
    Elsewhere(String),
    /// Somebody wrote to the dataset; nobody had looked at it since, before the next reader was refused.
    Written,
}

impl Wrong {
    fn of(case: &Case<'_>, job: &Job) -> Option<Self> {
        let said = said(job, case.phases(job).find_map(of_phase)?);
        let here = |folder: &String| *folder == job.folder || dataset::made_by(case, folder);
        // What is said of the line is true of each of its jobs.
        let is_of = |one: &&&Finding| one.jobs.is_empty() || one.jobs.iter().any(here);
        let grave = lints::grave(case);
        let elsewhere = grave.iter().filter(|one| one.lint == ELSEWHERE).find(is_of);
        let refused = dataset::refused_next(case, job);
        let excuse = match (elsewhere, &refused) {
            (Some(finding), _) => Some(Excuse::Elsewhere(finding.what.clone())),
            (None, Some((_, line))) if line.ends_with(WRITTEN) => Some(Excuse::Written),
            _ => None,
        };
        let refused = refused.map(|(next, line)| (line.to_owned(), next.folder.clone()));
        Some(Self { said, excuse, refused })
    }

    /// Whether nothing excuses it.
    pub(super) fn stands(&self) -> bool {
        self.excuse.is_none()
    }

    /// Whether a finding makes a miss by it INVALID: only one that says whose data it was.
    pub(super) fn outweighed_by(&self, finding: &Finding) -> bool {
        let Some(Excuse::Elsewhere(what)) = &self.excuse else { return false };
        finding.lint == ELSEWHERE && finding.what == *what
    }

    /// That the dataset was found to be another afterwards, where the reason does not say it already.
    pub(super) fn told(&self, reason: &str) -> Option<String> {
        let (line, folder) = self.refused.as_ref().filter(|(line, _)| !reason.contains(line))?;
        Some(format!("when it was looked at again, {line} ({folder})"))
    }
}

/// What the phases found that a criterion about errors is about, rather what nothing excuses; `None` of every
/// other criterion.
pub(super) fn found(case: &Case<'_>, jobs: &[&Job]) -> Option<Wrong> {
    if case.metric().1 != "errors" {
        return None;
    }
    worst(jobs.iter().filter_map(|job| Wrong::of(case, job)).collect())
}

/// The first that nothing excuses, and else the first.
pub(super) fn worst(mut all: Vec<Wrong>) -> Option<Wrong> {
    let first = all.iter().position(Wrong::stands).unwrap_or(0);
    (first < all.len()).then(|| all.swap_remove(first))
}

/// A decision with what was [`found`]. Where no error is allowed that is a miss, and why nothing else could
/// be concluded stands behind it.
pub(super) fn counted(case: &Case<'_>, wrong: Option<&Wrong>, decision: Decision) -> Decision {
    let Some(wrong) = wrong else { return decision };
    let Wrong { said, excuse, .. } = wrong;
    let none = matches!(&case.criterion.goal, Goal::Value(most) if most.value == 0.0);
    let asks_for_none = none && matches!(case.criterion.op, Op::Equal | Op::AtMost);
    let why = &decision.reason;
    let (outcome, reason) = match (decision.outcome, excuse) {
        (Outcome::Pass, _) => return decision,
        (Outcome::Fail, Some(Excuse::Written)) => {
            let changed = wrong.told(why).unwrap_or_default();
            let nobody = "so nobody knows whose wrong data this is";
            (Outcome::Invalid, format!("{changed}, {nobody}: {why}; {said}"))
        }
        (Outcome::Fail, _) => (Outcome::Fail, format!("{why}; {said}")),
        _ if !asks_for_none => return decision,
        (outcome, Some(Excuse::Written)) => (outcome, format!("{why}; {said}")),
        _ => (Outcome::Fail, format!("{said}, whatever else is open: {why}")),
    };
    Decision { outcome, reason, ..decision }
}
