//! The nodes of a communicator: which ranks share one with this rank, and the first ranks of all nodes. Found
//! once, at the first request, because the creation of a communicator takes long with many ranks.
//!
//! Never here: how the ranks of a node are started.
#![allow(unsafe_code)]

use super::comm::{ManyNodes, MpiComm, NodesOfComm, rank};
use super::gather;
use crate::comm::{Comm, Halt, Reduce};

impl MpiComm {
    /// Notes that all ranks share one node.
    pub(super) fn note_one_node(&self) {
        self.shared.nodes.get_or_init(|| NodesOfComm::One);
    }

    /// Whether all ranks are known to share one node; the same on all of them.
    pub(super) fn is_on_one_node(&self) -> bool {
        self.size == 1 || matches!(self.shared.nodes.get(), Some(NodesOfComm::One))
    }

    /// The nodes of this communicator. Collective.
    pub(super) fn nodes(&self) -> Result<&NodesOfComm, Halt> {
        if self.shared.nodes.get().is_none() {
            let found = if self.size == 1 { NodesOfComm::One } else { self.find_nodes()? };
            self.shared.nodes.get_or_init(|| found);
        }
        Ok(self.shared.nodes.get().expect("just found"))
    }

    /// The ranks of this node. Collective.
    pub(super) fn node_ranks(&self) -> Result<&Self, Halt> {
        Ok(match self.nodes()? {
            NodesOfComm::One => self,
            NodesOfComm::Many(many) => &many.here,
        })
    }

    fn find_nodes(&self) -> Result<NodesOfComm, Halt> {
        let (kind, hints) = (self.mpi.constants().comm_type_shared, self.mpi.constants().info_null);
        let here = self.make("MPI_Comm_split_type", |f, new| {
            // SAFETY: the handle is live, there are no hints; MPI writes the new handle.
            unsafe { (f.comm_split_type)(self.handle, kind, rank(self.rank), hints, new) }
        })?;
        here.note_one_node();
        // The ranks of the smallest node are sent as their distance from all, for one maximum of both.
        let mut sizes = [here.size.into(), u64::from(self.size - here.size)];
        self.all_reduce(&mut sizes, Reduce::Max)?;
        let (most, least) = (sizes[0], u64::from(self.size) - sizes[1]);
        if least == u64::from(self.size) {
            return Ok(NodesOfComm::One);
        }
        let leads = here.rank == 0;
        let leaders = self.split_as(u32::from(!leads))?;
        let mut ranks = Vec::new();
        if let Some(mine) = gather::flat(&here, &self.rank.to_le_bytes(), size_of::<u32>())? {
            let most = most as usize * size_of::<u32>();
            let rows = gather::flat(&leaders, &mine.concat(), most)?.unwrap_or_default();
            let numbers = |row: &Vec<u8>| -> Vec<u32> {
                row.chunks_exact(4).map(|word| word.try_into().map_or(0, u32::from_le_bytes)).collect()
            };
            ranks = rows.iter().map(numbers).collect();
        }
        let leaders = leads.then_some(leaders);
        Ok(NodesOfComm::Many(Box::new(ManyNodes { here, leaders, most: most as usize, ranks })))
    }
}
