//! Which ranks share a node with this one, and how many nodes there are.

use ranks::{Comm, Halt, Reduce};

/// The node of this rank among those of all.
pub struct Node {
    /// Its ranks.
    pub ranks: Box<dyn Comm>,
    /// How many nodes there are.
    pub count: u32,
}

impl Node {
    /// Finds it by shared memory. Collective.
    pub fn find(comm: &dyn Comm) -> Result<Self, Halt> {
        let ranks = comm.split_by_node()?;
        let count = comm.reduce_one(u64::from(ranks.rank() == 0), Reduce::Sum)? as u32;
        Ok(Self { ranks, count })
    }

    /// Whether this rank is the one of its node that does what is to be done once.
    pub fn leads(&self) -> bool {
        self.ranks.rank() == 0
    }
}
