//! How evenly parts worked at the same time, such as nodes or ranks: from the rate of each part.
//!
//! Invariant: fewer than two parts have no evenness, so one node never counts as even.

use super::{max, mean, min};

/// The most that [`max_over_min`] is, also if a part did nothing. No limit allows it, and a record can have
/// it.
const MAX_OVER_MIN: f64 = 1e9;

/// The smallest value over the mean; `None` with a mean of 0.
pub fn min_of_mean(values: &[f64]) -> Option<f64> {
    let mean = mean(several(values)?).filter(|mean| *mean > 0.0)?;
    Some(min(values)? / mean)
}

/// The largest difference of two values over the mean; `None` with a mean of 0. It is 0 if all are equal.
pub fn spread(values: &[f64]) -> Option<f64> {
    let mean = mean(several(values)?).filter(|mean| *mean > 0.0)?;
    Some(range(values)? / mean)
}

/// The largest difference of two values.
pub fn range(values: &[f64]) -> Option<f64> {
    Some(max(several(values)?)? - min(values)?)
}

/// The largest value over the smallest, at most 1e9; `None` if all are 0.
pub fn max_over_min(values: &[f64]) -> Option<f64> {
    let most = max(several(values)?).filter(|most| *most > 0.0)?;
    Some((most / min(values)?).min(MAX_OVER_MIN))
}

/// Jain's fairness index, `(Σx)² / (n Σx²)`: 1 if all values are equal, `1 / n` if all but one are 0. It
/// hides one small value among many. `None` if all are 0.
///
/// Source: Jain, Chiu and Hawe, DEC-TR-301, 1984.
pub fn jain(values: &[f64]) -> Option<f64> {
    let squares: f64 = several(values)?.iter().map(|value| value * value).sum();
    let sum: f64 = values.iter().sum();
    (squares > 0.0).then(|| sum * sum / (values.len() as f64 * squares))
}

fn several(values: &[f64]) -> Option<&[f64]> {
    (values.len() > 1).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Statistic = fn(&[f64]) -> Option<f64>;

    #[test]
    fn statistics_of_evenness_have_the_values_computed_by_hand() {
        let all: [Statistic; 4] = [min_of_mean, spread, max_over_min, jain];
        for (values, expected) in [
            (&[][..], [None; 4]),
            (&[0.0, 0.0], [None; 4]),
            (&[5.0], [None; 4]),
            (&[5.0, 5.0], [1.0, 0.0, 1.0, 1.0].map(Some)),
            // 1 / 1.5; (2 - 1) / 1.5; 2 / 1; 3² / (2 · 5)
            (&[1.0, 2.0], [1.0 / 1.5, 1.0 / 1.5, 2.0, 0.9].map(Some)),
            // 0 / 1; (4 - 0) / 1; 4 / 0; 4² / (4 · 16)
            (&[0.0, 4.0, 0.0, 0.0], [0.0, 4.0, MAX_OVER_MIN, 0.25].map(Some)),
            // 7 / 9.25; (10 - 7) / 9.25; 10 / 7; 37² / (4 · 349)
            (&[10.0, 10.0, 7.0, 10.0], [7.0 / 9.25, 3.0 / 9.25, 10.0 / 7.0, 1369.0 / 1396.0].map(Some)),
        ] {
            assert_eq!(all.map(|statistic| statistic(values)), expected, "{values:?}");
        }
    }
}
