//! The placement of the ranks, the shift that follows from it, and the phases that use items on the node that
//! created them.

use command::mdtest::{ItemCounts, ItemOperation, OPERATIONS, Request, When};
use ranks::{Halt, Reduce};
use results::reason;

use super::items::shifted;
use super::observer::{MdtestEvent, MdtestListener};
use super::state::ShiftTurn;
use crate::kit::rank::Rank;

/// The placement of all ranks.
pub(super) struct NodePlacement {
    /// Number of nodes.
    pub(super) nodes: u32,
    /// Whether each rank is on the node of rank 0; on rank 0 only.
    pub(super) on_node_0: Vec<bool>,
    /// `-N`, multiplied by the ranks of a node if ranks are placed in blocks.
    pub(super) shift: i64,
}

/// Finds the placement by shared memory; given numbers override it. Collective.
pub(super) fn find(parameters: &Request, rank: &Rank<'_>) -> Result<NodePlacement, Halt> {
    let comm = rank.comm;
    // The lowest rank of the node identifies the node.
    let first = rank.node.ranks.reduce_one(comm.rank().into(), Reduce::Min)?;
    let mut on_node_0 = first == 0;
    if let Some(ranks) = parameters.ranks_on_node0 {
        on_node_0 = comm.rank() < ranks;
    }
    let count = comm.reduce_one(on_node_0.into(), Reduce::Sum)?;
    let second = comm.reduce_one((comm.rank() == 1 && on_node_0).into(), Reduce::Sum)? == 1;
    let nodes = parameters.nodes.unwrap_or(rank.node.count);
    let by_nodes = nodes > 1 && second;
    let shift = i64::from(parameters.shift) * if by_nodes { count as i64 } else { 1 };
    let all = comm.gather(&[on_node_0.into()])?.unwrap_or_default();
    let on_node_0 = all.iter().map(|rank| rank.first() == Some(&1)).collect();
    Ok(NodePlacement { nodes, on_node_0, shift })
}

/// Reports the phases that use items which their node has just created, and so has in its cache. Collective.
pub(super) fn report_warm_names(
    parameters: &Request,
    place: &NodePlacement,
    rank: &mut Rank<'_>,
    observer: &mut MdtestListener<'_>,
) -> Result<(), Halt> {
    // Only rank 0 knows the nodes of all ranks.
    let alone = rank.comm.rank() == 0;
    let labels = if alone { warm_phases(parameters, place, rank.comm.size()) } else { Vec::new() };
    if rank.comm.reduce_one(u64::from(!labels.is_empty()), Reduce::Max)? == 0 {
        return Ok(());
    }
    let reason = reason!(WarmNames { labels });
    observer.event(&MdtestEvent::Notice(&reason));
    rank.notice(0, "", &reason)
}

/// The labels of the phases that use items on the node that created them.
fn warm_phases(parameters: &Request, place: &NodePlacement, ranks: u32) -> Vec<&'static str> {
    // Without items there are no lookups.
    if !parameters.create || ItemCounts::from_request(parameters).is_none_or(|counts| counts.items() == 0) {
        return Vec::new();
    }
    let directories = parameters.directories && !parameters.shared_file;
    let is_done = |row: &&ItemOperation| {
        let items = match row.when {
            When::Begin | When::End => false,
            When::Directories => directories,
            When::Files => parameters.files,
            When::Items => directories || parameters.files,
        };
        items && row.is_wanted(parameters)
    };
    let warm = |row: &&ItemOperation| turn(row).is_some_and(|turn| is_warm(parameters, place, ranks, turn));
    OPERATIONS.iter().filter(is_done).filter(warm).map(|row| row.label).collect()
}

/// The turn in which an operation uses existing items; `None` if it creates or removes them.
fn turn(row: &ItemOperation) -> Option<ShiftTurn> {
    match row.phase {
        "directory_creation" | "directory_removal" | "file_creation" | "file_removal" => None,
        // The one file of this operation is not an item.
        "shared_open" => None,
        "file_read" => Some(ShiftTurn::Read),
        _ => Some(ShiftTurn::Stat),
    }
}

/// Whether the items of that turn are on the node that created them, as seen from the node of rank 0.
fn is_warm(parameters: &Request, place: &NodePlacement, ranks: u32, turn: ShiftTurn) -> bool {
    // Items that rank 0 creates for all, or that all ranks create, are warm there for every reader.
    if place.nodes == 1 || parameters.collective || parameters.shared_file {
        return true;
    }
    parameters.numbers_of_ranks(ranks).into_iter().any(|ranks| {
        let here = |rank: u32| place.on_node_0.get(rank as usize) == Some(&true);
        (0..ranks).any(|rank| here(rank) && here(shifted(rank, place.shift * turn as i64, ranks)))
    })
}

