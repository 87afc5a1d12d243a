//! How a rank waits for MPI: it tests its request repeatedly, and pauses between two tests.
//!
//! If each rank has a processor, a waiting rank disturbs no other, and a rank that sleeps reacts late. So it
//! yields for about ten milliseconds before its first sleep. With more ranks than processors, each test
//! delays the rank that the others wait for. So a waiting rank soon sleeps, for longer and longer times. It
//! may then leave a barrier up to [`SLEEP_MAX`] after the last rank has entered it. Each rank stamps its own
//! start and end of a phase: a late rank starts late, and its measured time stays correct.
//!
//! A rank that sleeps in a wait has a number for it, which others can see ([`current_wait`]).
//!
//! Never here: MPI.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The longest sleep of a waiting rank if there are more ranks than processors.
const SLEEP_MAX: Duration = Duration::from_millis(1);

/// The waits so far in which the rank of this process has slept.
static WAITS: AtomicU64 = AtomicU64::new(0);

/// The number of the wait that it is in, if it has slept in it; else 0. Within a wait it may wait again.
static CURRENT: AtomicU64 = AtomicU64::new(0);

/// The number of the wait for other ranks that the rank of this process is in, if it has slept in it. No two
/// waits have the same number.
pub fn current_wait() -> Option<u64> {
    Some(CURRENT.load(Ordering::Relaxed)).filter(|number| *number > 0)
}

/// What a waiting rank does between two tests of its request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// Tests again at once.
    Spin,
    /// Lets other threads run that are ready.
    Yield,
    /// Sleeps this long.
    Sleep(Duration),
}

/// When a waiting rank spins, yields and sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WaitPolicy {
    /// Pauses before the first sleep; all of them yield.
    yields: u64,
    /// Tests after each sleep. One is too few: MPICH forwards a message in several tests, and a collective
    /// consists of many messages.
    tests_per_sleep: u64,
    /// Sleeps of the same length before the length doubles.
    sleeps_per_length: u64,
    /// The length of the first sleeps.
    sleep_min: Duration,
    /// No sleep is longer.
    sleep_max: Duration,
}

impl WaitPolicy {
    /// For ranks with one processor each.
    const DEDICATED: Self = Self {
        yields: 20_000,
        tests_per_sleep: 1,
        sleeps_per_length: 1,
        sleep_min: Duration::from_micros(50),
        sleep_max: Duration::from_micros(50),
    };

    /// For ranks that share processors.
    ///
    /// Milliseconds per barrier on 2 processors with other load. *Short*: 200 yields, then sleeps of 50 µs.
    /// *One test*: sleeps that double from 20 µs to 1 ms, with one test after each. *Four tests*: four sleeps
    /// of each length and four tests after each, as below.
    ///
    /// | | ranks | short | one test | four tests |
    /// |---|---|---|---|---|
    /// | MPICH 4.0 | 4 | 0.9 | 4.0 | 0.2 |
    /// | | 16 | 2.3 | 9.0 | 0.6 |
    /// | | 64 | 19 | | 6 |
    /// | MPICH 5.0 | 4 | 0.8 | 4.5 | 0.2 |
    /// | | 16 | 2.4 | 9.2 | 1.1 |
    /// | | 64 | 16 | | 7 |
    /// | Open MPI 4.1 | 4 | 0.1 | 0.6 | 0.1 |
    /// | | 16 | 1.7 | 1.8 | 0.3 |
    /// | | 64 | 17 | | 2 to 8 |
    ///
    /// It is as fast with 8, 16 or 32 tests after a sleep, and with 4 to 40 yields.
    const OVERSUBSCRIBED: Self = Self {
        yields: 8,
        tests_per_sleep: 4,
        sleeps_per_length: 4,
        sleep_min: Duration::from_micros(20),
        sleep_max: SLEEP_MAX,
    };

    /// The policy with or without more ranks than processors on a node.
    pub(super) fn new(oversubscribed: bool) -> &'static Self {
        if oversubscribed { &Self::OVERSUBSCRIBED } else { &Self::DEDICATED }
    }

    /// Pause number `n` of a wait, counted from 0.
    fn pause(&self, n: u64) -> Pause {
        let Some(n) = n.checked_sub(self.yields) else { return Pause::Yield };
        if !n.is_multiple_of(self.tests_per_sleep) {
            return Pause::Spin;
        }
        let doublings = n / self.tests_per_sleep / self.sleeps_per_length;
        // 2^20 times the first sleep is longer than the longest sleep.
        Pause::Sleep((self.sleep_min * (1 << doublings.min(20))).min(self.sleep_max))
    }
}

