//! How probable a decision is: Student's t about a shifted mean, and the repetitions that make it probable.
//!
//! The values are taken as normal and independent, with the mean and the variability that the caller
//! supposes. From five on, some look dependent by chance.
//!
//! Invariant: pure; apart from that, more repetitions never make the decision about a mean less probable.
//! Never here: thresholds of a contract, outcomes.

use super::independence::{DEPENDENCE_MIN, Dependence, SIGNIFICANT};
use super::student::{log_gamma, normal_below, t_quantile, t_quantile_of};
use super::{Side, deviation, first_of, mean, values_beyond_limit};

/// The probability of a decision that a suggested number of repetitions has, if mean and variability stay the
/// same.
pub const SUGGESTED_POWER: f64 = 0.8;

/// No larger number of repetitions is suggested.
pub const REPETITIONS_MAX: u32 = 200;

/// Parts of each integral over the measured deviation.
const PANELS: u32 = 12;

/// Points and weights of the rule of Gauss and Legendre with five points (Abramowitz & Stegun 25.4.30).
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189),
    (-0.538_469_310_105_683, 0.478_628_670_499_366),
    (0.0, 0.568_888_888_888_889),
    (0.538_469_310_105_683, 0.478_628_670_499_366),
    (0.906_179_845_938_664, 0.236_926_885_056_189),
];

/// Repetitions that do not decide.
pub struct Undecided<'a> {
    /// Their values.
    pub values: &'a [f64],
    /// The value to reach.
    pub threshold: f64,
    /// How many of the values are on the other side of it than the statistic.
    pub missing: usize,
    /// The side of the limit that decides.
    pub side: Side,
    /// One-sided, 0.5 to 1.
    pub confidence: f64,
}

/// The probability that a noncentral t with `freedom` degrees, at least 1, is above `t`. The true mean is
/// `shift` standard errors above the supposed one.
pub(super) fn shifted_t_above(t: f64, freedom: f64, shift: f64) -> f64 {
    // E[normal(shift − t·s)] over s, the measured deviation as a share of the true one.
    let half = freedom / 2.0;
    let log_whole = log_gamma(half) - half * half.ln() - std::f64::consts::LN_2;
    let density = |s: f64| ((freedom - 1.0) * s.ln() - half * s * s - log_whole).exp();
    // Over the root of s, because a density of few degrees is not smooth at 0.
    let inside = |root: f64| 2.0 * root * density(root * root) * normal_below(shift - t * root * root);
    let reach = 10.0 / (2.0 * freedom).sqrt();
    let (low, high) = ((1.0 - reach).max(0.0), 1.0 + reach);
    // The normal distribution changes within a few 1/t of shift/t, which a large t makes narrow.
    let near = |side: f64| if t == 0.0 { low } else { ((shift + side * 9.0) / t).clamp(low, high) };
    let ends = [low, near(-1.0), near(1.0), high].map(f64::sqrt);
    ends.windows(2).map(|part| integral(&inside, part[0], part[1])).sum()
}

/// The integral of a smooth function, by Gauss and Legendre's rule of five points on each of [`PANELS`].
fn integral(function: &dyn Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    let half = (to - from) / (2.0 * f64::from(PANELS));
    if half <= 0.0 {
        return 0.0;
    }
    let middles = (0..PANELS).map(|panel| from + half * f64::from(2 * panel + 1));
    let panel =
        |middle: f64| GAUSS.iter().map(|(at, weight)| weight * function(middle + half * at)).sum::<f64>();
    half * middles.map(panel).sum::<f64>()
}

/// The probability that the confidence limit of the mean of `n` repetitions is beyond a threshold. The true
/// mean is `distance` true deviations beyond it. `n` is at least 2.
fn power_of_mean(distance: f64, n: u32, confidence: f64) -> f64 {
    let (freedom, shift) = (n - 1, distance * f64::from(n).sqrt());
    let plain = shifted_t_above(t_quantile(confidence, freedom), f64::from(freedom), shift);
    plain + (1.0 - independent(n)) * (widened(shift, n, confidence) - plain)
}

