//! The order of the repetitions: whether they fall or rise, and whether the first differs from the rest.
//!
//! The slope is Theil and Sen's, the median over all pairs. Its p-value is Mann and Kendall's, which counts
//! only how many pairs rise. An outlier affects neither.
//!
//! Invariant: pure; reversing the order reverses the sign and changes nothing else.

use super::student::{normal_below, t_beyond};
use super::{deviation, mean, median};

/// Up to this many values the p-value is counted over all orders.
const EXACT_MAX: usize = 30;

/// A trend over repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trend {
    /// Change from one repetition to the next, in the values' unit.
    pub slope: f64,
    /// The change from the first to the last along the slope, as a share of the median.
    pub share: f64,
    /// The p-value: the probability of an order at least as one-sided, in either direction, if the order is
    /// random.
    pub chance: f64,
}

/// The first repetition compared with the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstRepetition {
    /// The first over the mean of the others.
    pub ratio: f64,
    /// The p-value: the probability that another one of the others is as far from their mean (Student's t). 0
    /// if these are equal and the first differs.
    pub chance: f64,
}

/// The trend of values in the order of measurement; `None` below three values or for a median of zero. Below
/// five values the p-value is never under 5 %.
pub fn trend(values: &[f64]) -> Option<Trend> {
    let middle = median(values).filter(|middle| values.len() > 2 && *middle != 0.0)?;
    let pairs = || (0..values.len()).flat_map(|late| (0..late).map(move |early| (early, late)));
    let slopes: Vec<f64> =
        pairs().map(|(early, late)| (values[late] - values[early]) / (late - early) as f64).collect();
    let rising = slopes.iter().filter(|slope| **slope > 0.0).count();
    let falling = slopes.iter().filter(|slope| **slope < 0.0).count();
    let ties: Vec<usize> =
        super::sorted(values).chunk_by(|one, next| one == next).map(<[f64]>::len).collect();
    let chance = if values.len() <= EXACT_MAX {
        exact_chance(&ties, rising.min(falling))
    } else {
        normal_chance(&ties, rising.abs_diff(falling))
    };
    let slope = median(&slopes)?;
    Some(Trend { slope, share: slope * (values.len() - 1) as f64 / middle, chance })
}

/// The share of all orders of values, tied in these numbers, in which at most `fewer` pairs have one
/// direction, on either side.
fn exact_chance(ties: &[usize], fewer: usize) -> f64 {
    // orders[k]: the number of orders with k reversed pairs, the coefficient of q^k of the Gaussian
    // multinomial. The value number i of a tie multiplies it by (1 − q^(before + i)) / (1 − q^i).
    let (mut orders, mut before) = (vec![1.0_f64], 0);
    for tie in ties {
        for i in 1..=*tie {
            let mut next = vec![0.0; orders.len() + before];
            for k in 0..next.len() {
                let at = |all: &[f64], back: usize| {
                    k.checked_sub(back).and_then(|at| all.get(at)).copied().unwrap_or(0.0)
                };
                next[k] = at(&orders, 0) - at(&orders, before + i) + at(&next, i);
            }
            orders = next;
        }
        before += tie;
    }
    (2.0 * orders[..=fewer].iter().sum::<f64>() / orders.iter().sum::<f64>()).min(1.0)
}

fn normal_chance(ties: &[usize], difference: usize) -> f64 {
    let spread = |n: usize| (n * (n - 1) * (2 * n + 5)) as f64;
    let tied: f64 = ties.iter().map(|tie| spread(*tie)).sum();
    let variance = (spread(ties.iter().sum()) - tied) / 18.0;
    let z = (difference as f64 - 1.0).max(0.0) / variance.sqrt();
    if variance > 0.0 { (2.0 * normal_below(-z)).min(1.0) } else { 1.0 }
}

