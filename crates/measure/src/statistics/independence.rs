//! Whether repetitions depend on each other: neighbours that are alike, and single ones that stalled.
//!
//! A confidence limit takes the repetitions as independent. Neighbours are compared by von Neumann's ratio:
//! the squares of the steps between neighbours over the squares of the deviations.
//!
//! Invariant: pure; reversing the order changes nothing.
//! Never here: what follows for a verdict.

use super::student::{incomplete_beta, t_above};
use super::{deviation, mean};

/// With fewer values no dependence is tested.
pub(crate) const DEPENDENCE_MIN: u32 = 5;

/// A p-value up to this makes a dependence, or a stall, significant.
pub const SIGNIFICANT: f64 = 0.05;

/// The largest correlation that a limit is widened for. Few values show no larger one reliably, and in
/// simulations a larger one decides less without being wrong less often.
const LAG_ONE_MAX: f64 = 0.8;

/// The fewest degrees of freedom of a widened limit. One would make five values that look dependent by chance
/// undecided at almost any distance.
const FREEDOM_MIN: f64 = 2.0;

/// How alike neighbouring repetitions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dependence {
    /// The correlation of neighbours (lag 1), corrected for the bias of few values.
    pub lag_one: f64,
    /// The p-value: the probability of neighbours at least as alike, if the repetitions are independent and
    /// normal.
    pub chance: f64,
}

impl Dependence {
    /// Whether independent repetitions would hardly look like this.
    pub fn is_significant(&self) -> bool {
        self.chance <= SIGNIFICANT
    }

    /// The mean dependence of `n` independent values that look dependent by chance.
    pub(crate) fn by_chance(n: usize) -> Self {
        let count = n as f64;
        // A normal variable beyond its 95 % quantile is 2.06 deviations off on average.
        let off = 2.06 * ((count - 2.0).max(0.0) / (count * count - 1.0)).sqrt();
        let lag_one = (off / (1.0 - 3.0 / count).max(0.1)).min(LAG_ONE_MAX);
        Self { lag_one, chance: SIGNIFICANT / 2.0 }
    }

    /// How much larger the variance of a mean of `n` values is than the values show, and the remaining
    /// degrees of freedom. The correlation is taken as that of a first-order process.
    pub(crate) fn inflation(&self, n: usize) -> (f64, f64) {
        let (count, mut power, mut factor) = (n as f64, 1.0, 1.0);
        for lag in 1..n {
            power *= self.lag_one;
            factor += 2.0 * (1.0 - lag as f64 / count) * power;
        }
        // Dependent values also differ less from their own mean than from the true one.
        let variance = factor * (count - 1.0) / (count - factor).max(0.05);
        (variance, (count / factor - 1.0).max(FREEDOM_MIN))
    }
}

/// How alike neighbours are, in the order of measurement; `None` below five values or without variability.
pub fn dependence(values: &[f64]) -> Option<Dependence> {
    let n = values.len() as f64;
    let mean = mean(values).filter(|mean| values.len() >= DEPENDENCE_MIN as usize && mean.is_finite())?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if squares <= 0.0 {
        return None;
    }
    let pairs = || values.windows(2).map(|pair| (pair[0], pair[1]));
    let steps: f64 = pairs().map(|(one, next)| (next - one).powi(2)).sum();
    let products: f64 = pairs().map(|(one, next)| (one - mean) * (next - mean)).sum();
    // The ratio lies within 2 ± half. A beta distribution of the exact variance is close to it.
    let half = 2.0 * (std::f64::consts::PI / n).cos();
    let shape = (half * half * (n * n - 1.0) / (4.0 * (n - 2.0)) - 1.0) / 2.0;
    let chance = incomplete_beta((steps / squares - 2.0 + half) / (2.0 * half), shape, shape);
    let corrected = (products / squares + 1.0 / n) / (1.0 - 3.0 / n);
    Some(Dependence { lag_one: corrected.clamp(0.0, LAG_ONE_MAX), chance })
}

/// The dependence, if it is significant.
pub fn significant_dependence(values: &[f64]) -> Option<Dependence> {
    dependence(values).filter(Dependence::is_significant)
}

/// A repetition that was far slower or far longer than the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stall {
    /// The place of the repetition, from 0.
    pub at: usize,
    /// Its value over the mean of the others.
    pub ratio: f64,
    /// The p-value: the probability that one of as many normal values is as far from the rest (Grubbs).
    pub chance: f64,
}

