//! Drifts: gradual changes, which a division into levels would report as several shifts.
//!
//! Neighbouring shifts in one direction are replaced by a line if it fits better. The measure is Schwarz's
//! criterion (BIC): each step costs a place and a level, a line costs two parameters. A single shift is kept
//! unless the squares about a line are smaller. The slope is Theil and Sen's, the p-value Mann and Kendall's
//! with the variance increased by the correlation of neighbours (Yue and Wang 2004).
//!
//! Invariant: a constant segment has no drift.

use measure::statistics::{mean, median, normal_quantile, t_beyond};

use super::{ChangeSettings, HistoryNoise, LevelDrift, MONTH_S};

/// Longer ranges are reduced to this number of block medians: all pairs are compared.
const BLOCKS_MAX: usize = 300;

/// A line through a range of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DriftLine {
    /// The range: first place, and the place after the last.
    pub(super) range: (usize, usize),
    /// Change of the logarithm per second, with its limits.
    slope: f64,
    slope_low: f64,
    slope_high: f64,
    /// The line goes through this value at this time.
    level: f64,
    time_s: f64,
    /// The p-value of the slope.
    pub(super) p: f64,
}

impl DriftLine {
    /// The value of the line at a time.
    pub(super) fn at(&self, time_s: f64) -> f64 {
        self.level + self.slope * (time_s - self.time_s)
    }

    /// The drift to report; `index` are the places in the points of the caller.
    pub(super) fn report(&self, index: &[usize]) -> LevelDrift {
        let percent = |slope: f64| 100.0 * (slope * MONTH_S).exp_m1();
        LevelDrift {
            first: index[self.range.0],
            last: index[self.range.1 - 1],
            percent_per_month: percent(self.slope),
            percent_low: percent(self.slope_low),
            percent_high: percent(self.slope_high),
            p: self.p,
        }
    }
}

/// Removes from `places` the shifts that a line describes better, and returns the ranges of these lines.
pub(super) fn replace_steps(
    values: &[f64],
    times_s: &[f64],
    noise: &HistoryNoise,
    places: &mut Vec<usize>,
) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    loop {
        let ends: Vec<usize> = [&[0], places.as_slice(), &[values.len()]].concat();
        let groups = (0..places.len()).flat_map(|first| (first..places.len()).map(move |last| (first, last)));
        let gains = groups.filter_map(|(first, last)| {
            let range = &ends[first..last + 3];
            let taken = ranges.iter().any(|line| line.0 < range[range.len() - 1] && range[0] < line.1);
            let gain = (!taken).then(|| gain_of_line(values, times_s, noise, range))?;
            (gain > 0.0).then_some((gain, first, last))
        });
        let Some((_, first, last)) = gains.max_by(|one, other| one.0.total_cmp(&other.0)) else {
            ranges.sort_unstable();
            return ranges;
        };
        ranges.push((ends[first], ends[last + 2]));
        places.drain(first..=last);
    }
}

/// How much better a line fits than the levels between `ends`; not above zero if the levels fit better.
fn gain_of_line(values: &[f64], times_s: &[f64], noise: &HistoryNoise, ends: &[usize]) -> f64 {
    let parts = || ends.windows(2).map(|pair| &values[pair[0]..pair[1]]);
    let levels: Vec<f64> = parts().filter_map(mean).collect();
    let one_way = levels.is_sorted() || levels.iter().rev().is_sorted();
    let (start, end) = (ends[0], ends[ends.len() - 1]);
    if !one_way {
        return 0.0;
    }
    let squares: f64 = parts().zip(&levels).map(|(part, level)| squares_about(part, *level)).sum();
    let line_squares = squares_about_line(&values[start..end], &times_s[start..end]);
    let steps = (ends.len() - 2) as f64;
    let information = (end - start) as f64 * (1.0 - noise.correlation) / (1.0 + noise.correlation);
    // The place of a single step is not counted: a line must fit better by itself.
    let more = if steps < 2.0 { 0.0 } else { 2.0 * steps - 1.0 };
    information * (squares / line_squares).ln() + more * information.ln().max(0.0)
}

fn squares_about(values: &[f64], level: f64) -> f64 {
    values.iter().map(|value| (value - level).powi(2)).sum()
}

/// The squares about the line of least squares.
fn squares_about_line(values: &[f64], times_s: &[f64]) -> f64 {
    let (Some(level), Some(time_s)) = (mean(values), mean(times_s)) else { return 0.0 };
    let both: f64 = values.iter().zip(times_s).map(|(y, t)| (y - level) * (t - time_s)).sum();
    let spread = squares_about(times_s, time_s);
    let explained = if spread > 0.0 { both * both / spread } else { 0.0 };
    (squares_about(values, level) - explained).max(f64::MIN_POSITIVE)
}

/// The robust line through a range; `None` for a range that is too short or has no time span.
pub(super) fn line(
    values: &[f64],
    times_s: &[f64],
    noise: &HistoryNoise,
    range: (usize, usize),
    settings: &ChangeSettings,
) -> Option<DriftLine> {
    let (values, times_s) = (&values[range.0..range.1], &times_s[range.0..range.1]);
    if values.len() < settings.long_segment_min {
        return None;
    }
    let size = values.len().div_ceil(BLOCKS_MAX);
    let medians = |all: &[f64]| -> Vec<f64> { all.chunks(size).filter_map(median).collect() };
    let (blocks, block_times) = (medians(values), medians(times_s));
    let mut slopes = Vec::new();
    let mut rising = 0.0;
    for late in 1..blocks.len() {
        for early in 0..late {
            let (rise, time) = (blocks[late] - blocks[early], block_times[late] - block_times[early]);
            if time > 0.0 {
                slopes.push(rise / time);
                rising += if rise == 0.0 { 0.0 } else { rise.signum() };
            }
        }
    }
    slopes.sort_by(f64::total_cmp);
    let slope = median(&slopes)?;
    let n = blocks.len() as f64;
    // The correlation of block medians is that of points a block apart.
    let correlation = noise.correlation.powi(i32::try_from(size).ok()?);
    let deviation =
        (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0 * (1.0 + correlation) / (1.0 - correlation)).sqrt();
    let z = (rising.abs() - 1.0).max(0.0) / deviation;
    let reach = normal_quantile(f64::midpoint(1.0, settings.confidence)) * deviation / 2.0;
    let middle = slopes.len() as f64 / 2.0;
    let low = slopes[(middle - reach).max(0.0) as usize];
    let high = slopes[((middle + reach) as usize).min(slopes.len() - 1)];
    let time_s = median(times_s)?;
    let levels: Vec<f64> = values.iter().zip(times_s).map(|(y, t)| y - slope * (t - time_s)).collect();
    let level = median(&levels)?;
    // With infinite degrees of freedom, Student's t is the normal distribution; 1e9 is close enough.
    let p = t_beyond(z, 1e9);
    Some(DriftLine { range, slope, slope_low: low, slope_high: high, level, time_s, p })
}