#[cfg(test)]
mod tests {
    use measure::CycleClock;
    use results::records::Nowhere;

    use super::*;

    /// The placement that each rank finds.
    fn found(ranks: u32, parameters: &Request) -> Vec<NodePlacement> {
        let clock = CycleClock::new();
        let all = ranks::local::run(ranks, |comm| {
            let (mut clock, mut nowhere) = (clock.clone(), Nowhere);
            find(parameters, &Rank::begin(comm, &mut clock, &mut nowhere, None, &[])?)
        });
        all.into_iter().map(|rank| rank.expect("no panic").expect("no halt")).collect()
    }

    #[test]
    fn with_ranks_placed_in_blocks_items_shift_by_whole_nodes() {
        let shift = |nodes, ranks_on_node0| {
            let parameters = Request { shift: 1, nodes, ranks_on_node0, ..Request::default() };
            let all: Vec<i64> = found(4, &parameters).iter().map(|place| place.shift).collect();
            assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
            all[0]
        };
        assert_eq!(shift(None, None), 1, "all on one node");
        assert_eq!(shift(Some(2), Some(2)), 2);
        assert_eq!(shift(Some(4), Some(1)), 1, "ranks are placed round-robin");
    }

    #[test]
    fn ranks_on_the_node_of_rank_0_are_found() {
        let parameters = Request { nodes: Some(2), ranks_on_node0: Some(2), ..Request::default() };
        assert_eq!(found(3, &parameters)[0].on_node_0, [true, true, false]);
    }

    /// The phases with warm items, if ranks are on these nodes.
    fn warm(on_node_0: &[u8], shift: i64, change: impl Fn(&mut Request)) -> Vec<&'static str> {
        let place =
            NodePlacement { nodes: 2, on_node_0: on_node_0.iter().map(|on| *on == 1).collect(), shift };
        let mut parameters = Request { directories: false, items: 1, ..Request::default() };
        change(&mut parameters);
        warm_phases(&parameters, &place, on_node_0.len() as u32)
    }

    #[test]
    fn an_item_is_warm_in_the_turn_in_which_its_creator_uses_it() {
        let nothing = |_: &mut Request| ();
        assert_eq!(warm(&[1, 1, 0, 0], 0, nothing), ["File stat", "File read"]);
        assert_eq!(warm(&[1, 1, 0, 0], 2, nothing), ["File read"], "two shifts return to the creator");
        assert_eq!(warm(&[1, 0, 1, 0], 1, nothing), ["File read"], "ranks placed round-robin");
        assert_eq!(warm(&[1, 1, 0, 0, 0, 0], 2, nothing), [""; 0], "with three nodes, never");
        assert_eq!(warm(&[1, 1, 0, 0, 0, 0], 1, nothing), ["File stat"], "less than a whole node");
        let scanned = |p: &mut Request| (p.first_ranks, p.last_ranks) = (2, 6);
        assert_eq!(warm(&[1, 1, 0, 0, 0, 0], 2, scanned), ["File stat", "File read"], "in the run of two");
    }

    #[test]
    fn renames_and_other_lookups_count_too() {
        let more = |p: &mut Request| {
            (p.directories, p.read) = (true, false);
            p.extra = vec!["statx".into(), "list".into(), "shared-open".into()];
        };
        let wanted = ["Directory stat", "Directory rename", "File stat", "File statx", "Directory listing"];
        assert_eq!(warm(&[1, 0], 0, more), wanted);
        assert_eq!(warm(&[1, 1, 0, 0], 2, more), [""; 0]);
        assert_eq!(warm(&[1, 0], 0, |p| p.create = false), [""; 0], "created by an earlier run");
        assert_eq!(warm(&[1, 0], 0, |p| p.items = 0), [""; 0], "no items are used");
    }

    #[test]
    fn items_of_rank_0_or_of_all_ranks_are_warm_for_any_shift() {
        let wanted = ["File stat", "File read"];
        assert_eq!(warm(&[1, 1, 0, 0, 0, 0], 2, |p| p.collective = true), wanted);
        assert_eq!(warm(&[1, 1, 0, 0, 0, 0], 2, |p| p.shared_file = true), wanted);
    }
}
