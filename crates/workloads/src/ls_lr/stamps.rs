//! Stores when a walker had done how many operations, so that the number can be computed for any moment
//! afterwards.
//!
//! Every n-th operation stores a stamp. When the memory is full, every second stamp is dropped and n doubles.
//!
//! Invariant: the answer is never above the true value, and it is below it by less than n. That is at most
//! one in 16384 of the completed operations.

use measure::Tick;

/// Maximum number of stamps.
const ROOM: usize = 1 << 15;

/// The progress of one walker.
#[derive(Debug)]
pub(super) struct WalkerStamps {
    ticks: Vec<Tick>,
    stride: u64,
    done: u64,
}

impl WalkerStamps {
    /// Allocates all memory.
    pub(super) fn new() -> Self {
        let mut ticks = vec![Tick(0); ROOM];
        ticks.clear();
        Self { ticks, stride: 1, done: 0 }
    }

    /// Counts one operation. The clock is read only if this operation stores a stamp.
    #[inline]
    pub(super) fn add(&mut self, now: impl FnOnce() -> Tick) {
        self.done += 1;
        if self.done.is_multiple_of(self.stride) {
            self.keep(now());
        }
    }

    fn keep(&mut self, now: Tick) {
        self.ticks.push(now);
        if self.ticks.len() == ROOM {
            let mut number = 0;
            self.ticks.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.stride *= 2;
        }
    }

    /// Number of all operations.
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// Number of operations that had ended when `passed` was still true. `passed` is true for all stamps up
    /// to some moment.
    pub(super) fn while_so(&self, passed: impl Fn(Tick) -> bool) -> u64 {
        self.ticks.partition_point(|tick| passed(*tick)) as u64 * self.stride
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_completed_work_at_any_moment_is_known_and_never_too_high() {
        for total in [0_u64, 1, 100, 32_767, 32_768, 101_000, 1_000_003] {
            let mut stamps = WalkerStamps::new();
            (1..=total).for_each(|number| stamps.add(|| Tick(number * 10)));
            assert_eq!(stamps.done(), total);
            assert!(stamps.ticks.len() < ROOM);
            for moment in [0, 9, 10, total * 3, total * 10 - total.min(1), total * 10] {
                let done = (moment / 10).min(total);
                let found = stamps.while_so(|tick| tick.0 <= moment);
                assert!(
                    found <= done && done - found <= total / 16_384,
                    "{total} {moment}: {found} of {done}"
                );
            }
        }
    }
}
