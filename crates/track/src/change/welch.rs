//! The test of two neighbouring levels: Welch's, with moderated variances and correlated neighbours.
//!
//! A new segment has few points, and their own variance is a poor estimate. So each variance is averaged with
//! that of the whole history, which has the weight of [`PRIOR_FREEDOM`] degrees of freedom. Source: Smyth,
//! "Linear Models and Empirical Bayes Methods", 2004. The correlation of neighbours increases the variance of
//! each mean, and reduces the degrees of freedom of its own points (Bayley and Hammersley 1946).

use measure::statistics::{t_beyond, t_quantile_of};

use super::noise::inflation;
use super::{HistoryNoise, LevelRatio};

/// The weight of the variance of the whole history, in degrees of freedom.
const PRIOR_FREEDOM: f64 = 15.0;

/// Two neighbouring levels compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelTest {
    /// Level after the change minus level before it.
    pub(super) difference: f64,
    /// The errors of the levels before and after it.
    errors: [LevelError; 2],
    /// Variance of one value, with the correlation of its neighbours: of both sides together.
    pub(super) variance: f64,
}

impl LevelTest {
    pub(super) fn of(before: &[f64], after: &[f64], noise: &HistoryNoise) -> Self {
        let (one, other) = (Level::of(before, noise), Level::of(after, noise));
        let variance = (one.variance * one.n + other.variance * other.n) / (one.n + other.n);
        let long = (1.0 + noise.correlation) / (1.0 - noise.correlation);
        let errors = [one.error, other.error];
        Self { difference: other.mean - one.mean, errors, variance: variance * long }
    }

    /// The difference in standard errors, without its sign.
    pub(super) fn t(&self) -> f64 {
        (self.difference / together(self.errors).square.sqrt()).abs()
    }

    /// The two-sided p-value.
    pub(super) fn p(&self) -> f64 {
        t_beyond(self.t(), together(self.errors).freedom)
    }

    /// The level after the change over that before it.
    pub(super) fn ratio(&self, confidence: f64) -> LevelRatio {
        let [before, after] = self.errors;
        ratio(self.difference, before, after, confidence)
    }
}

/// The ratio of two levels whose logarithms differ by `difference`, with its interval.
pub(super) fn ratio(difference: f64, before: LevelError, after: LevelError, confidence: f64) -> LevelRatio {
    let LevelError { square, freedom } = together([before, after]);
    let reach = square.sqrt() * t_quantile_of(f64::midpoint(1.0, confidence), freedom);
    LevelRatio { ratio: difference.exp(), low: (difference - reach).exp(), high: (difference + reach).exp() }
}

/// The error of the difference of two levels (Welch and Satterthwaite).
fn together([one, other]: [LevelError; 2]) -> LevelError {
    let square = one.square + other.square;
    let parts = one.square.powi(2) / one.freedom + other.square.powi(2) / other.freedom;
    LevelError { square, freedom: square.powi(2) / parts }
}

/// The error of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelError {
    /// The square of the standard error.
    pub(super) square: f64,
    /// Degrees of freedom.
    pub(super) freedom: f64,
}

impl LevelError {
    /// That of the mean of these values.
    pub(super) fn of(values: &[f64], noise: &HistoryNoise) -> Self {
        Level::of(values, noise).error
    }
}

struct Level {
    n: f64,
    mean: f64,
    variance: f64,
    error: LevelError,
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
        Self { n, mean, variance, error: LevelError { square: variance * inflation / n, freedom } }
    }
}
