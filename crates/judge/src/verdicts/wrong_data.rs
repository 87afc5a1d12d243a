//! Wrong data that was found. A criterion that allows none fails, even if other problems are known.
//!
//! Invariant: wrong data counts on a degraded file system too, and in a job that died later.
//! Never here: other counts of a criterion.

use plan::{Comparison, Goal};
use results::Outcome;
use results::finding::Finding;
use results::folder::Job;
use results::reason::{Code, Datum, Reason};

use crate::case::TestCriterion;
use crate::decision::Decision;
use crate::validity::{dataset, errors};

/// Wrong data found by a criterion about errors.
pub(super) struct WrongData {
    /// Its amount, and its first place.
    reason: Reason,
    /// Why it says nothing about the file system under test, if so.
    excuse: Option<Excuse>,
    /// Why the next reader of the dataset was rejected, with the folder of its job.
    rejected: Option<(Reason, String)>,
}

enum Excuse {
    /// It was read, or written, on another file system, for this reason.
    Elsewhere(Reason),
    /// Another program wrote to the dataset, and nothing examined the dataset before the next reader was
    /// rejected.
    Written,
}

impl WrongData {
    fn of(case: &TestCriterion<'_>, findings: &[Finding], job: &Job) -> Option<Self> {
        let reason = errors::wrong_data_reason(job, case.phases(job).find_map(errors::wrong_data_of)?);
        let here = |folder: &str| folder == job.folder || dataset::made_by(case, folder);
        let elsewhere = findings.iter().find(|finding| is_elsewhere(finding, &here));
        let rejected = dataset::rejected_next(case, job);
        let excuse = match (elsewhere, &rejected) {
            (Some(finding), _) => Some(Excuse::Elsewhere(finding.reason.clone())),
            (None, Some((_, reason))) if reason.code == Code::DatasetWritten => Some(Excuse::Written),
            _ => None,
        };
        let rejected = rejected.map(|(next, reason)| (reason.clone(), next.folder.clone()));
        Some(Self { reason, excuse, rejected })
    }

    /// Whether a finding makes a failure INVALID. Only the finding that explains the wrong data does.
    pub(super) fn outweighed_by(&self, finding: &Finding) -> bool {
        matches!(&self.excuse, Some(Excuse::Elsewhere(reason)) if *reason == finding.reason)
    }

    /// The reason that the dataset was found changed later, unless the decision already contains it.
    pub(super) fn later(&self, decided: &Reason) -> Option<Reason> {
        let (cause, folder) = self.rejected.as_ref()?;
        let known = decided.code == Code::WrongDataUnattributed || holds(decided, cause);
        let reason = || Reason::new(Code::DatasetChangedLater).with("cause", cause.clone());
        (!known).then(|| reason().with("folder", folder))
    }
}

/// Whether a finding states that the data of one of these jobs was on another file system. A finding of the
/// linter about a command line applies to each of its jobs.
fn is_elsewhere(finding: &Finding, here: &dyn Fn(&str) -> bool) -> bool {
    let before = finding.reason.reason("cause").filter(|_| finding.code() == Code::LintError);
    let reason = before.unwrap_or(&finding.reason);
    let folders = match reason.get("folders") {
        Some(Datum::List(folders)) => folders.as_slice(),
        _ => &[],
    };
    let is_here = |folder: &Datum| matches!(folder, Datum::Text(folder) if here(folder));
    reason.code == Code::PathOnWrongFs && (folders.is_empty() || folders.iter().any(is_here))
}

/// Whether `part` is the reason itself, or within it.
fn holds(reason: &Reason, part: &Reason) -> bool {
    reason == part
        || reason.data.values().any(|datum| matches!(datum, Datum::Reason(inner) if holds(inner, part)))
}

/// The wrong data that a criterion about errors found, preferably one without an excuse; `None` for every
/// other criterion.
pub(super) fn found(case: &TestCriterion<'_>, findings: &[Finding]) -> Option<WrongData> {
    if case.metric() != "errors" {
        return None;
    }
    worst(case.jobs().iter().filter_map(|job| WrongData::of(case, findings, job)).collect())
}

/// The first one without an excuse, or else the first one.
pub(super) fn worst(mut all: Vec<WrongData>) -> Option<WrongData> {
    let first = all.iter().position(|wrong| wrong.excuse.is_none()).unwrap_or(0);
    (first < all.len()).then(|| all.swap_remove(first))
}

/// A decision with the [`found`] wrong data. If no error is allowed, it is FAIL, and the original reason
/// follows.
pub(super) fn counted(case: &TestCriterion<'_>, wrong: Option<&WrongData>, decision: Decision) -> Decision {
    let Some(WrongData { reason: found, excuse, rejected }) = wrong else { return decision };
    let none = matches!(&case.criterion.goal, Goal::Value(most) if most.value == 0.0);
    let asks_for_none = none && matches!(case.criterion.op, Comparison::Equal | Comparison::AtMost);
    let decided = decision.reason.clone();
    let (outcome, reason) = match (decision.outcome, excuse) {
        (Outcome::Pass, _) => return decision,
        (Outcome::Fail, Some(Excuse::Written)) => {
            let reason = Reason::new(Code::WrongDataUnattributed).with("wrong", found.clone());
            let cause = rejected.as_ref().map(|(cause, _)| cause.clone());
            let folder = rejected.as_ref().map(|(_, folder)| folder);
            let reason = reason.with_some("cause", cause).with_some("folder", folder);
            (Outcome::Invalid, reason.with("measured", decided))
        }
        (Outcome::Fail, _) => (Outcome::Fail, found.clone().with("measured", decided)),
        _ if !asks_for_none => return decision,
        (outcome, Some(Excuse::Written)) => (outcome, decided.with("wrong", found.clone())),
        _ => (Outcome::Fail, found.clone().with("also", decided)),
    };
    Decision { outcome, reason, ..decision }
}
