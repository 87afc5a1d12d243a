//! One monotonic clock per rank: the cycle counter if it is invariant, otherwise `CLOCK_MONOTONIC`.
//!
//! A reading is a raw [`Tick`]; one multiplication converts it to nanoseconds later, outside the measured
//! time. The crate `quanta` knows whether the counter is reliable and calibrates it in under a millisecond.
//! This first estimate can be wrong by a percent on a busy machine. [`CycleClock::refine`] replaces it with
//! the ratio over the whole life of the process, which improves as it runs.
//!
//! Invariant: readings of one clock never go backwards.
//! Never here: wall-clock dates, clocks of other ranks.

use std::time::Instant;

/// A raw reading; only differences have a meaning, and only within one clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tick(pub u64);

/// Nanoseconds per tick, as a fixed-point number with 32 binary places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale(pub(crate) u64);

impl Scale {
    /// A tick is a nanosecond.
    pub const NANOSECONDS: Self = Self(1 << 32);

    /// Converts ticks to nanoseconds, rounded down.
    #[inline]
    pub fn ns(self, ticks: u64) -> u64 {
        ((u128::from(ticks) * u128::from(self.0)) >> 32) as u64
    }

    /// Converts nanoseconds to ticks, rounded down.
    pub fn ticks(self, ns: u64) -> u64 {
        ((u128::from(ns) << 32) / u128::from(self.0.max(1))) as u64
    }
}

/// A source of time; the measuring loop is compiled for each kind.
pub trait Clock {
    /// Reads the clock.
    fn now(&self) -> Tick;

    /// The present length of a tick.
    fn scale(&self) -> Scale;

    /// Nanoseconds from the creation of this clock to `tick`.
    fn ns_at(&self, tick: Tick) -> u64;

    /// Nanoseconds since the creation of this clock.
    fn ns(&self) -> u64 {
        self.ns_at(self.now())
    }
}

/// The quality of the clock, measured on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockQuality {
    /// `cycle counter` or `CLOCK_MONOTONIC`.
    pub source: &'static str,
    /// The smallest step between two different readings, nanoseconds.
    pub resolution_ns: u64,
    /// Duration of one reading, nanoseconds.
    pub cost_ns: f64,
}

/// The uncertainty of the first estimate of the scale, as a share. Later estimates need a smaller one.
const FIRST_UNCERTAINTY: f64 = 1e-3;

/// The real clock.
#[derive(Clone, Debug)]
pub struct CycleClock {
    counter: quanta::Clock,
    scale: Scale,
    /// The most by which the scale can be wrong, as a share.
    uncertainty: f64,
    born: Moment,
}

/// One moment on the counter and on the standard clock.
#[derive(Clone, Copy, Debug)]
struct Moment {
    tick: Tick,
    std: Instant,
    /// Ticks between the readings of the counter before and after the standard clock.
    gap: u64,
}

impl Default for CycleClock {
    fn default() -> Self {
        Self::new()
    }
}

impl CycleClock {
    /// Makes and calibrates a clock; takes about a millisecond the first time in a process.
    pub fn new() -> Self {
        let counter = quanta::Clock::new();
        let scale = Scale(counter.delta_as_nanos(0, 1 << 32));
        let born = Moment::now(&counter);
        Self { counter, scale, uncertainty: FIRST_UNCERTAINTY, born }
    }

    /// Measures the scale again over the time since this clock was made. Keeps the earlier scale if that is
    /// more certain: the process was interrupted while it read the clocks, or is too young. Call it between
    /// phases, on all ranks.
    pub fn refine(&mut self) {
        let now = Moment::now(&self.counter);
        let ns = now.std.duration_since(self.born.std).as_nanos();
        let ticks = now.tick.0.saturating_sub(self.born.tick.0);
        let uncertainty = (self.born.gap + now.gap) as f64 / ticks.max(1) as f64;
        if uncertainty < self.uncertainty {
            self.scale = Scale(((ns << 32) / u128::from(ticks)) as u64);
            self.uncertainty = uncertainty;
        }
    }

