//! What the storage system under test did not do. The clauses about it fail, even if other problems are
//! known: a system that loses data or files does not do what its contract asks.
//!
//! Invariant: a fault counts on a degraded file system too, and in a job that died later.
//! Never here: other counts of a criterion.

use plan::{Goal, Uses};
use results::Outcome;
use results::finding::Finding;
use results::folder::Job;
use results::reason::{Code, Datum, Reason, any, reason, row};
use results::record::{self, Phase};
use results::record::{has_kinds, is_kind};

use crate::case::TestCriterion;
use crate::decision::Decision;
use crate::validity::{dataset, errors, faults};

/// A fault that was found in the jobs of a criterion.
pub(super) struct Fault {
    /// What happened, and where.
    reason: Reason,
    /// The criterion's own count in the job, if the criterion counts the fault and allows some.
    allowed_count: Option<f64>,
    /// Why it says nothing about the file system under test, if so.
    excuse: Option<Excuse>,
    /// Why the next reader of the dataset was rejected, with the folder of its job.
    rejected: Option<(Reason, String)>,
}

enum Excuse {
    /// It happened on another file system, or the command line asks for what is not there.
    Explained(Reason),
    /// Another program wrote to the dataset, and nothing examined the dataset before the next reader was
    /// rejected.
    Written,
}

impl Fault {
    fn of_wrong_data<'j>(case: &TestCriterion<'_>, findings: &[Finding], job: &'j Job) -> Vec<Self> {
        let of_phase = |phase: &'j Phase| {
            let compared = errors::wrong_data_of(phase);
            let own = compared.is_some() && case.metric() == "errors" && phase.phase == case.phase();
            let compared = compared.map(|check| errors::wrong_data_reason(job, check));
            // A sample counts only a part of the wrong data, so no count allows it.
            Some((own, compared.or_else(|| errors::sampled_wrong(job, phase))?))
        };
        let fault = |(is_own, reason): (bool, Reason)| {
            let rejected = dataset::rejected_next(case, job);
            let excuse = match (elsewhere(case, findings, job), &rejected) {
                (Some(finding), _) => Some(Excuse::Explained(finding.reason.clone())),
                (None, Some((_, reason))) if reason.code == Code::DatasetWritten => Some(Excuse::Written),
                _ => None,
            };
            let rejected = rejected.map(|(next, reason)| (reason.clone(), next.folder.clone()));
            let allowed_count = allowed_count(case, job, is_own);
            Self { reason, allowed_count, excuse, rejected }
        };
        record::phases(&job.records).filter_map(of_phase).map(fault).collect()
    }

    fn of_storage(case: &TestCriterion<'_>, findings: &[Finding], job: &Job) -> Vec<Self> {
        let fault = |found: faults::StorageFault| {
            let is_planned = |finding: &&Finding| found.may_be_planned && finding.code() == Code::LintError;
            let explained = elsewhere(case, findings, job).or_else(|| findings.iter().find(is_planned));
            let excuse = explained.map(|finding| Excuse::Explained(finding.reason.clone()));
            let is_phase = |phase: &str| phase == case.phase() || has_kinds(case.phase()) && is_kind(phase);
            let is_own = case.counts_failures() && found.phase.as_deref().is_some_and(is_phase);
            let allowed_count = allowed_count(case, job, is_own);
            Self { reason: found.reason, allowed_count, excuse, rejected: None }
        };
        faults::in_job(case, job).into_iter().map(fault).collect()
    }

    /// Whether a finding makes a failure INVALID. Only the finding that explains the fault does.
    pub(super) fn outweighed_by(&self, finding: &Finding) -> bool {
        matches!(&self.excuse, Some(Excuse::Explained(reason)) if *reason == finding.reason)
    }

    /// The reason that the dataset was found changed later, unless the decision already contains it.
    pub(super) fn later(&self, decided: &Reason) -> Option<Reason> {
        let (cause, folder) = self.rejected.as_ref()?;
        let known = decided.code == Code::WrongDataUnattributed || holds(decided, cause);
        (!known).then(|| reason!(DatasetChangedLater { cause: cause.clone(), folder }))
    }
}

/// What the criterion counts in a job, if it counts the fault itself and allows some.
fn allowed_count(case: &TestCriterion<'_>, job: &Job, is_own: bool) -> Option<f64> {
    let is_counted = is_own && job.info.test == case.test.id;
    let allows_none = matches!(&case.criterion.goal, Goal::Value(limit) if limit.value <= 0.0);
    let counts = || case.phases(job).filter_map(|phase| phase.metric(case.metric()));
    (is_counted && !allows_none).then(|| counts().map(|count| count.value).sum())
}

