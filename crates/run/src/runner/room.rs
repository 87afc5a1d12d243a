//! Whether what a plan writes fits on the file systems under test.
//!
//! Never here: what the jobs need; the schedule says so.

use std::path::Path;

use results::folder::FileSystemFacts;
use units::{Usage, bytes_binary};

use super::ask::Quota;
use plan::State;
use plan::schedule;

/// How much more room there must be than the jobs need.
const ROOM_MARGIN: f64 = 1.1;

/// Refuses a plan whose files or names do not fit where they are to lie, or not into what `quota` leaves
/// there.
pub(super) fn room(
    fs: &FileSystemFacts,
    quota: Quota,
    dir: &Path,
    need: schedule::Need,
) -> Result<(), Usage> {
    let names = need.peak_names as f64 * ROOM_MARGIN;
    // Where inodes are made as they are needed, there is no number of them.
    let inodes = (fs.inodes > 0).then_some(fs.inodes_free);
    if let Some((inodes, of_quota)) = smaller(inodes, quota.names).filter(|left| (left.0 as f64) < names) {
        let left = match of_quota {
            false => format!("{} has {inodes} inodes free", dir.display()),
            true => format!("the quota in {} leaves {inodes} names", dir.display()),
        };
        return Err(Usage(format!(
            "{left} and the plan needs {} (its names and 10 %); make room or choose another directory",
            names.ceil(),
        )));
    }
    let needed = need.peak_bytes as f64 * ROOM_MARGIN;
    let left = smaller(Some(fs.bytes_free), quota.bytes);
    if let Some((bytes, of_quota)) = left.filter(|left| (left.0 as f64) < needed) {
        let bytes = bytes_binary(bytes as f64);
        let left = match of_quota {
            false => format!("{} has {bytes} free", dir.display()),
            true => format!("the quota in {} leaves {bytes}", dir.display()),
        };
        return Err(Usage(format!(
            "{left} and the plan needs {} (its files and 10 %); make room or choose another directory",
            bytes_binary(needed),
        )));
    }
    Ok(())
}

/// The smaller of what is free and what a quota leaves, and whether it is the quota's.
fn smaller(free: Option<u64>, quota: Option<u64>) -> Option<(u64, bool)> {
    match (free, quota) {
        (Some(free), Some(quota)) if quota < free => Some((quota, true)),
        (None, Some(quota)) => Some((quota, true)),
        (free, _) => free.map(|free| (free, false)),
    }
}

/// What a state leaves free has to hold the files of the tests that run on it.
pub(super) fn room_beside(
    state: &State,
    fs: &FileSystemFacts,
    quota: Quota,
    peak_bytes: u64,
) -> Result<(), Usage> {
    let Some(share) = state.blocks() else { return Ok(()) };
    let left = fs.bytes as f64 * (1.0 - share);
    // What it adds to what is there is the user's.
    let added = (fs.bytes as f64 * share - fs.bytes_used as f64).max(0.0);
    let of_quota = quota.bytes.map(|bytes| bytes as f64 - added).filter(|of_quota| *of_quota < left);
    let needed = peak_bytes as f64 * ROOM_MARGIN;
    if let Some(of_quota) = of_quota.filter(|of_quota| *of_quota < needed) {
        return Err(Usage(format!(
            "{} leaves {} of the quota on fs.{}, and the tests that run on it need {} (their files and \
             10 %); fill or write less",
            state.job(),
            bytes_binary(of_quota.max(0.0)),
            fs.name,
            bytes_binary(needed),
        )));
    }
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
