//! How much memory a node has left.
//!
//! Asking for more than there is does not fail but ends in the killing of processes, so a workload that takes
//! much asks here first.
//!
//! Never here: how much of it a workload may take.

use std::path::Path;

/// Memory of a node, bytes.
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
        let mut memory = Self::read(&std::fs::read_to_string("/proc/meminfo").ok()?)?;
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
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
    let number = |path: &Path| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
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
        std::fs::create_dir_all(&inner).unwrap();
        let put = |name: &str, text: &str| std::fs::write(root.path().join(name), text).unwrap();
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
