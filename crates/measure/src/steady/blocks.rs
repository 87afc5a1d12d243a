//! Means of equal blocks of a run: their line, its error, and the noise of a block.
//!
//! Neighbouring intervals of a run are alike, because caches and queues remember. Blocks are longer than that
//! memory, and what remains of it widens the error.
//!
//! Invariant: pure; all shares are those of the mean of the blocks.
//! Never here: what is allowed.

use crate::statistics::{MAD_TO_DEVIATION, mean, median, t_quantile};

/// The confidence of each limit of a line. Either direction is too steep.
const CONFIDENCE: f64 = 0.975;

/// Deviations of a block by which noise alone hardly moves any of some tens of blocks.
const NOISE: f64 = 3.0;

/// The largest correlation of neighbouring blocks that an error is widened for.
const LAG_ONE_MAX: f64 = 0.9;

/// The straight line through blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BlockLine {
    /// Its rise (fall, if negative) from end to end, as a share of the mean. Infinite if nothing moved.
    pub(super) rise: f64,
    /// How far the rise may be from the true one, with 95 % confidence.
    pub(super) uncertainty: f64,
}

impl BlockLine {
    /// The line through at least three blocks.
    pub(super) fn of(blocks: &[f64]) -> Self {
        let count = blocks.len() as f64;
        let mean = mean(blocks).unwrap_or(0.0);
        if mean <= 0.0 || blocks.len() < 3 {
            return Self { rise: f64::INFINITY, uncertainty: 0.0 };
        }
        let apart = |at: usize| at as f64 - (count - 1.0) / 2.0;
        let squares: f64 = (0..blocks.len()).map(|at| apart(at).powi(2)).sum();
        let slope = blocks.iter().enumerate().map(|(at, block)| apart(at) * block).sum::<f64>() / squares;
        let off: Vec<f64> =
            blocks.iter().enumerate().map(|(at, block)| block - mean - slope * apart(at)).collect();
        let residual: f64 = off.iter().map(|off| off * off).sum();
        let error = (residual / (count - 2.0) / squares * inflation(&off, residual)).sqrt();
        let t = t_quantile(CONFIDENCE, blocks.len() as u32 - 2);
        Self { rise: slope * count / mean, uncertainty: t * error * count / mean }
    }

    /// Whether noise does not explain that the rise is above this share.
    pub(super) fn clearly_exceeds(&self, most: f64) -> bool {
        self.rise.abs() - self.uncertainty > most
    }

    /// The same line of `count` blocks with at least the uncertainty that blocks of this noise give it.
    pub(super) fn at_least_as_noisy(self, noise: f64, count: usize) -> Self {
        let count = count as f64;
        let of_noise = noise * (12.0 * count / (count * count - 1.0)).sqrt();
        Self { uncertainty: self.uncertainty.max(of_noise), ..self }
    }
}

/// How much larger the variance of a slope is where neighbouring residuals are alike.
fn inflation(off: &[f64], residual: f64) -> f64 {
    if residual <= 0.0 {
        return 1.0;
    }
    let products: f64 = off.windows(2).map(|pair| pair[0] * pair[1]).sum();
    // Residuals of a line are less alike than what they come from.
    let lag_one = (products / residual + 2.0 / off.len() as f64).clamp(0.0, LAG_ONE_MAX);
    (1.0 + lag_one) / (1.0 - lag_one)
}

/// What noise alone may add to the distance of a block from the others, as a share of the mean. The bends
/// between neighbours show it: a slope has none, and a dip or a change of level only two or three.
pub(super) fn noise(blocks: &[f64]) -> f64 {
    let bends: Vec<f64> =
        blocks.windows(3).map(|three| (three[0] - 2.0 * three[1] + three[2]).abs()).collect();
    match (median(&bends), mean(blocks)) {
        (Some(bend), Some(mean)) if mean > 0.0 => NOISE * MAD_TO_DEVIATION * bend / (6.0_f64.sqrt() * mean),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Dice;

    #[test]
    fn a_line_without_noise_has_no_uncertainty() {
        let falling: Vec<f64> = (0..10).map(|at| 105.5 - f64::from(at)).collect();
        let line = BlockLine::of(&falling);
        assert!((line.rise + 10.0 / 101.0).abs() < 1e-12 && line.uncertainty < 1e-9, "{line:?}");
        assert!(line.clearly_exceeds(0.09) && !line.clearly_exceeds(0.1));
        assert_eq!(BlockLine::of(&[0.0; 5]).rise, f64::INFINITY);
    }

    #[test]
    fn the_uncertainty_is_exceeded_in_at_most_its_share_of_trials() {
        for (lag_one, most) in [(0.0, 2.5), (0.3, 4.0), (0.6, 7.0)] {
            let mut dice = Dice::new(31);
            let trials = 2000;
            let beyond = (0..trials).filter(|_| {
                let mut value = dice.normal();
                let mut next = || {
                    value = lag_one * value + (1.0_f64 - lag_one * lag_one).sqrt() * dice.normal();
                    100.0 + value
                };
                let line = BlockLine::of(&(0..15).map(|_| next()).collect::<Vec<_>>());
                line.rise > line.uncertainty
            });
            let share = beyond.count() as f64 * 100.0 / f64::from(trials);
            assert!(share <= most + 1.5, "{lag_one}: {share} %");
        }
    }

    #[test]
    fn noise_does_not_grow_with_one_dip_or_one_step() {
        let mut even = [100.0; 16];
        assert_eq!(noise(&even), 0.0);
        even[4] = 20.0;
        even[10..].fill(50.0);
        assert_eq!(noise(&even), 0.0);
        assert!(noise(&[100.0, 110.0, 95.0, 104.0, 99.0, 108.0]) > 0.1);
    }
}
