//! The statistic of E-divisive means: how different the points before and after a place are.
//!
//! Source: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
//! Data", JASA 109, 2014, with the exponent 1. For samples X of n and Y of m points:
//!
//! ```text
//! Q = nm/(n+m) · ( 2/(nm) ΣΣ|x−y|  −  2/(n(n−1)) Σ|x−x'|  −  2/(m(m−1)) Σ|y−y'| )
//! ```
//!
//! In one dimension, sums of distances to earlier points follow from counts and sums over the ranks. A
//! Fenwick tree has these, so all places of n points cost n log n, not n².
//!
//! Invariant: adding a constant to all values changes nothing.

/// Q for each place: the value at `k` compares the first `k` points with the others. 0 where a side has fewer
/// than two points.
pub fn divisive_statistic(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let order = order(values);
    let earlier = distances_to_earlier(values, &order);
    let all = distances_to_all(values, &order);
    let total = all.iter().sum::<f64>() / 2.0;
    let mut statistic = vec![0.0; n + 1];
    let (mut left, mut right) = (0.0, total);
    for k in 1..n {
        left += earlier[k - 1];
        right -= all[k - 1] - earlier[k - 1];
        if k < 2 || n - k < 2 {
            continue;
        }
        let (before, after) = (k as f64, (n - k) as f64);
        let between = (total - left - right) / (before * after);
        let within = left / (before * (before - 1.0)) + right / (after * (after - 1.0));
        statistic[k] = 2.0 * before * after / n as f64 * (between - within);
    }
    statistic
}

/// For each value, the sum of its distances to all values before it.
fn distances_to_earlier(values: &[f64], order: &[usize]) -> Vec<f64> {
    let mut ranks = vec![0; values.len()];
    order.iter().enumerate().for_each(|(rank, place)| ranks[*place] = rank);
    let mut below = RankSums::new(values.len());
    let (mut count, mut sum) = (0.0, 0.0);
    let mut distances = Vec::with_capacity(values.len());
    for (value, rank) in values.iter().zip(ranks) {
        let (smaller, smaller_sum) = below.up_to(rank);
        let (larger, larger_sum) = (count - smaller, sum - smaller_sum);
        distances.push((value * smaller - smaller_sum) + (larger_sum - value * larger));
        below.add(rank, *value);
        count += 1.0;
        sum += value;
    }
    distances
}

/// For each value, the sum of its distances to all others.
fn distances_to_all(values: &[f64], order: &[usize]) -> Vec<f64> {
    let n = values.len() as f64;
    let total: f64 = values.iter().sum();
    let mut distances = vec![0.0; values.len()];
    let mut smaller_sum = 0.0;
    for (smaller, place) in order.iter().enumerate() {
        let (value, smaller) = (values[*place], smaller as f64);
        let larger_sum = total - smaller_sum - value;
        distances[*place] = (value * smaller - smaller_sum) + (larger_sum - value * (n - smaller - 1.0));
        smaller_sum += value;
    }
    distances
}

/// The places of the values, in the order of the values.
fn order(values: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_unstable_by(|one, other| values[*one].total_cmp(&values[*other]));
    places
}

/// Counts and sums of values by rank (a Fenwick tree).
struct RankSums(Vec<(f64, f64)>);

impl RankSums {
    fn new(ranks: usize) -> Self {
        Self(vec![(0.0, 0.0); ranks + 1])
    }

    fn add(&mut self, rank: usize, value: f64) {
        let mut node = rank + 1;
        while node < self.0.len() {
            self.0[node].0 += 1.0;
            self.0[node].1 += value;
            node += node & node.wrapping_neg();
        }
    }

    /// Count and sum of the values with at most this rank.
    fn up_to(&self, rank: usize) -> (f64, f64) {
        let (mut count, mut sum) = (0.0, 0.0);
        let mut node = rank + 1;
        while node > 0 {
            count += self.0[node].0;
            sum += self.0[node].1;
            node -= node & node.wrapping_neg();
        }
        (count, sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::statistics::Dice;

    /// The definition, with all pairs.
    fn by_definition(x: &[f64], y: &[f64]) -> f64 {
        let distances = |a: &[f64], b: &[f64]| -> f64 {
            a.iter().map(|one| b.iter().map(|other| (one - other).abs()).sum::<f64>()).sum()
        };
        let (n, m) = (x.len() as f64, y.len() as f64);
        let within = distances(x, x) / (n * (n - 1.0)) + distances(y, y) / (m * (m - 1.0));
        n * m / (n + m) * (2.0 * distances(x, y) / (n * m) - within)
    }

    #[test]
    fn the_statistic_equals_its_definition_at_every_place() {
        let mut dice = Dice::new(3);
        for n in [4, 5, 17, 60] {
            // Rounded values, so that some are equal.
            let values: Vec<f64> = (0..n).map(|_| (dice.normal() * 4.0).round() / 4.0 + 20.0).collect();
            let found = divisive_statistic(&values);
            for k in 2..n - 1 {
                let expected = by_definition(&values[..k], &values[k..]);
                assert!((found[k] - expected).abs() < 1e-9, "{n} {k}: {} {expected}", found[k]);
            }
        }
    }

    #[test]
    fn the_statistic_equals_that_of_numpy_and_otava() {
        // The logarithms of these rates, by the definition in numpy 2.2 and by `PairDistanceCalculator` of
        // apache-otava 0.8, which agree to 12 digits.
        let rates = [
            100.0, 103.0, 98.0, 101.0, 99.0, 97.0, 102.0, 110.0, 114.0, 108.0, 112.0, 111.0, 96.0, 120.0_f64,
        ];
        let values = rates.map(f64::ln);
        let expected = [
            0.030_504_601_014,
            0.070_054_384_789,
            0.122_790_074_545,
            0.202_569_076_143,
            0.310_365_947_144,
            0.386_582_429_782,
            0.248_491_066_424,
            0.097_508_712_003,
            0.055_636_663_638,
            -0.042_099_812_578,
            -0.116_009_256_246,
        ];
        let found = divisive_statistic(&values);
        for (k, expected) in (2..).zip(expected) {
            assert!((found[k] - expected).abs() < 1e-11, "{k}: {} {expected}", found[k]);
        }
    }
}
