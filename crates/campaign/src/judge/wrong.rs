//! Wrong data that was found: for criteria that allow none a miss, whatever else is known.
//!
//! Invariant: data that was found wrong is wrong on a degraded file system too, and in a job that died later.
//! Never here: what else a criterion may count.

use results::Outcome;
use results::folder::Job;
use results::record::{BadRange, Check, Phase};

use super::decide::Decision;
use super::{Case, phases};
use crate::dataset::CHANGED;
use crate::lint::Finding;
use crate::plan::{Goal, Op};

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

/// What the phases found that a criterion about errors is about; `None` of every other criterion.
pub(super) fn found(case: &Case<'_>, jobs: &[&Job]) -> Option<String> {
    let wanted = case.metric().1 == "errors";
    jobs.iter()
        .filter(|_| wanted)
        .find_map(|job| case.phases(job).find_map(of_phase).map(|check| said(job, check)))
}

/// A decision with what [`found`] says. Where no error is allowed that is a miss, and why nothing else could
/// be concluded stands behind it.
pub(super) fn counted(case: &Case<'_>, jobs: &[&Job], found: Option<&str>, decision: Decision) -> Decision {
    let Some(found) = found else { return decision };
    let none = matches!(&case.criterion.goal, Goal::Value(most) if most.value == 0.0);
    let asks_for_none = none && matches!(case.criterion.op, Op::Equal | Op::AtMost);
    match decision.outcome {
        Outcome::Fail => Decision { reason: format!("{}; {found}", decision.reason), ..decision },
        Outcome::Pass => decision,
        _ if !asks_for_none => decision,
        _ if was_changed(jobs) => Decision { reason: format!("{}; {found}", decision.reason), ..decision },
        _ => {
            let reason = format!("{found}, whatever else is open: {}", decision.reason);
            Decision { outcome: Outcome::Fail, reason, ..decision }
        }
    }
}

/// Whether somebody wrote to the dataset that the jobs were to read: then no file system made the data wrong.
fn was_changed(jobs: &[&Job]) -> bool {
    jobs.iter().flat_map(|job| &job.last_words).any(|line| line.contains(CHANGED))
}

/// Whether a finding makes a miss by wrong data INVALID: only one that says whose data it was.
pub(super) fn outweighed_by(finding: &Finding) -> bool {
    finding.lint == ELSEWHERE
}
