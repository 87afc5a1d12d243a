//! Clocks of ranks against rank 0's, by ping-pong.
//!
//! First one rank of each node plays with rank 0, one after the other, so that nobody's answer is late
//! because of another's; then the ranks of each node play with that one, all nodes at once. A round trip
//! inside a node takes about a microsecond, so the second step costs little certainty, and the time grows
//! with the number of nodes, not of ranks: some 100 µs a node.
//!
//! Never here: a clock of its own.

use super::comm::MpiComm;
use crate::comm::{ClockOffset, Comm, Halt};

/// Round trips of each pair; the shortest one counts.
const ROUNDS: u32 = 24;

/// A question for the time, and its answer.
const TAG_CLOCK: i32 = 103;

/// Those who play together: the ranks of one node, and the first ranks of all nodes.
#[derive(Debug)]
pub(super) struct Circles {
    node: MpiComm,
    leaders: MpiComm,
}

/// This rank's clock against that of rank 0 of `comm`; all ranks call it together.
pub(super) fn offset(comm: &MpiComm, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
    if comm.size == 1 {
        return Ok(ClockOffset::default());
    }
    if comm.circles.get().is_none() {
        let node = comm.split_node()?;
        let leaders = comm.split_as(u32::from(node.rank != 0))?;
        comm.circles.get_or_init(|| Box::new(Circles { node, leaders }));
    }
    let Circles { node, leaders } = &**comm.circles.get().expect("just made");
    let mut words = Vec::new();
    if node.rank == 0 {
        let far = play(leaders, now)?;
        words.extend(far.offset_ns.to_ne_bytes());
        words.extend(far.uncertainty_ns.to_ne_bytes());
    }
    node.broadcast(0, &mut words)?;
    let (offset, uncertainty) = words.split_first_chunk::<8>().expect("the leader sent two numbers");
    let far = i64::from_ne_bytes(*offset);
    let far_uncertainty = u64::from_ne_bytes(uncertainty.try_into().expect("the second one"));
    let near = play(node, now)?;
    Ok(ClockOffset { offset_ns: far + near.offset_ns, uncertainty_ns: far_uncertainty + near.uncertainty_ns })
}

/// All ranks of `comm` with its rank 0, one after the other.
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

/// What one round trip says: rank 0 read `theirs` somewhere between our `asked` and `answered`.
fn reading(asked: u64, theirs: u64, answered: u64) -> ClockOffset {
    let half = answered.saturating_sub(asked).div_ceil(2);
    let middle = asked.wrapping_add(half);
    ClockOffset { offset_ns: theirs.wrapping_sub(middle).cast_signed(), uncertainty_ns: half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_lies_within_the_uncertainty_of_a_round_trip() {
        for (ours_ahead, there_ns, back_ns) in [(0_i64, 10, 10), (5_000, 900, 10), (-5_000, 0, 333)] {
            let asked = 1_000_000_u64;
            let theirs = (asked + there_ns).wrapping_add_signed(-ours_ahead);
            let seen = reading(asked, theirs, asked + there_ns + back_ns);
            let miss = seen.offset_ns.abs_diff(-ours_ahead);
            assert!(miss <= seen.uncertainty_ns, "{seen:?} for {ours_ahead}");
        }
    }
}
