//! The goal, the share of each rank, and the checks before anything is written.
//!
//! Targets and ceiling are shares of the whole file system, and files of other users count. Used space is all
//! space that the file system does not report as free. Each rank gets an equal share of the missing amount.
//!
//! Never here: calls on the file system. Its counters are arguments.

use serde::{Deserialize, Serialize};
use storage::Space;
use units::percent;

use super::profile::Profile;
use super::sizes::{SizeDeck, SizeFit};

/// The assumed block size of a file system that does not report it.
const BLOCK: u64 = 4096;
/// The largest share of a rank's data that one file may have.
const LARGEST_PART: u64 = 64;
/// Inodes that each rank needs in addition to its tree: its directory and its three files.
const OWN_NAMES: u64 = 4;
/// Steps in which the number of files is corrected by their mean size.
const FILES_ROUNDS: u32 = 4;

/// The options of [`AgeingRequest`](super::begin::AgeingRequest), with defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct AgeingGoal {
    pub(super) blocks: Option<f64>,
    pub(super) inodes: Option<f64>,
    pub(super) ceiling: f64,
    pub(super) cycles: f64,
    pub(super) seed: u64,
}

/// The counters that a file system reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Geometry {
    pub(super) bytes: u64,
    pub(super) bytes_used: u64,
    /// Free bytes without the reserved ones.
    pub(super) bytes_available: u64,
    /// Inodes; 0 if they are not counted.
    pub(super) inodes: u64,
    pub(super) inodes_used: u64,
    /// The allocation unit of a file, bytes.
    pub(super) block: u64,
}

impl From<Space> for Geometry {
    fn from(space: Space) -> Self {
        Self {
            bytes: space.bytes,
            bytes_used: space.bytes.saturating_sub(space.bytes_free),
            bytes_available: space.bytes_available,
            inodes: space.inodes,
            inodes_used: space.inodes.saturating_sub(space.inodes_free),
            block: if space.block_bytes == 0 { BLOCK } else { space.block_bytes },
        }
    }
}

/// A part of a whole; 0 for an empty whole.
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Geometry {
    /// Used share of the blocks, 0 to 1.
    pub(super) fn blocks(&self) -> f64 {
        share(self.bytes_used, self.bytes)
    }

    /// Used share of the inodes, 0 to 1; 0 if they are not counted.
    pub(super) fn inodes(&self) -> f64 {
        share(self.inodes_used, self.inodes)
    }

    /// Bytes up to `share`; negative if there are too many.
    pub(super) fn bytes_to(&self, share: f64) -> i64 {
        (self.bytes as f64 * share) as i64 - self.bytes_used as i64
    }

    /// Inodes up to `share`; negative if there are too many.
    pub(super) fn inodes_to(&self, share: f64) -> i64 {
        (self.inodes as f64 * share) as i64 - self.inodes_used as i64
    }
}

/// The start values of one rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RankShare {
    /// The number of files, and the conditions on their sizes.
    pub(super) fit: SizeFit,
    /// Directories, with the root of the tree.
    pub(super) dirs: u64,
}

/// The part of rank `rank` of `ranks` in an amount.
pub(super) fn part(amount: i64, ranks: u64, rank: u64) -> i64 {
    let (ranks, rank) = (ranks as i64, rank as i64);
    amount.div_euclid(ranks) + i64::from(rank < amount.rem_euclid(ranks))
}

/// The share of one rank, or the reason why it is not possible.
pub(super) fn plan(
    goal: &AgeingGoal,
    profile: &Profile,
    space: &Geometry,
    ranks: u64,
    rank: u64,
) -> Result<RankShare, String> {
    reject_what_cannot_be(goal, space)?;
    let per_dir = profile.tree.files_per_dir;
    let block = space.block;
    let bytes = goal.blocks.map(|blocks| part(space.bytes_to(blocks), ranks, rank).max(0) as u64);
    let largest =
        (profile.size.largest_bytes as u64).min(bytes.map_or(u64::MAX, |b| b / LARGEST_PART)).max(block);
    let natural = |files| SizeFit { files, block, largest, mean: None };
    let (files, mean) = match goal.inodes {
        Some(inodes) => {
            let names = part(space.inodes_to(inodes), ranks, rank).max(0) as u64;
            let names = names.saturating_sub(OWN_NAMES);
            let files = (names as f64 * per_dir / (per_dir + 1.0)) as u64;
            let dirs = names.saturating_sub(files).max(1);
            let mean = bytes.map(|b| b.saturating_sub(dirs * block) as f64 / files.max(1) as f64);
            (files, mean)
        }
        None => {
            // The mean of a few files is smaller, because they rarely reach the tail.
            let mut files = u64::MAX;
            for _ in 0..FILES_ROUNDS {
                let sizes =
                    SizeDeck::fit(&profile.size, natural(files), 0).ok_or("no size fits the profile")?;
                let each = sizes.mean(block) + block as f64 / per_dir;
                files = (bytes.unwrap_or(0) as f64 / each) as u64;
            }
            (files, None)
        }
    };
    if files == 0 {
        return Err(format!(
            "too little is missing for {ranks} ranks to make a file each; use fewer, or raise the targets"
        ));
    }
    let fit = SizeFit { mean, ..natural(files) };
    let dirs = ((files as f64 / per_dir).ceil() as u64).max(1);
    Ok(RankShare { fit, dirs })
}

