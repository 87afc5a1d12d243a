//! What this client's kernel reports independently of any file system: how many dentries it caches, and how
//! much memory is free.
//!
//! Never here: when to drop caches, how much of the memory a workload may take.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use ffi::system_call::{KernelClock, read_clock};

/// The files by which the kernel is queried and controlled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Writing to it drops caches.
    pub drop_caches: PathBuf,
    /// Its first number is how many dentries are in memory.
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
    /// Writes dirty data to storage, then drops the page cache, dentries and inodes of the whole node. Only
    /// root may do this.
    pub fn drop_all_caches(&self) -> io::Result<()> {
        let file = fs::OpenOptions::new().write(true).open(&self.drop_caches)?;
        rustix::fs::sync();
        io::Write::write_all(&mut &file, b"3\n")
    }

    /// How many dentries the node has in memory; `None` where the kernel does not report it.
    pub fn dentries_in_memory(&self) -> Option<u64> {
        fs::read_to_string(&self.dentry_state).ok()?.split_whitespace().next()?.parse().ok()
    }
}

/// A number that no other program can foresee, from the kernel's random numbers. A sample that it selects
/// cannot be prepared for.
pub fn unforeseen() -> u64 {
    let mut bytes = [0; 8];
    // Without random numbers of the kernel (before Linux 3.17), the place of a variable is still hard to
    // guess.
    match rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty()) {
        Ok(8) => u64::from_ne_bytes(bytes),
        _ => bytes.as_ptr().addr() as u64,
    }
}

/// Memory of a node, bytes. An allocation beyond it does not fail; the kernel kills processes instead. A
/// workload that needs much memory therefore checks here first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeMemory {
    /// The whole memory of the node.
    pub total: u64,
    /// Memory that is available without swapping and within the limit of this job's control group.
    pub available: u64,
}

impl NodeMemory {
    /// The memory of this node; `None` where the system does not report it.
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

/// What the control groups (version 2) of this process and their parents leave it; `None` without limits.
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
    fn caches_are_dropped_and_dentries_counted_through_the_given_files() {
        let dir = tempfile::tempdir().unwrap();
        let client = Client { drop_caches: dir.path().join("drop"), dentry_state: dir.path().join("state") };
        assert!(
            client.drop_all_caches().is_err() && client.dentries_in_memory().is_none(),
            "the files do not exist"
        );
        fs::write(&client.drop_caches, "").unwrap();
        fs::write(&client.dentry_state, "410032\t405183\t45\t0\t147149\t0\n").unwrap();
        client.drop_all_caches().unwrap();
        assert_eq!(fs::read_to_string(&client.drop_caches).unwrap(), "3\n");
        assert_eq!(client.dentries_in_memory(), Some(410_032));
    }

    #[test]
    fn the_memory_is_read_from_meminfo() {
        let text = "MemTotal:       100 kB\nMemFree:  1 kB\nMemAvailable:    60 kB\n";
        assert_eq!(NodeMemory::read(text), Some(NodeMemory { total: 102_400, available: 61_440 }));
        assert_eq!(NodeMemory::read("MemTotal: 100 kB\n"), None);
        let here = NodeMemory::of_this_node().expect("Linux reports it");
        assert!(here.available <= here.total && here.total > 0, "{here:?}");
    }

    #[test]
    fn the_smallest_limit_of_the_control_groups_applies() {
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
