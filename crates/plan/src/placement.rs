//! The client nodes, and the ranks and nodes of a job.

/// The client nodes, as far as the plan describes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientNodes {
    /// The number that the contract delivers. Percentages of nodes refer to it.
    pub delivered: Option<u32>,
    /// A file with their names, one per line.
    pub hostfile: Option<String>,
    /// Names of nodes that no job may use.
    pub exclude: Vec<String>,
    /// Main memory of a node, bytes.
    pub memory_bytes: Option<u64>,
    /// Cores of a node.
    pub cores: Option<u32>,
    /// Whether nodes may share a kernel.
    pub simulated: bool,
}

/// The ranks and nodes of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Total ranks.
    pub ranks: u32,
    /// Nodes; `None` if the launcher decides.
    pub nodes: Option<u32>,
    /// Ranks per node; `None` if the launcher decides.
    pub ppn: Option<u32>,
    /// The rule behind the number of nodes, such as `90 % of 1536 nodes = 1382`.
    pub rule: Option<String>,
}
