//! Statistics over repetitions: location, variability, and one-sided confidence limits.
//!
//! Deviations divide by n−1. Limits are one-sided: a contract requires "at least" or "at most", so only one
//! side matters. The limit of the mean is Student's. The limit of the median is an order statistic and
//! assumes nothing about the shape of the distribution. Both assume independent values. Where neighbours are
//! significantly alike, limits of means are wider.
//!
//! Invariant: pure; the order of the values matters only for that; too few values give `None`, never a guess.
//! Never here: units, thresholds of a contract, verdicts.

mod bootstrap;
mod comparison;
mod dice;
mod evenness;
mod groups;
mod independence;
mod linearity;
mod power;
mod ratio;
mod stat;
mod student;
mod trend;
mod variability;

use std::ops::RangeInclusive;

pub use bootstrap::{RESAMPLES, bootstrap_interval};
pub use comparison::{NoRatio, RatioEstimate, ratios_together};
pub use dice::Dice;
pub use evenness::{jain, max_over_min, min_of_mean, range, spread};
pub use groups::{
    MAD_TO_DEVIATION, RankTest, SLOW_SHARE, low_in_blocks, rank_sum, robust_deviation, robust_z,
};
pub use independence::{Dependence, SIGNIFICANT, Stall, dependence, farthest, significant_dependence};
pub use linearity::{
    Linearity, LinearityStep, Proportion, Tolerance, linearity, proportion, proportion_answer,
};
pub use power::{
    REPETITIONS_MAX, SUGGESTED_POWER, Undecided, repetitions_for_mean, repetitions_for_quantile,
};
pub use ratio::{
    Answer, Interval, paired_ratio_interval, quantile_ratio_interval, ratio_interval, value_ratio_interval,
};
pub use stat::{AlikeNeighbours, LimitOf, Stat, StatRow};
pub use student::{f_beyond, normal_quantile, t_beyond, t_quantile, t_quantile_of};
pub use trend::{FirstRepetition, Trend, first, trend};
pub use variability::{limit_of_cov, power_of_cov};

/// The side of the estimate on which a confidence limit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The true value is at least this, with the given confidence.
    Lower,
    /// The true value is at most this.
    Upper,
}

/// Arithmetic mean; `None` without values. The mean of equal values is that value.
pub fn mean(values: &[f64]) -> Option<f64> {
    let (first, rest) = values.split_first()?;
    // Even a correct sum of equal values, divided by their number, may be rounded.
    if rest.iter().all(|value| value == first) {
        return Some(*first);
    }
    Some(sum(values.iter().copied()) / values.len() as f64)
}

/// The sum, without the errors of rounding that a plain sum collects (Neumaier).
fn sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for value in values {
        let next = sum + value;
        lost += if sum.abs() >= value.abs() { sum - next + value } else { value - next + sum };
        sum = next;
    }
    if lost.is_finite() { sum + lost } else { sum }
}

/// Median, the mean of the middle two for an even count; `None` without values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    let middle = values.len() / 2;
    if values.is_empty() {
        return None;
    }
    let is_even = values.len().is_multiple_of(2);
    // Only the middle is needed in its place, which takes less time than sorting all.
    let (below, at, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let other = below.iter().copied().max_by(f64::total_cmp).filter(|_| is_even);
    Some(other.map_or(*at, |other| f64::midpoint(other, *at)))
}

/// The quantile `share`, above 0 and below 1; `None` without values. It is the smallest value with at least
/// this share of the values up to it (nearest rank). That of 0.5 is the median.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    if share == 0.5 {
        return median(values);
    }
    let sorted = sorted(values);
    sorted.get(((share * sorted.len() as f64).ceil() as usize).saturating_sub(1)).copied()
}

/// Smallest value; `None` without values.
pub fn min(values: &[f64]) -> Option<f64> {
    values.iter().copied().min_by(f64::total_cmp)
}

/// Largest value; `None` without values.
pub fn max(values: &[f64]) -> Option<f64> {
    values.iter().copied().max_by(f64::total_cmp)
}

/// Sample standard deviation (n−1), in the values' unit; `None` below two values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|_| values.len() > 1)?;
    let squares = sum(values.iter().map(|value| (value - mean).powi(2)));
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Coefficient of variation (COV), deviation (n−1) over mean; `None` below two values or for a mean of zero.
pub fn cov(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|mean| *mean != 0.0)?;
    deviation(values).map(|deviation| deviation / mean.abs())
}

