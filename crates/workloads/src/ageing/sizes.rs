//! Sizes of files: a lognormal body with a Pareto tail, used like a deck of cards.
//!
//! The distribution is split into as many parts of equal probability as there are cards. The middle of each
//! part is one card. The deck is used in a seeded order, then again in another. So the files of a deck have
//! exactly the mean of the distribution, even with a heavy tail. Independently sampled sizes would miss it by
//! a fifth with ten thousand files.
//!
//! Invariant: in the deck, sizes do not decrease from card to card.

use crate::kit::permutation::{Permutation, seed_of};

use super::profile::SizeProfile;

/// The largest number of cards of a deck. They are in memory, 8 bytes each.
const CARDS_MAX: u64 = 1 << 16;

/// Bisection steps for the factor; a number has 52 binary digits.
const HALVINGS: u32 = 64;

/// The quantile of the standard normal distribution for 0 < `p` < 1, with a relative error below 1.2e-9.
///
/// Rational approximation of P. J. Acklam.
pub(super) fn normal_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    let polynomial = |factors: &[f64], x: f64| factors.iter().fold(0.0, |sum, factor| sum * x + factor);
    let low = 0.02425;
    let tail = |p: f64| {
        let q = (-2.0 * p.ln()).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    if p < low {
        tail(p)
    } else if p > 1.0 - low {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        polynomial(&A, q * q) * q / polynomial(&B, q * q)
    }
}

/// The size below which a share of `q` of the files is, 0 < `q` < 1. Bytes, without a largest size.
pub(super) fn quantile(profile: &SizeProfile, q: f64) -> f64 {
    let body = 1.0 - profile.tail_share;
    if q < body {
        profile.median_bytes * (profile.sigma * normal_quantile(q / body)).exp()
    } else {
        let beyond = (1.0 - q) / profile.tail_share;
        profile.tail_from_bytes * beyond.powf(-1.0 / profile.tail_exponent)
    }
}

/// A deck of sizes.
#[derive(Clone, Debug)]
pub(super) struct SizeDeck {
    cards: Vec<u64>,
    seed: u64,
    /// The number of the deck to which `order` belongs.
    deck: u64,
    order: Permutation,
    /// The factor for all sizes of the profile.
    pub(super) factor: f64,
}

/// The conditions on sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SizeFit {
    pub(super) files: u64,
    /// The allocation unit of a file, bytes.
    pub(super) block: u64,
    /// The largest size of a file, bytes.
    pub(super) largest: u64,
    /// The mean space of a file, bytes; `None`: that of the profile.
    pub(super) mean: Option<f64>,
}

/// The space of a file of this size, bytes.
pub(super) fn taken(bytes: u64, block: u64) -> u64 {
    bytes.div_ceil(block) * block
}

impl SizeDeck {
    /// The sizes of the profile times the factor that gives the requested mean; `None` if no factor does.
    pub(super) fn fit(profile: &SizeProfile, fit: SizeFit, seed: u64) -> Option<Self> {
        let count = fit.files.clamp(1, CARDS_MAX);
        let share = |card: u64| (card as f64 + 0.5) / count as f64;
        let plain: Vec<f64> = (0..count).map(|card| quantile(profile, share(card))).collect();
        let card = |plain: f64, factor: f64| ((plain * factor) as u64).min(fit.largest);
        let mean = |factor: f64| {
            let sum: u64 = plain.iter().map(|plain| taken(card(*plain, factor), fit.block)).sum();
            sum as f64 / count as f64
        };
        let factor = match fit.mean {
            None => 1.0,
            Some(wanted) if mean(0.0) <= wanted && wanted <= mean(f64::MAX) => {
                // The mean never decreases with the factor.
                let (mut low, mut high) = (-60.0_f64, 60.0_f64);
                for _ in 0..HALVINGS {
                    let middle = (low + high) / 2.0;
                    if mean(middle.exp()) < wanted { low = middle } else { high = middle }
                }
                high.exp()
            }
            Some(_) => return None,
        };
        let cards = plain.iter().map(|plain| card(*plain, factor)).collect();
        let order = Permutation::new(count, seed_of(&[seed, 0]));
        Some(Self { cards, seed, deck: 0, order, factor })
    }

    /// The size of the created file with this number, bytes.
    pub(super) fn deal(&mut self, number: u64) -> u64 {
        let count = self.cards.len() as u64;
        let deck = number / count;
        if deck != self.deck {
            self.deck = deck;
            self.order = Permutation::new(count, seed_of(&[self.seed, deck]));
        }
        self.cards[self.order.at(number % count) as usize]
    }

    /// The mean space of a file, bytes.
    pub(super) fn mean(&self, block: u64) -> f64 {
        let sum: u64 = self.cards.iter().map(|card| taken(*card, block)).sum();
        sum as f64 / self.cards.len() as f64
    }
}
