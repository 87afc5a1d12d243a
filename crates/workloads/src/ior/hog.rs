//! Memory that is taken from the page cache while a test runs (`-M`, `memoryPerNode`, `memoryPerTask`).
//!
//! Every page is written, so that the system must provide it. A request beyond the memory of a node is
//! rejected before any rank allocates. Otherwise the allocation would succeed, and the system would kill
//! processes.
//!
//! Invariant: all ranks get their memory, or all halt.

use command::ior::Hog;
use ranks::Halt;
use storage::NodeMemory;

use super::observer::IorEvent;
use super::test::RunningTest;

/// Allocates this rank's share. The memory is held as long as the result lives.
pub(super) fn take(test: &mut RunningTest<'_>) -> Result<Vec<u8>, Halt> {
    let (hog, ranks_on_node) = (test.parameters.hog, test.rank.node.ranks.size());
    if hog == Hog::Nothing {
        return Ok(Vec::new());
    }
    let share = share(hog, ranks_on_node, NodeMemory::of_this_node);
    // All ranks have checked before the first one allocates.
    let bytes = test.rank.comm.agree("memory", share)?;
    let mut held = Vec::new();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let failed = |_| format!("cannot allocate {bytes} bytes of memory. Ask for less");
    let taken = held.try_reserve_exact(bytes).map_err(failed);
    if taken.is_ok() {
        // Not zero, because the system may give zeros without a page of memory.
        held.resize(bytes, 0xa5);
    }
    test.rank.comm.agree("memory", taken)?;
    let rank_bytes = held.len() as u64;
    let node_bytes = if let Hog::PerRank(_) = hog { 0 } else { rank_bytes * u64::from(ranks_on_node) };
    test.observer.event(&IorEvent::Hog { node_bytes, rank_bytes });
    Ok(held)
}

/// Bytes for this rank, or why its node does not have enough for all its ranks.
fn share(hog: Hog, ranks_on_node: u32, memory: impl Fn() -> Option<NodeMemory>) -> Result<u64, String> {
    let memory = memory().ok_or("cannot read from /proc/meminfo how much memory this node has")?;
    let ranks = u64::from(ranks_on_node.max(1));
    let node = match hog {
        Hog::Nothing => 0,
        Hog::PerNode(bytes) => bytes,
        Hog::PercentOfNode(percent) => memory.total / 100 * u64::from(percent),
        Hog::PerRank(bytes) => bytes.saturating_mul(ranks),
    };
    if node > memory.available {
        return Err(format!(
            "the test must take {node} bytes of memory on this node, but only {} of {} are available. \
             Ask for less",
            memory.available, memory.total
        ));
    }
    Ok(node / ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: NodeMemory = NodeMemory { total: 1000 << 20, available: 500 << 20 };

    fn of(hog: Hog, ranks: u32) -> Result<u64, String> {
        share(hog, ranks, || Some(NODE))
    }

    #[test]
    fn a_share_is_computed_from_the_memory_of_the_ranks_own_node() {
        assert_eq!(of(Hog::PerNode(400 << 20), 4), Ok(100 << 20));
        assert_eq!(of(Hog::PerNode(400 << 20), 1), Ok(400 << 20));
        assert_eq!(of(Hog::PercentOfNode(20), 4), Ok(50 << 20));
        assert_eq!(of(Hog::PerRank(7 << 20), 4), Ok(7 << 20));
    }

    #[test]
    fn more_memory_than_the_node_has_is_rejected() {
        assert!(of(Hog::PerRank(200 << 20), 2).is_ok());
        for (hog, ranks) in [
            (Hog::PerRank(200 << 20), 3),
            (Hog::PerRank(u64::MAX), 3),
            (Hog::PerNode((500 << 20) + 1), 9),
            (Hog::PercentOfNode(51), 1),
        ] {
            let why = of(hog, ranks).expect_err("too much");
            assert!(why.ends_with("only 524288000 of 1048576000 are available. Ask for less"), "{why}");
        }
    }
}
