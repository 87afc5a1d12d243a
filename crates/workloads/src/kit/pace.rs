//! The speed of transfers: a rate limit, or a pause after each transfer.
//!
//! Under a rate limit transfer number `n` of a rank should begin at a fixed moment, independent of the ones
//! before it. A transfer that begins late because its predecessors were slow is timed from that moment.
//! Otherwise, if the storage stalls, only the few transfers during the stall would show it (coordinated
//! omission).
//!
//! Invariant: `wait` ends at the latest when the phase does.

use std::thread::sleep;
use std::time::Duration;

use measure::{Clock, Scale, Tick};

/// A sleep is sometimes too long by this much. For the rest of a wait the rank reads the clock in a loop.
const OVERSLEEP_NS: u64 = 100_000;
/// Time between two checks whether the phase is over.
const NAP_NS: u64 = 50_000_000;
/// The longest pause, nanoseconds: a hundred years.
const LONGEST_NS: u128 = 3_153_600_000_000_000_000;

/// The rate limit and the pauses of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// When transfer number 0 should begin.
    start: Tick,
    /// Ticks from one transfer to the next; 0 for no limit.
    interval: f64,
    /// Pause before each transfer but the first.
    pause: Duration,
}

/// How a rank's loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All transfers asked for are done.
    Complete,
    /// The deadline passed first.
    Deadline,
    /// Another rank failed and raised the alarm.
    Alarm,
}

/// When a transfer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferStart {
    /// It is timed from this moment.
    At(Tick),
    /// The phase was over first.
    Never(Ending),
}

impl Pace {
    /// No limit.
    pub const FREE: Self = Self { start: Tick(0), interval: 0.0, pause: Duration::ZERO };

    /// Transfer `n` should begin `n` times `interval` ticks after `start`.
    pub fn limited(start: Tick, interval: f64) -> Self {
        Self { start, interval, ..Self::FREE }
    }

    /// The same, shifted by a number of ticks in which this rank waited for other ranks and could not begin a
    /// transfer.
    pub fn later(self, ticks: u64) -> Self {
        Self { start: Tick(self.start.0.saturating_add(ticks)), ..self }
    }

    /// The same with a pause of this many microseconds between transfers.
    pub fn pausing(self, microseconds: u64) -> Self {
        Self { pause: Duration::from_micros(microseconds), ..self }
    }

    /// Whether it ever makes a transfer wait.
    pub fn holds(&self) -> bool {
        self.is_limited() || !self.pause.is_zero()
    }

    /// Whether there is a rate limit.
    pub fn is_limited(&self) -> bool {
        self.interval > 0.0
    }

    /// When transfer `number` should begin; tick 0 without a limit.
    pub fn due(&self, number: u64) -> Tick {
        match self.is_limited() {
            true => Tick(self.start.0.saturating_add((number as f64 * self.interval) as u64)),
            false => Tick(0),
        }
    }

    /// The end of a pause that begins at `now`.
    pub fn pause_end(&self, now: Tick, scale: Scale) -> Tick {
        let ns = self.pause.as_nanos().min(LONGEST_NS) as u64;
        Tick(now.0.saturating_add(scale.ticks(ns)))
    }

    /// How long to sleep at `now` before reading the clock again, if the awaited moment is `due`. `None` if
    /// that moment is close.
    pub fn sleep_time(now: Tick, due: Tick, scale: Scale) -> Option<Duration> {
        let left = scale.ns(due.0.saturating_sub(now.0));
        (left > OVERSLEEP_NS).then(|| Duration::from_nanos((left - OVERSLEEP_NS).min(NAP_NS)))
    }

    /// Waits until transfer `number` may begin, or until `over` returns a reason to stop. It does so after
    /// `deadline` at the latest.
    pub fn wait<C: Clock>(
        &self,
        clock: &C,
        number: u64,
        deadline: Tick,
        over: &dyn Fn(Tick) -> Option<Ending>,
    ) -> TransferStart {
        let mut now = clock.now();
        let due = self.due(number);
        if now >= due && (self.pause.is_zero() || number == 0) {
            return TransferStart::At(if self.is_limited() { due } else { now });
        }
        let scale = clock.scale();
        let begin = if number > 0 { due.max(self.pause_end(now, scale)) } else { due };
        while now < begin {
            if let Some(ending) = over(now) {
                return TransferStart::Never(ending);
            }
            match Self::sleep_time(now, begin.min(deadline), scale) {
                Some(time) => sleep(time),
                None => std::hint::spin_loop(),
            }
            now = clock.now();
        }
        // The transfer was early or paused. A wait that was too long is not a delay of the storage.
        TransferStart::At(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::FakeClock;

    #[test]
    fn a_late_transfer_is_timed_from_its_moment_and_an_early_one_waits() {
        let clock = FakeClock::ticking(10);
        clock.now();
        let pace = Pace::limited(Tick(0), 15.0);
        let never = &|_: Tick| None;
        assert_eq!(
            pace.wait(&clock, 1, Tick(u64::MAX), never),
            TransferStart::At(Tick(15)),
            "it is past 15 already"
        );
        let TransferStart::At(begin) = pace.wait(&clock, 100, Tick(u64::MAX), never) else {
            panic!("nothing stops it")
        };
        assert!((1500..1520).contains(&begin.0), "{begin:?}");
    }

    #[test]
    fn a_wait_and_a_pause_end_with_the_phase() {
        let clock = FakeClock::ticking(10);
        let over = &|now: Tick| (now > Tick(500)).then_some(Ending::Deadline);
        let (pace, end) = (Pace::limited(Tick(0), 1e6), Tick(500));
        assert_eq!(pace.wait(&clock, 1, end, over), TransferStart::Never(Ending::Deadline));
        let pace = Pace::FREE.pausing(u64::MAX);
        assert!(
            matches!(pace.wait(&clock, 0, end, over), TransferStart::At(_)),
            "there is nothing before the first"
        );
        assert_eq!(pace.wait(&clock, 1, end, over), TransferStart::Never(Ending::Deadline));
    }

    #[test]
    fn a_moment_far_in_the_future_does_not_overflow() {
        let pace = Pace::limited(Tick(u64::MAX / 2), 1e30);
        assert_eq!((pace.due(1), pace.later(u64::MAX).due(0)), (Tick(u64::MAX), Tick(u64::MAX)));
    }

    #[test]
    fn time_spent_waiting_for_other_ranks_makes_no_transfer_late() {
        let pace = Pace::limited(Tick(100), 15.0).later(1000);
        assert_eq!((pace.due(0), pace.due(2)), (Tick(1100), Tick(1130)));
        assert_eq!(Pace::FREE.later(1000).due(2), Tick(0));
    }

    #[test]
    fn without_a_limit_nothing_waits() {
        let clock = FakeClock::ticking(10);
        assert!(!Pace::FREE.holds());
        assert!(matches!(
            Pace::FREE.wait(&clock, 5, Tick(0), &|_| Some(Ending::Alarm)),
            TransferStart::At(_)
        ));
    }
}
