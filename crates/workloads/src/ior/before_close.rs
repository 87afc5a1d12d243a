//! The notices about what a file was asked before it was closed.

use command::ior::Request;
use ranks::{Halt, Reduce};
use results::reason;
use storage::Hints;

use super::observer::IorEvent;
use super::setting::PhaseSetting;
use super::test::RunningTest;
use super::transfer::RankDone;
use crate::kit::reduce;

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
    if test.hints_reported || !given || !test.parameters.abilities().collective {
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
    if !test.parameters.collective || test.parameters.file_per_rank || !test.parameters.abilities().collective
    {
        return Ok(());
    }
    let (comm, counts) = (test.rank.comm, (done.uncollective, done.transfers));
    match reduce::uncollective(comm, setting.kind.step(), counts, "-c")? {
        Some(reason) => test.notice_in(setting, &reason),
        None => Ok(()),
    }
}
