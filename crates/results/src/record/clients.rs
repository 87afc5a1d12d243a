//! What the nodes of a run said when it began: on which file system its files lie there, and what their
//! calendars show.
//!
//! Invariant: a record names a few nodes and counts the others, however many there are.

use serde::{Deserialize, Serialize};

/// How far calendars of nodes may be apart before windows over several launches have no common time,
/// seconds (ORNL I/O benchmark rules).
pub const SKEW_S: f64 = 1.0;

/// The nodes of a run, seen from that of rank 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clients {
    /// Where the directories of the run's files lie on the node of rank 0; empty where nothing is mounted
    /// beneath them, or where that could not be asked.
    pub mounted: Vec<Mounted>,
    /// Nodes on which one of them lies on another file system.
    #[serde(default, skip_serializing_if = "DifferingNodes::is_empty")]
    pub elsewhere: DifferingNodes,
    /// Nodes that have all of what has the same type and name, but one of it from another server.
    #[serde(default, skip_serializing_if = "DifferingNodes::is_empty")]
    pub other_server: DifferingNodes,
    /// The node whose calendar is farthest from that of the node of rank 0; absent of a single node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub farthest: Option<ClockDifference>,
}

/// The file system that a directory lies on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mounted {
    /// The directory, or the nearest one above it that was there.
    pub dir: String,
    /// The type of the file system, such as `lustre`.
    pub kind: String,
    /// What is mounted: a device, a server with what it exports, or any word.
    pub device: String,
}

/// Nodes that differ from that of rank 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferingNodes {
    /// How many.
    pub nodes: u32,
    /// The first of them by their ranks, at most [`DifferingNodes::CAP`]: name, and the first
    /// of what differs there.
    pub first: Vec<(String, Mounted)>,
}

/// The calendar of a node against that of the node of rank 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockDifference {
    /// The node.
    pub node: String,
    /// What its calendar said at a moment minus what rank 0's said then, nanoseconds.
    pub skew_ns: i64,
    /// How far that may be off, nanoseconds.
    pub uncertainty_ns: u64,
}

impl Mounted {
    /// Whether both have the same type and the same name, whichever server they have it from.
    ///
    /// Nodes may well have one file system from several servers: `nas1:/scratch` and `nas2:/scratch`.
    pub fn is_alike(&self, other: &Self) -> bool {
        self.kind == other.kind && name(&self.device) == name(&other.device)
    }

    /// Whether both have the same type from the same place.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.kind, &self.device) == (&other.kind, &other.device)
    }

    /// Its type and what is mounted, such as `lustre 10.0.0.1@o2ib:/fs`.
    pub fn words(&self) -> String {
        format!("{} {}", self.kind, self.device).trim().to_owned()
    }
}

/// What is behind the server; of anything that is no `server:name` the whole.
fn name(device: &str) -> &str {
    match device.rsplit_once(':') {
        Some((_, name)) if !device.starts_with('/') => name,
        _ => device,
    }
}

impl DifferingNodes {
    /// How many nodes a record names.
    pub const CAP: usize = 5;

    fn is_empty(&self) -> bool {
        self.nodes == 0
    }

    /// Counts a node, and keeps it where there is room.
    pub fn add(&mut self, node: &str, mounted: &Mounted) {
        self.nodes += 1;
        if self.first.len() < Self::CAP {
            self.first.push((node.to_owned(), mounted.clone()));
        }
    }

    /// Those that are kept, and how many there are besides, such as `n2 (tmpfs none), n3 (ext4 /dev/sda2)
    /// and 4 more`.
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
    /// How far the calendars are apart at least, seconds.
    pub fn least_s(&self) -> f64 {
        self.skew_ns.unsigned_abs().saturating_sub(self.uncertainty_ns) as f64 * 1e-9
    }

    /// How far its calendar is from that of `host`, such as `the calendar of n2 is 30 s ahead of that of n1`.
    pub fn words(&self, host: &str) -> String {
        let [skew, off] = [self.skew_ns.unsigned_abs(), self.uncertainty_ns].map(|ns| ns as f64 * 1e-9);
        format!(
            "the calendar of {} is {} {} that of {host} (known to {})",
            self.node,
            units::duration(skew),
            if self.skew_ns < 0 { "behind" } else { "ahead of" },
            units::duration(off)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mounted(kind: &str, device: &str) -> Mounted {
        Mounted { dir: "/s".into(), kind: kind.into(), device: device.into() }
    }

    #[test]
    fn one_file_system_may_come_from_several_servers() {
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
    fn a_few_nodes_are_named_and_all_are_counted() {
        let mut others = DifferingNodes::default();
        (1..=2000).for_each(|number| others.add(&format!("n{number}"), &mounted("tmpfs", "none")));
        assert_eq!((others.nodes, others.first.len()), (2000, DifferingNodes::CAP));
        let words = others.words();
        assert!(words.starts_with("n1 (tmpfs none), n2 ") && words.ends_with(" and 1995 more"), "{words}");
    }

    #[test]
    fn calendars_are_as_far_apart_as_is_certain() {
        let apart = |skew_ns, uncertainty_ns| ClockDifference { node: "n2".into(), skew_ns, uncertainty_ns };
        assert!((apart(-1_500_000_000, 400_000_000).least_s() - 1.1).abs() < 1e-9);
        assert!(apart(1_000, 2_000).least_s() < 1e-12);
        let words = apart(-30_000_000_000, 2_000).words("n1");
        assert!(
            words.starts_with("the calendar of n2 is 30") && words.contains(" behind that of n1"),
            "{words}"
        );
    }

    #[test]
    fn records_of_runs_whose_nodes_were_not_asked_still_load() {
        let old = "{\"schema\":1,\"tool\":\"assay 0.1.0\",\"workload\":\"ior\",\"argv\":[],\"started\":\"\",\
                   \"host\":\"n1\",\"ranks\":2,\"nodes\":2,\"clock\":{\"source\":\"\",\"resolution_ns\":1,\
                   \"cost_ns\":1.0,\"offset_uncertainty_ns\":3}}";
        let run: super::super::Run = serde_json::from_str(old).unwrap();
        assert_eq!((run.nodes, &run.clients), (2, &None));
        assert!(!serde_json::to_string(&run).unwrap().contains("clients"));
    }
}
