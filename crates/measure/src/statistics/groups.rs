//! Who is slower than the rest: robust distances of single values, rank tests of groups.
//!
//! A group is what shares a node, a server or a target. It is told slow where its median is far below that
//! of all and a test says that this is no chance; where a group has too few values for any test, by how
//! many robust deviations it lies away.
//!
//! Invariant: pure; only the order of values matters to the test, never their distances.
//! Never here: which rank is on which node.

use super::student::normal_below;
use super::{median, sorted};

/// The share of the median of all below which a group is slow.
pub const SLOW_SHARE: f64 = 0.9;

/// The chance of one wrong suspicion among all groups.
const CHANCE: f64 = 0.05;

/// The robust deviations from which on a value is an outlier (Iglewicz and Hoaglin).
const FAR: f64 = 3.5;

/// Up to so many values the test counts all ways to draw the group from them.
const EXACT_MAX: usize = 40;

/// Deviation of a normal distribution over its median absolute deviation.
const MAD_TO_DEVIATION: f64 = 1.4826;

/// By what a group's place below the rest is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evidence {
    /// The chance of a rank sum as low as this, if the group were like the rest.
    Rank(f64),
    /// Robust deviations of the group's median from that of all values; infinite where more than half of
    /// these are equal.
    Deviations(f64),
}

/// One group among all values.
#[derive(Clone, Debug, PartialEq)]
pub struct Level<L> {
    /// What it has in common.
    pub level: L,
    /// How many values it has.
    pub count: usize,
    /// Its median, in the values' unit.
    pub median: f64,
    /// Its median over the median of all values.
    pub share: f64,
    /// How it compares with the rest; `None` where there is no rest.
    pub evidence: Option<Evidence>,
    /// Whether it is told to be slower than the rest.
    pub slow: bool,
}

/// (value − median) / (1.4826 · median absolute deviation) of each value, in their order; infinite where
/// more than half of the values are equal and this one is not. Empty of nothing.
pub fn robust_z(values: &[f64]) -> Vec<f64> {
    let Some(middle) = median(values) else { return Vec::new() };
    values.iter().map(|value| deviations(*value, middle, values)).collect()
}

fn deviations(value: f64, middle: f64, values: &[f64]) -> f64 {
    let apart: Vec<f64> = values.iter().map(|one| (one - middle).abs()).collect();
    let scale = MAD_TO_DEVIATION * median(&apart).unwrap_or(0.0);
    if value == middle { 0.0 } else { (value - middle) / scale }
}

/// The chance that `group` has as low a rank sum as it has if both were alike (Mann and Whitney's test, one
/// side: slower). Exact up to 40 values, ties and all; then normal, corrected for ties and continuity. `None`
/// if either is empty.
pub fn rank_sum(group: &[f64], rest: &[f64]) -> Option<f64> {
    if group.is_empty() || rest.is_empty() {
        return None;
    }
    let all = sorted(&[group, rest].concat());
    let ranks: Vec<usize> = all.iter().map(|value| doubled_rank(&all, *value)).collect();
    let seen: usize = group.iter().map(|value| doubled_rank(&all, *value)).sum();
    if all.len() <= EXACT_MAX {
        return Some(share_of_draws(&ranks, group.len(), seen));
    }
    let (n, k) = (all.len() as f64, group.len() as f64);
    let mean = k * (n + 1.0) / 2.0;
    let scatter: f64 = ranks.iter().map(|rank| (*rank as f64 / 2.0 - (n + 1.0) / 2.0).powi(2)).sum();
    let deviation = (k * (n - k) / (n * (n - 1.0)) * scatter).sqrt();
    Some(if deviation > 0.0 { normal_below((seen as f64 / 2.0 + 0.5 - mean) / deviation) } else { 1.0 })
}

/// Twice the mean rank, from 1, of all values equal to this: a whole number also for ties.
fn doubled_rank(sorted: &[f64], value: f64) -> usize {
    let below = sorted.partition_point(|one| *one < value);
    let up_to = sorted.partition_point(|one| *one <= value);
    below + up_to + 1
}

/// The share of all draws of `count` of these ranks whose sum is at most `seen`.
fn share_of_draws(ranks: &[usize], count: usize, seen: usize) -> f64 {
    // ways[k][sum]: how many draws of k ranks have this sum. Sums above what was seen need no place.
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
    ways[count].iter().sum::<f64>() / draws(ranks.len(), count)
}

