//! The largest amounts of data that a command line moves, and that exist at the same time.
//!
//! A command line with a deadline usually requests more data than can be written until the deadline. If the
//! plan gives the highest rate of the file system, that rate limits the amount.
//!
//! Invariant: pure. The amounts never exceed what the command line requests.
//! Never here: whether this much free space exists.

use command::PlannedLine;

use crate::line::Line;
use crate::model::Plan;

/// The free space for a job, as a multiple of what the highest rate writes until the deadline.
const MARGIN: f64 = 1.5;

/// Bytes of one job.
pub(super) struct JobBytes {
    /// The largest number of bytes that it writes.
    pub(super) writes_bytes: u64,
    /// The largest number of bytes of its files that exist at the same time.
    pub(super) holds_bytes: u64,
    /// The largest number of bytes that it reads.
    pub(super) reads_bytes: u64,
}

impl JobBytes {
    /// The bytes of a command line on this number of ranks, on the file system of this name.
    pub(super) fn of(plan: &Plan, fs: &str, line: &Line, ranks: u32) -> Self {
        let (writes_bytes, reads_bytes) = line.bytes(ranks);
        let asked = Self { writes_bytes, holds_bytes: line.holds_bytes(ranks), reads_bytes };
        let rate = plan.file_systems.get(fs).and_then(|fs| fs.rate);
        let (Some(rate), Some(ior)) = (rate, line.as_ior().filter(|ior| ior.deadline > 0)) else {
            return asked;
        };
        let most = (rate * f64::from(ior.deadline) * MARGIN).ceil() as u64;
        let sets = |sets: u64| most.saturating_mul(sets);
        Self {
            writes_bytes: asked.writes_bytes.min(sets(ior.repetitions.into())),
            holds_bytes: asked.holds_bytes.min(sets(ior.sets())),
            reads_bytes,
        }
    }
}
