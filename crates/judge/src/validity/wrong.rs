//! Wrong data that was read.
//!
//! Never here: what a criterion about errors makes of it.

use results::folder::Job;
use results::reason::{Code, Reason};
use results::record::{BadRange, Check, Phase};

use crate::case::TestCriterion;
use crate::index::phases;

/// The first comparison of a job that found wrong data.
pub(crate) fn bad(job: &Job) -> Option<&Check> {
    phases(job).find_map(of_phase)
}

/// The comparison of a phase, where it found wrong data.
pub(crate) fn of_phase(phase: &Phase) -> Option<&Check> {
    phase.check.as_ref().filter(|check| check.bad_transfers > 0 && phase.backend != "dummy")
}

/// How much of it a job found, and where the first was.
pub(crate) fn reason(job: &Job, check: &Check) -> Reason {
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
pub(super) fn none(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let readers = case.index.readers(case.test).flat_map(|reader| case.index.jobs(&reader.id));
    let mut found = case.jobs().iter().chain(readers).filter_map(|job| Some(reason(job, bad(job)?)));
    found.next().map_or(Ok(()), Err)
}
