//! The noise of a series: its deviation, the correlation of neighbours, and values with limited outliers.
//!
//! Differences of neighbours know nothing of a level, so few shifts hardly change these estimates. For noise
//! with the correlation `c^k` over `k` points, differences over one and over two points have the variances
//! `2s²(1−c)` and `2s²(1−c²)`. Their ratio is `1+c`. A shift is in one of the former and in two of the
//! latter, which are many in a short history. So differences across the most likely place of a shift are
//! left out.
//!
//! Invariant: adding a constant to all values changes nothing.

use measure::statistics::{MAD_TO_DEVIATION, robust_deviation};

use super::HistoryNoise;
use super::energy::divisive_statistic;

/// Points on either side whose median is the local level. A run of 5 points among 9 is a level of its own,
/// and is not limited.
const REACH: usize = 4;
/// Values are limited to this number of local deviations from the local level.
const LIMIT: f64 = 3.0;
/// The part of the allowance for the differences that are left out, times the number of points.
const LEFT_OUT: f64 = 3.0;
/// A history of `n` points shows no larger correlation than one minus this over `n`: with it, `n` points are
/// worth about three independent ones. A larger estimate is an accident of few differences.
const SHORT: f64 = 6.0;
/// The largest correlation: beyond it, no finite history has enough information.
const CORRELATION_MAX: f64 = 0.95;
/// Deviations below this are rounding, not noise.
pub(super) const DEVIATION_MIN: f64 = 1e-4;

/// The noise of these values. A shift has at least `part_min` points on each side.
pub(super) fn noise(values: &[f64], part_min: usize) -> HistoryNoise {
    let shift = likely_shift(values, part_min);
    let (near, far) = (difference_variance(values, 1, shift), difference_variance(values, 2, shift));
    let n = values.len() as f64;
    // About one standard error, and what leaving out the most different place takes away: without them, short
    // histories with correlated noise have false alarms.
    let allowance = 1.0 / n.sqrt() + LEFT_OUT / n;
    let correlation_max = (1.0 - SHORT / n).clamp(0.0, CORRELATION_MAX);
    let correlation =
        if near > 0.0 { (far / near - 1.0 + allowance).clamp(0.0, correlation_max) } else { 0.0 };
    let deviation = (near / 2.0 / (1.0 - correlation)).sqrt();
    HistoryNoise { deviation: deviation.max(DEVIATION_MIN), correlation }
}

/// The most likely place of a shift: that of the largest statistic.
fn likely_shift(values: &[f64], part_min: usize) -> Option<usize> {
    let statistic = divisive_statistic(values);
    let last = values.len().checked_sub(part_min)?;
    (part_min..=last).max_by(|one, other| statistic[*one].total_cmp(&statistic[*other]))
}

/// The variance of the differences over `lag` points, with outliers limited. Those across `shift` are left
/// out.
fn difference_variance(values: &[f64], lag: usize, shift: Option<usize>) -> f64 {
    let is_across = |first: usize| shift.is_some_and(|at| first < at && at <= first + lag);
    let pairs = values.windows(lag + 1).enumerate().filter(|(first, _)| !is_across(*first));
    let differences: Vec<f64> = pairs.map(|(_, pair)| pair[lag] - pair[0]).collect();
    if differences.is_empty() {
        return 0.0;
    }
    let limit = LIMIT * robust_deviation(&differences);
    differences.iter().map(|one| one.clamp(-limit, limit).powi(2)).sum::<f64>() / differences.len() as f64
}

/// The values, with outliers moved to a limit (Hampel's filter). A limited value still counts as far from the
/// level, so the first points after a shift keep their direction.
pub(super) fn limited(values: &[f64], noise: &HistoryNoise) -> Vec<f64> {
    let limit_one = |(place, value): (usize, &f64)| {
        let mut near = near(values, place, REACH);
        let level = middle(&mut near);
        near.iter_mut().for_each(|one| *one = (*one - level).abs());
        let limit = LIMIT * (MAD_TO_DEVIATION * middle(&mut near)).max(noise.deviation);
        value.clamp(level - limit, level + limit)
    };
    values.iter().enumerate().map(limit_one).collect()
}

/// The value at a place and up to `reach` neighbours on either side.
pub(super) fn near(values: &[f64], place: usize, reach: usize) -> Vec<f64> {
    values[place.saturating_sub(reach)..values.len().min(place + reach + 1)].to_vec()
}

/// The middle value, the larger one of two; it reorders the values. Running medians need no mean of two.
pub(super) fn middle(values: &mut [f64]) -> f64 {
    let half = values.len() / 2;
    *values.select_nth_unstable_by(half, f64::total_cmp).1
}

/// By how much the correlation of neighbours increases the variance of a mean of `n` values.
pub(super) fn inflation(correlation: f64, n: usize) -> f64 {
    // 1 + 2 Σ (1 − k/n) c^k over k below n, summed.
    let (c, n) = (correlation, n as f64);
    let tail = 2.0 * c * (1.0 - c.powf(n)) / (n * (1.0 - c).powi(2));
    ((1.0 + c) / (1.0 - c) - tail).max(1.0)
}
