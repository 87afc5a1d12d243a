//! The ratio of two means, and its confidence interval.
//!
//! The interval is Fieller's: it contains a ratio unless the difference `x̄ − ratio·ȳ` is significantly
//! different from zero. The test is Student's t with Welch's degrees of freedom. The interval is for the
//! ratio of the arithmetic means, which contracts compare; the two samples may vary differently.
//!
//! Invariant: pure; exchanging the two turns an interval into its reciprocal.
//! Never here: the required ratio.

use super::power::power_of_difference;
use super::student::t_quantile_of;
use super::{Side, deviation, limit_of_mean, limit_of_quantile, mean, significant_dependence};

/// The steps that find the end of an interval, and the doublings after which it has no end.
const BISECTIONS: u32 = 60;
const DOUBLINGS: i32 = 20;

/// A confidence interval; the caller knows its confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end; infinite if the values give no upper limit.
    pub high: f64,
}

/// What the measurements show about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds, and the measurements support that.
    Supported,
    /// It does not hold, and the measurements support that.
    Refuted,
    /// They show neither: more repetitions are needed.
    Undecided,
}

/// Mean of `numerator` over mean of `denominator`: a lower and an upper limit, each with this one-sided
/// `confidence` between 0.5 and 1. `None` below two values in either, or if a mean is not positive.
pub fn ratio_interval(numerator: &[f64], denominator: &[f64], confidence: f64) -> Option<Interval> {
    let (over, under) = (SettingSample::of(numerator)?, SettingSample::of(denominator)?);
    let high = 1.0 / lower(&under, &over, confidence);
    Some(Interval { low: lower(&over, &under, confidence), high })
}

/// Mean of `numerator` over mean of `denominator`, with the same limits, for values that belong together in
/// pairs, such as rates of the same seconds. Pairs can vary together or against each other. `None` below two
/// pairs, or if a mean is not positive.
pub fn paired_ratio_interval(numerator: &[f64], denominator: &[f64], confidence: f64) -> Option<Interval> {
    let positive = |values| mean(values).filter(|mean| *mean > 0.0);
    let ratio = positive(numerator)? / positive(denominator)?;
    let limit_at = |side: Side, ratio: f64| {
        let pairs = numerator.iter().zip(denominator);
        let differences: Vec<f64> = pairs.map(|(over, under)| over - ratio * under).collect();
        limit_of_mean(&differences, side, confidence)
    };
    limit_at(Side::Lower, ratio)?;
    let is_inside = |side: Side, ratio: f64| {
        let limit = limit_at(side, ratio).unwrap_or(0.0);
        if side == Side::Lower { limit <= 0.0 } else { limit >= 0.0 }
    };
    let end = |side: Side, outside: f64| {
        let (mut inside, mut outside) = (ratio, outside);
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(inside, outside);
            *(if is_inside(side, middle) { &mut inside } else { &mut outside }) = middle;
        }
        inside
    };
    let low = if is_inside(Side::Lower, 0.0) { 0.0 } else { end(Side::Lower, 0.0) };
    let above = (1..=DOUBLINGS).map(|power| ratio * 2_f64.powi(power));
    let high = above.into_iter().find(|ratio| !is_inside(Side::Upper, *ratio));
    Some(Interval { low, high: high.map_or(f64::INFINITY, |outside| end(Side::Upper, outside)) })
}

/// The quantile `share` of `numerator` over that of `denominator`, with the same limits, for any
/// distribution. They are the limits of both, each with half the error (Bonferroni). `None` with too few
/// values in either.
pub fn quantile_ratio_interval(
    share: f64,
    numerator: &[f64],
    denominator: &[f64],
    confidence: f64,
) -> Option<Interval> {
    let each = f64::midpoint(confidence, 1.0);
    let limits = |values| {
        let limit = |side| limit_of_quantile(values, share, side, each);
        Some(Interval { low: limit(Side::Lower)?, high: limit(Side::Upper)? })
    };
    over(limits(numerator)?, limits(denominator)?)
}

