//! Memory taken away from the page cache while a test runs (`-M`, `memoryPerNode`, `memoryPerTask`).
//!
//! Every page is written, so that the system has to provide it. What the node cannot give is rejected before
//! any rank takes anything: asking for too much would not fail but end in the killing of processes.
//!
//! Invariant: all ranks get their memory, or all halt.

use ranks::Halt;
use storage::NodeMemory;

use super::observer::IorEvent;
use super::parameters::Hog;
use super::test::RunningTest;

/// Takes this rank's share; it is held for as long as the result lives.
pub(super) fn take(test: &mut RunningTest<'_>) -> Result<Vec<u8>, Halt> {
    let (hog, ranks_on_node) = (test.parameters.hog, test.rank.node.ranks.size());
    if hog == Hog::Nothing {
        return Ok(Vec::new());
    }
    let share = share(hog, ranks_on_node, NodeMemory::of_this_node);
    // All have looked before the first takes.
    let bytes = test.rank.comm.agree("memory", share)?;
    let mut held = Vec::new();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let taken = held.try_reserve_exact(bytes).map_err(|_| format!("cannot have {bytes} bytes of memory"));
    if taken.is_ok() {
        // Not zero: zeros might come without a page behind them.
        held.resize(bytes, 0xa5);
    }
    test.rank.comm.agree("memory", taken)?;
    let rank_bytes = held.len() as u64;
    let node_bytes = if let Hog::PerRank(_) = hog { 0 } else { rank_bytes * u64::from(ranks_on_node) };
    test.observer.event(&IorEvent::Hog { node_bytes, rank_bytes });
    Ok(held)
}

/// Bytes for this rank, or why its node cannot give all its ranks theirs.
fn share(hog: Hog, ranks_on_node: u32, memory: impl Fn() -> Option<NodeMemory>) -> Result<u64, String> {
    let memory = memory().ok_or("cannot learn from /proc/meminfo how much memory this node has")?;
    let ranks = u64::from(ranks_on_node.max(1));
    let node = match hog {
        Hog::Nothing => 0,
        Hog::PerNode(bytes) => bytes,
        Hog::PercentOfNode(percent) => memory.total / 100 * u64::from(percent),
        Hog::PerRank(bytes) => bytes.saturating_mul(ranks),
    };
    if node > memory.available {
        return Err(format!(
            "{node} bytes are to be taken on this node, and only {} of its {} are available; ask for less",
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
    fn a_share_is_that_of_the_ranks_own_node() {
        assert_eq!(of(Hog::PerNode(400 << 20), 4), Ok(100 << 20));
        assert_eq!(of(Hog::PerNode(400 << 20), 1), Ok(400 << 20));
        assert_eq!(of(Hog::PercentOfNode(20), 4), Ok(50 << 20));
        assert_eq!(of(Hog::PerRank(7 << 20), 4), Ok(7 << 20));
    }

    #[test]
    fn what_the_node_cannot_give_to_all_its_ranks_is_rejected() {
        assert!(of(Hog::PerRank(200 << 20), 2).is_ok());
        for (hog, ranks) in [
            (Hog::PerRank(200 << 20), 3),
            (Hog::PerRank(u64::MAX), 3),
            (Hog::PerNode((500 << 20) + 1), 9),
            (Hog::PercentOfNode(51), 1),
        ] {
            let why = of(hog, ranks).expect_err("too much");
            assert!(why.ends_with("only 524288000 of its 1048576000 are available; ask for less"), "{why}");
        }
    }
}
