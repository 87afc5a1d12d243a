//! How often a system with a known course is called steady.

use results::statistics::Dice;
use results::steady::{IntervalSeries, SteadyRule, SteadyState, steady};

/// The course of a system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    /// Its fall in 30 s, as a share of the first rate.
    pub(crate) fall: f64,
    /// The variability of its intervals of one second.
    pub(crate) cov: f64,
    /// How long an interval remembers the one before, seconds.
    pub(crate) memory: f64,
}

/// Seconds of each run.
const SECONDS: usize = 400;

/// The answers about `trials` runs in percent: steady, not steady, unclear. The window is 30 s, and
/// `measured` seconds follow it.
pub(crate) fn answers(course: Course, measured: f64, trials: u32) -> [f64; 3] {
    let rule = SteadyRule { window: 30.0, slope: 0.1, range: 0.2, within: Some(300.0), measured };
    let mut dice = Dice::new(17);
    let mut counts = [0_u32; 3];
    for _ in 0..trials {
        let moved = run(&mut dice, course);
        let series = IntervalSeries { moved: &moved, interval: 1.0, span: SECONDS as f64 };
        let found = steady(&series, &rule);
        let index = match found.state {
            _ if !found.clear => 2,
            SteadyState::Steady => 0,
            _ => 1,
        };
        counts[index] += 1;
    }
    counts.map(|count| f64::from(count) * 100.0 / f64::from(trials))
}

fn run(dice: &mut Dice, Course { fall, cov, memory }: Course) -> Vec<u64> {
    let alike = (-1.0 / memory).exp();
    let fresh = (1.0 - alike * alike).sqrt();
    let mut value = dice.normal();
    let mut next = |second: usize| {
        value = alike * value + fresh * dice.normal();
        let level = (1.0 - fall * second as f64 / 30.0).max(0.0);
        (1e6 * level * (1.0 + cov * value)).max(0.0) as u64
    };
    (0..SECONDS).map(&mut next).collect()
}
