//! What the kernel of this client tells beside any file system: what it remembers of names and attributes,
//! and how much memory is left.
//!
//! Never here: when to forget, how much of the memory a workload may take.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The kernel's places to ask and to command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Writing to it drops caches.
    pub drop_caches: PathBuf,
    /// Begins with the number of names in memory.
    pub dentry_state: PathBuf,
}

impl Default for Client {
    fn default() -> Self {
        Self {
            drop_caches: "/proc/sys/vm/drop_caches".into(),
            dentry_state: "/proc/sys/fs/dentry-state".into(),
        }
    }
}

impl Client {
    /// Writes out what is dirty, then drops the page cache, dentries and inodes of the whole node. Only root
    /// may.
    pub fn forget(&self) -> io::Result<()> {
        let file = fs::OpenOptions::new().write(true).open(&self.drop_caches)?;
        rustix::fs::sync();
        io::Write::write_all(&mut &file, b"3\n")
    }

    /// How many names the node has in memory; `None` where the kernel does not say.
    pub fn names_in_memory(&self) -> Option<u64> {
        fs::read_to_string(&self.dentry_state).ok()?.split_whitespace().next()?.parse().ok()
    }
}

/// Memory of a node, bytes. Asking for more than there is does not fail but ends in the killing of processes,
/// so a workload that takes much asks here first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeMemory {
    /// All that it has.
    pub total: u64,
    /// What may be taken without swapping and without meeting the limit of this job's group.
    pub available: u64,
}

impl NodeMemory {
    /// What this node has; `None` where the system does not tell.
    pub fn of_this_node() -> Option<Self> {
        let mut memory = Self::read(&fs::read_to_string("/proc/meminfo").ok()?)?;
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        if let Some(left) = left_in_groups(Path::new("/sys/fs/cgroup"), &groups) {
            memory.available = memory.available.min(left);
        }
        Some(memory)
    }

    fn read(meminfo: &str) -> Option<Self> {
        let line = |key: &str| meminfo.lines().find_map(|line| line.strip_prefix(key));
        let bytes = |key| line(key)?.trim().strip_suffix(" kB")?.parse::<u64>().ok()?.checked_mul(1024);
        Some(Self { total: bytes("MemTotal:")?, available: bytes("MemAvailable:")? })
    }
}

/// What the control groups (version 2) of this process and those above leave it; `None` without limits.
fn left_in_groups(root: &Path, groups: &str) -> Option<u64> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let left = |dir: &Path| {
        let limit = number(&dir.join("memory.max"))?;
        Some(limit.saturating_sub(number(&dir.join("memory.current"))?))
    };
    let dir = root.join(own);
    dir.ancestors().take_while(|dir| dir.starts_with(root)).filter_map(left).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_is_told_and_asked_where_it_listens() {
        let dir = tempfile::tempdir().unwrap();
        let client = Client { drop_caches: dir.path().join("drop"), dentry_state: dir.path().join("state") };
        assert!(client.forget().is_err() && client.names_in_memory().is_none(), "there is nothing");
        fs::write(&client.drop_caches, "").unwrap();
        fs::write(&client.dentry_state, "410032\t405183\t45\t0\t147149\t0\n").unwrap();
        client.forget().unwrap();
        assert_eq!(fs::read_to_string(&client.drop_caches).unwrap(), "3\n");
        assert_eq!(client.names_in_memory(), Some(410_032));
    }

    #[test]
    fn the_systems_words_are_understood() {
        let text = "MemTotal:       100 kB\nMemFree:  1 kB\nMemAvailable:    60 kB\n";
        assert_eq!(NodeMemory::read(text), Some(NodeMemory { total: 102_400, available: 61_440 }));
        assert_eq!(NodeMemory::read("MemTotal: 100 kB\n"), None);
        let here = NodeMemory::of_this_node().expect("Linux tells");
        assert!(here.available <= here.total && here.total > 0, "{here:?}");
    }

    #[test]
    fn the_tightest_limit_of_a_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let inner = root.path().join("job/step");
        fs::create_dir_all(&inner).unwrap();
        let put = |name: &str, text: &str| fs::write(root.path().join(name), text).unwrap();
        assert_eq!(left_in_groups(root.path(), "0::/job/step\n"), None);
        put("job/step/memory.max", "max\n");
        put("job/step/memory.current", "40\n");
        assert_eq!(left_in_groups(root.path(), "0::/job/step\n"), None);
        put("job/memory.max", "100\n");
        put("job/memory.current", "70\n");
        assert_eq!(left_in_groups(root.path(), "1:cpu:/\n0::/job/step\n"), Some(30));
        put("job/step/memory.max", "45\n");
        assert_eq!(left_in_groups(root.path(), "0::/job/step\n"), Some(5));
        assert_eq!(left_in_groups(root.path(), "1:memory:/job\n"), None);
    }
}
