//! The time of the fsync after the last write of each rank.

use serde::{Deserialize, Serialize};
use units::{duration, percent};

/// How long the ranks were in fsync. No latency of a transfer includes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SyncTime {
    /// The longest time of a rank, seconds.
    pub seconds_max: f64,
    /// That rank.
    pub slowest_rank: u32,
    /// Its node.
    pub slowest_node: String,
    /// Mean time of a rank, seconds.
    pub seconds_mean: f64,
    /// The mean time as a share of the transfer span of the phase, 0 to 1.
    pub share: f64,
}

impl SyncTime {
    /// One sentence for people.
    pub fn text(&self) -> String {
        let Self { slowest_rank, slowest_node, .. } = self;
        let [most, mean] = [self.seconds_max, self.seconds_mean].map(duration);
        format!(
            "fsync took {mean} a rank, {} of the transfer span, and {most} on rank {slowest_rank} \
             (node {slowest_node}), the slowest",
            percent(self.share, 0)
        )
    }
}
