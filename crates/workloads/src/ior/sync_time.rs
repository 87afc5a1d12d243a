//! The time of the fsync of all ranks: its mean, and the rank that took longest.
//!
//! Never here: when a rank calls fsync.

use ranks::{Comm, Halt, Reduce};
use results::record::SyncTime;

use crate::kit::node::Node;
use crate::kit::parts::{PartPlace, ReducedParts, ReductionParts};

/// Where the longest time and the sum are.
pub(super) struct SyncPlaces {
    mine_ns: u64,
    most: PartPlace,
    sum: PartPlace,
}

impl SyncPlaces {
    /// Adds the time of this rank.
    pub(super) fn add(parts: &mut ReductionParts, mine_ns: u64) -> Self {
        Self { mine_ns, most: parts.max(mine_ns), sum: parts.sum(mine_ns) }
    }

    /// The time of all ranks, as a share of the span of the transfers. Only rank 0 has the slowest rank.
    /// Collective.
    pub(super) fn of(
        self,
        reduced: &ReducedParts,
        comm: &dyn Comm,
        node: &Node,
        span_s: f64,
    ) -> Result<SyncTime, Halt> {
        let most = reduced.of(self.most);
        let mut slowest = [if self.mine_ns == most { comm.rank() } else { comm.size() }.into()];
        comm.reduce(&mut slowest, Reduce::Min)?;
        let slowest_rank = slowest[0] as u32;
        let slowest_node =
            node.table.as_ref().map_or(String::new(), |table| table.own_name(slowest_rank).to_owned());
        let seconds_mean = reduced.of(self.sum) as f64 * 1e-9 / f64::from(comm.size());
        Ok(SyncTime {
            seconds_max: most as f64 * 1e-9,
            slowest_rank,
            slowest_node,
            seconds_mean,
            share: if span_s > 0.0 { (seconds_mean / span_s).min(1.0) } else { 0.0 },
        })
    }
}
