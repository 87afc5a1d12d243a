//! Where the ranks are, and whose data a rank reads for it: IOR's task reordering (IOR 4.1).

use ranks::{Comm, Halt, Reduce};

use super::parameters::{IorParameters, Reorder};
use crate::kit::glibc::GlibcRandom;
use crate::kit::node::Node;

/// Where the ranks are, as far as reordering and the header need it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankPlacement {
    /// How many nodes.
    pub nodes: u32,
    /// Ranks on the node of rank 0.
    pub ranks_on_node0: u32,
    /// Neighbouring ranks share a node (`block`), else they go round the nodes.
    pub by_block: bool,
}

/// The place of all ranks: nodes by shared memory, but `-O numNodes` and `numTasksOnNode0` go first.
pub(super) fn find(parameters: &IorParameters, comm: &dyn Comm, node: &Node) -> Result<RankPlacement, Halt> {
    let on_node0 = if comm.rank() == 0 { node.ranks.size() } else { 0 };
    // Rank 1 shares the node of rank 0 when it is second there.
    let beside = comm.rank() == 1 && node.ranks.rank() == 1;
    let mut most = [u64::from(on_node0), u64::from(beside)];
    comm.all_reduce(&mut most, Reduce::Max)?;
    let [on_node0, beside] = most;
    let place = RankPlacement {
        nodes: parameters.nodes.unwrap_or(node.count),
        ranks_on_node0: parameters.ranks_on_node0.unwrap_or(on_node0 as u32),
        by_block: beside == 1 || comm.size() == 1,
    };
    debug_assert!(owner(parameters, place, comm.rank(), comm.size(), 0, false) < comm.size());
    Ok(place)
}

/// The rank whose data `rank` of `ranks` reads in repetition `repetition`; `check` is for the check
/// pass after a write, which looks two node steps away under `-C` and is not shifted under `-Z`.
pub(super) fn owner(
    parameters: &IorParameters,
    place: RankPlacement,
    rank: u32,
    ranks: u32,
    repetition: u32,
    check: bool,
) -> u32 {
    match parameters.reorder {
        Reorder::Own => rank,
        Reorder::Constant => {
            let step = if place.by_block { u64::from(place.ranks_on_node0) } else { 1 };
            let nodes = u64::from(parameters.task_offset) + u64::from(check);
            shifted(rank, nodes * step, ranks)
        }
        Reorder::Random | Reorder::Permutation if check => rank,
        Reorder::Random => random(parameters, place, rank, ranks, repetition),
        Reorder::Permutation => permuted(seed(parameters.reorder_seed, repetition), rank, ranks),
    }
}

/// How many counts [`readers`] tells apart; the last stands for so many and more.
pub(super) const HITS: usize = 64;

/// How many ranks read the data of `rank` under `-Z`, at most [`HITS`] less one; takes time for every rank
/// but no memory.
pub(super) fn readers(
    parameters: &IorParameters,
    place: RankPlacement,
    rank: u32,
    ranks: u32,
    repetition: u32,
) -> usize {
    let reads = |reader: &u32| random(parameters, place, *reader, ranks, repetition) == rank;
    (0..ranks).filter(reads).take(HITS - 1).count()
}

/// Where `rank` stands after IOR's shuffle of all ranks (Fisher-Yates, forward): the number that step `rank`
/// swaps there for good.
///
/// The shuffle is not written down: the draws are made up to that step and then taken back one by one, to
/// follow the number from its last place to its first. So there is time for each rank but no memory.
fn permuted(seed: u32, rank: u32, ranks: u32) -> u32 {
    let mut random = GlibcRandom::new(seed);
    for _ in 0..rank {
        random.next_value();
    }
    let drawn = |step: u32, value: u32| step + value % (ranks - step);
    let mut at = drawn(rank, random.clone().next_value());
    for step in (0..rank).rev() {
        // What stands at the place that this step drew was at the step's own place before it.
        if drawn(step, random.previous_value()) == at {
            at = step;
        }
    }
    at
}

fn shifted(rank: u32, by: u64, ranks: u32) -> u32 {
    ((u64::from(rank) + by) % u64::from(ranks)) as u32
}

fn seed(reorder_seed: i32, repetition: u32) -> u32 {
    if reorder_seed < 0 { reorder_seed.unsigned_abs().wrapping_add(repetition) } else { reorder_seed as u32 }
}

