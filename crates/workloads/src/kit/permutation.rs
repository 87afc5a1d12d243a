//! A random permutation of 0..n, evaluated when needed: no array, any position at any time.
//!
//! Each of three rounds adds a key, multiplies by an odd number, and folds the upper half onto the lower. A
//! round is one-to-one on b-bit numbers, where 2^b is the smallest power of two that is at least n. A result
//! outside 0..n is used as input again (cycle walking). So the permutation is one-to-one on 0..n and takes
//! fewer than two passes on average.
//!
//! Invariant: `at` is one-to-one from 0..n to 0..n for every seed.

use super::payload::stamped::{STEP, mix};

const MULTIPLIERS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93, 0xc2b2_ae3d_27d4_eb4f, 0xff51_afd7_ed55_8ccd];

/// A seeded permutation of `0..n`.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    n: u64,
    mask: u64,
    shift: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// The permutation of `0..n` that belongs to `seed`.
    pub fn new(n: u64, seed: u64) -> Self {
        let bits = (64 - n.saturating_sub(1).leading_zeros()).max(2);
        let mask = u64::MAX >> (64 - bits);
        let keys = std::array::from_fn(|index| mix(seed.wrapping_add((index as u64).wrapping_mul(STEP))));
        Self { n, mask, shift: bits.div_ceil(2), keys }
    }

    /// The new position of `index` (below n).
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.n);
        let mut value = index;
        loop {
            for (key, multiplier) in self.keys.iter().zip(MULTIPLIERS) {
                value = value.wrapping_add(*key).wrapping_mul(multiplier) & self.mask;
                value ^= value >> self.shift;
            }
            if value < self.n {
                return value;
            }
        }
    }
}

/// One seed made of several numbers.
pub fn seed_of(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |seed, part| mix(seed ^ part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_taken_exactly_once_for_all_small_sizes_and_many_seeds() {
        for n in (1..130).chain([255, 256, 257, 1000, 4096, 5000]) {
            for seed in 0..8 {
                let permutation = Permutation::new(n, seed);
                let mut all: Vec<u64> = (0..n).map(|index| permutation.at(index)).collect();
                all.sort_unstable();
                assert!(all.iter().copied().eq(0..n), "n {n}, seed {seed}");
            }
        }
    }

    #[test]
    fn seeds_give_different_orders_and_low_bits_have_no_structure() {
        let n = 1 << 16;
        let (one, two) = (Permutation::new(n, 1), Permutation::new(n, 2));
        assert!((0..n).filter(|index| one.at(*index) == two.at(*index)).count() < 20);
        // Each low bit of neighbouring positions agrees about half of the time.
        for bit in 0..12 {
            let same = (1..n).filter(|i| (one.at(*i) ^ one.at(*i - 1)) >> bit & 1 == 0).count();
            let share = same as f64 / n as f64;
            assert!((0.48..0.52).contains(&share), "bit {bit}: {share}");
        }
        // Steps to the next position are spread: a sequential order would have one step size.
        let steps: std::collections::HashSet<u64> =
            (1..n).map(|i| one.at(i).wrapping_sub(one.at(i - 1))).collect();
        assert!(steps.len() > 30_000, "{} different steps", steps.len());
    }
}