/// One-sided confidence limit of the mean by Student's t, `confidence` between 0.5 and 1; `None` below two
/// values. It is wider for values whose neighbours are significantly alike.
pub fn limit_of_mean(values: &[f64], side: Side, confidence: f64) -> Option<f64> {
    let (inflation, freedom) = match significant_dependence(values) {
        Some(dependence) => dependence.inflation(values.len()),
        None => (1.0, values.len() as f64 - 1.0),
    };
    limit_with(values, side, confidence, inflation, freedom)
}

/// The same limit as if the values were independent.
pub fn independent_limit(values: &[f64], side: Side, confidence: f64) -> Option<f64> {
    limit_with(values, side, confidence, 1.0, values.len() as f64 - 1.0)
}

fn limit_with(values: &[f64], side: Side, confidence: f64, inflation: f64, freedom: f64) -> Option<f64> {
    let error = deviation(values)? * (inflation / values.len() as f64).sqrt();
    let reach = error * t_quantile_of(confidence, freedom);
    let mean = mean(values)?;
    Some(match side {
        Side::Lower => mean - reach,
        Side::Upper => mean + reach,
    })
}

/// One-sided confidence limit of the quantile `share` (0.5: the median) by order statistics. `None` if there
/// are too few values (below five for the median at 95 %).
pub fn limit_of_quantile(values: &[f64], share: f64, side: Side, confidence: f64) -> Option<f64> {
    let sorted = sorted(values);
    let beyond = values_beyond_limit(sorted.len(), share, side, confidence)?;
    Some(match side {
        Side::Lower => sorted[beyond],
        Side::Upper => sorted[sorted.len() - 1 - beyond],
    })
}

/// How many of `n` values are beyond the limit of a quantile on `side`; `None` if there is no limit.
fn values_beyond_limit(n: usize, share: f64, side: Side, confidence: f64) -> Option<usize> {
    // The number of values below the quantile is binomial. If P(at most k of n) <= 1 - confidence, the value
    // with k others below it is a lower limit. An upper limit is that of the mirrored values.
    let below = if side == Side::Lower { share } else { 1.0 - share };
    let power = i32::try_from(n).ok()?;
    let at_most = |event: f64| {
        let (mut term, mut sum) = ((1.0 - event).powi(power), 0.0);
        (0..n).map(move |k| {
            sum += term;
            term *= (n - k) as f64 / (k + 1) as f64 * event / (1.0 - event);
            sum
        })
    };
    // The rarer event is counted, because the first term of the other would be too small for a number.
    if below > 0.5 {
        return at_most(1.0 - below).position(|sum| sum >= confidence).map(|above| n - 1 - above);
    }
    at_most(below).take_while(|sum| *sum <= 1.0 - confidence).count().checked_sub(1)
}

/// The fewest values whose quantile has a limit on `side`: five for the median at 95 %.
pub fn values_for_quantile(share: f64, side: Side, confidence: f64) -> usize {
    let has_limit = |n: &usize| values_beyond_limit(*n, share, side, confidence).is_some();
    (1..).find(has_limit).unwrap_or(usize::MAX)
}

/// The first number in the range for which `holds` is true, if it is true for all later ones too.
pub fn first_of(range: RangeInclusive<u32>, holds: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut low, mut high) = range.into_inner();
    if !holds(high) {
        return None;
    }
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(low)
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// What one repetition moved, and its duration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RepetitionAmount {
    /// Bytes or operations.
    pub amount: f64,
    /// Seconds.
    pub seconds: f64,
}