/// The finding that the files of a job were on another file system, if there is one. A finding of the linter
/// about a command line applies to each of its jobs.
fn elsewhere<'f>(case: &TestCriterion<'_>, findings: &'f [Finding], job: &Job) -> Option<&'f Finding> {
    let is_here = |folder: &Datum| match folder {
        Datum::Text(folder) => *folder == job.folder || dataset::made_by(case, folder),
        _ => false,
    };
    findings.iter().find(|finding| {
        let before = finding.reason.get(any::cause).filter(|_| finding.code() == Code::LintError);
        let reason = before.unwrap_or(&finding.reason);
        let folders = reason.get(any::folders).unwrap_or_default();
        reason.code == Code::PathOnWrongFs && (folders.is_empty() || folders.iter().any(is_here))
    })
}

/// Whether `part` is the reason itself, or within it.
fn holds(reason: &Reason, part: &Reason) -> bool {
    reason == part
        || reason.data.values().any(|datum| matches!(datum, Datum::Reason(inner) if holds(inner, part)))
}

/// The fault in the jobs of a criterion and in those that it needs, see [`worst`]. Wrong data that a reader
/// of its files found counts, too.
pub(super) fn found(case: &TestCriterion<'_>, findings: &[Finding]) -> Option<Fault> {
    let index = case.index;
    let readers = index.readers(case.test).flat_map(|reader| index.jobs(&reader.id));
    // A maker with a clause fails this clause. A test that did not run because of it stays NOT RUN.
    let has_clause =
        |uses: &&Uses| matches!(uses, Uses::Test(at) if !index.plan.tests[*at].criteria.is_empty());
    let makers = index.plan.sources(case.test).filter(|uses| !case.jobs().is_empty() || !has_clause(uses));
    let makers = makers.flat_map(|uses| index.jobs(&uses.maker(index.plan)));
    let needed: Vec<&Job> = index.jobs(&case.test.warm_up_job()).iter().chain(makers).copied().collect();
    let read = case.jobs().iter().chain(readers).chain(&needed);
    let wrong = read.flat_map(|job| Fault::of_wrong_data(case, findings, job));
    let storage = case.jobs().iter().chain(&needed);
    worst(wrong.chain(storage.flat_map(|job| Fault::of_storage(case, findings, job))).collect())
}

/// The same for the parts of a group or a score, each with its errors.
pub(super) fn of_several(cases: &[TestCriterion<'_>], errors: &[Vec<Finding>]) -> Option<Fault> {
    worst(cases.iter().zip(errors).filter_map(|(case, errors)| found(case, errors)).collect())
}

/// The first one that is not allowed and has no excuse, or else the first one without an excuse, or else the
/// first one.
fn worst(mut all: Vec<Fault>) -> Option<Fault> {
    let rank = |fault: &Fault| (fault.excuse.is_some(), fault.allowed_count.is_some());
    let first = (0..all.len()).min_by_key(|at| rank(&all[*at]))?;
    Some(all.swap_remove(first))
}

/// A decision with the [`found`] fault. It is FAIL, and the original reason follows, unless the criterion
/// counts and allows what was found.
pub(super) fn counted(case: &TestCriterion<'_>, fault: Option<&Fault>, decision: Decision) -> Decision {
    let Some(Fault { reason: found, allowed_count, excuse, rejected }) = fault else { return decision };
    let is_within = |count: f64| match &case.criterion.goal {
        Goal::Value(limit) => case.criterion.op.holds(count, limit.value),
        _ => true,
    };
    let decided = decision.reason.clone();
    let (outcome, reason) = match (decision.outcome, excuse) {
        (Outcome::Pass, _) if allowed_count.is_some() => return decision,
        (Outcome::Fail, Some(Excuse::Written)) => {
            let reason = reason!(WrongDataUnattributed {
                cause: rejected.as_ref().map(|(cause, _)| cause),
                folder: rejected.as_ref().map(|(_, folder)| folder),
                ..
            });
            let reason = reason.with(any::wrong, found);
            (Outcome::Invalid, reason.with(any::measured, decided))
        }
        (Outcome::Fail, _) if case.counts_errors() => {
            (Outcome::Fail, found.clone().with(any::measured, decided))
        }
        _ if allowed_count.is_some_and(is_within) => return decision,
        (outcome, Some(Excuse::Written)) => (outcome, decided.with(any::wrong, found)),
        _ if is_consequence(&decided) => (Outcome::Fail, found.clone()),
        _ => (Outcome::Fail, found.clone().with(any::also, decided)),
    };
    Decision { outcome, reason, ..decision }
}

/// Whether a reason only states that the job did not end well, as it does after a fault. The end of a rank or
/// of its launcher by a signal is another matter.
fn is_consequence(reason: &Reason) -> bool {
    match reason.code {
        Code::WrongData | Code::SampledWrong | Code::OperationsFailed => true,
        Code::JobFailed => {
            let has_other = reason.has(row::JobFailed::signal) || reason.has(row::JobFailed::launcher);
            !has_other && !reason.has(row::JobFailed::dead_process)
        }
        _ => false,
    }
}
