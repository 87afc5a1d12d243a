//! The wall clock, for time stamps that are compared with logs of other programs.
//!
//! Never here: measured times; the wall clock may be set and go backwards.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::Clock;

/// Seconds since 1970 by this node's wall clock.
pub fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

/// Milliseconds since 1970 by the same clock.
pub fn unix_ms() -> u64 {
    (unix_seconds() * 1e3) as u64
}

/// One moment on two clocks: the wall clock and a rank's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallClock {
    unix_ns: u64,
    clock_ns: u64,
    uncertainty_ns: u64,
}

impl WallClock {
    /// Reads both; the closest of several tries.
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

    /// The wall-clock time at a moment of the rank's clock, nanoseconds since 1970.
    pub fn unix_ns(&self, clock_ns: u64) -> u64 {
        (self.unix_ns + clock_ns).saturating_sub(self.clock_ns)
    }

    /// The wall-clock time when the rank's clock was zero, nanoseconds since 1970.
    pub fn origin_unix_ns(&self) -> i64 {
        self.unix_ns.cast_signed().wrapping_sub(self.clock_ns.cast_signed())
    }

    /// The largest possible error of these times, nanoseconds.
    pub fn uncertainty_ns(&self) -> u64 {
        self.uncertainty_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CycleClock;

    #[test]
    fn a_moment_of_the_clock_is_between_two_readings_of_the_wall_clock() {
        let clock = CycleClock::new();
        let before = unix_seconds();
        let moment = clock.ns();
        let after = unix_seconds();
        let wall_clock = WallClock::read(&clock);
        let (found, off) =
            (wall_clock.unix_ns(moment) as f64 * 1e-9, wall_clock.uncertainty_ns() as f64 * 1e-9);
        assert_eq!(wall_clock.origin_unix_ns() + moment as i64, wall_clock.unix_ns(moment) as i64);
        // An extra microsecond for the rounding of the wall clock to a float.
        assert!(
            (before - off - 1e-6..=after + off + 1e-6).contains(&found),
            "{before} {found} {after} {off}"
        );
    }
}
