//! The order in which a rank visits its transfers.
//!
//! Offsets are made in batches, outside the measured time and in a fixed amount of memory. Sequential offsets
//! are computed by addition, shuffled ones by a permutation that is evaluated when needed. Only IOR's own
//! shuffle needs an array. It is kept for comparison with old results.
//!
//! Invariant: over all ranks, the sequential, the shuffled and IOR's order visit every transfer of the file
//! exactly once.

use super::glibc::GlibcRandom;
use super::layout::DataLayout;
use super::permutation::{Permutation, seed_of};

/// The order of one rank's transfers.
#[derive(Clone, Debug)]
pub struct TransferOrder {
    layout: DataLayout,
    rank: u64,
    kind: OrderKind,
}

#[derive(Clone, Debug)]
enum OrderKind {
    Sequential,
    Shuffled { seed: u64 },
    Listed { offsets: Vec<u64> },
    RandomBlocks { seed: u64, file_bytes: u64, reached: Option<(u64, [u64; 2], u64)> },
}

impl TransferOrder {
    /// Every transfer of `rank` from the first to the last.
    pub fn sequential(layout: DataLayout, rank: u64) -> Self {
        Self { layout, rank, kind: OrderKind::Sequential }
    }

    /// Every transfer once, with a new shuffle for each segment. In a shared file the shuffle covers the
    /// blocks of all ranks in the segment, with equal shares. In a file per process it covers the rank's own
    /// block. Where a block is a single transfer, the shuffle covers all segments.
    pub fn shuffled(layout: DataLayout, rank: u64, seed: u64) -> Self {
        let layout = if layout.transfers_per_block() == 1 { layout.in_one_segment() } else { layout };
        Self { layout, rank, kind: OrderKind::Shuffled { seed } }
    }

    /// IOR's shuffle (IOR 4.1): one order for every segment. In a shared file the ranks get different numbers
    /// of transfers. It takes 8 bytes for each transfer of a block.
    pub fn ior_shuffled(layout: DataLayout, rank: u64, seed: u32) -> Self {
        Self { layout, rank, kind: OrderKind::Listed { offsets: ior_offsets(layout, rank, seed) } }
    }

    /// IOR's `-z -z`: for each segment one random block of the file, and its transfers in sequence. The file
    /// is `file_bytes` long. Blocks may repeat.
    pub fn random_blocks(layout: DataLayout, rank: u64, seed: u64, file_bytes: u64) -> Self {
        Self { layout, rank, kind: OrderKind::RandomBlocks { seed, file_bytes, reached: None } }
    }

    /// The numbers from 0 to `count - 1` in sequence.
    pub fn items(count: u64) -> Self {
        Self::sequential(DataLayout::items(count), 0)
    }

    /// Number of transfers of this rank.
    pub fn transfers(&self) -> u64 {
        self.transfers_per_segment() * self.layout.segments
    }

    fn transfers_per_segment(&self) -> u64 {
        match &self.kind {
            OrderKind::Listed { offsets } => offsets.len() as u64,
            _ => self.layout.transfers_per_block(),
        }
    }

    /// Writes the offsets of the transfers number `first`, `first + 1`, … into `out`. After the last transfer
    /// the numbers begin again at the first.
    pub fn fill(&mut self, first: u64, out: &mut [u64]) {
        let per_segment = self.transfers_per_segment();
        let total = self.transfers();
        assert!(total > 0 || out.is_empty(), "a rank without transfers has no offsets");
        let mut done = 0;
        while done < out.len() {
            let number = (first + done as u64) % total;
            let (segment, within) = (number / per_segment, number % per_segment);
            let run = (per_segment - within).min((out.len() - done) as u64) as usize;
            self.fill_segment(segment, within, &mut out[done..done + run]);
            done += run;
        }
    }

    /// Offsets of the transfers `within..` of one segment.
    fn fill_segment(&mut self, segment: u64, within: u64, out: &mut [u64]) {
        let Self { layout, rank, kind } = self;
        let base = segment * layout.segment_stride();
        let transfer = layout.transfer;
        match kind {
            OrderKind::Sequential => {
                fill_up(base + layout.block_start(*rank) + within * transfer, transfer, out)
            }
            OrderKind::Shuffled { seed } => {
                let per_block = layout.transfers_per_block();
                let (items, start, owner) = match layout.file_per_rank {
                    true => (per_block, 0, *rank),
                    false => (per_block * layout.ranks, per_block * *rank, 0),
                };
                let permutation = Permutation::new(items, seed_of(&[*seed, segment, owner]));
                for (index, offset) in out.iter_mut().enumerate() {
                    *offset = base + permutation.at(start + within + index as u64) * transfer;
                }
            }
            OrderKind::Listed { offsets } => {
                for (offset, listed) in out.iter_mut().zip(&offsets[within as usize..]) {
                    *offset = base + listed;
                }
            }
            OrderKind::RandomBlocks { seed, file_bytes, reached } => {
                let blocks = (*file_bytes / layout.block).max(1);
                let start = random_block(reached, segment, [0, seed.wrapping_mul(*rank + 1)], blocks);
                fill_up(start * layout.block + within * transfer, transfer, out);
            }
        }
    }
}

fn fill_up(first: u64, step: u64, out: &mut [u64]) {
    let mut next = first;
    for offset in out {
        *offset = next;
        next += step;
    }
}

