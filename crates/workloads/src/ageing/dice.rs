//! Numbers at random, the same for the same seed.

use crate::kit::permutation::{seed_of, splitmix};

/// A sequence of numbers; where it stands is its whole state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ResumableDice(u64);

impl ResumableDice {
    /// The sequence of these numbers.
    pub(super) fn new(parts: &[u64]) -> Self {
        Self(seed_of(parts))
    }

    /// A number below `end`, which is not 0.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(splitmix(&mut self.0)) * u128::from(end)) >> 64) as u64
    }

    /// A number from 0 to below 1.
    pub(super) fn share(&mut self) -> f64 {
        (splitmix(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True in so large a share of all throws.
    pub(super) fn happens(&mut self, share: f64) -> bool {
        self.share() < share
    }
}
