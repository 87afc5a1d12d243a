//! How often the interval of a compared ratio contains the true ratio, and how often a comparison of many
//! rows states a difference that does not exist.

use results::statistics::{Dice, Interval, RatioEstimate, ratio_interval, ratios_together};

use super::worlds::{CONFIDENCE, Shape, draw};

/// The true ratio of the first table.
pub(crate) const TRUTH: f64 = 0.7;

/// The worlds of the first table: shape, COV of both, repetitions of both.
pub(crate) const WORLDS: [(Shape, [f64; 2], [usize; 2]); 14] = [
    (Shape::Even, [0.02, 0.02], [2, 2]),
    (Shape::Even, [0.02, 0.02], [3, 3]),
    (Shape::Even, [0.05, 0.05], [3, 3]),
    (Shape::Even, [0.05, 0.05], [5, 5]),
    (Shape::Even, [0.05, 0.05], [10, 10]),
    (Shape::Even, [0.2, 0.2], [3, 3]),
    (Shape::Even, [0.2, 0.2], [10, 10]),
    (Shape::Even, [0.02, 0.2], [3, 3]),
    (Shape::Even, [0.2, 0.02], [3, 3]),
    (Shape::Even, [0.02, 0.2], [5, 5]),
    (Shape::Even, [0.05, 0.05], [3, 10]),
    (Shape::Even, [0.2, 0.05], [3, 10]),
    (Shape::Stalls, [0.1, 0.1], [5, 5]),
    (Shape::Stalls, [0.2, 0.02], [5, 5]),
];

/// What one interval gave, in percent of all trials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Covered {
    /// The interval contains the true ratio.
    pub(crate) inside: f64,
    /// It is completely above.
    pub(crate) above: f64,
    /// It is completely below.
    pub(crate) below: f64,
    /// It has no upper limit.
    pub(crate) unlimited: f64,
}

/// How often the interval alone contains [`TRUTH`], with COV and repetitions of the baseline first.
pub(crate) fn coverage(shape: Shape, covs: [f64; 2], n: [usize; 2], trials: u32, seed: u64) -> Covered {
    let mut dice = Dice::new(seed);
    let mut counts = [0_u32; 4];
    for _ in 0..trials {
        let baseline = draw(&mut dice, shape, 1.0, covs[0], n[0]);
        let other = draw(&mut dice, shape, TRUTH, covs[1], n[1]);
        let Ok(found) = ratios_together(&[[&baseline, &other]], CONFIDENCE)[0] else { continue };
        let (above, below) = (found.alone.low > TRUTH, found.alone.high < TRUTH);
        let hits = [!above && !below, above, below, found.alone.high.is_infinite()];
        counts.iter_mut().zip(hits).for_each(|(count, hit)| *count += u32::from(hit));
    }
    let [inside, above, below, unlimited] = counts.map(|count| f64::from(count) * 100.0 / f64::from(trials));
    Covered { inside, above, below, unlimited }
}

/// The sizes of the second table: rows, COV, repetitions of both.
pub(crate) const FAMILIES: [(usize, f64, usize); 9] = [
    (1, 0.05, 3),
    (1, 0.05, 5),
    (5, 0.05, 3),
    (5, 0.05, 5),
    (20, 0.05, 3),
    (20, 0.05, 5),
    (20, 0.05, 10),
    (100, 0.05, 5),
    (100, 0.02, 10),
];

/// What a comparison of many rows gave, in percent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FamilyFound {
    /// Comparisons of equal systems in which a row alone shows a difference.
    pub(crate) wrong_alone: f64,
    /// Comparisons of equal systems that state a difference.
    pub(crate) wrong: f64,
    /// Comparisons that find the one row that is 10 % slower.
    pub(crate) found_ten: f64,
    /// Comparisons that find the one row that is 30 % slower.
    pub(crate) found_thirty: f64,
}

/// Comparisons of this many rows, with the same COV and repetitions in both campaigns.
pub(crate) fn family(rows: usize, cov: f64, n: usize, trials: u32, seed: u64) -> FamilyFound {
    let mut dice = Dice::new(seed);
    let mut counts = [0_u32; 4];
    for _ in 0..trials {
        let mut sample = |rate: f64| draw(&mut dice, Shape::Even, rate, cov, n);
        let equal: Vec<[Vec<f64>; 2]> = (0..rows).map(|_| [sample(1.0), sample(1.0)]).collect();
        let slower = [0.9, 0.7].map(|rate| [sample(1.0), sample(rate)]);
        // The level of a row among these rows.
        let each = 1.0 - (1.0 - CONFIDENCE) / (2.0 * rows as f64);
        let differs = |interval: Interval| interval.low > 1.0 || interval.high < 1.0;
        let found = estimates(&equal);
        let is_found = |[baseline, other]: &[Vec<f64>; 2]| {
            ratio_interval(other, baseline, each).is_some_and(|interval| interval.high < 1.0)
        };
        let hits = [
            found.iter().any(|one| differs(one.alone)),
            found.iter().any(|one| differs(one.together)),
            is_found(&slower[0]),
            is_found(&slower[1]),
        ];
        counts.iter_mut().zip(hits).for_each(|(count, hit)| *count += u32::from(hit));
    }
    let [wrong_alone, wrong, found_ten, found_thirty] =
        counts.map(|count| f64::from(count) * 100.0 / f64::from(trials));
    FamilyFound { wrong_alone, wrong, found_ten, found_thirty }
}

fn estimates(rows: &[[Vec<f64>; 2]]) -> Vec<RatioEstimate> {
    let pairs: Vec<[&[f64]; 2]> =
        rows.iter().map(|[one, other]| [one.as_slice(), other.as_slice()]).collect();
    ratios_together(&pairs, CONFIDENCE).into_iter().flatten().collect()
}