/// An exact `value` over the mean of `denominator`, with the same limits. `None` below two values.
pub fn value_ratio_interval(value: f64, denominator: &[f64], confidence: f64) -> Option<Interval> {
    let limit = |side| limit_of_mean(denominator, side, confidence);
    let denominator = Interval { low: limit(Side::Lower)?, high: limit(Side::Upper)? };
    over(Interval { low: value, high: value }, denominator)
}

/// The limits of a ratio from those of both values; `None` if the denominator is not positive.
fn over(numerator: Interval, denominator: Interval) -> Option<Interval> {
    let high = if denominator.low > 0.0 { numerator.high / denominator.low } else { f64::INFINITY };
    (denominator.high > 0.0).then(|| Interval { low: numerator.low / denominator.high, high })
}

/// The properties of one setting's values that a limit needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct SettingSample {
    pub(super) mean: f64,
    /// Of a single value. It is larger for values whose neighbours are significantly alike.
    variance: f64,
    /// The same of independent values.
    independent: f64,
    n: f64,
    /// Degrees of freedom of the variance.
    freedom: f64,
}

impl SettingSample {
    /// `None` below two values, or if their mean is not positive.
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let mean = mean(values).filter(|mean| *mean > 0.0)?;
        let n = values.len() as f64;
        let (inflation, freedom) = match significant_dependence(values) {
            Some(dependence) => dependence.inflation(values.len()),
            None => (1.0, n - 1.0),
        };
        let independent = deviation(values)?.powi(2);
        Some(Self { mean, variance: independent * inflation, independent, n, freedom })
    }

    /// The same with `n` independent values of the same mean and variability.
    pub(super) fn with(self, n: u32) -> Self {
        Self { variance: self.independent, n: f64::from(n), freedom: f64::from(n) - 1.0, ..self }
    }

    /// The same for `scale` times the values.
    pub(super) fn scaled(self, scale: f64) -> Self {
        let [variance, independent] =
            [self.variance, self.independent].map(|variance| variance * scale * scale);
        Self { mean: self.mean * scale, variance, independent, ..self }
    }

    fn of_mean(&self) -> f64 {
        self.variance / self.n
    }
}

/// Whether the true ratio `over` / `under` is significantly above `ratio` with this one-sided confidence.
pub(super) fn is_above(over: &SettingSample, under: &SettingSample, ratio: f64, confidence: f64) -> bool {
    match t_value(over, under, ratio) {
        Some(t) => t > 0.0 && t > t_quantile_of(confidence, freedom(over, under, ratio)),
        None => over.mean - ratio * under.mean > 0.0,
    }
}

/// The difference for `ratio`, divided by its standard error; `None` without any variability.
fn t_value(over: &SettingSample, under: &SettingSample, ratio: f64) -> Option<f64> {
    let variance = over.of_mean() + ratio * ratio * under.of_mean();
    (variance > 0.0).then(|| (over.mean - ratio * under.mean) / variance.sqrt())
}

/// The probability that [`is_above`] holds for `n` repetitions of each, if these means and deviations are the
/// true ones.
pub(super) fn power_above(
    over: &SettingSample,
    under: &SettingSample,
    ratio: f64,
    confidence: f64,
    n: u32,
) -> f64 {
    let difference = over.mean - ratio * under.mean;
    let variance = over.variance + ratio * ratio * under.variance;
    if variance == 0.0 {
        return f64::from(u8::from(difference > 0.0));
    }
    power_of_difference(difference / variance.sqrt(), n, freedom(over, under, ratio), confidence)
}

/// Welch's degrees of freedom of the difference for `ratio`.
fn freedom(over: &SettingSample, under: &SettingSample, ratio: f64) -> f64 {
    let parts = [over.of_mean(), ratio * ratio * under.of_mean()];
    let shares = parts[0].powi(2) / over.freedom + parts[1].powi(2) / under.freedom;
    // Without any variability the degrees have no meaning, so any number is right.
    if shares > 0.0 { (parts[0] + parts[1]).powi(2) / shares } else { 1.0 }
}