/// The same if the repetitions look dependent by chance, so that the limit is widened.
fn widened(shift: f64, n: u32, confidence: f64) -> f64 {
    let (inflation, freedom) = Dependence::by_chance(n as usize).inflation(n as usize);
    shifted_t_above(t_quantile_of(confidence, freedom), freedom, shift / inflation.sqrt())
}

/// The same for the ratio of two means of `n` repetitions each. They differ by `distance` deviations of one
/// repetition, with these degrees of freedom. Either side may look dependent by chance.
pub(super) fn power_of_difference(distance: f64, n: u32, freedom: f64, confidence: f64) -> f64 {
    let shift = distance * f64::from(n).sqrt();
    let plain = shifted_t_above(t_quantile_of(confidence, freedom), freedom, shift);
    plain + 2.0 * (1.0 - independent(n)) * (widened(shift, n, confidence) - plain)
}

/// The probability that a limit of `n` repetitions is beyond a threshold, if each repetition misses it with
/// probability `missing`. The limit is an order statistic with `beyond` values beyond it.
fn power_of_order(missing: f64, n: u32, beyond: Option<usize>) -> f64 {
    beyond.map_or(0.0, |beyond| at_most(beyond as u32, n, missing) * independent(n))
}

/// The share of samples of `n` independent values that do not look dependent.
pub(super) fn independent(n: u32) -> f64 {
    if n < DEPENDENCE_MIN { 1.0 } else { 1.0 - SIGNIFICANT }
}

/// The probability that at most `k` of `n` independent events of this probability occur.
fn at_most(k: u32, n: u32, probability: f64) -> f64 {
    if probability <= 0.0 || k >= n {
        return 1.0;
    }
    if probability >= 1.0 {
        return 0.0;
    }
    let odds = (probability / (1.0 - probability)).ln();
    let mut log = f64::from(n) * (1.0 - probability).ln();
    let mut sum = 0.0;
    for index in 0..=k {
        sum += log.exp();
        log += odds + (f64::from(n - index) / f64::from(index + 1)).ln();
    }
    sum.min(1.0)
}

/// How many repetitions in all would put the limit of the mean on its side of `threshold`, with probability
/// [`SUGGESTED_POWER`]. The true mean and deviation are taken as measured. `None` if more than
/// [`REPETITIONS_MAX`] are needed, or below two values.
pub fn repetitions_for_mean(values: &[f64], threshold: f64, confidence: f64) -> Option<u32> {
    let (mean, deviation) = (mean(values)?, deviation(values)?);
    let distance = (mean - threshold).abs() / deviation;
    let power = |n| power_of_mean(distance, n, confidence);
    first_of(2..=REPETITIONS_MAX, |n| deviation == 0.0 || power(n) >= SUGGESTED_POWER)
}