/// A random distance of at least `-Q` nodes; gives up and takes what comes where no distance is that
/// far, which one node or an excessive `-Q` would make an endless search.
fn random(parameters: &IorParameters, place: RankPlacement, rank: u32, ranks: u32, repetition: u32) -> u32 {
    let nodes = parameters.task_offset.min(place.nodes.saturating_sub(1));
    let least = nodes.saturating_mul(place.ranks_on_node0);
    let mut random = GlibcRandom::new(rank.wrapping_add(seed(parameters.reorder_seed, repetition)));
    let mut shift = random.next_value() % ranks;
    while shift < least && least < ranks {
        shift = random.next_value() % ranks;
    }
    shifted(rank, shift.into(), ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR_NODES: RankPlacement = RankPlacement { nodes: 4, ranks_on_node0: 1, by_block: true };

    fn read(
        reorder: Reorder,
        change: impl Fn(&mut IorParameters),
        place: RankPlacement,
        repetition: u32,
        check: bool,
    ) -> Vec<u32> {
        let mut parameters = IorParameters { reorder, ..IorParameters::default() };
        change(&mut parameters);
        (0..4).map(|rank| owner(&parameters, place, rank, 4, repetition, check)).collect()
    }

    #[test]
    fn reorderings_match_the_golden_vectors() {
        let plus = |p: &mut IorParameters| p.reorder_seed = 5;
        let minus = |p: &mut IorParameters| p.reorder_seed = -5;
        assert_eq!(read(Reorder::Random, plus, FOUR_NODES, 0, false), [3, 2, 3, 1]);
        assert_eq!(read(Reorder::Random, minus, FOUR_NODES, 0, false), [3, 2, 3, 1]);
        assert_eq!(read(Reorder::Random, minus, FOUR_NODES, 1, false), [1, 2, 0, 2]);
        assert_eq!(read(Reorder::Permutation, plus, FOUR_NODES, 0, false), [3, 0, 2, 1]);
        assert_eq!(read(Reorder::Permutation, plus, FOUR_NODES, 7, false), [3, 0, 2, 1]);
        assert_eq!(read(Reorder::Constant, |_| (), FOUR_NODES, 0, false), [1, 2, 3, 0]);
        assert_eq!(read(Reorder::Constant, |p| p.task_offset = 2, FOUR_NODES, 0, false), [2, 3, 0, 1]);
        assert_eq!(read(Reorder::Constant, |_| (), FOUR_NODES, 0, true), [2, 3, 0, 1]);
    }

    /// The shuffle with all ranks in memory, as IOR's users know it.
    fn shuffled(seed: u32, ranks: u32) -> Vec<u32> {
        let mut random = GlibcRandom::new(seed);
        let mut order: Vec<u32> = (0..ranks).collect();
        for index in 0..ranks {
            let other = index + random.next_value() % (ranks - index);
            order.swap(index as usize, other as usize);
        }
        order
    }

    #[test]
    fn the_shuffle_without_memory_is_the_shuffle() {
        for seed in [0, 1, 5, 77, u32::MAX] {
            for ranks in (1..80).chain([1000]) {
                let each: Vec<u32> = (0..ranks).map(|rank| permuted(seed, rank, ranks)).collect();
                assert_eq!(each, shuffled(seed, ranks), "seed {seed}, {ranks} ranks");
            }
        }
    }

    #[test]
    fn every_reader_is_counted_once_at_the_rank_whose_data_it_reads() {
        let parameters =
            IorParameters { reorder: Reorder::Random, reorder_seed: 5, ..IorParameters::default() };
        let hits = |ranks, nodes| -> Vec<usize> {
            let place = RankPlacement { nodes, ..FOUR_NODES };
            (0..ranks).map(|rank| readers(&parameters, place, rank, ranks, 0)).collect()
        };
        // The golden vector of four nodes: they read 3, 2, 3, 1.
        assert_eq!(hits(4, 4), [0, 1, 1, 2]);
        assert_eq!(hits(97, 97).iter().sum::<usize>(), 97);
    }

    #[test]
    fn on_one_node_a_constant_offset_goes_round_to_the_rank_itself() {
        let one = RankPlacement { nodes: 1, ranks_on_node0: 4, by_block: true };
        assert_eq!(read(Reorder::Constant, |_| (), one, 0, false), [0, 1, 2, 3]);
    }

    #[test]
    fn a_distance_that_no_rank_has_ends_the_search() {
        let odd = RankPlacement { nodes: 2, ranks_on_node0: 4, by_block: true };
        assert_eq!(read(Reorder::Random, |p| p.task_offset = 9, odd, 0, false).len(), 4);
    }
}
