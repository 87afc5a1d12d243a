//! Whose data a rank reads: IOR's task reordering (IOR 4.1).

use super::parameters::{Parameters, Reorder};
use crate::kit::glibc::Random;

/// Where the ranks are, as far as reordering and the header need it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// How many nodes.
    pub nodes: u32,
    /// Ranks on the node of rank 0.
    pub ranks_on_node0: u32,
    /// Neighbouring ranks share a node (`block`), else they go round the nodes.
    pub by_block: bool,
}

/// The rank whose data `rank` of `ranks` reads in repetition `repetition`; `check` is for the check
/// pass after a write, which looks two node steps away under `-C` and is not shifted under `-Z`.
pub(super) fn owner(
    parameters: &Parameters,
    place: Place,
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
        Reorder::Permutation => {
            let seed = seed(parameters.reorder_seed, repetition);
            let mut random = Random::new(seed);
            let mut order: Vec<u32> = (0..ranks).collect();
            for index in 0..ranks {
                let other = index + random.next_value() % (ranks - index);
                order.swap(index as usize, other as usize);
            }
            order[rank as usize]
        }
    }
}

fn shifted(rank: u32, by: u64, ranks: u32) -> u32 {
    ((u64::from(rank) + by) % u64::from(ranks)) as u32
}

fn seed(reorder_seed: i32, repetition: u32) -> u32 {
    if reorder_seed < 0 { reorder_seed.unsigned_abs().wrapping_add(repetition) } else { reorder_seed as u32 }
}

/// A random distance of at least `-Q` nodes; gives up and takes what comes where no distance is that
/// far, which one node or an excessive `-Q` would make an endless search.
fn random(parameters: &Parameters, place: Place, rank: u32, ranks: u32, repetition: u32) -> u32 {
    let nodes = parameters.task_offset.min(place.nodes.saturating_sub(1));
    let least = nodes.saturating_mul(place.ranks_on_node0);
    let mut random = Random::new(rank.wrapping_add(seed(parameters.reorder_seed, repetition)));
    let mut shift = random.next_value() % ranks;
    while shift < least && least < ranks {
        shift = random.next_value() % ranks;
    }
    shifted(rank, shift.into(), ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUR_NODES: Place = Place { nodes: 4, ranks_on_node0: 1, by_block: true };

    fn read(
        reorder: Reorder,
        change: impl Fn(&mut Parameters),
        place: Place,
        repetition: u32,
        check: bool,
    ) -> Vec<u32> {
        let mut parameters = Parameters { reorder, ..Parameters::default() };
        change(&mut parameters);
        (0..4).map(|rank| owner(&parameters, place, rank, 4, repetition, check)).collect()
    }

    #[test]
    fn reorderings_match_the_golden_vectors() {
        let plus = |p: &mut Parameters| p.reorder_seed = 5;
        let minus = |p: &mut Parameters| p.reorder_seed = -5;
        assert_eq!(read(Reorder::Random, plus, FOUR_NODES, 0, false), [3, 2, 3, 1]);
        assert_eq!(read(Reorder::Random, minus, FOUR_NODES, 0, false), [3, 2, 3, 1]);
        assert_eq!(read(Reorder::Random, minus, FOUR_NODES, 1, false), [1, 2, 0, 2]);
        assert_eq!(read(Reorder::Permutation, plus, FOUR_NODES, 0, false), [3, 0, 2, 1]);
        assert_eq!(read(Reorder::Permutation, plus, FOUR_NODES, 7, false), [3, 0, 2, 1]);
        assert_eq!(read(Reorder::Constant, |_| (), FOUR_NODES, 0, false), [1, 2, 3, 0]);
        assert_eq!(read(Reorder::Constant, |p| p.task_offset = 2, FOUR_NODES, 0, false), [2, 3, 0, 1]);
        assert_eq!(read(Reorder::Constant, |_| (), FOUR_NODES, 0, true), [2, 3, 0, 1]);
    }

    #[test]
    fn on_one_node_a_constant_offset_goes_round_to_the_rank_itself() {
        let one = Place { nodes: 1, ranks_on_node0: 4, by_block: true };
        assert_eq!(read(Reorder::Constant, |_| (), one, 0, false), [0, 1, 2, 3]);
    }

    #[test]
    fn a_distance_that_no_rank_has_ends_the_search() {
        let odd = Place { nodes: 2, ranks_on_node0: 4, by_block: true };
        assert_eq!(read(Reorder::Random, |p| p.task_offset = 9, odd, 0, false).len(), 4);
    }
}
