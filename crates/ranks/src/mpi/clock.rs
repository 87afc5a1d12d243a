//! Clock offsets between ranks and rank 0.
//!
//! The first ranks of all nodes compare their clocks with rank 0's by ping-pong, one node after the other. So
//! no answer is late because of another one; a node takes about 100 µs. The ranks of one node read the same
//! `CLOCK_MONOTONIC`. Each compares its clock with that, and one broadcast gives the offset to the first rank
//! of its node. If the ranks of a node do not share that clock (time namespaces), they compare by ping-pong,
//! too.
//!
//! Never here: a separate clock.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustix::time::{ClockId, clock_gettime};

use super::comm::MpiComm;
use super::nodes::NodesOfComm;
use crate::comm::{ClockOffset, Comm, Halt, Reduce};

/// Round trips of each pair of ranks; the shortest one is used.
const ROUNDS: u32 = 24;

/// Tag of a request for the time, and of its answer.
const TAG_CLOCK: i32 = 103;

/// Readings of the node's clock; the shortest one is used.
const READINGS: u32 = 8;

/// The largest assumed difference in rate between a rank's clock and that of the node, in parts per million.
/// The rank's clock may have been calibrated within a millisecond.
const DRIFT_PPM: u64 = 100;

/// Measures this rank's clock offset to rank 0 of `comm`; all ranks call it together.
pub(super) fn offset(comm: &MpiComm, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
    if comm.size == 1 {
        return Ok(ClockOffset::default());
    }
    let (node, leaders) = match comm.nodes()? {
        NodesOfComm::One => (comm, None),
        NodesOfComm::Many(many) => (&many.here, many.leaders.as_ref()),
    };
    let one_clock = match comm.shared.one_clock.get() {
        Some(known) => *known,
        None => {
            let found = have_one_clock(node)?;
            *comm.shared.one_clock.get_or_init(|| found)
        }
    };
    let far = leaders.map_or(Ok(ClockOffset::default()), |leaders| play(leaders, now))?;
    let (far, leader) = broadcast_by_leader(node, far, now)?;
    let near = if !one_clock {
        play(node, now)?
    } else if node.rank == 0 {
        ClockOffset::default()
    } else {
        between(leader, NodeReading::of(now))
    };
    let offset_ns = far.offset_ns + near.offset_ns;
    Ok(ClockOffset { offset_ns, uncertainty_ns: far.uncertainty_ns + near.uncertainty_ns })
}

/// Broadcasts the offset of the node's first rank to rank 0, and its reading of the node's clock.
fn broadcast_by_leader(
    node: &MpiComm,
    far: ClockOffset,
    now: &dyn Fn() -> u64,
) -> Result<(ClockOffset, NodeReading), Halt> {
    let mut words = [0; 5];
    if node.rank == 0 {
        let NodeReading { at_ns, ahead_ns, uncertainty_ns } = NodeReading::of(now);
        let far = [far.offset_ns.cast_unsigned(), far.uncertainty_ns];
        words = [far[0], far[1], at_ns, ahead_ns.cast_unsigned(), uncertainty_ns];
    }
    let mut bytes = words.map(u64::to_ne_bytes);
    if node.size > 1 {
        node.broadcast_piece(0, bytes.as_flattened_mut())?;
    }
    let [offset, uncertainty_of_far, at_ns, ahead, uncertainty_ns] = bytes.map(u64::from_ne_bytes);
    let far = ClockOffset { offset_ns: offset.cast_signed(), uncertainty_ns: uncertainty_of_far };
    Ok((far, NodeReading { at_ns, ahead_ns: ahead.cast_signed(), uncertainty_ns }))
}

/// Whether all ranks of a node read the same `CLOCK_MONOTONIC`: one kernel since one boot, in one time
/// namespace. All ranks call it together.
fn have_one_clock(node: &MpiComm) -> Result<bool, Halt> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let namespace = std::fs::read_link("/proc/self/ns/time");
    // A rank that cannot read the boot id counts as having its own clock.
    let clock = boot.map_or_else(
        |_| u64::from(node.rank),
        |boot| {
            let mut hasher = DefaultHasher::new();
            (boot, namespace.ok()).hash(&mut hasher);
            hasher.finish() >> 1
        },
    );
    let mut ends = [clock, (u64::MAX >> 1) - clock];
    node.all_reduce(&mut ends, Reduce::Max)?;
    Ok(ends[0] == (u64::MAX >> 1) - ends[1])
}

/// The offset between a rank's clock and the clock that the ranks of its node share.
#[derive(Clone, Copy, Debug)]
struct NodeReading {
    /// When it was read, on the shared clock.
    at_ns: u64,
    /// How far the rank's clock is ahead of the shared one.
    ahead_ns: i64,
    /// Half of the shortest time that a reading took: the error of the offset is at most this.
    uncertainty_ns: u64,
}

