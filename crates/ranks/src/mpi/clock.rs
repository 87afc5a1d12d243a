//! Clock offsets between ranks and rank 0.
//!
//! The first ranks of all nodes compare the clocks of their kernels by ping-pong, along a tree. Each compares
//! with its parent, and then answers its children. A node takes about 100 µs, and nodes far apart in the tree
//! compare at the same time. The result holds for [`KEPT_NS`], because the clocks of two kernels drift by
//! less than [`DRIFT_PPM`].
//!
//! Every rank compares its own clock with the kernel's of its node, `CLOCK_MONOTONIC`. Broadcasts bring the
//! offset of rank 0's to the first ranks of the nodes, and from there to all. If the ranks of a node do not
//! share the kernel's clock (time namespaces), they compare by ping-pong, too.
//!
//! Never here: a separate clock.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustix::time::{ClockId, clock_gettime};

use super::comm::{KernelOffset, MpiComm, NodesOfComm};
use super::tree::{children, parent};
use crate::comm::{ClockOffset, Comm, Halt, Reduce};

/// Round trips of each pair of ranks; the shortest one is used.
const ROUNDS: u32 = 24;

/// Tag of a request for the time, and of its answer.
const TAG_CLOCK: i32 = 103;

/// Readings of the node's clock; the shortest one is used.
const READINGS: u32 = 8;

/// The largest assumed difference in rate between a rank's clock and that of the node, in parts per million.
/// The rank's clock may have been calibrated within a millisecond. The clocks of two kernels drift less.
const DRIFT_PPM: u64 = 100;

/// How long a comparison of two kernels holds: they then differ by 50 µs more.
const KEPT_NS: u64 = 500_000_000;

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
    let far = leaders.map_or(Ok(ClockOffset::default()), |leaders| of_leader(comm, leaders, now))?;
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

/// The offset of the first rank of a node from rank 0. All first ranks call it together.
fn of_leader(comm: &MpiComm, leaders: &MpiComm, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
    let known = comm.shared.kernel_offset.get();
    let is_old = known.is_none_or(|known| monotonic_ns() >= known.at_ns + KEPT_NS);
    let mine = NodeReading::of(now);
    // The answer of rank 0, whether the kernels are compared again, is the same for all.
    let mut words = [mine.at_ns, mine.ahead_ns.cast_unsigned(), mine.uncertainty_ns, is_old.into()];
    let mut bytes = words.map(u64::to_ne_bytes);
    leaders.broadcast_piece(0, bytes.as_flattened_mut())?;
    words = bytes.map(u64::from_ne_bytes);
    let [at_ns, ahead, uncertainty_ns, again] = words;
    let first = NodeReading { at_ns, ahead_ns: ahead.cast_signed(), uncertainty_ns };
    let kernel = match known.filter(|_| again == 0) {
        Some(known) => known,
        None => KernelOffset { offset: play(leaders, &monotonic_ns)?, at_ns: monotonic_ns() },
    };
    comm.shared.kernel_offset.set(Some(kernel));
    Ok(through_kernels(first, kernel, mine))
}

/// What a rank must add to its clock to get rank 0's, when both have read the clocks of their kernels.
fn through_kernels(first: NodeReading, kernel: KernelOffset, mine: NodeReading) -> ClockOffset {
    let KernelOffset { offset, at_ns } = kernel;
    let there_ns = mine.at_ns.wrapping_add_signed(offset.offset_ns);
    let drift = drift_ns(mine.at_ns.abs_diff(at_ns)) + drift_ns(there_ns.abs_diff(first.at_ns));
    ClockOffset {
        offset_ns: first.ahead_ns.wrapping_add(offset.offset_ns).wrapping_sub(mine.ahead_ns),
        uncertainty_ns: first.uncertainty_ns + offset.uncertainty_ns + mine.uncertainty_ns + drift,
    }
}

/// The most by which two clocks can drift apart in a time.
fn drift_ns(ns: u64) -> u64 {
    ns.saturating_mul(DRIFT_PPM).div_ceil(1_000_000)
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
    let drift = drift_ns(leader.at_ns.abs_diff(mine.at_ns));
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

/// Ping-pong of all ranks of `comm` with their neighbors in the tree. Gives the offset from rank 0.
fn play(comm: &MpiComm, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
    let (rank, size) = (comm.rank.into(), comm.size.into());
    let mine = match parent(rank) {
        Some(parent) => ask(comm, parent as u32, now)?,
        None => ClockOffset::default(),
    };
    // The last children have the most ranks below them, which wait for them.
    let all: Vec<u64> = children(rank, size).collect();
    for child in all.into_iter().rev() {
        for _ in 0..ROUNDS {
            comm.receive(child as u32, TAG_CLOCK, &mut [0])?;
            let on_rank_0 = now().wrapping_add_signed(mine.offset_ns);
            comm.send(child as u32, TAG_CLOCK, &[on_rank_0, mine.uncertainty_ns])?;
        }
    }
    Ok(mine)
}

/// Compares with `parent`, which answers with the time of rank 0 and its own uncertainty.
fn ask(comm: &MpiComm, parent: u32, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
    let mut best: Option<ClockOffset> = None;
    let mut answer = [0_u64; 2];
    for _ in 0..ROUNDS {
        let asked = now();
        comm.send(parent, TAG_CLOCK, &[asked])?;
        comm.receive(parent, TAG_CLOCK, &mut answer)?;
        let seen = reading(asked, answer[0], now());
        if best.is_none_or(|best| seen.uncertainty_ns < best.uncertainty_ns) {
            best = Some(seen);
        }
    }
    let ClockOffset { offset_ns, uncertainty_ns } = best.expect("there is at least one round");
    Ok(ClockOffset { offset_ns, uncertainty_ns: uncertainty_ns + answer[1] })
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
    fn clocks_of_two_nodes_are_compared_through_their_kernels() {
        // The kernel of this node is 3 s behind, and each rank's clock has its own offset from its kernel.
        let read = |ahead: i64, at: u64| NodeReading::new(at - 30, at.wrapping_add_signed(ahead), at + 50);
        let (behind, first_ahead, mine_ahead) = (3_000_000_000_i64, 5_000_i64, -700_i64);
        let offset = ClockOffset { offset_ns: behind, uncertainty_ns: 7 };
        for kept in [0, 400_000_000] {
            let kernel = KernelOffset { offset, at_ns: 1_000_000 - 10 };
            let mine = read(mine_ahead, 1_000_000 + kept);
            let first = read(first_ahead, 3_001_000_000 + kept);
            let seen = through_kernels(first, kernel, mine);
            let miss = seen.offset_ns.abs_diff(behind + first_ahead - mine_ahead);
            assert!(miss <= seen.uncertainty_ns, "{seen:?}");
            let drift = seen.uncertainty_ns - 40 - 40 - 7;
            assert!((kept / 10_000..kept / 10_000 + 3).contains(&drift), "{seen:?}");
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
