//! Slow groups: robust distances of single values, a rank test of groups, and Student's test of a group over
//! repetitions.
//!
//! Invariant: pure; the rank test uses only the order of values, and counts ties exactly.
//! Never here: what a group is, and how much slower matters.

use super::student::{normal_below, t_beyond};
use super::{mean, median, sorted};

/// A group is slow below this share of the others' median, if the test agrees.
pub const SLOW_SHARE: f64 = 0.9;

/// Up to this many values the test counts all possible selections of the group.
const EXACT_MAX: usize = 40;

/// Deviation of a normal distribution over its median absolute deviation.
pub const MAD_TO_DEVIATION: f64 = 1.4826;

/// The deviation about the median, by the median absolute deviation; 0 without values.
pub fn robust_deviation(values: &[f64]) -> f64 {
    let middle = median(values).unwrap_or(0.0);
    let apart: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    MAD_TO_DEVIATION * median(&apart).unwrap_or(0.0)
}

/// (value − median) / (1.4826 · median absolute deviation) of each value, in their order. Infinite if more
/// than half of the values are equal and this one differs. Empty without values.
pub fn robust_z(values: &[f64]) -> Vec<f64> {
    let Some(middle) = median(values) else { return Vec::new() };
    let scale = robust_deviation(values);
    values.iter().map(|value| if *value == middle { 0.0 } else { (value - middle) / scale }).collect()
}

/// The p-value of the rank sum of `group` if group and rest are alike (Mann and Whitney's test, one side:
/// slower). It is exact up to 40 values, also with ties; above, it is normal, corrected for ties and
/// continuity. `None` if either is empty.
pub fn rank_sum(group: &[f64], rest: &[f64]) -> Option<f64> {
    if group.is_empty() || rest.is_empty() {
        return None;
    }
    Some(RankTest::of(&[group, rest].concat()).low(group))
}

/// The test of [`rank_sum`] for several groups of the same values. It sorts the values once.
pub struct RankTest {
    sorted: Vec<f64>,
    /// Sum of the squared distances of all ranks from their mean.
    scatter: f64,
}

impl RankTest {
    /// The test among these values.
    pub fn of(values: &[f64]) -> Self {
        let sorted = sorted(values);
        let middle = (sorted.len() as f64 + 1.0) / 2.0;
        let mut scatter = 0.0;
        // A part of equal values has one rank.
        for same in sorted.chunk_by(|a, b| a == b) {
            let apart = (doubled_rank(&sorted, same[0]) as f64 / 2.0 - middle).powi(2);
            same.iter().for_each(|_| scatter += apart);
        }
        Self { sorted, scatter }
    }

    /// The p-value of `group`, which are some of the values, but not all.
    pub fn low(&self, group: &[f64]) -> f64 {
        let all = &self.sorted;
        let seen: usize = group.iter().map(|value| doubled_rank(all, *value)).sum();
        if all.len() <= EXACT_MAX {
            let ranks: Vec<usize> = all.iter().map(|value| doubled_rank(all, *value)).collect();
            return share_of_selections(&ranks, group.len(), seen);
        }
        let (n, k) = (all.len() as f64, group.len() as f64);
        let mean = k * (n + 1.0) / 2.0;
        let deviation = (k * (n - k) / (n * (n - 1.0)) * self.scatter).sqrt();
        if deviation > 0.0 { normal_below((seen as f64 / 2.0 + 0.5 - mean) / deviation) } else { 1.0 }
    }
}

/// The p-value of a low group among others that are like it, over several blocks (repetitions), each with its
/// own level. This is Student's one-sided test of the group's effect, next to the effects of the blocks, in a
/// least squares fit. Each block is the group's value and the others' values. `None` if there are too few
/// values to estimate their variability.
pub fn low_in_blocks(blocks: &[(f64, Vec<f64>)]) -> Option<f64> {
    let apart: Vec<(f64, f64, f64)> = blocks
        .iter()
        .filter_map(|(own, others)| {
            let level = mean(others)?;
            let scatter = others.iter().map(|other| (other - level).powi(2)).sum();
            let others = others.len() as f64;
            Some((own - level, others / (others + 1.0), scatter))
        })
        .collect();
    let weight: f64 = apart.iter().map(|(_, weight, _)| weight).sum();
    let shift = apart.iter().map(|(apart, weight, _)| apart * weight).sum::<f64>() / weight;
    let squares: f64 =
        apart.iter().map(|(apart, weight, scatter)| scatter + weight * (apart - shift).powi(2)).sum();
    let freedom = blocks.iter().map(|(_, others)| others.len()).sum::<usize>().checked_sub(1)?;
    let t = shift / (squares / freedom as f64 / weight).sqrt();
    if freedom == 0 {
        return None;
    }
    if !t.is_finite() {
        // The values do not vary at all.
        return Some(if shift < 0.0 { 0.0 } else { 1.0 });
    }
    let tail = t_beyond(t, freedom as f64) / 2.0;
    Some(if t < 0.0 { tail } else { 1.0 - tail })
}

/// Twice the mean rank, from 1, of all values equal to this one: an integer also for ties.
fn doubled_rank(sorted: &[f64], value: f64) -> usize {
    let below = sorted.partition_point(|one| *one < value);
    let up_to = sorted.partition_point(|one| *one <= value);
    below + up_to + 1
}

