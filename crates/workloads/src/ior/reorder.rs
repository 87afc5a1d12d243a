//! The placement of the ranks, and the rank whose data a rank reads: IOR's task reordering (IOR 4.1).

use command::ior::{Reorder, Request};
use ranks::{Comm, Halt, Reduce};

use crate::kit::glibc::GlibcRandom;
use crate::kit::node::Node;

/// The placement of the ranks, as far as reordering and the header need it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RankPlacement {
    /// Number of nodes.
    pub nodes: u32,
    /// Ranks on the node of rank 0.
    pub ranks_on_node0: u32,
    /// Neighbouring ranks share a node (`block`); otherwise they are placed round-robin.
    pub by_block: bool,
}

/// Finds the placement of all ranks by shared memory. `-O numNodes` and `numTasksOnNode0` override it.
pub(super) fn find(parameters: &Request, comm: &dyn Comm, node: &Node) -> Result<RankPlacement, Halt> {
    let on_node0 = if comm.rank() == 0 { node.ranks.size() } else { 0 };
    // Rank 1 shares the node of rank 0 if it is the second rank there.
    let is_second = comm.rank() == 1 && node.ranks.rank() == 1;
    let mut most = [u64::from(on_node0), u64::from(is_second)];
    comm.all_reduce(&mut most, Reduce::Max)?;
    let [on_node0, is_second] = most;
    let place = RankPlacement {
        nodes: parameters.nodes.unwrap_or(node.count),
        ranks_on_node0: parameters.ranks_on_node0.unwrap_or(on_node0 as u32),
        by_block: is_second == 1 || comm.size() == 1,
    };
    debug_assert!(owner(parameters, place, comm.rank(), comm.size(), 0, false) < comm.size());
    Ok(place)
}

/// The rank whose data `rank` of `ranks` reads in repetition `repetition`. `check` is for the comparison
/// after a write: under `-C` it reads two node steps away, and under `-Z` it is not shifted.
pub(super) fn owner(
    parameters: &Request,
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

/// Number of counts that [`readers`] distinguishes. The last one means this many or more.
pub(super) const HITS: usize = 64;

/// Number of ranks that read the data of `rank` under `-Z`, at most [`HITS`] less one. It takes time for
/// every rank but no memory.
pub(super) fn readers(
    parameters: &Request,
    place: RankPlacement,
    rank: u32,
    ranks: u32,
    repetition: u32,
) -> usize {
    let reads = |reader: &u32| random(parameters, place, *reader, ranks, repetition) == rank;
    (0..ranks).filter(reads).take(HITS - 1).count()
}

/// The result at position `rank` of IOR's shuffle of all ranks (Fisher-Yates, forward). Step `rank` puts it
/// there, and later steps do not change it.
///
/// The shuffle is not stored. The random values are generated up to that step. Then they are stepped back one
/// by one, to follow the number from its last place to its first. So it takes time for each rank but no
/// memory.
fn permuted(seed: u32, rank: u32, ranks: u32) -> u32 {
    let mut random = GlibcRandom::new(seed);
    for _ in 0..rank {
        random.next_value();
    }
    let swapped = |step: u32, value: u32| step + value % (ranks - step);
    let mut at = swapped(rank, random.clone().next_value());
    for step in (0..rank).rev() {
        // The number at the place that this step chose was at the step's own place before.
        if swapped(step, random.previous_value()) == at {
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

/// A random distance of at least `-Q` nodes. If no distance is that far, it takes any, because with one node
/// or a large `-Q` the search would never end.
fn random(parameters: &Request, place: RankPlacement, rank: u32, ranks: u32, repetition: u32) -> u32 {
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
        change: impl Fn(&mut Request),
        place: RankPlacement,
        repetition: u32,
        check: bool,
    ) -> Vec<u32> {
        let mut parameters = Request { reorder, ..Request::default() };
        change(&mut parameters);
        (0..4).map(|rank| owner(&parameters, place, rank, 4, repetition, check)).collect()
    }

    #[test]
    fn reorderings_match_the_golden_vectors() {
        let plus = |p: &mut Request| p.reorder_seed = 5;
        let minus = |p: &mut Request| p.reorder_seed = -5;
        assert_eq!(read(Reorder::Random, plus, FOUR_NODES, 0, false), [3, 2, 3, 1]);
        assert_eq!(read(Reorder::Random, minus, FOUR_NODES, 0, false), [3, 2, 3, 1]);
        assert_eq!(read(Reorder::Random, minus, FOUR_NODES, 1, false), [1, 2, 0, 2]);
        assert_eq!(read(Reorder::Permutation, plus, FOUR_NODES, 0, false), [3, 0, 2, 1]);
        assert_eq!(read(Reorder::Permutation, plus, FOUR_NODES, 7, false), [3, 0, 2, 1]);
        assert_eq!(read(Reorder::Constant, |_| (), FOUR_NODES, 0, false), [1, 2, 3, 0]);
        assert_eq!(read(Reorder::Constant, |p| p.task_offset = 2, FOUR_NODES, 0, false), [2, 3, 0, 1]);
        assert_eq!(read(Reorder::Constant, |_| (), FOUR_NODES, 0, true), [2, 3, 0, 1]);
    }

    /// The shuffle with all ranks in memory, as in IOR.
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
    fn the_shuffle_without_memory_gives_the_same_result() {
        for seed in [0, 1, 5, 77, u32::MAX] {
            for ranks in (1..80).chain([1000]) {
                let each: Vec<u32> = (0..ranks).map(|rank| permuted(seed, rank, ranks)).collect();
                assert_eq!(each, shuffled(seed, ranks), "seed {seed}, {ranks} ranks");
            }
        }
    }

    #[test]
    fn every_reader_is_counted_once_at_the_rank_it_reads() {
        let parameters = Request { reorder: Reorder::Random, reorder_seed: 5, ..Request::default() };
        let hits = |ranks, nodes| -> Vec<usize> {
            let place = RankPlacement { nodes, ..FOUR_NODES };
            (0..ranks).map(|rank| readers(&parameters, place, rank, ranks, 0)).collect()
        };
        // The golden vector of four nodes: they read 3, 2, 3, 1.
        assert_eq!(hits(4, 4), [0, 1, 1, 2]);
        assert_eq!(hits(97, 97).iter().sum::<usize>(), 97);
    }

    #[test]
    fn on_one_node_a_constant_offset_returns_to_the_rank_itself() {
        let one = RankPlacement { nodes: 1, ranks_on_node0: 4, by_block: true };
        assert_eq!(read(Reorder::Constant, |_| (), one, 0, false), [0, 1, 2, 3]);
    }

    #[test]
    fn a_distance_that_no_rank_has_ends_the_search() {
        let odd = RankPlacement { nodes: 2, ranks_on_node0: 4, by_block: true };
        assert_eq!(read(Reorder::Random, |p| p.task_offset = 9, odd, 0, false).len(), 4);
    }
}
