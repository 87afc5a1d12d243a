//! A clock that moves a fixed step at every look.

use std::cell::Cell;

use measure::{Clock, Scale, Tick};

/// Tells nanoseconds; every reading is one step later than the one before.
#[derive(Debug)]
pub struct FakeClock {
    now: Cell<u64>,
    step: u64,
}

impl FakeClock {
    /// A clock that moves `step` nanoseconds at every look.
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
