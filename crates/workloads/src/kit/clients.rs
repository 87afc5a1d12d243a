//! What every node reports when a run begins: the file system of the files on that node, its wall clock, and
//! its identity.
//!
//! One rank of each node answers, before any clock is started. It adds what the other processes of its node
//! report about themselves. With a single node no other message is needed.
//!
//! Invariant: at most one gather over all ranks, and one in each node. Ranks that do not represent a node
//! send nothing over the network, and ordinary processes at most the hash of their program.
//! Never here: what follows from the answers in a verdict.

use std::path::{Path, PathBuf};

use ranks::{Comm, Halt};
use results::mounts::{Mount, mount_of};
use results::reason::{Reason, reason};
use results::record::{Clients, ClockDifference, Mounted, NodeIdentity, SKEW_S};
use serde::{Deserialize, Serialize};
use storage::Storage;

use super::double_entry::leads_process;
use super::node::{Node, NodeTable};
use super::process;

/// Most directories that are checked. If there are more, only those of the first ranks are checked.
const DIRS: usize = 8;

/// When rank 0's clock was at zero, by the wall clock of this node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WallClockOrigin {
    /// Nanoseconds since 1970.
    pub unix_ns: i64,
    /// The uncertainty of this value, nanoseconds.
    pub uncertainty_ns: u64,
}

/// What one node reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct NodeReport {
    /// For each directory; without a type if the query fails.
    mounted: Vec<Mounted>,
    origin: WallClockOrigin,
    identity: NodeIdentity,
}

/// The directories to check, each once. None if the storage is not on a mounted file system.
pub fn dirs<P: AsRef<Path>>(storage: &dyn Storage, given: impl IntoIterator<Item = P>) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = Vec::new();
    let beneath = storage.mounted().is_some();
    for dir in given.into_iter().filter(|_| beneath) {
        let dir = storage.system_path(dir.as_ref());
        if dirs.len() < DIRS && !dirs.iter().any(|known| known == dir) {
            dirs.push(dir.to_owned());
        }
    }
    dirs
}

/// The directory of the file with this name.
pub fn dir_of(file: &str) -> &Path {
    Path::new(&file[..file.rfind('/').map_or(0, |at| at + 1)])
}

/// Collects the reports of all nodes on rank 0. Collective.
pub fn ask(
    comm: &dyn Comm,
    node: &Node,
    dirs: &[PathBuf],
    origin: WallClockOrigin,
) -> Result<Option<Clients>, Halt> {
    let identity = identity(comm, node)?;
    let answer = || NodeReport {
        mounted: dirs.iter().map(|dir| mounted(dir)).collect(),
        origin,
        identity: identity.clone(),
    };
    if node.count == 1 {
        let name = comm.node_name().to_owned();
        return Ok((comm.rank() == 0).then(|| seen_from_rank_0(&[answer()], &[name])));
    }
    let mine = if node.leads() { serde_json::to_vec(&answer()).unwrap_or_default() } else { Vec::new() };
    let rows = comm.gather(&mine)?;
    Ok(rows.zip(node.table.as_ref()).map(|(rows, table)| {
        let (answers, names) = of_nodes(&rows, table);
        seen_from_rank_0(&answers, &names)
    }))
}

/// The identity of this node on its first rank, without its name. Collective within the node.
fn identity(comm: &dyn Comm, node: &Node) -> Result<NodeIdentity, Halt> {
    let own = if leads_process(comm) { process::own() } else { NodeIdentity::default() };
    let is_ordinary = own == NodeIdentity::default();
    let mine = if is_ordinary { Vec::new() } else { serde_json::to_vec(&own).unwrap_or_default() };
    let mut all = NodeIdentity::default();
    if let Some(rows) = node.ranks.gather(&mine)? {
        all.boot_id = process::boot_id();
        rows.iter().filter_map(|row| serde_json::from_slice(row).ok()).for_each(|one| all.add(one));
    }
    Ok(all)
}