/// How the first of these values differs from the others; `None` below three values or if the mean of the
/// others is zero.
pub fn first(values: &[f64]) -> Option<FirstRepetition> {
    let (first, rest) = values.split_first()?;
    let (mean, deviation) = (mean(rest).filter(|mean| *mean != 0.0)?, deviation(rest)?);
    let apart = first - mean;
    let reach = deviation * (1.0 + 1.0 / rest.len() as f64).sqrt();
    let chance = match reach {
        _ if apart == 0.0 => 1.0,
        0.0 => 0.0,
        reach => t_beyond(apart / reach, (rest.len() - 1) as f64),
    };
    Some(FirstRepetition { ratio: first / mean, chance })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Dice;

    #[test]
    fn a_fall_over_time_is_detected_by_slope_and_p_value() {
        let falling = trend(&[100.0, 98.0, 96.0, 94.0, 92.0]).unwrap();
        assert_eq!(falling.slope, -2.0);
        assert!((falling.share + 8.0 / 96.0).abs() < 1e-12);
        assert!((falling.chance - 2.0 / 120.0).abs() < 1e-12, "one order of 120 on each side");
        let outlier = trend(&[100.0, 98.0, 3.0, 94.0, 92.0, 90.0]).unwrap();
        assert_eq!(outlier.slope, -2.0, "one outlier does not change the slope");
    }

    #[test]
    fn with_ties_the_p_value_is_the_share_of_all_distinct_orders() {
        // Counted over all permutations by itertools of Python.
        for (values, orders, all) in [
            (&[1.0, 1.0, 2.0, 3.0][..], 2.0, 12.0),
            (&[1.0, 2.0, 2.0, 3.0, 3.0], 2.0, 30.0),
            (&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0], 2.0, 90.0),
            (&[2.0, 1.0, 2.0, 3.0, 4.0, 4.0], 8.0, 180.0),
            (&[3.0, 1.0, 2.0, 2.0, 4.0], 38.0, 60.0),
        ] {
            let chance = trend(values).unwrap().chance;
            assert!((chance - orders / all).abs() < 1e-12, "{values:?}: {chance}");
        }
    }

    #[test]
    fn a_random_order_has_a_large_p_value() {
        assert_eq!(trend(&[5.0, 5.0, 5.0, 5.0]).unwrap().chance, 1.0);
        assert!(trend(&[1.0, 3.0, 2.0, 4.0, 1.5, 3.5]).unwrap().chance > 0.3);
        assert_eq!(trend(&[1.0, 2.0]), None);
        let mut dice = Dice::new(4);
        for n in [5, 8, 35] {
            let found = (0..2000).filter(|_| {
                let values: Vec<f64> = (0..n).map(|_| 10.0 + dice.normal()).collect();
                trend(&values).unwrap().chance <= 0.05
            });
            let found = found.count();
            assert!(found <= 130, "5 % of 2000 are 100, with a deviation of 10: {found} at {n}");
        }
    }

    #[test]
    fn the_normal_approximation_agrees_with_the_exact_p_value() {
        let values: Vec<f64> = (0..30).map(|i| f64::from(i % 7) + 0.0513 * f64::from(i)).collect();
        let exact = trend(&values).unwrap().chance;
        let normal = {
            let rising = (0..30).flat_map(|l| (0..l).map(move |e| (e, l)));
            let sum: i32 = rising.map(|(e, l)| if values[l] > values[e] { 1 } else { -1 }).sum();
            normal_chance(&[1; 30], sum.unsigned_abs() as usize)
        };
        assert!((exact - normal).abs() < 0.01, "{exact} {normal}");
    }

    #[test]
    fn a_first_repetition_that_differs_is_detected() {
        let cold = first(&[60.0, 100.0, 101.0, 99.0]).unwrap();
        assert!((cold.ratio - 0.6).abs() < 1e-12 && cold.chance < 0.002, "{cold:?}");
        assert!(first(&[100.5, 100.0, 101.0, 99.0]).unwrap().chance > 0.5);
        assert_eq!(first(&[1.0, 2.0, 2.0]).unwrap().chance, 0.0);
        assert_eq!(first(&[2.0, 2.0, 2.0]).unwrap().chance, 1.0);
        assert_eq!(first(&[1.0, 2.0]), None);
    }
}
