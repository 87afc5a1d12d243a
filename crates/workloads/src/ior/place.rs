//! Where the ranks are: which share a node, and how their numbers go over the nodes.

use ranks::{Comm, Halt, Reduce};

use super::parameters::IorParameters;
use super::reorder::{self, RankPlacement};
use crate::kit::node::Node;

/// The place of all ranks, and how many ranks are on the node of this one: nodes by shared memory, but
/// `-O numNodes` and `numTasksOnNode0` go first.
pub(super) fn find(
    parameters: &IorParameters,
    comm: &dyn Comm,
    node: &Node,
) -> Result<(RankPlacement, u32), Halt> {
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
    debug_assert!(reorder::owner(parameters, place, comm.rank(), comm.size(), 0, false) < comm.size());
    Ok((place, node.ranks.size()))
}