/// The reports of the nodes that sent one, with the names of the nodes. Rank 0's is the first.
fn of_nodes(rows: &[Vec<u8>], table: &NodeTable) -> (Vec<NodeReport>, Vec<String>) {
    let spoke = rows.iter().enumerate().filter_map(|(rank, row)| {
        let node = *table.of.get(rank)? as usize;
        Some((serde_json::from_slice(row).ok()?, table.names.get(node)?.clone()))
    });
    spoke.unzip()
}

/// The mount on which `dir` lies on this node, and the existing directory that was found. If `dir` is
/// missing, it is the nearest one above it, because the rest of the path may be missing before a mount. The
/// query triggers an automount. `None` if nothing can be found.
pub fn mount_at(dir: &Path) -> Option<(PathBuf, Mount)> {
    let there = dir.ancestors().find(|dir| dir.join(".").metadata().is_ok())?;
    let there = there.join(".").canonicalize().ok()?;
    let table = std::fs::read("/proc/self/mountinfo").ok()?;
    let mount = mount_of(&String::from_utf8_lossy(&table), &there);
    Some((there, mount))
}

fn mounted(dir: &Path) -> Mounted {
    let Some((dir, mount)) = mount_at(dir) else { return Mounted::default() };
    Mounted { dir: dir.display().to_string(), kind: mount.kind, device: mount.device }
}

fn seen_from_rank_0(answers: &[NodeReport], names: &[String]) -> Clients {
    let Some((first, others)) = answers.split_first() else { return Clients::default() };
    let mut clients = Clients::default();
    for (answer, name) in others.iter().zip(names.iter().skip(1)) {
        // A failed query does not count as a difference.
        let known = |pair: &(&Mounted, &Mounted)| !pair.0.kind.is_empty() && !pair.1.kind.is_empty();
        let pairs = || first.mounted.iter().zip(&answer.mounted).filter(known);
        if let Some((_, there)) = pairs().find(|(here, there)| !here.is_alike(there)) {
            clients.elsewhere.add(name, there);
        } else if let Some((_, there)) = pairs().find(|(here, there)| !here.is_same(there)) {
            clients.other_server.add(name, there);
        }
        let apart = ClockDifference {
            node: name.clone(),
            skew_ns: answer.origin.unix_ns.saturating_sub(first.origin.unix_ns),
            uncertainty_ns: answer.origin.uncertainty_ns + first.origin.uncertainty_ns,
        };
        let farther = |known: &ClockDifference| apart.skew_ns.unsigned_abs() > known.skew_ns.unsigned_abs();
        if clients.farthest.as_ref().is_none_or(farther) {
            clients.farthest = Some(apart);
        }
    }
    let nodes = answers.iter().zip(names);
    let identity = |(answer, name): (&NodeReport, &String)| NodeIdentity {
        name: name.clone(),
        ..answer.identity.clone()
    };
    clients.nodes = nodes.map(identity).collect();
    clients.mounted = first.mounted.iter().filter(|mounted| !mounted.kind.is_empty()).cloned().collect();
    clients
}

