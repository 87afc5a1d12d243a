//! The work of 64 ranks on 4 nodes with files on 8 targets. One target is slow, and one rank is slow by
//! itself.

use results::record::EachRank;

use super::Sequence;

/// The slow target.
pub(crate) const SLOW: u32 = 5;

/// The columns of a phase in which each rank moved `moved` bytes in about `seconds`.
pub(crate) fn each_rank(moved: u64, seconds: f64, seed: u64) -> EachRank {
    let mut sequence = Sequence(seed);
    let slow = |rank: u32| match rank {
        9 => 1.9,
        rank if rank % 8 == SLOW => 1.6,
        _ => 1.0,
    };
    let took: Vec<f64> = (0..64).map(|rank| seconds * slow(rank) * (0.95 + 0.1 * sequence.next())).collect();
    EachRank {
        ranks: 64,
        moved: vec![moved; 64].into(),
        ended_s: took.clone().into(),
        seconds: took.into(),
        node: (0..64).map(|rank| rank / 16).collect::<Vec<_>>().into(),
        nodes: (1..5).map(|node| format!("n00{node}")).collect(),
        layout: (0..64).map(|rank| rank % 8).collect::<Vec<_>>().into(),
        layouts: (0..8).map(|target| vec![target]).collect(),
        targets: (0..8).map(|target| format!("OST{target:04x}")).collect(),
        ..EachRank::default()
    }
}
