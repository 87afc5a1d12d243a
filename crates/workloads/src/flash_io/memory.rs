//! The memory that a run needs.

use command::flash_io::FlashIoParameters;
use ranks::Halt;
use storage::NodeMemory;

use super::files::FlashFile;
use crate::kit::rank::Rank;

/// Bytes that the library must buffer for the plot files until the wait, as the original requests.
pub(super) fn copies(parameters: &FlashIoParameters) -> u64 {
    let variables = FlashFile::PlotCentered.unknowns().len() as u64;
    ((parameters.zones + 1).pow(3) + parameters.zones.pow(3)) * parameters.blocks_max * variables * 4
}

/// Rejects the run if a node does not have enough memory for its ranks. No memory is allocated before.
/// Collective.
pub(super) fn check_memory(parameters: &FlashIoParameters, rank: &Rank<'_>) -> Result<(), Halt> {
    let ranks = u64::from(rank.node.ranks.size());
    let each = parameters.memory().unwrap_or(u64::MAX);
    let fits = match NodeMemory::of_this_node() {
        Some(memory) if each.saturating_mul(ranks) > memory.available => Err(format!(
            "{ranks} ranks of this node need {each} bytes each, and only {} of its {} are available. \
             Choose a smaller --size or --blocks, or fewer ranks on a node",
            memory.available, memory.total
        )),
        _ => Ok(()),
    };
    rank.comm.agree("memory", fits)
}
