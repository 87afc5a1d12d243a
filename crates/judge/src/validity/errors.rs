//! The errors that jobs recorded: wrong data, failed operations, and cases of a conformance suite by outcome.
//!
//! Never here: the effect on a criterion about errors.

use command::discards_data;
use plan::Goal;
use results::folder::Job;
use results::reason::{Reason, any, reason};
use results::record::{self, BadRange, Case as Tried, CaseOutcome, Check, Failed, Phase};

use crate::case::TestCriterion;
use crate::index::phases;

/// The first comparison of a job that found wrong data.
pub(crate) fn wrong_data(job: &Job) -> Option<&Check> {
    phases(job).find_map(wrong_data_of)
}

/// The comparison of a phase, if it found wrong data.
pub(crate) fn wrong_data_of(phase: &Phase) -> Option<&Check> {
    phase.check.as_ref().filter(|check| check.bad_transfers > 0 && !discards_data(&phase.backend))
}

/// The amount of wrong data that a job found, with its first place.
pub(crate) fn wrong_data_reason(job: &Job, check: &Check) -> Reason {
    let Some(BadRange { path, offset, expected, found, .. }) = check.bad.first() else {
        return reason!(WrongData { transfers: check.bad_transfers, folder: &job.folder });
    };
    let reason =
        reason!(WrongData { transfers: check.bad_transfers, folder: &job.folder, path, offset: *offset });
    match (expected.as_str(), found.as_str()) {
        ("", "") => reason,
        _ => reason!(WrongData { expected, found, ..reason }),
    }
}

/// Wrong data in a job of the test, or in a job that read its files. The speed of such a job is not valid.
pub(super) fn no_wrong_data(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let readers = case.index.readers(case.test).flat_map(|reader| case.index.jobs(&reader.id));
    let mut found =
        case.jobs().iter().chain(readers).filter_map(|job| Some(wrong_data_reason(job, wrong_data(job)?)));
    found.next().map_or(Ok(()), Err)
}

/// A plain read whose sampled blocks were not those of the file. Its rate is not that of reading the data.
pub(super) fn as_written(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let found = |job: &&Job| phases(job).find_map(|phase| sampled_wrong(job, phase));
    case.jobs().iter().find_map(found).map_or(Ok(()), Err)
}

/// The sampled blocks of a phase that were not those of the file.
pub(crate) fn sampled_wrong(job: &Job, phase: &Phase) -> Option<Reason> {
    let sampled = phase.sampled.filter(|sampled| sampled.wrong > 0)?;
    Some(reason!(SampledWrong {
        repetition: job.info.repetition,
        phase: &phase.phase,
        sampled_blocks: sampled.blocks,
        wrong: sampled.wrong
    }))
}

/// The failed operations of a job, from its first phase with failures.
pub(super) fn failed_operations(job: &Job) -> Option<&Failed> {
    phases(job).find_map(|phase| phase.failed.as_ref())
}

/// Failed operations in a job of the test. The rate of the others would be another one without failures.
pub(super) fn no_failures(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let failed = case.jobs().iter().find_map(|job| Some((job, failed_operations(job)?)));
    failed.map_or(Ok(()), |(job, failed)| {
        let first = failed.first.first();
        Err(reason!(OperationsFailed {
            operations: failed.operations,
            folder: &job.folder,
            operation: first.map(|first| &first.operation),
            path: first.map(|first| &first.path),
            error: first.map(|first| &first.why),
        }))
    })
}

/// The number of cases of one job with this outcome, or why it is not known if none was run.
pub(super) fn cases_with(case: &TestCriterion<'_>, job: &Job, outcome: CaseOutcome) -> Result<f64, Reason> {
    let of = |reason: Reason| Err(reason.with(any::repetition, job.info.repetition));
    let all: Vec<&Tried> = matching_cases(case, job).collect();
    let Some(first) = all.first() else {
        return Err(case.missing(job));
    };
    let was_run = |tried: &&&Tried| !matches!(tried.outcome, CaseOutcome::Skipped | CaseOutcome::Unsupported);
    let asks_of_these = matches!(outcome, CaseOutcome::Skipped | CaseOutcome::Unsupported);
    if !asks_of_these && all.iter().find(was_run).is_none() {
        return of(reason!(CasesUntried { cases: all.len(), group: case.phase(), error: &first.why, .. }));
    }
    let count = |wanted| all.iter().filter(|tried| tried.outcome == wanted).count();
    let least = count(outcome);
    let most = least + if outcome == CaseOutcome::Undecided { 0 } else { count(CaseOutcome::Undecided) };
    if decides(case, least, most) {
        return Ok(least as f64);
    }
    let open = all.iter().find(|tried| tried.outcome == CaseOutcome::Undecided);
    of(reason!(CasesUndecided {
        cases: most - least,
        outcome: outcome.word(),
        least,
        most,
        names: open.map(|open| open.name.as_str()),
        error: open.map(|open| open.why.as_str()),
        ..
    }))
}

/// Whether the criterion is met by all of these numbers of cases, or by none.
fn decides(case: &TestCriterion<'_>, least: usize, most: usize) -> bool {
    let Goal::Value(goal) = &case.criterion.goal else { return least == most };
    let met = |count: usize| case.criterion.op.holds(count as f64, goal.value);
    (least..=most).all(|count| met(count) == met(least))
}

/// The first case of a job that failed or is undecided. Such a job does not end with status 0.
pub(super) fn failed_case(job: &Job) -> Option<&Tried> {
    let wanted = [CaseOutcome::Fail, CaseOutcome::Undecided];
    record::cases(&job.records).find(|tried| wanted.contains(&tried.outcome))
}

/// Whether a job found that a quota was not kept. Such a job does not end with status 0.
pub(super) fn broken_quota(job: &Job) -> bool {
    record::notices(&job.records).any(|notice| notice.reason.code.is_quota_fault())
}

/// The cases of a job that the criterion is about.
pub(crate) fn matching_cases<'j>(case: &TestCriterion<'_>, job: &'j Job) -> impl Iterator<Item = &'j Tried> {
    let group = case.phase().to_owned();
    record::cases(&job.records).filter(move |tried| group == "cases" || tried.group() == group)
}
