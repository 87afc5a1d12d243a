//! Sustained and steady rates: the properties of a timeline in every time window, beyond its mean.
//!
//! A rate is sustained over a window if no window of that length is slower, at any start. A system is steady
//! from the moment at which a window neither rises nor falls nor varies more than allowed. The criteria are
//! those of SNIA's performance test specification: slope times window, and range of block means, as shares of
//! the window's mean. Afterwards, all blocks until the end of the measured time count. It stays steady if
//! their line obeys the same slope, and if no block is farther from the first window than the range.
//!
//! Invariant: pure; sums are exact; an interval that the run did not fill is in no window. What noise may
//! explain is not clear.
//! Never here: thresholds of a contract, verdicts.

mod blocks;

use blocks::{BlockLine, noise};

/// Bytes, or operations, per interval of one phase, all ranks together.
#[derive(Clone, Copy, Debug)]
pub struct IntervalSeries<'a> {
    /// What each interval moved, from the common start; intervals missing up to `span` moved nothing.
    pub moved: &'a [u64],
    /// Length of an interval, seconds.
    pub interval: f64,
    /// The duration of the transfers, seconds; an interval that ends later is excluded.
    pub span: f64,
}

/// The slowest window of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sustained {
    /// Length of the windows, seconds: the requested one, rounded up to whole intervals.
    pub window: f64,
    /// The start of the slowest window, seconds after the start; the first of several.
    pub at: f64,
    /// Its mean, per second.
    pub rate: f64,
    /// The mean over all whole intervals, per second.
    pub mean: f64,
    /// `rate` over `mean`; 1 for a run that moved nothing.
    pub share: f64,
}

/// The rule for a steady run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyRule {
    /// Length of the window, seconds; rounded up to five blocks of whole intervals.
    pub window: f64,
    /// The largest allowed rise or fall of the window's regression line from end to end, as a share of its
    /// mean.
    pub slope: f64,
    /// The largest allowed difference between the block means, as a share of the window's mean.
    pub range: f64,
    /// The time at which the rate must be steady at the latest, seconds after the start; `None` for any time.
    pub within: Option<f64>,
    /// The length of the measured time after that, seconds.
    pub measured: f64,
}

/// Whether a run became steady and stayed so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SteadyState {
    /// No window in time was steady, or the run is shorter than a window.
    NotReached,
    /// Steady, but the run ended before the measured time was over.
    Unmeasured,
    /// Steady until the end of the measured time.
    Steady,
    /// Steady, but not until the end of the measured time.
    Left,
}

/// The result of a [`SteadyRule`] for a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steadiness {
    /// The answer.
    pub state: SteadyState,
    /// Whether noise does not explain the answer.
    pub clear: bool,
    /// Length of the windows, seconds.
    pub window: f64,
    /// The first steady window; if none was steady, the last one in time; `None` if the run is shorter than a
    /// window.
    pub seen: Option<TimelineWindow>,
    /// The time measured after it; `None` if the run ended before.
    pub measured: Option<SteadyWindow>,
    /// The line from the start of the steady window to the end of the measured time or of the run.
    pub trend: Option<SteadyTrend>,
    /// The end of the first block that was too far from the steady window, seconds after the start. It is the
    /// end of the measured time if only the line rises or falls too much.
    pub left: Option<f64>,
}

/// The rise of a run from the start of its steady window on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyTrend {
    /// Its time, seconds.
    pub seconds: f64,
    /// The rise of its regression line (fall, if negative) from end to end, as a share of the mean.
    pub slope: f64,
    /// How far this may be from the true rise, with 95 % confidence.
    pub uncertainty: f64,
}

/// One window of a timeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimelineWindow {
    /// Its end, seconds after the start: the moment at which it was complete.
    pub end: f64,
    /// Its mean, per second.
    pub rate: f64,
    /// The rise of its regression line (fall, if negative) from end to end, as a share of the mean.
    pub slope: f64,
    /// Largest block mean minus smallest, as a share of the mean.
    pub range: f64,
}

/// The measured time window after a run became steady.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SteadyWindow {
    /// Its start, seconds.
    pub from: f64,
    /// Its end, seconds.
    pub to: f64,
    /// Its mean, per second.
    pub rate: f64,
}

/// Blocks of a window: SNIA's measurement window has five rounds.
const BLOCKS: usize = 5;

/// A rise whose uncertainty is above this multiple of what is allowed says nothing.
const NOISE_MAX: f64 = 2.0;

