//! Whether what a plan writes fits on the file systems under test.
//!
//! Never here: what the jobs need; the schedule says so.

use std::path::Path;

use results::folder::FileSystem;
use units::{Usage, bytes_binary};

use crate::plan::State;
use crate::schedule;

/// How much more room there must be than the jobs need.
const ROOM_MARGIN: f64 = 1.1;

/// Refuses a plan whose files or names do not fit where they are to lie.
pub(super) fn room(fs: &FileSystem, dir: &Path, need: schedule::Need) -> Result<(), Usage> {
    let names = need.peak_names as f64 * ROOM_MARGIN;
    // Where inodes are made as they are needed, there is no number of them.
    if fs.inodes > 0 && (fs.inodes_free as f64) < names {
        return Err(Usage(format!(
            "{} has {} inodes free and the plan needs {} (its names and 10 %); make room or choose another \
             directory",
            dir.display(),
            fs.inodes_free,
            names.ceil(),
        )));
    }
    let needed = need.peak_bytes as f64 * ROOM_MARGIN;
    if (fs.bytes_free as f64) < needed {
        return Err(Usage(format!(
            "{} has {} free and the plan needs {} (its files and 10 %); make room or choose another \
             directory",
            dir.display(),
            bytes_binary(fs.bytes_free as f64),
            bytes_binary(needed),
        )));
    }
    Ok(())
}

/// What a state leaves free has to hold the files of the tests that run on it.
pub(super) fn room_beside(state: &State, fs: &FileSystem, peak_bytes: u64) -> Result<(), Usage> {
    let Some(share) = state.blocks() else { return Ok(()) };
    let (left, needed) = (fs.bytes as f64 * (1.0 - share), peak_bytes as f64 * ROOM_MARGIN);
    if left < needed {
        return Err(Usage(format!(
            "{} leaves {} of fs.{} free, and the tests that run on it need {} (their files and 10 %); fill \
             or write less",
            state.job(),
            bytes_binary(left),
            fs.name,
            bytes_binary(needed),
        )));
    }
    Ok(())
}
