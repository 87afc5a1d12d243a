//! A clock that advances by a fixed step at every reading.

use std::cell::Cell;

use measure::{Clock, Scale, Tick};

/// A clock in nanoseconds; every reading is one step later than the previous one.
#[derive(Debug)]
pub struct FakeClock {
    now: Cell<u64>,
    step: u64,
}

impl FakeClock {
    /// A clock that advances `step` nanoseconds at every reading.
    pub fn ticking(step: u64) -> Self {
        Self { now: Cell::new(0), step }
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Tick {
        self.now.set(self.now.get() + self.step);
        Tick(self.now.get())
    }

    fn scale(&self) -> Scale {
        Scale::NANOSECONDS
    }

    fn ns_at(&self, tick: Tick) -> u64 {
        tick.0
    }
}
