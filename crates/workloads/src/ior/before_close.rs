//! Queries on an open file before it is closed, and the notices about the answers.

use command::ior::Request;
use ranks::{Halt, Reduce};
use results::reason;
use storage::{File, Hints};

use super::observer::IorEvent;
use super::phase::PhaseSetting;
use super::test::RunningTest;
use super::transfer::{RankDone, RankJob};
use crate::kit::checker::Checker;
use crate::kit::reduce;

/// Adds to each bad range where it lies in the file's own terms. Returns the number of transfers that should
/// be collective and were not.
pub(super) fn ask(file: Option<&dyn File>, checker: Option<&mut Checker>) -> u64 {
    let Some(file) = file else { return 0 };
    for bad in checker.into_iter().flat_map(|checker| &mut checker.bad) {
        if let Some(place) = file.place(bad.offset) {
            let between = if bad.detail.is_empty() { "" } else { "; " };
            bad.detail.push_str(&format!("{between}{place}"));
        }
    }
    file.uncollective()
}

/// Abandons a file that cannot be closed any more, because a rank failed on it.
pub(super) fn abandon_failed(
    job: &RankJob<'_>,
    failed: bool,
    file: &mut Option<Box<dyn File>>,
) -> Result<(), Halt> {
    if !job.storage.is_fragile() {
        return Ok(());
    }
    let failed = match job.parameters.file_per_rank {
        true => failed,
        false => job.comm.reduce_one(failed.into(), Reduce::Max)? > 0,
    };
    if let Some(file) = file.take_if(|_| failed) {
        file.abandon();
    }
    Ok(())
}

/// Shows the hints of rank 0's file, if the settings ask for it.
pub(super) fn show_hints(test: &mut RunningTest<'_>, done: &RankDone) {
    let Request { backend, settings, .. } = test.parameters;
    let shows = settings.flag(&format!("{}.showHints", backend.to_lowercase()));
    if let Some(hints) = done.hints.as_ref().filter(|_| shows) {
        test.observer.event(&IorEvent::Hints(hints));
    }
}

/// Reports, once in a test, the hints that the library did not take. A test without its hints is a different
/// test.
pub(super) fn report_hints(test: &mut RunningTest<'_>, done: &RankDone) -> Result<(), Halt> {
    let Request { backend, settings, .. } = test.parameters;
    let file = format!("{}.hintsFileName", backend.to_lowercase());
    let given = settings.under("hint.").next().is_some() || settings.text(&file).is_some();
    if test.hints_reported || !given || !test.storage.is_collective() {
        return Ok(());
    }
    test.hints_reported = true;
    let [ignored, changed] = done.hints.as_ref().map(Hints::not_taken).unwrap_or_default();
    // Only rank 0 has the hints, and all ranks record together.
    let any = test.rank.comm.reduce_one((ignored.len() + changed.len()) as u64, Reduce::Max)? > 0;
    let some = |hints: Vec<String>| Some(hints).filter(|hints| !hints.is_empty());
    let reason = reason!(HintsNotTaken { ignored: some(ignored), changed: some(changed) });
    if any { test.notice(&reason) } else { Ok(()) }
}

/// Reports transfers that should be collective and were not. Their numbers are not those of collective
/// transfers.
pub(super) fn report(
    test: &mut RunningTest<'_>,
    setting: &PhaseSetting,
    done: &RankDone,
) -> Result<(), Halt> {
    if !test.parameters.collective || test.parameters.file_per_rank || !test.storage.is_collective() {
        return Ok(());
    }
    let (comm, counts) = (test.rank.comm, (done.uncollective, done.transfers));
    match reduce::uncollective(comm, setting.kind.step(), counts, "-c")? {
        Some(reason) => test.notice_in(setting, &reason),
        None => Ok(()),
    }
}
