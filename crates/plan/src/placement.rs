//! How many ranks run where: client nodes, and what a job takes of them.

/// The client nodes, as far as the plan tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientNodes {
    /// How many the contract delivers: what percentages of nodes are of.
    pub delivered: Option<u32>,
    /// A file that names them, a line each.
    pub hostfile: Option<String>,
    /// Names of nodes that no job is to run on.
    pub exclude: Vec<String>,
    /// Main memory of one, bytes.
    pub memory_bytes: Option<u64>,
    /// Cores of one.
    pub cores: Option<u32>,
}

/// How many ranks on how many nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Ranks in all.
    pub ranks: u32,
    /// Nodes; `None` where that is left to the launcher.
    pub nodes: Option<u32>,
    /// Ranks on each node; `None` where that is left to the launcher.
    pub ppn: Option<u32>,
    /// How the number of nodes came about, such as `90 % of 1536 nodes = 1382`.
    pub rule: Option<String>,
}
