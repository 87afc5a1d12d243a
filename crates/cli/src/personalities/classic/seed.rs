//! The seed of a run whose command line gives none.
//!
//! Never here: what depends on the seed.

use std::hash::{BuildHasher, RandomState};

/// A random number from 1 to below 2^31, which `-G` accepts.
///
/// The classic programs use the second of the start. So runs in one second write the same data, and a server
/// may store one copy.
pub(crate) fn random_seed() -> u64 {
    RandomState::new().hash_one(std::process::id()) % ((1 << 31) - 1) + 1
}
