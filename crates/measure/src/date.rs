//! The date, for stamps that are compared with other programs' logs.
//!
//! Never here: anything that is measured; a date may be set and go backwards.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::Clock;

/// Seconds since 1970 by this node's calendar clock.
pub fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

/// A moment on two clocks: what the calendar says, and what a rank's clock says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calendar {
    unix_ns: u64,
    clock_ns: u64,
    uncertainty_ns: u64,
}

impl Calendar {
    /// Reads both; the tightest of a few tries.
    pub fn read(clock: &impl Clock) -> Self {
        let tries = (0..4).map(|_| {
            let before = clock.ns();
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let gap = clock.ns() - before;
            let unix_ns = u64::try_from(since.as_nanos()).unwrap_or(0);
            Self { unix_ns, clock_ns: before + gap / 2, uncertainty_ns: gap.div_ceil(2) }
        });
        tries.min_by_key(|one| one.uncertainty_ns).expect("there are four tries")
    }

    /// What the calendar would have said at a moment of the clock, nanoseconds since 1970.
    pub fn unix_ns(&self, clock_ns: u64) -> u64 {
        (self.unix_ns + clock_ns).saturating_sub(self.clock_ns)
    }

    /// What it would have said when the clock was at zero, nanoseconds since 1970.
    pub fn origin_unix_ns(&self) -> i64 {
        self.unix_ns.cast_signed().wrapping_sub(self.clock_ns.cast_signed())
    }

    /// How far that may be off, nanoseconds.
    pub fn uncertainty_ns(&self) -> u64 {
        self.uncertainty_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CycleClock;

    #[test]
    fn a_moment_of_the_clock_lies_between_two_looks_at_the_calendar() {
        let clock = CycleClock::new();
        let before = unix_seconds();
        let moment = clock.ns();
        let after = unix_seconds();
        let calendar = Calendar::read(&clock);
        let (found, off) = (calendar.unix_ns(moment) as f64 * 1e-9, calendar.uncertainty_ns() as f64 * 1e-9);
        assert_eq!(calendar.origin_unix_ns() + moment as i64, calendar.unix_ns(moment) as i64);
        // A microsecond more for the calendar's own rounding to a float.
        assert!(
            (before - off - 1e-6..=after + off + 1e-6).contains(&found),
            "{before} {found} {after} {off}"
        );
    }
}
