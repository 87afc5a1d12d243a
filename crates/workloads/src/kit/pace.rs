//! How fast transfers may follow one another: a rate limit, or a pause after each.
//!
//! Under a rate limit transfer number `n` of a rank should begin at a fixed moment, whatever the ones before
//! it did. One that begins late because its predecessors were slow is timed from the moment at which it
//! should have begun: otherwise a storage that stalls would be measured only by the few
//! transfers that met the stall (coordinated omission).
//!
//! Invariant: `wait` ends at the latest when the phase does.

use std::thread::sleep;
use std::time::Duration;

use measure::{Clock, Scale, Tick};

use super::drive::Ending;

/// Sleeping is this much too long now and then; the rest of a wait is spent looking at the clock.
const OVERSLEEP_NS: u64 = 100_000;
/// Between two questions whether the phase is over.
const NAP_NS: u64 = 50_000_000;
/// No pause is longer, nanoseconds: a hundred years.
const LONGEST_NS: u128 = 3_153_600_000_000_000_000;

/// How fast at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pace {
    /// When transfer number 0 should begin.
    start: Tick,
    /// Ticks from one transfer to the next; 0 for no limit.
    interval: f64,
    /// Pause before each transfer but the first.
    pause: Duration,
}

/// When a transfer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransferStart {
    /// From this moment it is timed.
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

    /// The same after so many ticks in which this rank could begin nothing: it waited for other ranks.
    pub fn later(self, ticks: u64) -> Self {
        Self { start: Tick(self.start.0.saturating_add(ticks)), ..self }
    }

    /// With a pause of so many microseconds between transfers.
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

    /// When transfer `number` should begin; the beginning of time without a limit.
    pub fn due(&self, number: u64) -> Tick {
        match self.is_limited() {
            true => Tick(self.start.0.saturating_add((number as f64 * self.interval) as u64)),
            false => Tick(0),
        }
    }

    /// The end of a pause that begins at `now`.
    pub fn rested(&self, now: Tick, scale: Scale) -> Tick {
        let ns = self.pause.as_nanos().min(LONGEST_NS) as u64;
        Tick(now.0.saturating_add(scale.ticks(ns)))
    }

    /// How long to wait at `now` for the moment `due` before looking at the clock again; a moment near by is
    /// not slept towards.
    pub fn nap(now: Tick, due: Tick, scale: Scale) -> Option<Duration> {
        let left = scale.ns(due.0.saturating_sub(now.0));
        (left > OVERSLEEP_NS).then(|| Duration::from_nanos((left - OVERSLEEP_NS).min(NAP_NS)))
    }

    /// Waits until transfer `number` may begin, or until `over` gives a reason to stop, as it will behind
    /// `deadline`.
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
        let begin = if number > 0 { due.max(self.rested(now, scale)) } else { due };
        while now < begin {
            if let Some(ending) = over(now) {
                return TransferStart::Never(ending);
            }
            match Self::nap(now, begin.min(deadline), scale) {
                Some(nap) => sleep(nap),
                None => std::hint::spin_loop(),
            }
            now = clock.now();
        }
        // It was early or paused: what the wait lasted too long is no delay of the storage.
        TransferStart::At(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::FakeClock;

    #[test]
    fn a_late_transfer_is_timed_from_when_it_should_have_begun_and_an_early_one_waits() {
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
    fn what_is_due_in_a_thousand_years_is_not_due_now() {
        let pace = Pace::limited(Tick(u64::MAX / 2), 1e30);
        assert_eq!((pace.due(1), pace.later(u64::MAX).due(0)), (Tick(u64::MAX), Tick(u64::MAX)));
    }

    #[test]
    fn a_time_in_which_nothing_could_begin_makes_nothing_late() {
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
