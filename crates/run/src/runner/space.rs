//! Whether the files of a plan fit on the file systems under test.
//!
//! Never here: the needs of the jobs; `plan::schedule` computes them.

use std::path::Path;

use results::folder::FileSystemFacts;
use rustix::fs::{Access, access};
use units::{Usage, bytes_binary};

use super::ask::Quota;
use super::ownership::not_created;
use plan::State;
use plan::schedule::{self, PlannedJob};

/// The required free space, relative to the needs of the jobs.
const MARGIN: f64 = 1.1;

/// Rejects jobs whose files and directories do not fit on the file system, or not into its quota.
pub(super) fn check_space(
    fs: &FileSystemFacts,
    quota: Quota,
    path: &Path,
    jobs: &[PlannedJob],
) -> Result<(), Usage> {
    let needs = schedule::needs(jobs);
    let Some(need) = needs.get(&fs.name) else { return Ok(()) };
    let dir = path.display();
    let names = need.peak_names as f64 * MARGIN;
    // A file system that creates inodes on demand reports no number of them.
    let inodes = (fs.inodes > 0).then_some(fs.inodes_free);
    let (left, needed, at) = if let Some((inodes, of_quota)) = lacking(inodes, quota.names, names) {
        let left = match of_quota {
            false => format!("{dir} has {inodes} free inodes"),
            true => format!("the quota in {dir} leaves {inodes} inodes"),
        };
        (
            left,
            format!("{} (all files and directories at that time plus 10 %)", names.ceil()),
            need.peak_jobs[1],
        )
    } else {
        let needed = need.peak_bytes as f64 * MARGIN;
        let left = lacking(Some(fs.bytes_free), quota.bytes, needed);
        let Some((bytes, of_quota)) = left else { return Ok(()) };
        let bytes = bytes_binary(bytes as f64);
        let left = match of_quota {
            false => format!("{dir} has {bytes} free"),
            true => format!("the quota in {dir} leaves {bytes}"),
        };
        (left, format!("{} (all files at that time plus 10 %)", bytes_binary(needed)), need.peak_jobs[0])
    };
    let test = &jobs[at].test;
    Err(too_small(
        path,
        format!("{left}, but {test} needs {needed}. Remove files or choose another directory."),
    ))
}

/// The rejection of a directory with too little free space: `why`, unless it takes no files at all.
pub fn too_small(dir: &Path, why: String) -> Usage {
    match access(dir, Access::WRITE_OK) {
        Err(error) => not_created(dir, &error.into()),
        Ok(()) => Usage(why),
    }
}

/// The smaller of the free amount and what a quota leaves, if it is less than needed; and whether it is that
/// of the quota.
fn lacking(free: Option<u64>, quota: Option<u64>, needed: f64) -> Option<(u64, bool)> {
    let smaller = match (free, quota) {
        (Some(free), Some(quota)) if quota < free => Some((quota, true)),
        (None, Some(quota)) => Some((quota, true)),
        (free, _) => free.map(|free| (free, false)),
    };
    smaller.filter(|(left, _)| (*left as f64) < needed)
}

/// Rejects a state that leaves too little free space for the files of the tests that run on it.
pub(super) fn check_state_space(
    state: &State,
    fs: &FileSystemFacts,
    quota: Quota,
    (peak_bytes, test): (u64, &str),
) -> Result<(), Usage> {
    let Some(share) = state.blocks() else { return Ok(()) };
    let left = fs.bytes as f64 * (1.0 - share);
    // The space that the state adds to what is in use counts for the quota of the user.
    let added = (fs.bytes as f64 * share - fs.bytes_used as f64).max(0.0);
    let of_quota = quota.bytes.map(|bytes| bytes as f64 - added).filter(|of_quota| *of_quota < left);
    let needed = peak_bytes as f64 * MARGIN;
    let left = match of_quota {
        Some(of_quota) if of_quota < needed => {
            format!("{} of the quota on fs.{}", bytes_binary(of_quota.max(0.0)), fs.name)
        }
        _ if left < needed => format!("{} of fs.{} free", bytes_binary(left), fs.name),
        _ => return Ok(()),
    };
    Err(Usage(format!(
        "{} leaves {left}, but {test}, which runs on it, needs {} (all files at that time plus 10 %). Fill \
         less in the state or write less in the test.",
        state.job(),
        bytes_binary(needed),
    )))
}