/// The lower limit of `over` / `under`: `over` is significantly above every smaller ratio. 0 if there is
/// none.
///
/// The degrees of freedom depend on the ratio, so with two or three values the test can change its answer
/// more than once. The limit is below the first change, so that the interval has every ratio that is not
/// rejected.
fn lower(over: &SettingSample, under: &SettingSample, confidence: f64) -> f64 {
    if !is_above(over, under, 0.0, confidence) {
        return 0.0;
    }
    let found = solved(over, under, confidence);
    let high = found.unwrap_or(over.mean / under.mean);
    let steps = if found.is_some() { STEPS } else { 8 * STEPS };
    let at = |step: u32| high * f64::from(step) / f64::from(steps);
    // Welch's degrees are never fewer than those of one setting. So below a ratio that is rejected with
    // these, every ratio is rejected.
    let sure = t_quantile_of(confidence, over.freedom.min(under.freedom));
    let is_sure = |step: &u32| t_value(over, under, at(*step)).is_some_and(|t| t > sure);
    let first = (1..steps).rev().find(is_sure).unwrap_or(0);
    let mut low = at(first);
    for step in first + 1..steps {
        let ratio = at(step);
        if !is_above(over, under, ratio, confidence) {
            return between(over, under, confidence, (low, ratio));
        }
        low = ratio;
    }
    found.unwrap_or_else(|| between(over, under, confidence, (low, high)))
}

/// Into how many steps the ratios below a solution are divided to find an earlier one.
const STEPS: u32 = 8;

/// Solves t² times the variance = the square of the difference, with the t of the previous ratio. `None` if
/// the steps do not come to an end.
fn solved(over: &SettingSample, under: &SettingSample, confidence: f64) -> Option<f64> {
    let mut ratio = over.mean / under.mean;
    for _ in 0..40 {
        let square = t_quantile_of(confidence, freedom(over, under, ratio)).powi(2);
        let a = under.mean * under.mean - square * under.of_mean();
        let b = over.mean * under.mean;
        let c = over.mean * over.mean - square * over.of_mean();
        let next = c.max(0.0) / (b + (b * b - a * c).max(0.0).sqrt());
        if (next - ratio).abs() <= 1e-12 * ratio {
            return Some(next);
        }
        ratio = next;
    }
    None
}