/// The same for the limit of the quantile `share`, for any distribution. Only the share of values counts that
/// miss the threshold.
pub fn repetitions_for_quantile(share: f64, of: &Undecided<'_>) -> Option<u32> {
    // Half a value more than was seen: a share of zero would need no repetitions.
    let missing = (of.missing as f64 + 0.5) / (of.values.len() as f64 + 1.0);
    let beyond = |n: u32| values_beyond_limit(n as usize, share, of.side, of.confidence);
    (2..=REPETITIONS_MAX).find(|n| power_of_order(missing, *n, beyond(*n)) >= SUGGESTED_POWER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Dice, limit_of_mean, limit_of_quantile};

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} is not {expected} within {within}");
    }

    #[test]
    fn without_a_shift_the_probability_is_that_of_students_t() {
        for freedom in [1_u32, 2, 4, 9, 40] {
            let t = t_quantile(0.95, freedom);
            near(shifted_t_above(t, f64::from(freedom), 0.0), 0.05, 1e-4);
        }
    }

    #[test]
    fn the_noncentral_t_distribution_is_that_of_scipy() {
        // stats.nct.sf(t, freedom, shift) of scipy 1.17. A large t is that of a small COV.
        for (t, freedom, shift, expected) in [
            (t_quantile(0.95, 2), 2.0, 3_f64.sqrt(), 0.321_836_409),
            (t_quantile(0.95, 4), 4.0, 5_f64.sqrt(), 0.579_737_359),
            (t_quantile(0.95, 9), 9.0, 2.5_f64.sqrt(), 0.427_289_827),
            (t_quantile(0.95, 1), 1.0, 8_f64.sqrt(), 0.341_933_388),
            (434.8, 1.0, 20.0, 0.036_688_187),
            (434.8, 1.0, 28.0, 0.051_346_083),
            (50.0, 2.0, 30.0, 0.302_401_858),
            (6.3, 1.5, 2.0, 0.162_297_381),
            (2.0, 3.7, 1.0, 0.240_698_046),
            (1.7, 150.0, 2.0, 0.618_442_715),
        ] {
            near(shifted_t_above(t, freedom, shift), expected, 1e-6);
        }
    }

    #[test]
    fn a_decision_is_as_probable_as_it_is_frequent() {
        let mut dice = Dice::new(21);
        for (distance, n) in [(1.0, 3_u32), (1.0, 5), (0.5, 10), (2.0, 2), (0.0, 5)] {
            let trials = 4000;
            let mut counts = [0_u32; 2];
            for _ in 0..trials {
                let values: Vec<f64> = (0..n).map(|_| 100.0 + dice.normal()).collect();
                let threshold = 100.0 - distance;
                let mean = limit_of_mean(&values, Side::Lower, 0.95).unwrap();
                counts[0] += u32::from(mean >= threshold);
                let median = limit_of_quantile(&values, 0.5, Side::Lower, 0.95);
                counts[1] += u32::from(median.is_some_and(|limit| limit >= threshold));
            }
            let [mean, median] = counts.map(|count| f64::from(count) / f64::from(trials));
            near(power_of_mean(distance, n, 0.95), mean, 0.025);
            let beyond = values_beyond_limit(n as usize, 0.5, Side::Lower, 0.95);
            near(power_of_order(normal_below(-distance), n, beyond), median, 0.025);
        }
    }

    #[test]
    fn a_median_needs_the_repetitions_of_its_order_statistics_and_not_those_of_the_mean() {
        let values = [20.0, 100.0, 101.0, 102.0, 103.0, 104.0, 105.0];
        let needed = |missing| {
            let (values, side) = (&values[..], Side::Lower);
            let of = Undecided { values, threshold: 85.0, missing, side, confidence: 0.95 };
            repetitions_for_quantile(0.5, &of)
        };
        assert_eq!(needed(1), Some(18));
        let mean = repetitions_for_mean(&values, 85.0, 0.95);
        assert!(mean.is_none_or(|n| n > 150), "one outlier is far from the others: {mean:?}");
        assert_eq!(needed(3), None);
    }

    #[test]
    fn no_number_above_two_hundred_is_suggested() {
        assert_eq!(repetitions_for_mean(&[80.0, 100.0, 120.0], 98.0, 0.95), None);
        assert_eq!(repetitions_for_mean(&[95.0, 100.0, 105.0], 95.0, 0.95), Some(9));
        assert_eq!(repetitions_for_mean(&[100.0, 100.0], 95.0, 0.95), Some(2));
    }

    #[test]
    fn binomial_probabilities_are_right_at_known_values() {
        near(at_most(1, 8, 0.5), 9.0 / 256.0, 1e-12);
        near(at_most(0, 3, 0.2), 0.512, 1e-12);
        assert_eq!((at_most(0, 5, 0.0), at_most(3, 5, 1.0), at_most(5, 5, 0.3)), (1.0, 0.0, 1.0));
    }
}
