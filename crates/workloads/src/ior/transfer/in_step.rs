//! Transfers that all ranks make together. The ranks also stop together, after a transfer on which they
//! agree.
//!
//! After each round they exchange whether one has failed, whether a deadline has passed for any of them, and
//! how long the round took. From this all ranks compute the same length of the next round. A failed rank
//! continues with the others until then, so a round must be short even without a deadline.

use measure::{Clock, Tick};
use ranks::{Halt, Reduce};
use storage::File;

use super::{PhaseBody, SECOND_NS};
use crate::kit::drive::Stop;
use crate::kit::pace::Ending;

/// Most transfers of a round without a deadline.
const STEPS: u64 = 64;
/// Duration of a round, nanoseconds. The last round may pass a deadline by about this time.
const ROUND_NS: u64 = 50_000_000;
/// Largest ratio of the length of a round to that of the round before.
const GROWTH: u64 = 2;

/// Transfers of the next round. The last round had `steps` transfers and took the slowest rank `took_ns`.
/// `left_ns` is the time until the deadline, if there is one.
fn next_steps(steps: u64, took_ns: u64, left_ns: Option<u64>) -> u64 {
    let each_ns = (took_ns / steps).max(1);
    let most = if left_ns.is_some() { u64::MAX } else { STEPS };
    (ROUND_NS.min(left_ns.unwrap_or(u64::MAX)) / each_ns).clamp(1, most.min(steps * GROWTH))
}

impl<C: Clock> PhaseBody<'_, '_, C> {
    /// Whether the ranks make every transfer together.
    pub(super) fn in_step(&self) -> bool {
        let (job, parameters) = (&self.job, self.job.parameters);
        // If a call moves all segments, the view is set again for each transfer of a block.
        let views = job.storage.moves_all_segments() && parameters.block > parameters.transfer;
        let every = parameters.collective || views || (parameters.sync_each && self.writes());
        every && self.is_collective()
    }

    /// Makes all transfers up to `goal`, or those until the deadline, which counts from `begin`.
    pub(super) fn drive_in_step(
        &mut self,
        file: &mut Option<Box<dyn File>>,
        goal: u64,
        begin: Tick,
    ) -> Result<Option<Ending>, Halt> {
        if file.is_none() {
            return Ok(None);
        }
        let deadline_ns = u64::from(self.job.parameters.deadline) * SECOND_NS;
        let since = |tick: Tick, now: Tick, scale: measure::Scale| scale.ns(now.0.saturating_sub(tick.0));
        let mut steps = 1;
        while self.reached < goal {
            let round = self.clock.now();
            let next = (self.reached + steps).min(goal);
            self.drive(file, Stop::after(next));
            let (now, scale) = (self.clock.now(), self.clock.scale());
            let mut most = [self.failed.is_some().into(), since(round, now, scale), since(begin, now, scale)];
            self.job.comm.all_reduce(&mut most, Reduce::Max)?;
            let [failed, took_ns, elapsed_ns] = most;
            if failed > 0 {
                return Ok(None);
            }
            if deadline_ns > 0 && elapsed_ns >= deadline_ns {
                return Ok(Some(Ending::Deadline));
            }
            let left_ns = (deadline_ns > 0).then(|| deadline_ns - elapsed_ns);
            steps = next_steps(steps, took_ns, left_ns);
        }
        Ok(Some(Ending::Complete))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_grow_to_their_time_and_shrink_before_the_deadline() {
        let (slow, fast) = (20_000_000, 1000);
        assert_eq!(next_steps(1, slow, Some(u64::MAX)), 2);
        assert_eq!(next_steps(2, 2 * slow, Some(u64::MAX)), 2, "two transfers of 20 ms are a round");
        assert_eq!(next_steps(64, 64 * fast, Some(u64::MAX)), 128, "at most twice as long");
        assert_eq!(next_steps(1 << 20, (1 << 20) * fast, Some(u64::MAX)), 50_000);
        assert_eq!(next_steps(50_000, 50_000 * fast, Some(10 * fast)), 10, "the remaining time");
        assert_eq!(next_steps(4, 4 * slow, Some(1)), 1, "at least one");
        assert_eq!(next_steps(64, 0, Some(u64::MAX)), 128, "a clock that does not advance");
    }

    #[test]
    fn without_a_deadline_a_round_is_also_short_and_has_at_most_64_transfers() {
        let (half_a_second, fast) = (500_000_000, 1000);
        assert_eq!(next_steps(1, half_a_second, None), 1, "a failure is known after one transfer");
        assert_eq!(next_steps(64, 64 * half_a_second, None), 1);
        assert_eq!(next_steps(32, 32 * fast, None), 64);
        assert_eq!(next_steps(64, 64 * fast, None), 64);
    }
}