/// One wait of a rank.
#[derive(Debug)]
pub(super) struct RankWait {
    policy: &'static WaitPolicy,
    pauses: u64,
    /// The wait around it that has a number, or 0, since it has one itself.
    around: Option<u64>,
}

impl RankWait {
    /// A wait that begins now.
    pub(super) fn new(policy: &'static WaitPolicy) -> Self {
        Self { policy, pauses: 0, around: None }
    }

    /// Pauses once; true if the rank slept, after which it has time for other duties.
    pub(super) fn pause(&mut self) -> bool {
        let pause = self.policy.pause(self.pauses);
        self.pauses += 1;
        match pause {
            Pause::Spin => std::hint::spin_loop(),
            Pause::Yield => thread::yield_now(),
            Pause::Sleep(time) => self.sleep(time),
        }
        matches!(pause, Pause::Sleep(_))
    }

    fn sleep(&mut self, time: Duration) {
        if self.around.is_none() {
            let number = WAITS.fetch_add(1, Ordering::Relaxed) + 1;
            self.around = Some(CURRENT.swap(number, Ordering::Relaxed));
        }
        thread::sleep(time);
    }
}

impl Drop for RankWait {
    fn drop(&mut self) {
        if let Some(around) = self.around {
            CURRENT.store(around, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(policy: &WaitPolicy, pauses: u64) -> Vec<Pause> {
        (0..pauses).map(|n| policy.pause(n)).collect()
    }

    #[test]
    fn a_rank_with_its_own_processor_yields_20_000_times_before_it_sleeps() {
        let policy = WaitPolicy::new(false);
        assert!(first(policy, 20_000).iter().all(|pause| *pause == Pause::Yield));
        for n in [20_000, 20_001, 1_000_000, u64::MAX] {
            assert_eq!(policy.pause(n), Pause::Sleep(Duration::from_micros(50)), "pause {n}");
        }
    }

    #[test]
    fn a_rank_that_shares_its_processor_sleeps_after_a_few_tests() {
        let sleep = Pause::Sleep(Duration::from_micros(20));
        let all = first(WaitPolicy::new(true), 13);
        assert_eq!(all[..8], [Pause::Yield; 8]);
        assert_eq!(all[8..], [sleep, Pause::Spin, Pause::Spin, Pause::Spin, sleep]);
    }

    #[test]
    fn sleeps_double_after_every_fourth_up_to_a_millisecond() {
        let policy = WaitPolicy::new(true);
        let micros: Vec<u128> = first(policy, 8 + 4 * 4 * 7)
            .into_iter()
            .filter_map(|pause| if let Pause::Sleep(time) = pause { Some(time.as_micros()) } else { None })
            .collect();
        let wanted = [20, 40, 80, 160, 320, 640, 1000].map(|length| [length; 4]);
        assert_eq!(micros, wanted.concat());
        assert_eq!(policy.pause(8 + 4 * 1_000_000_000_000), Pause::Sleep(SLEEP_MAX));
    }

    #[test]
    fn a_wait_reports_when_it_slept_and_has_a_number_from_then_on() {
        let mut last = None;
        for _ in 0..2 {
            let mut wait = RankWait::new(WaitPolicy::new(true));
            let slept: Vec<u32> = (0..13)
                .filter(|n| {
                    let slept = wait.pause();
                    assert_eq!(current_wait().is_some(), *n >= 8, "pause {n}");
                    slept
                })
                .collect();
            assert_eq!(slept, [8, 12]);
            assert!(current_wait() > last, "no two have the same number");
            last = current_wait();
            let outer = current_wait();
            let mut inner = RankWait::new(WaitPolicy::new(true));
            (0..9).for_each(|_| _ = inner.pause());
            assert!(current_wait() > outer, "a wait within a wait has a number of its own");
            drop(inner);
            assert_eq!(current_wait(), outer, "the outer one continues");
            drop(wait);
            assert_eq!(current_wait(), None);
        }
    }
}
