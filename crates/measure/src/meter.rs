//! What the measuring loop does for every transfer: two stores into a small ring.
//!
//! Sorting a latency into its bucket right after reading the cycle counter makes the counter's next
//! reading wait for the bucket's memory (17.8 ns a transfer instead of 11.3 ns on an AMD EPYC VM).
//! So the stamps of up to 256 transfers are kept and sorted in at once, while no transfer is timed.
//!
//! Invariant: after [`Meter::flush`] the histogram and the timeline hold every transfer put in.
//! Never here: the clock itself; the loop reads it and brings the stamps.

use crate::{Histogram, Scale, Stop, Tick, Timeline};

const RING: usize = 256;
/// A ring is sorted in after this long at the latest, so that watchers see slow transfers too.
const FLUSH_NS: u64 = 10_000_000;

/// Counts transfers of one size for one rank in one phase.
pub struct Meter {
    ring: [(Tick, Tick); RING],
    filled: usize,
    flush_at: Tick,
    flush_every: u64,
    deadline: Tick,
    scale: Scale,
    origin: Tick,
    transfer_bytes: u64,
    transfers: u64,
    /// Latency of every transfer flushed so far.
    pub latency: Histogram,
    /// Bytes per interval of every transfer flushed so far.
    pub timeline: Timeline,
}

impl Meter {
    /// A meter for transfers of `transfer_bytes`, whose memory is all touched here.
    pub fn new(scale: Scale, transfer_bytes: u64) -> Self {
        Self {
            ring: [(Tick(0), Tick(0)); RING],
            filled: 0,
            flush_at: Tick(0),
            flush_every: scale.ticks(FLUSH_NS),
            deadline: Stop::NEVER,
            scale,
            origin: Tick(0),
            transfer_bytes,
            transfers: 0,
            latency: Histogram::new(),
            timeline: Timeline::new(),
        }
    }

    /// The timeline starts at `origin`.
    pub fn start(&mut self, origin: Tick) {
        self.origin = origin;
    }

    /// Makes [`Meter::put`] ask for a flush at this deadline too, so that the loop has one thing to look
    /// at per transfer and compares with the deadline only then.
    pub fn wake_at(&mut self, deadline: Tick) {
        self.deadline = deadline;
        self.flush_at = self.flush_at.min(deadline);
    }

    /// Notes one transfer; true when [`Meter::flush`] is due.
    #[inline]
    pub fn put(&mut self, begin: Tick, end: Tick) -> bool {
        self.ring[self.filled % RING] = (begin, end);
        self.filled += 1;
        self.filled == RING || end >= self.flush_at
    }

    /// Sorts the noted transfers in. The time this takes belongs to no transfer: read the clock again
    /// afterwards.
    #[inline(never)]
    pub fn flush(&mut self) {
        let noted = &self.ring[..self.filled];
        let (Some((_, first)), Some((_, last))) = (noted.first(), noted.last()) else { return };
        let scale = self.scale;
        self.latency.add_all(noted.iter().map(|(begin, end)| scale.ns(end.0.saturating_sub(begin.0))));
        let since = |end: Tick| scale.ns(end.0.saturating_sub(self.origin.0));
        if self.timeline.same_interval(since(*first), since(*last)) {
            self.timeline.add(since(*last), self.transfer_bytes * self.filled as u64);
        } else {
            for (_, end) in noted {
                self.timeline.add(since(*end), self.transfer_bytes);
            }
        }
        self.flush_at = Tick(last.0 + self.flush_every).min(self.deadline);
        self.transfers += self.filled as u64;
        self.filled = 0;
    }

    /// Counts one transfer that failed, so that the numbering goes on behind it; it has no latency.
    pub fn skip(&mut self) {
        self.transfers += 1;
    }

    /// Transfers flushed so far.
    pub fn transfers(&self) -> u64 {
        self.transfers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_transfer_put_in_is_counted_once_after_a_flush() {
        let mut meter = Meter::new(Scale::NANOSECONDS, 512);
        meter.start(Tick(1000));
        let mut flushes = 0;
        for transfer in 0..1000_u64 {
            let begin = 1000 + transfer * 100;
            if meter.put(Tick(begin), Tick(begin + 40)) {
                meter.flush();
                flushes += 1;
            }
        }
        meter.flush();
        assert_eq!((meter.transfers(), meter.latency.count()), (1000, 1000));
        assert_eq!((meter.latency.min(), meter.latency.max()), (Some(40), 40));
        assert_eq!(meter.timeline.bytes().iter().sum::<u64>(), 512_000);
        assert!(flushes < 10, "{flushes} flushes");
    }

    #[test]
    fn a_deadline_makes_a_flush_due() {
        let mut meter = Meter::new(Scale::NANOSECONDS, 1);
        assert!(meter.put(Tick(0), Tick(1)), "the first one is due at once");
        meter.flush();
        meter.wake_at(Tick(500));
        assert!(!meter.put(Tick(1), Tick(499)) && meter.put(Tick(499), Tick(500)));
    }

    #[test]
    fn slow_transfers_do_not_wait_for_a_full_ring() {
        let mut meter = Meter::new(Scale::NANOSECONDS, 1);
        assert!(meter.put(Tick(0), Tick(20_000_000)), "the first one is due at once");
        meter.flush();
        assert!(!meter.put(Tick(20_000_000), Tick(20_000_100)));
        assert!(meter.put(Tick(20_000_100), Tick(40_000_000)));
    }
}