/// The ratio between these two at which the answer of the test changes: it is above the first and not above
/// the second.
fn between(over: &SettingSample, under: &SettingSample, confidence: f64, within: (f64, f64)) -> f64 {
    let (mut low, mut high) = within;
    while high - low > 1e-12 * high {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if is_above(over, under, middle, confidence) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Dice;

    fn sample(dice: &mut Dice, mean: f64, cov: f64, n: usize) -> Vec<f64> {
        (0..n).map(|_| (mean * (1.0 + cov * dice.normal())).max(mean * 0.01)).collect()
    }

    #[test]
    fn exchanging_the_two_gives_the_reciprocal_interval() {
        let (three, four) = ([95.0, 100.0, 107.0], [180.0, 200.0, 215.0, 204.0]);
        let [one, other] =
            [ratio_interval(&three, &four, 0.95).unwrap(), ratio_interval(&four, &three, 0.95).unwrap()];
        assert!((one.low * other.high - 1.0).abs() < 1e-9 && (one.high * other.low - 1.0).abs() < 1e-9);
        assert!(one.low < 302.0 / 3.0 / 199.75 && 302.0 / 3.0 / 199.75 < one.high, "{one:?}");
    }

    #[test]
    fn values_without_variability_have_an_exact_ratio() {
        let interval = ratio_interval(&[3.0, 3.0], &[2.0, 2.0], 0.95).unwrap();
        assert!((interval.low - 1.5).abs() < 1e-9 && (interval.high - 1.5).abs() < 1e-9, "{interval:?}");
    }

    #[test]
    fn a_ratio_without_an_upper_limit_is_infinite() {
        let wild = [1.0, 100.0];
        let interval = ratio_interval(&[50.0, 51.0], &wild, 0.95).unwrap();
        assert_eq!(interval.high, f64::INFINITY, "a denominator that may be zero gives no upper limit");
        assert_eq!(ratio_interval(&wild, &[50.0, 51.0], 0.95).unwrap().low, 0.0);
    }

    #[test]
    fn a_higher_confidence_never_gives_a_narrower_interval() {
        let (two, three) = ([1.0, 650.520_501_8], [670.512_223_3, 923.761_487_4, 769.512_345_1]);
        let limits = [0.959_691, 0.979_846].map(|level| ratio_interval(&three, &two, level).unwrap());
        assert!(limits[1].low <= limits[0].low && limits[0].high <= limits[1].high, "{limits:?}");
    }

    #[test]
    fn too_few_values_and_rates_of_zero_have_no_interval() {
        assert_eq!(ratio_interval(&[1.0], &[1.0, 2.0], 0.95), None);
        assert_eq!(ratio_interval(&[1.0, 2.0], &[0.0, 0.0], 0.95), None);
    }

    #[test]
    fn medians_and_exact_values_have_a_ratio_to_a_measured_reference() {
        let reference = [95.0, 100.0, 105.0, 98.0, 102.0, 101.0];
        let twice = reference.map(|value| value * 2.0);
        let median = quantile_ratio_interval(0.5, &twice, &reference, 0.95).unwrap();
        assert_eq!((median.low, median.high), (190.0 / 105.0, 210.0 / 95.0));
        assert_eq!(
            quantile_ratio_interval(0.5, &twice, &reference[..5], 0.95),
            None,
            "five have no limit at 97.5 %"
        );
        let exact = value_ratio_interval(200.0, &reference, 0.95).unwrap();
        assert!(exact.low < 200.0 / (601.0 / 6.0) && exact.high > 200.0 / (601.0 / 6.0), "{exact:?}");
        assert_eq!(value_ratio_interval(200.0, &reference[..1], 0.95), None);
        assert_eq!(value_ratio_interval(1.0, &[1.0, 100.0], 0.95).unwrap().high, f64::INFINITY);
    }

    #[test]
    fn limits_of_pairs_that_compete_are_wrong_in_their_share_of_trials_where_those_without_pairs_are_not() {
        let mut dice = Dice::new(4);
        for n in [3, 5, 10] {
            let (mut paired, mut apart) = (0_u32, 0_u32);
            for _ in 0..1000 {
                // What one gains the other loses.
                let x = sample(&mut dice, 9.0, 0.1, n);
                let y: Vec<f64> = x.iter().map(|x| 19.0 - x).collect();
                paired += u32::from(paired_ratio_interval(&x, &y, 0.95).unwrap().low > 0.9);
                apart += u32::from(ratio_interval(&x, &y, 0.95).unwrap().low > 0.9);
            }
            assert!(paired <= 75 && apart > 75, "{n}: {paired} {apart}");
        }
        let (x, y) = ([90.0, 100.0, 110.0], [110.0, 100.0, 90.0]);
        let [found, other] = [(x, y), (y, x)].map(|(x, y)| paired_ratio_interval(&x, &y, 0.95).unwrap());
        assert!((found.low * other.high - 1.0).abs() < 1e-6 && found.low < 1.0, "{found:?} {other:?}");
        assert_eq!(paired_ratio_interval(&[1.0], &[1.0], 0.95), None);
        assert_eq!(paired_ratio_interval(&[1.0, 100.0], &[100.0, 1.0], 0.95).unwrap().high, f64::INFINITY);
    }

    #[test]
    fn each_limit_is_wrong_in_at_most_its_share_of_trials_also_with_unequal_variability() {
        let mut dice = Dice::new(3);
        for (over, under) in [(0.02, 0.02), (0.2, 0.2), (0.02, 0.2), (0.05, 0.1)] {
            for n in [3, 5, 10] {
                let mut beyond = [0_u32; 2];
                for _ in 0..1000 {
                    let (x, y) = (sample(&mut dice, 9.0, over, n), sample(&mut dice, 10.0, under, n));
                    let interval = ratio_interval(&x, &y, 0.95).unwrap();
                    beyond[0] += u32::from(interval.low > 0.9);
                    beyond[1] += u32::from(interval.high < 0.9);
                }
                // 5 % of 1000 are 50, with a deviation of 7.
                assert!(beyond.iter().all(|count| *count <= 75), "{over} {under} {n}: {beyond:?}");
            }
        }
    }
}
