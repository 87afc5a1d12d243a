//! How much of a line's files moves, and lies there at the same time, at most.
//!
//! Where the plan knows how fast a file system is at most, a line that stops by a deadline is not taken
//! at the size that it asks for, which is meant to be more than anybody can write until then.
//!
//! Invariant: pure; never more than the line asks for.
//! Never here: whether there is so much room.

use crate::line::Line;
use crate::model::Plan;

/// How many times what the nominal rate writes until the deadline is room for it.
const MARGIN: f64 = 1.5;

/// Bytes of one launch.
pub(super) struct LaunchBytes {
    /// It writes, at most.
    pub(super) writes_bytes: u64,
    /// Of its files that lie there at the same time, at most.
    pub(super) holds_bytes: u64,
    /// It reads, at most.
    pub(super) reads_bytes: u64,
}

impl LaunchBytes {
    /// That of a line on so many ranks, on the file system of this name.
    pub(super) fn of(plan: &Plan, fs: &str, line: &Line, ranks: u32) -> Self {
        let (writes_bytes, reads_bytes) = line.bytes(ranks);
        let asked = Self { writes_bytes, holds_bytes: line.holds_bytes(ranks), reads_bytes };
        let rate = plan.file_systems.get(fs).and_then(|fs| fs.rate);
        let (Some(rate), Some(ior)) = (rate, line.as_ior().filter(|ior| ior.deadline_s > 0)) else {
            return asked;
        };
        let most = (rate * ior.deadline_s as f64 * MARGIN).ceil() as u64;
        let sets = |sets: u64| most.saturating_mul(sets);
        Self {
            writes_bytes: asked.writes_bytes.min(sets(ior.repetitions)),
            holds_bytes: asked.holds_bytes.min(sets(ior.sets())),
            reads_bytes,
        }
    }
}
