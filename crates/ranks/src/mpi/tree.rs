//! The tree along which ranks inform each other, and compare their clocks.
//!
//! Never here: messages.

/// The base of the numbers that make the tree.
const BASE: u64 = 8;

/// The parent of a rank in the tree: its number with the lowest digit that is not 0 set to 0, in base 8.
///
/// Launchers number the ranks of a node one after the other. So nearly all edges lie within a node. At
/// 100,000 ranks, rank 0 has 38 children and no rank is more than six edges away from it.
pub(super) fn parent(rank: u64) -> Option<u64> {
    let (mut unit, mut rest) = (1, rank);
    if rank == 0 {
        return None;
    }
    while rest.is_multiple_of(BASE) {
        (unit, rest) = (unit * BASE, rest / BASE);
    }
    Some(rank - rest % BASE * unit)
}

/// The ranks of `size` ranks whose parent is `rank`.
pub(super) fn children(rank: u64, size: u64) -> impl Iterator<Item = u64> {
    let units = std::iter::successors(Some(1), |unit| Some(unit * BASE));
    let below = units.take_while(move |unit| *unit < size && rank.is_multiple_of(unit * BASE));
    below.flat_map(move |unit| (1..BASE).map(move |digit| rank + digit * unit)).filter(move |n| *n < size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_the_child_of_its_parent_and_of_no_other() {
        for size in (1..200).chain([511, 512, 513, 4097, 100_000]) {
            let mut found: Vec<u64> = (0..size).flat_map(|rank| children(rank, size)).collect();
            found.sort_unstable();
            assert_eq!(found, (1..size).collect::<Vec<_>>(), "{size} ranks");
            assert!((0..size).all(|rank| children(rank, size).all(|child| parent(child) == Some(rank))));
        }
        assert_eq!(parent(0), None);
    }

    #[test]
    fn neighbors_and_distances_grow_with_the_logarithm_of_the_ranks() {
        for (size, most_children, most_edges) in
            [(64, 14, 2), (1024, 22, 4), (10_000, 30, 5), (100_000, 38, 6)]
        {
            let most = (0..size).map(|rank| children(rank, size).count()).max();
            let edges = |rank| std::iter::successors(Some(rank), |rank| parent(*rank)).count() - 1;
            assert_eq!((most, (0..size).map(edges).max()), (Some(most_children), Some(most_edges)), "{size}");
        }
    }

    #[test]
    fn few_edges_leave_a_node() {
        for (on_node, of_a_node) in [(64, 1), (96, 4), (100, 7), (128, 2)] {
            let leaves = |rank: &u64| parent(*rank).is_some_and(|up| up / on_node != rank / on_node);
            let leaving = (1..100 * on_node).filter(leaves).count();
            assert!(leaving < 100 * of_a_node, "{on_node} ranks on a node: {leaving} edges of 100 nodes");
        }
    }
}