impl IntervalSeries<'_> {
    /// Whole intervals of the run.
    fn whole(&self) -> usize {
        if self.interval <= 0.0 { 0 } else { (self.span / self.interval + 1e-9) as usize }
    }

    /// How many intervals are needed to cover this many seconds, at least one.
    fn covering(&self, seconds: f64) -> usize {
        ((seconds / self.interval - 1e-9).ceil() as usize).max(1)
    }

    fn at(&self, interval: usize) -> u64 {
        self.moved.get(interval).copied().unwrap_or(0)
    }

    fn sum(&self, from: usize, to: usize) -> u128 {
        (from..to).map(|interval| u128::from(self.at(interval))).sum()
    }

    fn seconds(&self, intervals: usize) -> f64 {
        intervals as f64 * self.interval
    }

    fn rate(&self, from: usize, to: usize) -> f64 {
        self.sum(from, to) as f64 / self.seconds(to - from)
    }

    /// The rates of the whole blocks of this many intervals from `from` to `to`.
    fn blocks(&self, from: usize, to: usize, block: usize) -> Vec<f64> {
        (from..to)
            .step_by(block)
            .take_while(|start| start + block <= to)
            .map(|start| self.rate(start, start + block))
            .collect()
    }

    fn window(&self, from: usize, to: usize) -> TimelineWindow {
        let (rate, length) = (self.rate(from, to), to - from);
        let middle = (length - 1) as f64 / 2.0;
        let apart = |i: usize| i as f64 - middle;
        let rise: f64 = (0..length).map(|i| apart(i) * self.at(from + i) as f64).sum();
        let squares: f64 = (0..length).map(|i| apart(i).powi(2)).sum();
        let per_interval = rate * self.interval;
        let blocks =
            (from..to).step_by(length / BLOCKS).map(|start| self.sum(start, start + length / BLOCKS));
        let (low, high) = blocks.fold((u128::MAX, 0), |(low, high), sum| (sum.min(low), sum.max(high)));
        // A window in which nothing moved would be steady, but it must never be reported as steady.
        let share = |excess: f64| if per_interval > 0.0 { excess / per_interval } else { f64::INFINITY };
        TimelineWindow {
            end: self.seconds(to),
            rate,
            slope: share(rise / squares * length as f64),
            range: share((high - low) as f64 / (length / BLOCKS) as f64),
        }
    }
}

/// The slowest window of `window` seconds, starting at every interval; `None` if the run is shorter.
pub fn sustained(series: &IntervalSeries<'_>, window: f64) -> Option<Sustained> {
    let whole = series.whole();
    let length = if whole == 0 { return None } else { series.covering(window) };
    if length > whole {
        return None;
    }
    let mut sum = series.sum(0, length);
    let (mut worst, mut at) = (sum, 0);
    for start in 1..=whole - length {
        sum = sum + u128::from(series.at(start + length - 1)) - u128::from(series.at(start - 1));
        if sum < worst {
            (worst, at) = (sum, start);
        }
    }
    let rate = worst as f64 / series.seconds(length);
    let mean = series.rate(0, whole);
    Some(Sustained {
        window: series.seconds(length),
        at: series.seconds(at),
        rate,
        mean,
        share: if mean > 0.0 { rate / mean } else { 1.0 },
    })
}

/// When the run became steady by this rule, its mean in the measured time after that, and whether it stayed
/// steady.
pub fn steady(series: &IntervalSeries<'_>, rule: &SteadyRule) -> Steadiness {
    let whole = series.whole();
    let block = if whole == 0 { 1 } else { series.covering(rule.window / BLOCKS as f64) };
    let length = BLOCKS * block;
    let in_time = |end: &usize| rule.within.is_none_or(|within| series.seconds(*end) <= within + 1e-9);
    let mut found = Steadiness {
        state: SteadyState::NotReached,
        clear: true,
        window: series.seconds(length),
        seen: None,
        measured: None,
        trend: None,
        left: None,
    };
    let mut last = 0;
    for end in (length..=whole).take_while(in_time) {
        let window = series.window(end - length, end);
        (found.seen, last) = (Some(window), end);
        if window.slope.abs() <= rule.slope && window.range <= rule.range {
            return stayed(series, rule, end - length, found);
        }
    }
    if let Some(seen) = found.seen {
        let noise = noise(&series.blocks(0, last, block));
        let line = BlockLine::of(&series.blocks(last - length, last, block)).at_least_as_noisy(noise, BLOCKS);
        // Two blocks make a range, each with its noise.
        let apart = seen.range - std::f64::consts::SQRT_2 * noise > rule.range;
        found.clear = !seen.rate.is_normal() || line.clearly_exceeds(rule.slope) || apart;
    }
    found
}

/// Whether a run with a steady window from `start` on stayed steady.
fn stayed(series: &IntervalSeries<'_>, rule: &SteadyRule, start: usize, mut found: Steadiness) -> Steadiness {
    let (whole, block) = (series.whole(), series.covering(rule.window / BLOCKS as f64));
    let from = start + BLOCKS * block;
    let to = from + series.covering(rule.measured);
    let blocks = series.blocks(start, to.min(whole), block);
    let line = BlockLine::of(&blocks);
    // The steady window was chosen for its small noise, so all of the run counts.
    let noise = noise(&series.blocks(0, whole, block)).max(noise(&blocks));
    let first = series.rate(start, from);
    let apart = |rate: &f64| (rate / first - 1.0).abs();
    let end_of = |at: usize| series.seconds(start + (at + 1) * block);
    let left = blocks.iter().position(|rate| apart(rate) > rule.range);
    let falls = line.rise.abs() > rule.slope;
    let is_measured = to <= whole;
    found.trend = Some(SteadyTrend {
        seconds: series.seconds(blocks.len() * block),
        slope: line.rise,
        uncertainty: line.uncertainty,
    });
    if is_measured {
        let (from, to, rate) = (series.seconds(from), series.seconds(to), series.rate(from, to));
        found.measured = Some(SteadyWindow { from, to, rate });
    }
    found.left = left.map(end_of).or_else(|| falls.then(|| series.seconds(to.min(whole))));
    let clearly_left =
        line.clearly_exceeds(rule.slope) || blocks.iter().any(|rate| apart(rate) - noise > rule.range);
    (found.state, found.clear) = match (found.left, is_measured) {
        (Some(_), _) if is_measured || clearly_left => (SteadyState::Left, clearly_left),
        // A run without the measured time has no rate.
        (_, false) => (SteadyState::Unmeasured, true),
        (_, true) => (SteadyState::Steady, line.uncertainty <= NOISE_MAX * rule.slope),
    };
    found
}

#[cfg(test)]
mod tests;
