//! Sustained and steady rates: the properties of a timeline in every time window, beyond its mean.
//!
//! A rate is sustained over a window if no window of that length is slower, at any start. A system is steady
//! from the moment at which a window neither rises nor falls nor varies more than allowed. The criteria are
//! those of SNIA's performance test specification: slope times window, and range of block means, as shares of
//! the window's mean.
//!
//! Invariant: pure; sums are exact; an interval that the run did not fill is in no window.
//! Never here: thresholds of a contract, verdicts.

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
    /// Steady, and so was every window until the end of the measured time.
    Steady,
    /// Steady, but not until the end of the measured time.
    Left,
}

/// The result of a [`SteadyRule`] for a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steadiness {
    /// The answer.
    pub state: SteadyState,
    /// Length of the windows, seconds.
    pub window: f64,
    /// The first steady window; if none was steady, the last one in time; `None` if the run is shorter than a
    /// window.
    pub seen: Option<TimelineWindow>,
    /// The time measured after it; `None` if the run ended before.
    pub measured: Option<SteadyWindow>,
    /// The end of the first window that was no longer steady, seconds after the start. It is the end of the
    /// measured time if its mean differs from that of the steady window.
    pub left: Option<f64>,
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
    let length = if whole == 0 { BLOCKS } else { BLOCKS * series.covering(rule.window / BLOCKS as f64) };
    let holds = |window: &TimelineWindow| window.slope.abs() <= rule.slope && window.range <= rule.range;
    let ending_at = |end: usize| series.window(end - length, end);
    let in_time = |end: &usize| rule.within.is_none_or(|within| series.seconds(*end) <= within + 1e-9);
    let mut found = Steadiness {
        state: SteadyState::NotReached,
        window: series.seconds(length),
        seen: None,
        measured: None,
        left: None,
    };
    let mut reached = None;
    for end in (length..=whole).take_while(in_time) {
        let window = ending_at(end);
        found.seen = Some(window);
        if holds(&window) {
            reached = Some((end, window));
            break;
        }
    }
    let Some((from, first)) = reached else { return found };
    let to = from + series.covering(rule.measured);
    let left = (from + 1..=to.min(whole)).find(|end| !holds(&ending_at(*end)));
    found.left = left.map(|end| series.seconds(end));
    if to <= whole {
        let rate = series.rate(from, to);
        found.measured = Some(SteadyWindow { from: first.end, to: series.seconds(to), rate });
        // A slow fall may not be visible within one window.
        if found.left.is_none() && (rate / first.rate - 1.0).abs() > rule.range {
            found.left = Some(series.seconds(to));
        }
    }
    found.state = match (found.left, found.measured) {
        (Some(_), _) => SteadyState::Left,
        (None, None) => SteadyState::Unmeasured,
        (None, Some(_)) => SteadyState::Steady,
    };
    found
}

#[cfg(test)]
mod tests;
