//! Intervals of a ratio of means that were not taken, beside the one that was.

use results::statistics::{Dice, Interval, cov, deviation, mean, ratio_interval, t_quantile};

use super::worlds::{CONFIDENCE, Shape, draw};

/// An interval of the ratio of the means of two settings.
pub(crate) type Ratio = fn(&[f64], &[f64]) -> Option<Interval>;

/// All of them, the one taken first.
pub(crate) const ALL: [(&str, Ratio); 4] = [
    ("Fieller, Welch's t", |over, under| ratio_interval(over, under, CONFIDENCE)),
    ("logs, Welch's t", |over, under| logs(over, under, false)),
    ("logs, pooled t", |over, under| logs(over, under, true)),
    ("delta, pooled t", delta),
];

/// How often each of [`ALL`] was completely above and completely below the true value, in percent.
pub(crate) fn wrong(shape: Shape, covs: [f64; 2], n: usize, trials: u32) -> [[f64; 2]; 4] {
    let mut dice = Dice::new(5);
    let mut wrong = [[0.0; 2]; 4];
    for _ in 0..trials {
        let over = draw(&mut dice, shape, 0.9, covs[0], n);
        let under = draw(&mut dice, shape, 1.0, covs[1], n);
        for ((_, ratio), wrong) in ALL.iter().zip(&mut wrong) {
            let Some(interval) = ratio(&over, &under) else { continue };
            wrong[0] += f64::from(u8::from(interval.low > 0.9)) * 100.0 / f64::from(trials);
            wrong[1] += f64::from(u8::from(interval.high < 0.9)) * 100.0 / f64::from(trials);
        }
    }
    wrong
}

fn logs(over: &[f64], under: &[f64], pooled: bool) -> Option<Interval> {
    let of = |values: &[f64]| {
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        Some((mean(&logs)?, deviation(&logs)?.powi(2) / logs.len() as f64))
    };
    let ((x, of_x), (y, of_y)) = (of(over)?, of(under)?);
    let each = (over.len() - 1) as f64;
    let welch = (of_x + of_y).powi(2) / ((of_x * of_x + of_y * of_y) / each);
    let freedom = if pooled { 2 * (over.len() as u32 - 1) } else { welch as u32 };
    let reach = t_quantile(CONFIDENCE, freedom.max(1)) * (of_x + of_y).sqrt();
    Some(Interval { low: (x - y - reach).exp(), high: (x - y + reach).exp() })
}

fn delta(over: &[f64], under: &[f64]) -> Option<Interval> {
    let ratio = mean(over)? / mean(under)?;
    let share = ((cov(over)?.powi(2) + cov(under)?.powi(2)) / over.len() as f64).sqrt();
    let reach = ratio * t_quantile(CONFIDENCE, 2 * (over.len() as u32 - 1)) * share;
    Some(Interval { low: ratio - reach, high: ratio + reach })
}
