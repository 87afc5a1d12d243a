//! What one rank was allowed to use in a phase, and when it was rejected.

use std::io::{self, ErrorKind};

use measure::{ByteTimeline, Clock, CycleClock, Tick};
use ranks::{Comm, Halt, Reduce};
use storage::call_error;

/// The call that flushes.
pub(super) const FLUSH: &str = "fsync";
/// The calls that can be rejected.
pub(super) const CALLS: [&str; 4] = ["write", FLUSH, "truncate", "mknod"];
/// `EDQUOT` and `ENOSPC`, which XFS has for projects.
pub(super) const ERRNOS: [i32; 2] = [122, 28];

/// The rejection of a rank: the place of its call in [`CALLS`], that of its error in [`ERRNOS`], and the
/// moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rejected {
    pub(super) call: usize,
    pub(super) errno: usize,
    pub(super) at_ns: u64,
}

/// The use of a limit by one rank. Moments are nanoseconds since a moment that all ranks share.
pub(super) struct Tracker {
    clock: CycleClock,
    begun: Tick,
    begun_ns: u64,
    /// Bytes or inodes that the rank has now.
    pub(super) held: u64,
    /// The most that it had.
    pub(super) held_max: u64,
    /// The most that it may have.
    pub(super) allowed: u64,
    /// What was accepted in this phase, by time.
    accepted: ByteTimeline,
    pub(super) rejected: Option<Rejected>,
}

impl Tracker {
    /// For a rank that has `held`.
    pub(super) fn new(held: u64, clock: &CycleClock) -> Self {
        Self {
            clock: clock.clone(),
            begun: Tick(0),
            begun_ns: 0,
            held,
            held_max: held,
            allowed: held,
            accepted: ByteTimeline::new(),
            rejected: None,
        }
    }

    /// The phase begins on this rank, `begun_ns` after the common moment. The clock is more exact now.
    pub(super) fn start(&mut self, clock: &CycleClock, begun: Tick, begun_ns: u64) {
        (self.clock, self.begun, self.begun_ns) = (clock.clone(), begun, begun_ns);
    }

    fn now_ns(&self) -> u64 {
        self.begun_ns + self.clock.scale().ns(self.clock.now().0.saturating_sub(self.begun.0))
    }

    /// A call was accepted.
    pub(super) fn accept(&mut self, amount: u64) {
        self.accepted.add(self.now_ns(), amount);
        self.held += amount;
        self.held_max = self.held_max.max(self.held);
    }

    /// The rank has only this much left.
    pub(super) fn cut(&mut self, held: u64) {
        self.held = held;
    }

    /// Whether the error is that of a limit. Then the first one counts.
    pub(super) fn reject(&mut self, call: &str, error: &io::Error) -> bool {
        if !matches!(error.kind(), ErrorKind::QuotaExceeded | ErrorKind::StorageFull) {
            return false;
        }
        let number = call_error::errno(error).unwrap_or(ERRNOS[0]);
        let at_ns = self.now_ns();
        let call = CALLS.iter().position(|known| *known == call).unwrap_or(0);
        let errno = ERRNOS.iter().position(|known| *known == number).unwrap_or(0);
        self.rejected.get_or_insert(Rejected { call, errno, at_ns });
        true
    }

    /// Whether the rank may still use more.
    pub(super) fn is_free(&self) -> bool {
        self.rejected.is_none()
    }

    /// The start of the interval in which all ranks together had used `room`, and its length, nanoseconds.
    /// `None` if they did not. Collective.
    pub(super) fn reached(&mut self, comm: &dyn Comm, room: u64) -> Result<Option<(u64, u64)>, Halt> {
        let shift = comm.reduce_one(self.accepted.shift().into(), Reduce::Max)?;
        self.accepted.coarsen_to(shift as u32);
        let used = comm.reduce_one(self.accepted.used() as u64, Reduce::Max)?;
        let slots = self.accepted.slots_mut(used as usize);
        if used > 0 {
            comm.all_reduce(slots, Reduce::Sum)?;
        }
        let sums = slots.iter().scan(0_u64, |sum, amount| {
            *sum += amount;
            Some(*sum)
        });
        let interval_ns = 1 << shift;
        let found = if room == 0 { Some(0) } else { sums.take(used as usize).position(|sum| sum >= room) };
        Ok(found.map(|slot| (slot as u64 * interval_ns, interval_ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_reached_when_the_ranks_together_have_used_the_room() {
        let found = ranks::local::run(3, |comm| {
            let clock = CycleClock::new();
            let reached = |room| {
                let mut tracker = Tracker::new(0, &clock);
                for step in 0..10_u64 {
                    tracker.accepted.add((step * 3 + u64::from(comm.rank())) << 20, 5);
                }
                tracker.reached(comm, room).unwrap().map(|(from, length)| (from >> 20, length >> 20))
            };
            [reached(0), reached(5), reached(6), reached(75), reached(150), reached(151)]
        });
        let wanted = [Some((0, 1)), Some((0, 1)), Some((1, 1)), Some((14, 1)), Some((29, 1)), None];
        found.into_iter().for_each(|found| assert_eq!(found.unwrap(), wanted));
    }

    #[test]
    fn only_errors_of_limits_are_rejections_and_the_first_one_counts() {
        let clock = CycleClock::new();
        let mut tracker = Tracker::new(0, &clock);
        assert!(!tracker.reject("write", &io::Error::from_raw_os_error(5)) && tracker.is_free());
        assert!(tracker.reject("mknod", &io::Error::from_raw_os_error(28)));
        assert!(tracker.reject("write", &io::Error::from_raw_os_error(122)));
        let rejected = tracker.rejected.unwrap();
        assert_eq!((CALLS[rejected.call], ERRNOS[rejected.errno]), ("mknod", 28));
    }
}
