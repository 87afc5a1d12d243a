//! Settling: from near the targets to the targets, by the counters of the file system.
//!
//! Files use more than their blocks (directories, extent trees, blocks of inodes). No formula knows this for
//! all file systems. So the counters are read, all ranks add or remove the difference, and this repeats until
//! they agree.
//!
//! Invariant: all ranks decide by the same numbers, and do the same number of rounds.

use ranks::{Comm, Halt, Reduce};
use units::percent;

use super::guard::{OTHERS, geometry};
use super::model::Leg;
use super::part::AgeingPart;
use super::plan::{AgeingGoal, Geometry};
use crate::kit::reduce;

/// The accuracy that settling aims at: shares of all blocks and inodes.
const CLOSE: f64 = 0.001;
/// The required accuracy at the end.
pub(super) const CLOSE_ENOUGH: f64 = 0.01;
/// Rounds after the churn. Each reduces the difference by about a factor of ten.
pub(super) const ROUNDS: u32 = 12;
/// Rounds after the fill, where a rough result is enough.
pub(super) const ROUNDS_BEFORE: u32 = 4;

/// All ranks of all nodes.
pub(super) struct AllRanks<'a> {
    pub(super) comm: &'a dyn Comm,
    /// Whether this rank flushes the cache of its node.
    pub(super) leads_node: bool,
}

impl AllRanks<'_> {
    /// The counters of the file system after all data is written back, the same on all ranks. Collective.
    pub(super) fn look(&self, me: &AgeingPart<'_>) -> Result<Geometry, Halt> {
        let dir = &me.places.rank_dir;
        let synced = if self.leads_node { me.storage.sync_all(dir) } else { Ok(()) };
        self.comm.agree("sync", synced)?;
        reduce::from_rank_0(self.comm, "statvfs", || geometry(me.storage, dir))
    }

    /// Adds and removes until the counters are close to the goal. Returns the counters. Collective.
    pub(super) fn settle(
        &self,
        me: &mut AgeingPart<'_>,
        goal: &AgeingGoal,
        rounds: u32,
    ) -> Result<Geometry, Halt> {
        for _ in 0..rounds {
            let space = self.look(me)?;
            if is_close(goal, &space, CLOSE) {
                return Ok(space);
            }
            let files = goal.inodes.map_or(0, |inodes| space.inodes_to(inodes));
            let bytes = goal.blocks.map(|blocks| space.bytes_to(blocks));
            self.reject_to_give_up(me, files, bytes.unwrap_or(0))?;
            self.work("settle", me.do_leg(Leg::Adjust { files, bytes }))?;
        }
        self.look(me)
    }

    /// Stops if more than half of the created files must be removed, because other users hold so much.
    /// Collective.
    fn reject_to_give_up(&self, me: &AgeingPart<'_>, files: i64, bytes: i64) -> Result<(), Halt> {
        let mut own = [me.model.files.len() as u64, me.model.taken];
        self.comm.all_reduce(&mut own, Reduce::Sum)?;
        let most = |change: i64, own: u64| change.min(0).unsigned_abs() > own / 2;
        let gives_up = most(files, own[0]) || most(bytes, own[1]);
        let why = "other users hold so much that more than half of the created files must be removed. Free \
                   space and continue with --resume.";
        self.comm.agree("settle", if gives_up { Err(why) } else { Ok(()) })
    }

    /// Ends a step on all ranks. A rank that failed stops the others early, and its reason is reported.
    /// Collective.
    pub(super) fn work(&self, step: &str, done: Result<(), String>) -> Result<(), Halt> {
        let stopped = done.as_ref().is_err_and(|why| why == OTHERS);
        if done.is_err() && !stopped {
            self.comm.raise_alarm();
        }
        self.comm.agree(step, if stopped { Ok(()) } else { done })?;
        // A rank stops for the others only after one of them failed. If none has reported a failure, no rank
        // may continue alone.
        let stopped = self.comm.reduce_one(stopped.into(), Reduce::Max)? > 0;
        self.comm.agree(step, if stopped { Err(OTHERS) } else { Ok(()) })
    }
}

/// Whether the counters are within `share` of all blocks and inodes around the goal.
pub(super) fn is_close(goal: &AgeingGoal, space: &Geometry, share: f64) -> bool {
    let close = |wanted: Option<f64>, now: f64| wanted.is_none_or(|wanted| (wanted - now).abs() <= share);
    close(goal.blocks, space.blocks()) && close(goal.inodes, space.inodes())
}

/// The reason why a run could not settle.
pub(super) fn unsettled(space: &Geometry) -> String {
    format!(
        "blocks are at {} and inodes at {} after {ROUNDS} rounds of adding and removing: are others writing \
         to this file system? --resume tries again",
        percent(space.blocks(), 1),
        percent(space.inodes(), 1)
    )
}