/// The share of all selections of `count` of these ranks with a sum of at most `seen`.
fn share_of_selections(ranks: &[usize], count: usize, seen: usize) -> f64 {
    // ways[k][sum]: how many selections of k ranks have this sum. Larger sums than `seen` are not needed.
    let mut ways = vec![vec![0.0; seen + 1]; count + 1];
    ways[0][0] = 1.0;
    for rank in ranks {
        for k in (1..=count).rev() {
            let (fewer, more) = ways.split_at_mut(k);
            for sum in *rank..=seen {
                more[0][sum] += fewer[k - 1][sum - rank];
            }
        }
    }
    ways[count].iter().sum::<f64>() / selections(ranks.len(), count)
}

/// The number of ways to select `count` of `all`.
fn selections(all: usize, count: usize) -> f64 {
    (0..count).fold(1.0, |ways, i| ways * (all - i) as f64 / (i + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Dice;

    #[test]
    fn robust_distances_are_not_moved_by_the_outlier_itself() {
        let z = robust_z(&[10.0, 11.0, 9.0, 10.5, 9.5, 2.0]);
        assert!(z[5] < -6.9 && z[..5].iter().all(|z| z.abs() < 1.5), "{z:?}");
        assert_eq!(robust_z(&[5.0, 5.0, 5.0, 1.0]), [0.0, 0.0, 0.0, f64::NEG_INFINITY]);
        assert!(robust_z(&[]).is_empty());
    }

    #[test]
    fn the_exact_test_counts_all_selections() {
        // The lowest of C(8, 4) = 70 and of C(6, 2) = 15; two of six may have rank sum 4 or less in 2 ways.
        assert_eq!(rank_sum(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]), Some(1.0 / 70.0));
        assert_eq!(rank_sum(&[1.0, 3.0], &[2.0, 4.0, 5.0, 6.0]), Some(2.0 / 15.0));
        assert_eq!(rank_sum(&[6.0], &[1.0, 2.0, 3.0]), Some(1.0));
        assert_eq!(rank_sum(&[5.0, 5.0], &[5.0, 5.0, 5.0]), Some(1.0), "equal values show no difference");
        // 1 and one of the two 2s: 2 of 6 selections of two from 1, 2, 2, 3.
        assert_eq!(rank_sum(&[1.0, 2.0], &[2.0, 3.0]), Some(2.0 / 6.0));
        assert_eq!(rank_sum(&[], &[1.0]), None);
    }

    #[test]
    fn the_test_over_blocks_equals_a_least_squares_fit() {
        // From numpy.linalg.lstsq with one level per block and one effect of the group, and
        // scipy.stats.t.cdf.
        let near = |blocks: &[(f64, Vec<f64>)], p: f64| {
            let found = low_in_blocks(blocks).unwrap();
            assert!((found - p).abs() < 1e-9, "{found} {p}");
        };
        near(&[(-0.5, vec![0.1, -0.2, 0.05])], 0.060_606_060_606);
        let three = [(-0.4, vec![0.0, 0.3, -0.1]), (-0.9, vec![0.2, 0.1]), (0.1, vec![0.4, 0.5, 0.45, 0.6])];
        near(&three, 0.000_735_653_509);
        near(&[(1.0, vec![2.0]), (3.0, vec![4.5])], 0.062_832_958_189);
        near(&[(0.3, vec![0.1, 0.2]), (0.1, vec![0.15, -0.2])], 0.817_841_897_873);
        assert_eq!(low_in_blocks(&[(1.0, vec![2.0])]), None, "two values do not show the variability");
        assert_eq!(low_in_blocks(&[(1.0, vec![])]), None);
        assert_eq!(low_in_blocks(&[(1.0, vec![2.0, 2.0])]), Some(0.0));
        assert_eq!(low_in_blocks(&[(2.0, vec![2.0, 2.0])]), Some(1.0));
    }

    #[test]
    fn the_normal_test_agrees_with_the_exact_one_at_their_boundary() {
        let mut dice = Dice::new(5);
        let (group, rest): (Vec<f64>, Vec<f64>) = (0..20)
            .map(|_| ((dice.normal() - 0.5) * 4.0, dice.normal() * 4.0))
            .map(|(a, b)| (a.round(), b.round()))
            .unzip();
        let exact = rank_sum(&group, &rest).unwrap();
        let twice = rank_sum(&group, &[rest.as_slice(), &[0.0]].concat()).unwrap();
        assert!(exact > 0.001 && exact < 0.5 && (exact - twice).abs() < 0.03, "{exact} {twice}");
    }

    #[test]
    fn for_equal_groups_p_below_5_percent_occurs_in_5_percent_of_the_trials() {
        let mut dice = Dice::new(9);
        for (own, rest) in [(4, 28), (2, 6), (8, 40), (5, 5)] {
            let low = (0..1000).filter(|_| {
                let [own, rest] = [own, rest].map(|n| (0..n).map(|_| dice.normal()).collect::<Vec<f64>>());
                rank_sum(&own, &rest).unwrap() <= 0.05
            });
            let low = low.count();
            assert!(low <= 71, "5 % of 1000 are 50, with a deviation of 7: {low} of {own} in {rest}");
        }
    }
}
