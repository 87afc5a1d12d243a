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

/// Rejects a plan whose files or names do not fit where they are to lie, or not into what `quota` leaves
/// there.
pub(super) fn room(
    fs: &FileSystemFacts,
    quota: Quota,
    dir: &Path,
    need: schedule::Need,
) -> Result<(), Usage> {
    let dir = dir.display();
    let names = need.peak_names as f64 * ROOM_MARGIN;
    // Where inodes are made as they are needed, there is no number of them.
    let inodes = (fs.inodes > 0).then_some(fs.inodes_free);
    let (left, needed) = if let Some((inodes, of_quota)) = lacking(inodes, quota.names, names) {
        let left = match of_quota {
            false => format!("{dir} has {inodes} inodes free"),
            true => format!("the quota in {dir} leaves {inodes} names"),
        };
        (left, format!("{} (its names and 10 %)", names.ceil()))
    } else {
        let needed = need.peak_bytes as f64 * ROOM_MARGIN;
        let left = lacking(Some(fs.bytes_free), quota.bytes, needed);
        let Some((bytes, of_quota)) = left else { return Ok(()) };
        let bytes = bytes_binary(bytes as f64);
        let left = match of_quota {
            false => format!("{dir} has {bytes} free"),
            true => format!("the quota in {dir} leaves {bytes}"),
        };
        (left, format!("{} (its files and 10 %)", bytes_binary(needed)))
    };
    Err(Usage(format!("{left} and the plan needs {needed}; make room or choose another directory")))
}

/// The smaller of what is free and what a quota leaves, where that is less than is needed; and whether it is
/// the quota's.
fn lacking(free: Option<u64>, quota: Option<u64>, needed: f64) -> Option<(u64, bool)> {
    let smaller = match (free, quota) {
        (Some(free), Some(quota)) if quota < free => Some((quota, true)),
        (None, Some(quota)) => Some((quota, true)),
        (free, _) => free.map(|free| (free, false)),
    };
    smaller.filter(|(left, _)| (*left as f64) < needed)
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
    let left = match of_quota {
        Some(of_quota) if of_quota < needed => {
            format!("{} of the quota on fs.{}", bytes_binary(of_quota.max(0.0)), fs.name)
        }
        _ if left < needed => format!("{} of fs.{} free", bytes_binary(left), fs.name),
        _ => return Ok(()),
    };
    Err(Usage(format!(
        "{} leaves {left}, and the tests that run on it need {} (their files and 10 %); fill or write less",
        state.job(),
        bytes_binary(needed),
    )))
}
