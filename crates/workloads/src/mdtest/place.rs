//! Where the ranks are, and by how much their names shift for it.

use ranks::{Halt, Reduce};

use super::parameters::MdtestParameters;
use crate::kit::rank::Rank;

/// The place of all ranks.
pub(super) struct NodePlacement {
    /// How many nodes there are.
    pub(super) nodes: u32,
    /// Whether each rank is on the node of rank 0; on rank 0 only.
    pub(super) on_node_0: Vec<bool>,
    /// `-N`, times the ranks of a node where ranks fill one node after the other.
    pub(super) shift: i64,
}

/// Finds it: nodes by shared memory, unless others are to be taken to be there. Collective.
pub(super) fn find(parameters: &MdtestParameters, rank: &Rank<'_>) -> Result<NodePlacement, Halt> {
    let comm = rank.comm;
    // The lowest rank of the node tells which node it is.
    let first = rank.node.ranks.reduce_one(comm.rank().into(), Reduce::Min)?;
    let mut beside = first == 0;
    if let Some(ranks) = parameters.ranks_on_node0 {
        beside = comm.rank() < ranks;
    }
    let count = comm.reduce_one(beside.into(), Reduce::Sum)?;
    let second = comm.reduce_one((comm.rank() == 1 && beside).into(), Reduce::Sum)? == 1;
    let nodes = parameters.nodes.unwrap_or(rank.node.count);
    let by_nodes = nodes > 1 && second;
    let shift = i64::from(parameters.shift) * if by_nodes { count as i64 } else { 1 };
    let all = comm.gather(&[beside.into()])?.unwrap_or_default();
    let on_node_0 = all.iter().map(|rank| rank.first() == Some(&1)).collect();
    Ok(NodePlacement { nodes, on_node_0, shift })
}

#[cfg(test)]
mod tests {
    use measure::CycleClock;
    use results::records::Nowhere;

    use super::*;

    /// What each of so many ranks finds.
    fn found(ranks: u32, parameters: &MdtestParameters) -> Vec<NodePlacement> {
        let clock = CycleClock::new();
        let all = ranks::local::run(ranks, |comm| {
            let (mut clock, mut nowhere) = (clock.clone(), Nowhere);
            find(parameters, &Rank::begin(comm, &mut clock, &mut nowhere, None, &[])?)
        });
        all.into_iter().map(|rank| rank.expect("no panic").expect("no halt")).collect()
    }

    #[test]
    fn names_shift_by_whole_nodes_where_ranks_fill_one_after_the_other() {
        let shift = |nodes, ranks_on_node0| {
            let parameters =
                MdtestParameters { shift: 1, nodes, ranks_on_node0, ..MdtestParameters::default() };
            let all: Vec<i64> = found(4, &parameters).iter().map(|place| place.shift).collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
            all[0]
        };
        assert_eq!(shift(None, None), 1, "all on one node");
        assert_eq!(shift(Some(2), Some(2)), 2);
        assert_eq!(shift(Some(4), Some(1)), 1, "ranks go round the nodes");
    }

    #[test]
    fn ranks_beside_rank_0_are_told() {
        let parameters =
            MdtestParameters { nodes: Some(2), ranks_on_node0: Some(2), ..MdtestParameters::default() };
        assert_eq!(found(3, &parameters)[0].on_node_0, [true, true, false]);
    }
}
