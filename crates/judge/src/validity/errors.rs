//! The errors that jobs recorded: data that came back wrong, operations that failed, and cases of a
//! conformance suite by their outcome.
//!
//! Never here: what a criterion about errors makes of them.

use results::folder::Job;
use results::reason::{Code, Reason};
use results::record::{self, BadRange, Case as Tried, CaseOutcome, Check, Failed, Phase};

use crate::case::TestCriterion;
use crate::index::phases;

/// The first comparison of a job that found wrong data.
pub(super) fn wrong_data(job: &Job) -> Option<&Check> {
    phases(job).find_map(wrong_data_of)
}

/// The comparison of a phase, where it found wrong data.
pub(crate) fn wrong_data_of(phase: &Phase) -> Option<&Check> {
    phase.check.as_ref().filter(|check| check.bad_transfers > 0 && phase.backend != "dummy")
}

/// How much of it a job found, and where the first was.
pub(crate) fn wrong_data_reason(job: &Job, check: &Check) -> Reason {
    let reason = Reason::new(Code::WrongData).with("transfers", check.bad_transfers);
    let reason = reason.with("folder", &job.folder);
    let Some(BadRange { path, offset, expected, found, .. }) = check.bad.first() else { return reason };
    let reason = reason.with("path", path).with("offset", *offset);
    match (expected.as_str(), found.as_str()) {
        ("", "") => reason,
        _ => reason.with("expected", expected).with("found", found),
    }
}

/// Wrong data in a job of the test, or in one that read the test's files: its speed means nothing.
pub(super) fn no_wrong_data(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let readers = case.index.readers(case.test).flat_map(|reader| case.index.jobs(&reader.id));
    let mut found =
        case.jobs().iter().chain(readers).filter_map(|job| Some(wrong_data_reason(job, wrong_data(job)?)));
    found.next().map_or(Ok(()), Err)
}

/// The operations of a job that failed, of the first phase that has some.
pub(super) fn failed_operations(job: &Job) -> Option<&Failed> {
    phases(job).find_map(|phase| phase.failed.as_ref())
}

/// Operations that failed in a job of the test: those that did not would not have been alone.
pub(super) fn no_failures(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let failed = case.jobs().iter().find_map(|job| Some((job, failed_operations(job)?)));
    failed.map_or(Ok(()), |(job, failed)| {
        let reason = Reason::new(Code::OperationsFailed).with("operations", failed.operations);
        let mut reason = reason.with("folder", &job.folder);
        if let Some(first) = failed.first.first() {
            reason = reason.with("operation", &first.operation).with("path", &first.path);
            reason = reason.with("error", &first.why);
        }
        Err(reason)
    })
}

/// How many cases of one job had this outcome; why that cannot be said where none was tried.
pub(super) fn cases_with(case: &TestCriterion<'_>, job: &Job, outcome: CaseOutcome) -> Result<f64, Reason> {
    let of = |reason: Reason| Err(reason.with("repetition", job.info.repetition));
    let all: Vec<&Tried> = matching_cases(case, job).collect();
    let Some(first) = all.first() else {
        return Err(case.missing(job));
    };
    let tried = |tried: &&&Tried| !matches!(tried.outcome, CaseOutcome::Skipped | CaseOutcome::Unsupported);
    let asks_of_these = matches!(outcome, CaseOutcome::Skipped | CaseOutcome::Unsupported);
    if !asks_of_these && all.iter().find(tried).is_none() {
        let reason = Reason::new(Code::CasesUntried).with("cases", all.len()).with("group", case.phase());
        return of(reason.with("error", &first.why));
    }
    Ok(all.iter().filter(|tried| tried.outcome == outcome).count() as f64)
}

/// The first case of a job that failed.
pub(super) fn failed_case(job: &Job) -> Option<&Tried> {
    record::cases(&job.records).find(|tried| tried.outcome == CaseOutcome::Fail)
}

/// The cases of a job that the criterion is about.
pub(crate) fn matching_cases<'j>(case: &TestCriterion<'_>, job: &'j Job) -> impl Iterator<Item = &'j Tried> {
    let group = case.phase().to_owned();
    record::cases(&job.records).filter(move |tried| group == "cases" || tried.group() == group)
}