    /// Measures the duration of a reading and the smallest step.
    pub fn quality(&self) -> ClockQuality {
        let readings = 4096;
        let begin = self.now();
        let mut last = begin;
        let mut step = u64::MAX;
        for _ in 0..readings {
            let now = self.now();
            if now != last {
                step = step.min(now.0 - last.0);
            }
            last = now;
        }
        let source = if self.counter_is_monotonic_clock() { "CLOCK_MONOTONIC" } else { "cycle counter" };
        ClockQuality {
            source,
            resolution_ns: self.scale.ns(step).max(1),
            cost_ns: self.scale.ns(last.0 - begin.0) as f64 / f64::from(readings),
        }
    }

    /// Whether `quanta` fell back to nanoseconds of the monotonic clock; the factor is then exactly one.
    fn counter_is_monotonic_clock(&self) -> bool {
        self.counter.delta_as_nanos(0, 1 << 32) == 1 << 32
    }
}

impl Moment {
    /// Reads both clocks: the closest of several tries.
    fn now(counter: &quanta::Clock) -> Self {
        let tries = (0..8).map(|_| {
            let before = counter.raw();
            let std = Instant::now();
            let gap = counter.raw() - before;
            Self { tick: Tick(before + gap / 2), std, gap }
        });
        tries.min_by_key(|moment| moment.gap).expect("there are eight tries")
    }
}

impl Clock for CycleClock {
    #[inline]
    fn now(&self) -> Tick {
        Tick(self.counter.raw())
    }

    fn scale(&self) -> Scale {
        self.scale
    }

    fn ns_at(&self, tick: Tick) -> u64 {
        self.scale.ns(tick.0.saturating_sub(self.born.tick.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_clock_agrees_with_the_standard_one_after_refining() {
        let mut clock = CycleClock::new();
        std::thread::sleep(Duration::from_millis(150));
        clock.refine();
        let (begin, std) = (clock.now(), Instant::now());
        std::thread::sleep(Duration::from_millis(60));
        let ours = clock.scale().ns(clock.now().0 - begin.0) as f64;
        let theirs = std.elapsed().as_nanos() as f64;
        assert!((ours / theirs - 1.0).abs() < 0.01, "{ours} ns against {theirs} ns");
    }

    #[test]
    fn a_wrong_first_estimate_is_corrected_within_milliseconds() {
        let mut clock = CycleClock::new();
        clock.scale = Scale(clock.scale.0 / 100 * 98);
        std::thread::sleep(Duration::from_millis(10));
        clock.refine();
        let right = clock.counter.delta_as_nanos(0, 1 << 32) as f64;
        assert!((clock.scale.0 as f64 / right - 1.0).abs() < 0.005, "{clock:?}");
    }

    #[test]
    fn a_less_certain_estimate_is_not_used() {
        let mut clock = CycleClock::new();
        std::thread::sleep(Duration::from_millis(10));
        clock.refine();
        let good = clock.clone();
        // As if the process had been interrupted for a second when the clock was made.
        clock.born.gap += clock.scale.ticks(1_000_000_000);
        clock.refine();
        assert_eq!((clock.scale, clock.uncertainty), (good.scale, good.uncertainty));
    }

    #[test]
    fn a_scale_converts_there_and_back() {
        let clock = CycleClock::new();
        for ns in [0, 1_000, 1_000_000_000, 3_600_000_000_000] {
            let back = clock.scale().ns(clock.scale().ticks(ns));
            assert!(back.abs_diff(ns) <= 2, "{back} for {ns}");
        }
        assert_eq!(Scale::NANOSECONDS.ns(17), 17);
    }

    #[test]
    fn clones_of_a_clock_show_the_same_time() {
        let clock = CycleClock::new();
        std::thread::sleep(Duration::from_millis(5));
        let (other, tick) = (clock.clone(), clock.now());
        assert_eq!(other.ns_at(tick), clock.ns_at(tick));
    }

    #[test]
    fn the_clock_measures_its_own_cost() {
        let quality = CycleClock::new().quality();
        assert!(quality.cost_ns > 0.0 && quality.resolution_ns >= 1, "{quality:?}");
    }
}