/// In how many ways `count` of `all` can be drawn.
fn draws(all: usize, count: usize) -> f64 {
    (0..count).fold(1.0, |ways, i| ways * (all - i) as f64 / (i + 1) as f64)
}

/// Every level of these values against the rest, in the order of the levels. Larger values are better: of
/// times give the reciprocals.
pub fn levels<L: Ord + Clone>(values: &[(L, f64)]) -> Vec<Level<L>> {
    let all: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    let Some(middle) = median(&all) else { return Vec::new() };
    let mut names: Vec<&L> = values.iter().map(|(level, _)| level).collect();
    names.sort();
    names.dedup();
    let chance = CHANCE / names.len() as f64;
    let level = |name: &&L| {
        let (group, rest): (Vec<_>, Vec<_>) = values.iter().partition(|(level, _)| level == *name);
        let [group, rest] =
            [group, rest].map(|part| part.iter().map(|(_, value)| *value).collect::<Vec<f64>>());
        let own = median(&group)?;
        let can_tell = 1.0 / draws(all.len(), group.len()) <= chance;
        let evidence = match rank_sum(&group, &rest) {
            Some(p) if can_tell => Some(Evidence::Rank(p)),
            p => p.map(|_| Evidence::Deviations(deviations(own, middle, &all))),
        };
        let told = match evidence {
            Some(Evidence::Rank(p)) => p <= chance,
            Some(Evidence::Deviations(z)) => z <= -FAR,
            None => false,
        };
        let share = own / middle;
        let slow = told && share < SLOW_SHARE;
        Some(Level { level: (*name).clone(), count: group.len(), median: own, share, evidence, slow })
    };
    names.iter().filter_map(level).collect()
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
    fn the_exact_test_counts_all_draws() {
        // The lowest of C(8, 4) = 70 and of C(6, 2) = 15; two of six may have rank sum 4 or less in 2 ways.
        assert_eq!(rank_sum(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]), Some(1.0 / 70.0));
        assert_eq!(rank_sum(&[1.0, 3.0], &[2.0, 4.0, 5.0, 6.0]), Some(2.0 / 15.0));
        assert_eq!(rank_sum(&[6.0], &[1.0, 2.0, 3.0]), Some(1.0));
        assert_eq!(rank_sum(&[5.0, 5.0], &[5.0, 5.0, 5.0]), Some(1.0), "ties tell nothing");
        // 1 and one of the two 2s: 2 of 6 draws of two from 1, 2, 2, 3.
        assert_eq!(rank_sum(&[1.0, 2.0], &[2.0, 3.0]), Some(2.0 / 6.0));
        assert_eq!(rank_sum(&[], &[1.0]), None);
    }

    #[test]
    fn the_normal_test_of_many_values_joins_the_exact_one() {
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
    fn a_slow_node_is_found_and_its_neighbours_are_not() {
        let mut dice = Dice::new(2);
        let values: Vec<(usize, f64)> = (0..32)
            .map(|rank| (rank / 4, (if rank / 4 == 5 { 70.0 } else { 100.0 }) * (1.0 + 0.05 * dice.normal())))
            .collect();
        let levels = levels(&values);
        let slow: Vec<usize> = levels.iter().filter(|level| level.slow).map(|level| level.level).collect();
        assert_eq!((levels.len(), slow), (8, vec![5]));
        assert!(matches!(levels[5].evidence, Some(Evidence::Rank(p)) if p < 0.001));
    }

    #[test]
    fn single_values_are_told_by_their_robust_distance() {
        let values = [("a", 99.0), ("b", 101.0), ("c", 50.0), ("d", 100.0), ("e", 100.5), ("f", 98.0)];
        let slow: Vec<&str> = levels(&values).iter().filter(|one| one.slow).map(|one| one.level).collect();
        assert_eq!(slow, ["c"]);
        assert_eq!(levels(&[("only", 1.0)])[0].evidence, None);
        assert!(levels::<u32>(&[]).is_empty());
    }

    #[test]
    fn where_all_are_alike_few_are_suspected() {
        let mut dice = Dice::new(9);
        for (nodes, each) in [(8, 4), (16, 1), (3, 2), (24, 8)] {
            let wrong = (0..500).filter(|_| {
                let values: Vec<(usize, f64)> =
                    (0..nodes * each).map(|rank| (rank / each, 1.0 + 0.1 * dice.normal())).collect();
                levels(&values).iter().any(|level| level.slow)
            });
            let wrong = wrong.count();
            assert!(wrong <= 60, "{nodes} nodes of {each}: {wrong} of 500");
        }
    }
}