/// The random block of `segment`. `reached` holds (segment, generator state, block), so that the next segment
/// costs one step. The generator's two words start as `start` (IOR 4.1).
fn random_block(
    reached: &mut Option<(u64, [u64; 2], u64)>,
    segment: u64,
    start: [u64; 2],
    blocks: u64,
) -> u64 {
    let (mut at, mut state, mut block) = match *reached {
        Some((at, state, block)) if at <= segment => (at + 1, state, block),
        _ => (0, start, 0),
    };
    while at <= segment {
        let low = state[1].wrapping_mul(0x8664_58cd_56f5_e605);
        let high = state[0].wrapping_mul(0x0fc9_4e3b_f4e9_ab32).wrapping_add(low >> 32);
        state = [high, low];
        block = high % blocks;
        at += 1;
    }
    *reached = Some((segment, state, block));
    block
}

fn ior_offsets(layout: DataLayout, rank: u64, seed: u32) -> Vec<u64> {
    let per_block = layout.transfers_per_block();
    let (mut offsets, mut random) = if layout.file_per_rank {
        let own: Vec<u64> = (0..per_block).map(|index| index * layout.transfer).collect();
        (own, GlibcRandom::new(seed.wrapping_add(rank as u32)))
    } else {
        let mut random = GlibcRandom::new(seed);
        let all = 0..per_block * layout.ranks;
        let own = all.filter(|_| u64::from(random.next_value()) % layout.ranks == rank);
        (own.map(|index| index * layout.transfer).collect(), random)
    };
    let count = offsets.len();
    for index in 0..count {
        offsets.swap(index, random.next_value() as usize % count);
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(mut order: TransferOrder) -> Vec<u64> {
        let mut out = vec![0; order.transfers() as usize];
        if !out.is_empty() {
            order.fill(0, &mut out);
        }
        out
    }

    fn layout(file_per_rank: bool) -> DataLayout {
        DataLayout { ranks: 2, segments: 2, block: 128, transfer: 32, file_per_rank }
    }

    #[test]
    fn iors_own_shuffle_gives_the_golden_vectors() {
        let shared = |rank| all(TransferOrder::ior_shuffled(layout(false), rank, 7));
        assert_eq!(shared(0), [192, 192 + 256]);
        assert_eq!(shared(1)[..7], [32, 128, 160, 96, 224, 64, 0]);
        assert_eq!(shared(1)[7], 32 + 256);
        let own = |rank| all(TransferOrder::ior_shuffled(layout(true), rank, 7));
        assert_eq!(own(0), [32, 96, 0, 64, 160, 224, 128, 192]);
        assert_eq!(own(1)[..4], [32, 96, 64, 0]);
    }

    #[test]
    fn iors_random_blocks_give_the_golden_vectors_also_piece_by_piece() {
        let layout = DataLayout { ranks: 2, segments: 4, block: 64, transfer: 32, file_per_rank: false };
        let starts = |rank| {
            all(TransferOrder::random_blocks(layout, rank, 3, 512))
                .chunks(2)
                .map(|c| c[0])
                .collect::<Vec<_>>()
        };
        assert_eq!(starts(0), [0, 384, 192, 384]);
        assert_eq!(starts(1), [0, 256, 384, 320]);
        let mut order = TransferOrder::random_blocks(layout, 1, 3, 512);
        let mut one = [0];
        for (number, expected) in [(7, 352), (2, 256), (3, 288), (4, 384), (6, 320)] {
            order.fill(number, &mut one);
            assert_eq!(one[0], expected, "transfer {number}");
        }
    }

    #[test]
    fn blocks_of_one_transfer_are_shuffled_over_all_segments() {
        for file_per_rank in [false, true] {
            let layout = DataLayout { ranks: 2, segments: 64, block: 8, transfer: 8, file_per_rank };
            for rank in 0..2 {
                let order = all(TransferOrder::shuffled(layout, rank, 7));
                assert_eq!(order.len(), 64);
                assert!(!order.is_sorted(), "rank {rank} is not sequential");
                assert!(order.iter().any(|offset| *offset > layout.file_bytes() / 2));
            }
        }
    }

    #[test]
    fn numbers_beyond_the_last_transfer_begin_again() {
        let mut order = TransferOrder::sequential(layout(true), 0);
        let mut out = [0; 10];
        order.fill(0, &mut out);
        assert_eq!(out[8..], [0, 32]);
    }

    proptest! {
        #[test]
        fn all_ranks_in_all_orders_tile_the_file_exactly(
            ranks in 1_u64..6, segments in 1_u64..4, per_block in 1_u64..40, file_per_rank: bool, seed: u32,
        ) {
            let layout = DataLayout { ranks, segments, block: per_block * 8, transfer: 8, file_per_rank };
            let orders: [&dyn Fn(u64) -> TransferOrder; 3] = [
                &|rank| TransferOrder::sequential(layout, rank),
                &|rank| TransferOrder::shuffled(layout, rank, seed.into()),
                &|rank| TransferOrder::ior_shuffled(layout, rank, seed),
            ];
            for (kind, make) in orders.iter().enumerate() {
                let mut files: Vec<Vec<u64>> = (0..ranks).map(|rank| all(make(rank))).collect();
                if kind < 2 {
                    let share = per_block * segments;
                    prop_assert!(files.iter().all(|own| own.len() as u64 == share), "equal shares");
                }
                if !file_per_rank {
                    files = vec![files.concat()];
                }
                let bytes = layout.file_bytes();
                for mut file in files {
                    file.sort_unstable();
                    prop_assert!(file.iter().copied().eq((0..bytes).step_by(8)), "order {}", kind);
                }
            }
        }
    }
}