/// The notices about the nodes for a reader of the numbers. `host` is the node of rank 0.
pub fn notices(clients: &Clients, host: &str, nodes: u32) -> Vec<Reason> {
    let mut notices = Vec::new();
    if clients.elsewhere.nodes > 0 {
        let here: Vec<String> = clients.mounted.iter().map(Mounted::words).collect();
        let there = vec![clients.elsewhere.words()];
        let others = clients.elsewhere.nodes;
        notices.push(reason!(PathOnWrongFs { nodes: others, of: nodes, host, here, there, begins: true }));
    }
    if let Some(apart) = clients.farthest.as_ref().filter(|apart| apart.least_s() > SKEW_S) {
        notices.push(reason!(ClockSkew { begins: true, ..apart.reason(host) }));
    }
    notices
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(devices: &[&str], unix_ns: i64) -> NodeReport {
        let one = |device: &&str| {
            let (kind, device) = device.split_once(' ').unwrap_or_default();
            Mounted { dir: "/s".into(), kind: kind.into(), device: device.into() }
        };
        NodeReport {
            mounted: devices.iter().map(one).collect(),
            origin: WallClockOrigin { unix_ns, uncertainty_ns: 1_000 },
            identity: NodeIdentity { boot_id: "a".into(), ..NodeIdentity::default() },
        }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("n{number}")).collect()
    }

    #[test]
    fn nodes_on_another_file_system_are_distinguished_from_those_with_another_server() {
        let all = [
            answer(&["nfs a:/s", "lustre m:/l"], 0),
            answer(&["nfs b:/s", "lustre m:/l"], 0),
            answer(&["nfs b:/s", "ext4 /dev/sda2"], 0),
            answer(&["", "lustre m:/l"], 0),
        ];
        let clients = seen_from_rank_0(&all, &names(4));
        assert_eq!(clients.mounted, all[0].mounted);
        assert_eq!((clients.nodes.len(), &*clients.nodes[3].name, clients.kernels()), (4, "n3", Some(1)));
        let first = |others: &results::record::DifferingNodes| (others.nodes, others.first[0].0.clone());
        assert_eq!(first(&clients.elsewhere), (1, "n2".into()));
        assert_eq!(clients.elsewhere.first[0].1, all[2].mounted[1], "the one that differs is named");
        assert_eq!(first(&clients.other_server), (1, "n1".into()));
        let (here, there) = (vec!["nfs a:/s", "lustre m:/l"], vec!["n2 (ext4 /dev/sda2)"]);
        let elsewhere =
            reason!(PathOnWrongFs { nodes: 1_u32, of: 4_u32, host: "n0", here, there, begins: true });
        assert_eq!(notices(&clients, "n0", 4), [elsewhere]);
    }

    #[test]
    fn the_farthest_wall_clock_is_reported_from_a_second_on() {
        let reported_at = |skews: &[i64]| {
            let all: Vec<NodeReport> = skews.iter().map(|skew| answer(&[], 1_700_000_000 + skew)).collect();
            let clients = seen_from_rank_0(&all, &names(skews.len()));
            let apart = clients.farthest.clone().expect("there are several nodes");
            (apart.node, apart.skew_ns, notices(&clients, "n0", 3).len())
        };
        assert_eq!(reported_at(&[5, 905_000_000, 4]), ("n1".into(), 905_000_000 - 5, 0));
        assert_eq!(reported_at(&[5, 900_000_000, -1_600_000_000]), ("n2".into(), -1_600_000_005, 1));
    }

    #[test]
    fn a_missing_directory_lies_on_the_mount_of_the_nearest_one_above_it() {
        let dir = tempfile::tempdir().expect("a directory");
        let (here, below) = (mounted(dir.path()), mounted(&dir.path().join("a/b")));
        assert!(!here.kind.is_empty() && here == below, "{here:?} {below:?}");
        assert_eq!(mounted(Path::new("/proc/no-such/file")).kind, "proc");
        assert_eq!(
            [dir_of("/s/f"), dir_of("f"), dir_of("/f")].map(|dir| dir.display().to_string()),
            ["/s/", "", "/"]
        );
    }

    #[test]
    fn local_ranks_are_one_node_that_is_not_compared() {
        let dirs = [PathBuf::from("/proc")];
        let all = ranks::local::run(3, |comm| {
            let node = Node::find(comm)?;
            ask(comm, &node, &dirs, WallClockOrigin::default())
        });
        let all: Vec<_> = all.into_iter().map(|rank| rank.expect("no panic").expect("no halt")).collect();
        let first = all[0].as_ref().expect("rank 0 has it");
        assert_eq!((first.mounted[0].kind.as_str(), &first.farthest), ("proc", &None));
        assert_eq!(&all[1..], [None, None]);
        let [node] = &first.nodes[..] else { panic!("{first:?}") };
        assert_eq!((node.boot_id.len(), node.name.is_empty()), (36, false), "{node:?}");
    }
}