impl AgeingGoal {
    /// Rejects targets that are not below the ceiling.
    pub(super) fn check_targets(&self) -> Result<(), String> {
        for (option, target) in [("--blocks", self.blocks), ("--inodes", self.inodes)] {
            if let Some(target) = target.filter(|target| *target >= self.ceiling) {
                return Err(format!(
                    "{option} {}: is not below the ceiling of {}; raise --ceiling",
                    percent(target, 1),
                    percent(self.ceiling, 1)
                ));
            }
        }
        Ok(())
    }
}

fn reject_what_cannot_be(goal: &AgeingGoal, space: &Geometry) -> Result<(), String> {
    goal.check_targets()?;
    if goal.inodes.is_some() && space.inodes == 0 {
        return Err("this file system counts no inodes; leave --inodes out".to_owned());
    }
    for (option, target, now) in
        [("--blocks", goal.blocks, space.blocks()), ("--inodes", goal.inodes, space.inodes())]
    {
        let Some(target) = target else { continue };
        if now >= target {
            return Err(format!("{option} {}: {} are in use already", percent(target, 1), percent(now, 1)));
        }
    }
    let missing = goal.blocks.map_or(0, |blocks| space.bytes_to(blocks)).max(0) as u64;
    if missing > space.bytes_available {
        return Err(format!(
            "--blocks: {missing} bytes are missing, and {} are free; the rest is reserved, and not filled",
            space.bytes_available
        ));
    }
    Ok(())
}

/// Rejects more files than the directories in the missing blocks can hold.
fn reject_directories_that_fill(goal: &AgeingGoal, space: &Geometry, dirs: u64) -> Result<(), String> {
    let (Some(blocks), Some(inodes)) = (goal.blocks, goal.inodes) else { return Ok(()) };
    let (missing, needed) = (space.bytes_to(blocks).max(0) as u64, dirs * space.block);
    if needed <= missing {
        return Ok(());
    }
    Err(format!(
        "--blocks {}, --inodes {}: {dirs} directories take {needed} bytes, a block each, and only {missing} \
         are missing; raise --blocks, or lower --inodes",
        percent(blocks, 1),
        percent(inodes, 1)
    ))
}

/// Rejects a plan whose resource without a target would exceed the ceiling, or whose sizes do not fit.
/// `taken` is the mean space of a file if the sizes fit, bytes.
pub(super) fn reject_what_follows(
    goal: &AgeingGoal,
    space: &Geometry,
    share: &RankShare,
    ranks: u64,
    taken: Option<f64>,
) -> Result<(), String> {
    reject_directories_that_fill(goal, space, share.dirs * ranks)?;
    let Some(taken) = taken else {
        return Err(format!(
            "{} bytes per file are needed for both targets. A file may have at most {} \
             (1/{LARGEST_PART} of a rank's data, or the profile's largest). Raise --inodes, or use fewer \
             ranks.",
            share.fit.mean.unwrap_or(0.0) as u64,
            share.fit.largest
        ));
    };
    let (files, dirs) = (share.fit.files * ranks, share.dirs * ranks);
    let inodes = (space.inodes_used + files + dirs) as f64 / space.inodes.max(1) as f64;
    if goal.inodes.is_none() && space.inodes > 0 && inodes > goal.ceiling {
        return Err(format!(
            "files as large as the profile's would bring the inodes to {}; give --inodes",
            percent(inodes, 1)
        ));
    }
    let bytes = files as f64 * taken + (dirs * space.block) as f64 + space.bytes_used as f64;
    let blocks = bytes / space.bytes.max(1) as f64;
    if goal.blocks.is_none() && blocks > goal.ceiling {
        return Err(format!(
            "files as large as the profile's would bring the blocks to {}; give --blocks",
            percent(blocks, 1)
        ));
    }
    Ok(())
}
