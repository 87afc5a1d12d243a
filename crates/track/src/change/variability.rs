//! Changes of the variability: the same division as for levels, of the sizes of the residuals.
//!
//! Levene's test compares absolute residuals about the level. Brown and Forsythe take the median as the
//! level. Here the values are square roots of absolute residuals: they are nearly normal, also in small
//! samples.

use super::noise::noise;
use super::segmentation::Division;
use super::{ChangeSettings, HistoryNoise, VariabilityChange};

/// The smallest reported change: a deviation that is larger or smaller by this factor.
const FACTOR_MIN: f64 = 1.25;

/// The changes of the variability of these residuals; `index` and `times_s` are those of the points.
pub(super) fn changes(
    residuals: &[f64],
    times_s: &[f64],
    index: &[usize],
    settings: &ChangeSettings,
) -> Vec<VariabilityChange> {
    let sizes: Vec<f64> = residuals.iter().map(|one| one.abs().sqrt()).collect();
    let noise: HistoryNoise = noise(&sizes, settings.long_segment_min);
    let division = Division {
        values: &sizes,
        noise,
        part_min: settings.long_segment_min.max(2),
        p_max: settings.variability_p_max,
        difference_min: 0.0,
    };
    let places = division.places();
    let change = |(which, at): (usize, &usize)| {
        let (start, end) = division.neighbours(&places, which);
        let ratio = size(&residuals[*at..end]) / size(&residuals[start..*at]);
        let p = division.test(start, *at, end).p();
        VariabilityChange { index: index[*at], time_s: times_s[*at], ratio, p }
    };
    let all = places.iter().enumerate().map(change);
    all.filter(|change| change.ratio.ln().abs() >= FACTOR_MIN.ln()).collect()
}

/// The mean absolute residual.
fn size(residuals: &[f64]) -> f64 {
    residuals.iter().map(|one| one.abs()).sum::<f64>() / residuals.len() as f64
}