/// All amounts over all times, per second: the harmonic mean if the amounts are equal. `None` without values
/// or if no time passed.
///
/// Repetitions of a fixed amount have different durations, and the mean of their rates exceeds the rate over
/// the whole time. The sum of amounts over the sum of times does not.
pub fn total_rate(repetitions: &[RepetitionAmount]) -> Option<f64> {
    let seconds = sum(repetitions.iter().map(|moved| moved.seconds));
    let amount = sum(repetitions.iter().map(|moved| moved.amount));
    (seconds > 0.0).then(|| amount / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} is not {expected} within {within}");
    }

    #[test]
    fn location_and_variability_of_a_known_sample() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        assert_eq!(mean(&values), Some(5.0));
        assert_eq!(median(&values), Some(4.5));
        assert_eq!((min(&values), max(&values)), (Some(2.0), Some(9.0)));
        near(deviation(&values).unwrap(), (32.0_f64 / 7.0).sqrt(), 1e-12);
        near(cov(&values).unwrap(), (32.0_f64 / 7.0).sqrt() / 5.0, 1e-12);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    }

    #[test]
    fn equal_values_have_their_mean_and_no_deviation() {
        for (value, n) in [(0.1, 10), (0.1, 3), (1.1, 7), (0.7, 49), (1e-9, 11), (2.3e12, 13)] {
            let values = vec![value; n];
            assert_eq!((mean(&values), deviation(&values)), (Some(value), Some(0.0)), "{n} times {value}");
        }
        assert_eq!(mean(&[1e16, 1.0, -1e16]), Some(1.0 / 3.0));
        assert!(mean(&[f64::NAN, 1.0]).is_some_and(f64::is_nan));
        assert_eq!(mean(&[f64::INFINITY, 1.0]), Some(f64::INFINITY));
    }

    #[test]
    fn too_few_values_give_nothing() {
        assert_eq!((mean(&[]), median(&[]), min(&[]), cov(&[])), (None, None, None, None));
        assert_eq!((deviation(&[1.0]), limit_of_mean(&[1.0], Side::Lower, 0.95)), (None, None));
        assert_eq!(cov(&[0.0, 0.0]), None, "a mean of zero has no COV");
        assert_eq!(limit_of_quantile(&[1.0, 2.0, 3.0, 4.0], 0.5, Side::Lower, 0.95), None);
        assert_eq!(limit_of_quantile(&[5.0, 2.0, 3.0, 4.0, 1.0], 0.5, Side::Lower, 0.95), Some(1.0));
        assert_eq!(limit_of_quantile(&[5.0, 2.0, 3.0, 4.0, 1.0], 0.5, Side::Upper, 0.95), Some(5.0));
    }

    #[test]
    fn the_limits_of_quantiles_are_those_of_scipy() {
        // The largest k with stats.binom.cdf(k, n, below) <= 1 - confidence, of scipy 1.17.
        for (n, share, confidence, lower, upper) in [
            (4, 0.5, 0.95, None, None),
            (20, 0.5, 0.95, Some(5), Some(5)),
            (1000, 0.5, 0.99, Some(462), Some(462)),
            (1, 0.95, 0.95, Some(0), None),
            (58, 0.95, 0.95, Some(51), None),
            (59, 0.95, 0.95, Some(52), Some(0)),
            (93, 0.95, 0.95, Some(84), Some(1)),
            (300, 0.95, 0.975, Some(276), Some(7)),
            (1000, 0.95, 0.99, Some(932), Some(34)),
        ] {
            let found =
                [Side::Lower, Side::Upper].map(|side| values_beyond_limit(n, share, side, confidence));
            assert_eq!(found, [lower, upper], "{n} values, {share}, {confidence}");
        }
    }

    #[test]
    fn the_limit_of_three_repetitions_is_the_published_one() {
        // A COV of 5 % and of 10 % over three repetitions: 8 % and 17 % below the mean.
        near(limit_of_mean(&[95.0, 100.0, 105.0], Side::Lower, 0.95).unwrap(), 91.6, 0.05);
        near(limit_of_mean(&[90.0, 100.0, 110.0], Side::Lower, 0.95).unwrap(), 83.1, 0.05);
        near(limit_of_mean(&[90.0, 100.0, 110.0], Side::Upper, 0.95).unwrap(), 116.9, 0.05);
    }

    #[test]
    fn the_published_twenty_iterations_support_their_threshold() {
        // Mean 43,862 at a COV of 33.3 % over 20: the limit published with it is 38,211.
        let half = 43_862.0 * 0.333 * (19.0_f64 / 20.0).sqrt();
        let values: Vec<f64> =
            (0..20).map(|i| if i % 2 == 0 { 43_862.0 - half } else { 43_862.0 + half }).collect();
        near(limit_of_mean(&values, Side::Lower, 0.95).unwrap(), 38_211.0, 15.0);
    }

    #[test]
    fn the_total_rate_of_a_fixed_amount_at_60_and_at_30_is_40() {
        let slow_and_fast = [2.0, 1.0].map(|seconds| RepetitionAmount { amount: 60.0, seconds });
        assert_eq!(total_rate(&slow_and_fast), Some(40.0));
        assert_eq!(total_rate(&[]), None);
        assert_eq!(total_rate(&[RepetitionAmount { amount: 1.0, seconds: 0.0 }]), None);
    }

    #[test]
    fn over_equal_times_the_total_rate_is_the_arithmetic_mean() {
        let timed = [30.0, 60.0].map(|amount| RepetitionAmount { amount, seconds: 1.0 });
        assert_eq!(total_rate(&timed), Some(45.0));
    }
}