impl NodeReading {
    /// The reading with the least uncertainty.
    fn of(now: &dyn Fn() -> u64) -> Self {
        let one = |_| {
            let before = monotonic_ns();
            let rank = now();
            Self::new(before, rank, monotonic_ns())
        };
        (0..READINGS).map(one).min_by_key(|read| read.uncertainty_ns).expect("there is at least one")
    }

    /// A reading of the rank's clock between two readings of the shared one.
    fn new(before: u64, rank: u64, after: u64) -> Self {
        let half = after.saturating_sub(before).div_ceil(2);
        let at_ns = before.wrapping_add(half);
        Self { at_ns, ahead_ns: rank.wrapping_sub(at_ns).cast_signed(), uncertainty_ns: half }
    }
}

/// What a rank must add to its clock to get its leader's, when both have read the node's clock.
fn between(leader: NodeReading, mine: NodeReading) -> ClockOffset {
    let apart = leader.at_ns.abs_diff(mine.at_ns);
    let drift = apart.saturating_mul(DRIFT_PPM).div_ceil(1_000_000);
    ClockOffset {
        offset_ns: leader.ahead_ns.wrapping_sub(mine.ahead_ns),
        uncertainty_ns: leader.uncertainty_ns + mine.uncertainty_ns + drift,
    }
}

/// The clock that all ranks of a node share.
fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Ping-pong between rank 0 of `comm` and all other ranks, one after the other.
fn play(comm: &MpiComm, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
    let mut answer = [0_u64];
    if comm.rank == 0 {
        for other in 1..comm.size {
            for _ in 0..ROUNDS {
                comm.receive(other, TAG_CLOCK, &mut answer)?;
                comm.send(other, TAG_CLOCK, &[now()])?;
            }
        }
        return Ok(ClockOffset::default());
    }
    let mut best: Option<ClockOffset> = None;
    for _ in 0..ROUNDS {
        let asked = now();
        comm.send(0, TAG_CLOCK, &[asked])?;
        comm.receive(0, TAG_CLOCK, &mut answer)?;
        let seen = reading(asked, answer[0], now());
        if best.is_none_or(|best| seen.uncertainty_ns < best.uncertainty_ns) {
            best = Some(seen);
        }
    }
    Ok(best.expect("there is at least one round"))
}

/// The result of one round trip: rank 0 read `theirs` at a time between `asked` and `answered` of this rank.
fn reading(asked: u64, theirs: u64, answered: u64) -> ClockOffset {
    let half = answered.saturating_sub(asked).div_ceil(2);
    let middle = asked.wrapping_add(half);
    ClockOffset { offset_ns: theirs.wrapping_sub(middle).cast_signed(), uncertainty_ns: half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clocks_compared_with_a_third_give_their_offset() {
        for (leader_ahead, mine_ahead, gap) in [(5_000_i64, -700_i64, 0), (-3, 9_000_000_000, 2_000_000)] {
            let read =
                |ahead: i64, at: u64| NodeReading::new(at - 30, at.wrapping_add_signed(ahead), at + 50);
            let seen = between(read(leader_ahead, 1_000_000), read(mine_ahead, 1_000_000 + gap));
            let miss = seen.offset_ns.abs_diff(leader_ahead - mine_ahead);
            assert!(miss <= seen.uncertainty_ns, "{seen:?}");
            assert_eq!(seen.uncertainty_ns, 40 + 40 + gap / 10_000);
        }
    }

    #[test]
    fn the_reading_with_the_least_uncertainty_is_used() {
        let calls = std::cell::Cell::new(0);
        let slow_but_once = || {
            calls.set(calls.get() + 1);
            if calls.get() != 3 {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            monotonic_ns() + 7_000_000_000
        };
        let read = NodeReading::of(&slow_but_once);
        assert!(read.ahead_ns.abs_diff(7_000_000_000) <= read.uncertainty_ns, "{read:?}");
        assert!(read.uncertainty_ns < 10_000_000, "{read:?}");
    }

    #[test]
    fn the_true_offset_is_within_the_uncertainty_of_a_round_trip() {
        for (ours_ahead, there_ns, back_ns) in [(0_i64, 10, 10), (5_000, 900, 10), (-5_000, 0, 333)] {
            let asked = 1_000_000_u64;
            let theirs = (asked + there_ns).wrapping_add_signed(-ours_ahead);
            let seen = reading(asked, theirs, asked + there_ns + back_ns);
            let miss = seen.offset_ns.abs_diff(-ours_ahead);
            assert!(miss <= seen.uncertainty_ns, "{seen:?} for {ours_ahead}");
        }
    }
}