/// The repetition that is farthest from the others, below them or above them; `None` below four values or
/// without variability.
pub fn farthest(values: &[f64], below: bool) -> Option<Stall> {
    let n = values.len() as f64;
    let (mean, deviation) = (mean(values)?, deviation(values)?);
    if values.len() < 4 || deviation <= 0.0 || !deviation.is_finite() {
        return None;
    }
    let sign = if below { -1.0 } else { 1.0 };
    let by_distance = values.iter().enumerate().max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)));
    let (at, value) = by_distance?;
    let distance = sign * (value - mean) / deviation;
    let others = (mean * n - value) / (n - 1.0);
    let room = (n - 1.0).powi(2) - n * distance * distance;
    let t = if room > 0.0 { distance * (n * (n - 2.0) / room).sqrt() } else { f64::INFINITY };
    let chance = (n * t_above(t, n - 2.0)).min(1.0);
    (others != 0.0).then(|| Stall { at, ratio: value / others, chance })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Dice;

    /// Values of a first-order process with this correlation of neighbours.
    fn process(dice: &mut Dice, lag_one: f64, n: usize) -> Vec<f64> {
        let fresh = (1.0 - lag_one * lag_one).sqrt();
        let mut value = dice.normal();
        let mut next = || {
            value = lag_one * value + fresh * dice.normal();
            100.0 + value
        };
        (0..n).map(|_| next()).collect()
    }

    fn found(lag_one: f64, n: usize, trials: u32) -> f64 {
        let mut dice = Dice::new(9);
        let one = |dice: &mut Dice| significant_dependence(&process(dice, lag_one, n)).is_some();
        f64::from((0..trials).map(|_| u32::from(one(&mut dice))).sum::<u32>()) * 100.0 / f64::from(trials)
    }

    #[test]
    fn independent_values_look_dependent_in_five_percent_of_trials() {
        for n in [5, 6, 8, 10, 20, 50] {
            let share = found(0.0, n, 6000);
            assert!((share - 5.0).abs() < 1.2, "{n}: {share} %");
        }
    }

    #[test]
    fn dependent_values_are_found_more_often_the_more_there_are() {
        let shares = [5, 10, 20].map(|n| found(0.7, n, 2000));
        assert!(shares[0] > 10.0 && shares[1] > 40.0 && shares[2] > 85.0, "{shares:?}");
    }

    #[test]
    fn a_variance_is_inflated_as_that_of_a_first_order_process() {
        let (variance, freedom) = Dependence { lag_one: 0.0, chance: 0.01 }.inflation(10);
        assert!((variance - 1.0).abs() < 1e-12 && (freedom - 9.0).abs() < 1e-12);
        let (variance, freedom) = Dependence { lag_one: 0.5, chance: 0.01 }.inflation(100);
        assert!((variance - 3.0).abs() < 0.1 && (freedom - 33.0).abs() < 1.0, "{variance} {freedom}");
        let worst = Dependence { lag_one: LAG_ONE_MAX, chance: 0.0 }.inflation(5);
        assert!(worst.0.is_finite() && worst.0 > 8.0, "{worst:?}");
    }

    #[test]
    fn a_stalled_repetition_is_found_and_an_even_sample_has_none() {
        let stalled = farthest(&[100.0, 101.0, 30.0, 99.0, 100.5, 100.0], true).unwrap();
        assert_eq!(stalled.at, 2);
        assert!(stalled.chance < 0.001 && (stalled.ratio - 0.2997).abs() < 0.001, "{stalled:?}");
        let mut dice = Dice::new(2);
        for n in [4, 5, 10] {
            let one = |dice: &mut Dice| {
                let values: Vec<f64> = (0..n).map(|_| 100.0 + dice.normal()).collect();
                farthest(&values, true).unwrap().chance <= SIGNIFICANT
            };
            let share = (0..4000).filter(|_| one(&mut dice)).count() as f64 / 40.0;
            assert!((2.5..=6.2).contains(&share), "{n}: {share} %");
        }
        assert_eq!(farthest(&[1.0, 2.0, 3.0], true), None);
        assert_eq!(farthest(&[2.0; 6], true), None);
    }
}
