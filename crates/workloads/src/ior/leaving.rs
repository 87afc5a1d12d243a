//! What an open file is asked before it is closed, and what is told of the answers.

use ranks::{Halt, Reduce};
use storage::File;

use super::phase::Setting;
use super::test::Test;
use super::transfer::{Done, Job};
use crate::kit::checker::Checker;
use crate::kit::uncollective;

/// Says of each bad range where it lies in the file's own terms; gives the collective transfers that were
/// none.
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

/// Abandons a file that cannot be closed any more, because a rank has failed on it.
pub(super) fn abandon_failed(
    job: &Job<'_>,
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

/// Tells of transfers that were asked for as collective ones and were none: their numbers are not those of
/// collective transfers.
pub(super) fn tell(test: &mut Test<'_>, setting: &Setting, done: &Done) -> Result<(), Halt> {
    if !test.parameters.collective || test.parameters.file_per_rank || !test.storage.is_collective() {
        return Ok(());
    }
    let (comm, counts) = (test.rank.comm, (done.uncollective, done.transfers));
    match uncollective::told(comm, setting.kind.step(), counts, "-c was given")? {
        Some(text) => test.notice_in(setting, "not-collective", &text),
        None => Ok(()),
    }
}
