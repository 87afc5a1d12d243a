//! What the nodes of a run reported at its start: the file systems of its files, their wall clocks, and their
//! identity.
//!
//! Invariant: a record lists a few nodes that differ and counts the others. Each node has one short entry.

use crate::reason::{Reason, reason};
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::NodeIdentity;

/// The maximum difference between the wall clocks of nodes, seconds. Time windows over several jobs need it
/// (ORNL I/O benchmark rules). The sentences of `report` state this value.
pub const SKEW_S: f64 = 1.0;

/// File systems of one machine: two machines with the same device are two systems.
const LOCAL: &[&str] = &["btrfs", "ext2", "ext3", "ext4", "overlay", "ramfs", "tmpfs", "vfat", "xfs", "zfs"];

/// Whether a file system of this type belongs to one machine.
pub fn is_local(kind: &str) -> bool {
    LOCAL.contains(&kind)
}

/// The nodes of a run, compared with the node of rank 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clients {
    /// The file systems of the run's directories on the node of rank 0; empty if nothing is mounted below
    /// them, or if this could not be queried.
    pub mounted: Vec<Mounted>,
    /// Nodes on which one of these directories is on another file system.
    #[serde(default, skip_serializing_if = "DifferingNodes::is_empty")]
    pub elsewhere: DifferingNodes,
    /// Nodes on which all have the same type and name, but one comes from another server.
    #[serde(default, skip_serializing_if = "DifferingNodes::is_empty")]
    pub other_server: DifferingNodes,
    /// The node whose wall clock differs most from that of the node of rank 0; absent with a single node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub farthest: Option<ClockDifference>,
    /// The identity of each node, that of rank 0 first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeIdentity>,
}

impl Clients {
    /// The number of different kernels; `None` if the nodes did not report theirs.
    pub fn kernels(&self) -> Option<u32> {
        let known = self.nodes.iter().map(|node| node.boot_id.as_str()).filter(|id| !id.is_empty());
        (!self.nodes.is_empty()).then(|| known.collect::<BTreeSet<_>>().len() as u32)
    }
}

/// The file system of a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mounted {
    /// The directory, or the nearest existing directory above it.
    pub dir: String,
    /// The type of the file system, such as `lustre`.
    pub kind: String,
    /// The mounted device: a device file, a server with its export, or any other text.
    pub device: String,
}

/// Nodes that differ from that of rank 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferingNodes {
    /// How many.
    pub nodes: u32,
    /// The first of them by their ranks, at most [`DifferingNodes::CAP`]: the name, and the first difference.
    pub first: Vec<(String, Mounted)>,
}

/// The difference between the wall clocks of a node and of the node of rank 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockDifference {
    /// The node.
    pub node: String,
    /// The wall clock of the node minus that of rank 0 at the same moment, nanoseconds.
    pub skew_ns: i64,
    /// The uncertainty of this difference, nanoseconds.
    pub uncertainty_ns: u64,
}

impl Mounted {
    /// Whether both have the same type and the same name, from any server.
    ///
    /// Nodes may mount one file system from several servers: `nas1:/scratch` and `nas2:/scratch`.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.kind == other.kind && name(&self.device) == name(&other.device)
    }

    /// Whether both have the same type and the same device.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.kind, &self.device) == (&other.kind, &other.device)
    }

    /// Its type and device, such as `lustre 10.0.0.1@o2ib:/fs`.
    pub fn words(&self) -> String {
        format!("{} {}", self.kind, self.device).trim().to_owned()
    }
}

/// The part of a device after the server; the whole device if it has no server.
fn name(device: &str) -> &str {
    match device.rsplit_once(':') {
        Some((_, name)) if !device.starts_with('/') => name,
        _ => device,
    }
}

impl DifferingNodes {
    /// The maximum number of nodes that a record lists.
    pub const CAP: usize = 5;

    fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// Counts a node, and lists it if there is space.
    pub fn add(&mut self, node: &str, mounted: &Mounted) {
        self.nodes += 1;
        if self.first.len() < Self::CAP {
            self.first.push((node.to_owned(), mounted.clone()));
        }
    }

    /// The listed nodes and the number of others, such as `n2 (tmpfs none), n3 (ext4 /dev/sda2) and 4 more`.
    pub fn words(&self) -> String {
        let named = self.first.iter().map(|(node, mounted)| format!("{node} ({})", mounted.words()));
        let named = named.collect::<Vec<_>>().join(", ");
        match (self.nodes as usize).saturating_sub(self.first.len()) {
            0 => named,
            more => format!("{named} and {more} more"),
        }
    }
}

impl ClockDifference {
    /// The minimum difference between the wall clocks, seconds.
    pub fn least_s(&self) -> f64 {
        self.skew_ns.unsigned_abs().saturating_sub(self.uncertainty_ns) as f64 * 1e-9
    }

    /// The reason that states it. The clock of `host` is the other one.
    pub fn reason(&self, host: &str) -> Reason {
        let [skew, uncertainty] =
            [self.skew_ns.unsigned_abs(), self.uncertainty_ns].map(|ns| ns as f64 * 1e-9);
        let reason = reason!(ClockSkew { node: &self.node, host, uncertainty, .. });
        if self.skew_ns < 0 {
            reason!(ClockSkew { behind: skew, ..reason })
        } else {
            reason!(ClockSkew { ahead: skew, ..reason })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reason::row;

    fn mounted(kind: &str, device: &str) -> Mounted {
        Mounted { dir: "/s".into(), kind: kind.into(), device: device.into() }
    }

    #[test]
    fn nodes_may_mount_one_file_system_from_several_servers() {
        let alike = |a: &str, b: &str| mounted("nfs4", a).is_alike(&mounted("nfs4", b));
        assert!(alike("nas1:/scratch", "nas2:/scratch") && !alike("nas1:/scratch", "nas1:/home"));
        assert!(alike("10.0.0.1@o2ib:10.0.0.2@o2ib:/fs", "10.0.0.2@o2ib:/fs"));
        assert!(alike("tcp://a:3334/pvfs2-fs", "tcp://b:3334/pvfs2-fs"));
        assert!(!alike("/dev/sda2", "/dev/nvme0n1p1"));
        assert!(!alike("/dev/disk/by-path/pci-0000:5e:00.0", "/dev/disk/by-path/pci-0000:5f:00.0"));
        assert!(!mounted("nfs4", "nas1:/s").is_alike(&mounted("lustre", "nas1:/s")));
        assert!(!mounted("nfs4", "nas1:/s").is_same(&mounted("nfs4", "nas2:/s")));
    }

    #[test]
    fn a_few_nodes_are_listed_and_all_are_counted() {
        let mut others = DifferingNodes::default();
        (1..=2000).for_each(|number| others.add(&format!("n{number}"), &mounted("tmpfs", "none")));
        assert_eq!((others.nodes, others.first.len()), (2000, DifferingNodes::CAP));
        let words = others.words();
        assert!(words.starts_with("n1 (tmpfs none), n2 ") && words.ends_with(" and 1995 more"), "{words}");
    }

    #[test]
    fn the_difference_of_wall_clocks_excludes_their_uncertainty() {
        let apart = |skew_ns, uncertainty_ns| ClockDifference { node: "n2".into(), skew_ns, uncertainty_ns };
        assert!((apart(-1_500_000_000, 400_000_000).least_s() - 1.1).abs() < 1e-9);
        assert!(apart(1_000, 2_000).least_s() < 1e-12);
        let reason = apart(-30_000_000_000, 2_000).reason("n1");
        assert!(reason.get(row::ClockSkew::behind).is_some_and(|s| (s - 30.0).abs() < 1e-9), "{reason}");
    }
}
