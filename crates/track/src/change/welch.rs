//! The test of two neighbouring levels: Welch's, with moderated variances and correlated neighbours.
//!
//! A new segment has few points, and their own variance is a poor estimate. So each variance is averaged with
//! that of the whole history, which has the weight of [`PRIOR_FREEDOM`] degrees of freedom. Source: Smyth,
//! "Linear Models and Empirical Bayes Methods", 2004. The correlation of neighbours increases the variance of
//! each mean, and reduces the degrees of freedom of its own points (Bayley and Hammersley 1946).

use measure::statistics::t_beyond;

use super::HistoryNoise;
use super::noise::inflation;

/// The weight of the variance of the whole history, in degrees of freedom.
const PRIOR_FREEDOM: f64 = 15.0;

/// Two neighbouring levels compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelTest {
    /// Level after the change minus level before it.
    pub(super) difference: f64,
    /// Standard error of the difference.
    pub(super) error: f64,
    /// Degrees of freedom.
    pub(super) freedom: f64,
    /// Variance of one value, with the correlation of its neighbours: of both sides together.
    pub(super) variance: f64,
}

impl LevelTest {
    pub(super) fn of(before: &[f64], after: &[f64], noise: &HistoryNoise) -> Self {
        let (one, other) = (Level::of(before, noise), Level::of(after, noise));
        let sum = one.error_square + other.error_square;
        let parts = one.error_square.powi(2) / one.freedom + other.error_square.powi(2) / other.freedom;
        let freedom = sum.powi(2) / parts;
        let variance = (one.variance * one.n + other.variance * other.n) / (one.n + other.n);
        let long = (1.0 + noise.correlation) / (1.0 - noise.correlation);
        Self { difference: other.mean - one.mean, error: sum.sqrt(), freedom, variance: variance * long }
    }

    /// The difference in standard errors, without its sign.
    pub(super) fn t(&self) -> f64 {
        (self.difference / self.error).abs()
    }

    /// The two-sided p-value.
    pub(super) fn p(&self) -> f64 {
        t_beyond(self.t(), self.freedom)
    }
}

struct Level {
    n: f64,
    mean: f64,
    variance: f64,
    error_square: f64,
    freedom: f64,
}

impl Level {
    fn of(values: &[f64], noise: &HistoryNoise) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let inflation = inflation(noise.correlation, values.len());
        // The squares about their own mean expect this many variances.
        let own = (n - inflation).max(0.0);
        let variance = (PRIOR_FREEDOM * noise.deviation.powi(2) + squares) / (PRIOR_FREEDOM + own);
        let square = noise.correlation.powi(2);
        let freedom = PRIOR_FREEDOM + (n - 1.0) * (1.0 - square) / (1.0 + square);
        Self { n, mean, variance, error_square: variance * inflation / n, freedom }
    }
}
