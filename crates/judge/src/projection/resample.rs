//! The interval of a projection, from resampling the repetitions and repeating the whole procedure.
//!
//! The repetitions of a step are resampled from its own, scaled by √(n/(n−1)). Few values are closer to their
//! mean than to the true mean. If the steps deviate from the fit by more than their repetitions explain, the
//! rest is resampled too, one error for each step. A step may have an error of its own that repetitions do
//! not show. The ends are scaled from the normal distribution to Student's, with the degrees of freedom that
//! the repetitions leave.
//!
//! This procedure tries every model, also those that need more steps. An interval should show if the models
//! cannot be distinguished.
//!
//! Invariant: the seed is fixed, so that two reports of the same values are the same.
//! Never here: whether the interval decides anything.

use results::statistics::{Dice, t_quantile};

use results::summary::Fit;

use super::fit::{Family, Mean, fit, parameters};
use super::{ProjectionStep, best, held_out_errors};

/// The number of resamples.
const TIMES: usize = 999;

const SEED: u64 = 0x7072_6f6a_6563_7421;

/// Degrees of freedom for the quantile of the normal distribution.
const MANY: u32 = 100_000;

/// Lower and upper end of the rate at `to`, two-sided with this `confidence`.
pub(super) fn interval(steps: &[ProjectionStep], fitted: &Fit, to: f64, confidence: f64) -> (f64, f64) {
    let noise = Noise::of(steps, fitted);
    let mut dice = Dice::new(SEED);
    let once = |_| {
        let means: Vec<Mean> = steps.iter().map(|step| noise.resampled(step, &mut dice)).collect();
        let (family, _) = best(held_out_errors(Family::ALL.into_iter(), &means));
        fit(family, &means).at(to)
    };
    let mut rates: Vec<f64> = (0..TIMES).map(once).collect();
    rates.sort_by(f64::total_cmp);
    let outside = (1.0 - confidence) / 2.0;
    let stretch = t_quantile(1.0 - outside, noise.freedom) / t_quantile(1.0 - outside, MANY);
    let middle = rates[TIMES / 2];
    let end = |share: f64| {
        let found = rates[((share * TIMES as f64) as usize).min(TIMES - 1)];
        middle * (found / middle).powf(stretch)
    };
    let rate = fitted.at(to);
    (end(outside).min(rate), end(1.0 - outside).max(rate))
}

struct Noise {
    /// The variability of the steps beyond that of their repetitions, as a share: a standard deviation.
    of_step: f64,
    /// Degrees of freedom.
    freedom: u32,
}

impl Noise {
    fn of(steps: &[ProjectionStep], fitted: &Fit) -> Self {
        let (mut within, mut repeated, mut explained, mut about) = (0.0, 0, 0.0, 0.0);
        for step in steps {
            let mean = Mean::of(step);
            within += step.values.iter().map(|value| (value / mean.rate - 1.0).powi(2)).sum::<f64>();
            repeated += step.values.len() - 1;
            about += (mean.rate / fitted.at(step.at) - 1.0).powi(2);
        }
        if repeated > 0 {
            let variance = within / repeated as f64;
            explained = steps.iter().map(|step| variance / step.values.len() as f64).sum::<f64>()
                / steps.len() as f64;
        }
        let free = (steps.len() - parameters(fitted.model)).max(1);
        let left = (about / free as f64 - explained).max(0.0);
        Self { of_step: left.sqrt(), freedom: (repeated + free) as u32 }
    }

    fn resampled(&self, step: &ProjectionStep, dice: &mut Dice) -> Mean {
        let mean = Mean::of(step);
        let n = step.values.len();
        let mut rate = mean.rate * (1.0 + self.of_step * dice.normal());
        if n > 1 {
            let deviations: f64 = (0..n).map(|_| step.values[dice.below(n)] - mean.rate).sum();
            rate += deviations / n as f64 * (n as f64 / (n - 1) as f64).sqrt();
        }
        // A rate is above 0, even with noise.
        Mean { rate: rate.max(mean.rate * 0.05), ..mean }
    }
}
