//! Bootstrap intervals: the range of a statistic when repetitions are resampled from the measured ones.
//!
//! Bias-corrected and accelerated (Efron's BCa), for statistics without a formula. With few values the
//! interval is narrower than its confidence states, so at least six values are required.
//! docs/explanation/verdict-statistics.md has the coverage.
//!
//! Invariant: the same values give the same interval, in any order, on any machine.

use super::ratio::Interval;
use super::sorted;
use super::student::{normal_below, normal_quantile};
use crate::statistics::Dice;

/// The number of resamples.
pub const RESAMPLES: usize = 2000;

/// The least number of values for an interval.
const VALUES_MIN: usize = 6;

/// The user cannot choose the seed: two reports of the same values must not differ.
const SEED: u64 = 0x626f_6f74_7374_7261;

/// The two-sided interval of `statistic` with this `confidence` between 0 and 1. `None` below six values or
/// if the statistic is `None`. The statistic must not depend on the order of the values.
pub fn bootstrap_interval(
    values: &[f64],
    confidence: f64,
    statistic: impl Fn(&[f64]) -> Option<f64>,
) -> Option<Interval> {
    if values.len() < VALUES_MIN {
        return None;
    }
    let values = sorted(values);
    let found = statistic(&values)?;
    let mut dice = Dice::new(SEED);
    let mut resample = vec![0.0; values.len()];
    let mut resampled = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        resample.fill_with(|| values[dice.below(values.len())]);
        resampled.push(statistic(&resample)?);
    }
    resampled.sort_by(f64::total_cmp);
    // Resamples equal to the statistic itself count half as below it: a median is often equal.
    let below = resampled.partition_point(|one| *one < found);
    let equal = resampled.partition_point(|one| *one <= found) - below;
    let share = (below as f64 + equal as f64 / 2.0) / RESAMPLES as f64;
    let bias = normal_quantile(share.clamp(0.5 / RESAMPLES as f64, 1.0 - 0.5 / RESAMPLES as f64));
    let acceleration = acceleration(&values, &statistic)?;
    let end = |p: f64| {
        let z = bias + normal_quantile(p);
        let corrected = normal_below(bias + z / (1.0 - acceleration * z).max(1e-6));
        resampled[((corrected * RESAMPLES as f64) as usize).min(RESAMPLES - 1)]
    };
    let outside = (1.0 - confidence) / 2.0;
    Some(Interval { low: end(outside), high: end(1.0 - outside) })
}

/// How the variability of the statistic changes with its value, from leaving out one value at a time.
fn acceleration(values: &[f64], statistic: impl Fn(&[f64]) -> Option<f64>) -> Option<f64> {
    let without = (0..values.len()).map(|left_out| {
        let rest: Vec<f64> = [&values[..left_out], &values[left_out + 1..]].concat();
        statistic(&rest)
    });
    let without: Vec<f64> = without.collect::<Option<_>>()?;
    let mean = without.iter().sum::<f64>() / without.len() as f64;
    let sum_of = |power: i32| without.iter().map(|one| (mean - one).powi(power)).sum::<f64>();
    let scatter = sum_of(2).powf(1.5);
    Some(if scatter > 0.0 { sum_of(3) / (6.0 * scatter) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{cov, mean, median};

    #[test]
    fn the_same_values_give_the_same_interval_in_any_order() {
        let values = [3.0, 9.0, 4.0, 7.0, 5.0, 6.0, 8.0];
        let mut turned = values;
        turned.reverse();
        let interval = bootstrap_interval(&values, 0.95, mean).unwrap();
        assert_eq!(bootstrap_interval(&turned, 0.95, mean), Some(interval));
        assert!(3.0 < interval.low && interval.low < 6.0 && 6.0 < interval.high && interval.high < 9.0);
    }

    #[test]
    fn the_interval_covers_the_true_value_more_often_with_more_values() {
        let covered = |n: usize, statistic: fn(&[f64]) -> Option<f64>| {
            let mut dice = Dice::new(11);
            let trials = 200;
            let hits = (0..trials).filter(|_| {
                let values: Vec<f64> = (0..n).map(|_| 10.0 + dice.normal()).collect();
                let interval = bootstrap_interval(&values, 0.95, statistic).unwrap();
                interval.low <= 10.0 && 10.0 <= interval.high
            });
            hits.count() as f64 / f64::from(trials)
        };
        let shares = [covered(6, mean), covered(12, mean), covered(12, median)];
        assert!((0.82..=0.97).contains(&shares[0]), "{shares:?}");
        assert!((0.88..=0.99).contains(&shares[1]), "{shares:?}");
        assert!((0.88..=0.99).contains(&shares[2]), "{shares:?}");
    }

    #[test]
    fn too_few_values_give_no_interval_and_equal_values_give_a_point() {
        assert_eq!(bootstrap_interval(&[1.0; 5], 0.95, mean), None);
        assert_eq!(bootstrap_interval(&[0.0; 6], 0.95, cov), None);
        assert_eq!(bootstrap_interval(&[2.0; 6], 0.95, mean), Some(Interval { low: 2.0, high: 2.0 }));
    }
}
