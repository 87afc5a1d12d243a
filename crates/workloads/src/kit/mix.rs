//! Which transfers of a mixed phase are reads.
//!
//! Invariant: of every hundred transfers exactly the given percentage are reads. Their order has no pattern
//! and is the same for the same seed.

use super::permutation::{Permutation, seed_of};

const HUNDRED: u64 = 100;

/// Reads among the transfers of one rank.
#[derive(Clone, Debug)]
pub struct Mix {
    percent: u64,
    seed: u64,
    /// The hundred that `order` belongs to.
    hundred: u64,
    order: Permutation,
    last: bool,
}

impl Mix {
    /// `percent` of the transfers are reads, at most 100.
    pub fn new(percent: u32, seed: u64) -> Self {
        let order = Permutation::new(HUNDRED, seed_of(&[seed, 0]));
        Self { percent: percent.into(), seed, hundred: 0, order, last: false }
    }

    /// Whether transfer number `number` is a read.
    pub fn is_read(&mut self, number: u64) -> bool {
        let hundred = number / HUNDRED;
        if hundred != self.hundred {
            self.hundred = hundred;
            self.order = Permutation::new(HUNDRED, seed_of(&[self.seed, hundred]));
        }
        self.last = self.order.at(number % HUNDRED) < self.percent;
        self.last
    }

    /// The last answer of [`Mix::is_read`].
    pub fn was_read(&self) -> bool {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_hundred_has_its_share_and_a_second_query_gives_the_same(
            percent in 0_u32..=100, seed: u64, hundred in 0_u64..1 << 40,
        ) {
            let mut mix = Mix::new(percent, seed);
            let numbers = hundred * HUNDRED..(hundred + 1) * HUNDRED;
            let first: Vec<bool> = numbers.clone().map(|number| mix.is_read(number)).collect();
            prop_assert_eq!(first.iter().filter(|read| **read).count(), percent as usize);
            let again: Vec<bool> = numbers.map(|number| mix.is_read(number)).collect();
            prop_assert_eq!(first, again);
        }
    }

    #[test]
    fn two_hundreds_have_different_orders() {
        let mut mix = Mix::new(50, 9);
        let reads = |mix: &mut Mix, from: u64| (from..from + 100).map(|n| mix.is_read(n)).collect::<Vec<_>>();
        assert_ne!(reads(&mut mix, 0), reads(&mut mix, 100));
    }
}
