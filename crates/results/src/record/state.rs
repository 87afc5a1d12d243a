//! The state of a file system after preparation, before anything is measured on it.

use serde::{Deserialize, Serialize};

/// The required and the reached state. Shares are parts of the whole file system, 0 to 1, including the data
/// of others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReachedState {
    /// The kind of state: `age`, or `preload` (files counted in directories before the test).
    pub kind: String,
    /// The directory.
    pub dir: String,
    /// Required share of used blocks; absent if none was required.
    pub blocks_target: Option<f64>,
    /// Required share of used inodes; absent if none was required.
    pub inodes_target: Option<f64>,
    /// Share of used blocks before.
    pub blocks_before: f64,
    /// Share of used inodes before; 0 if they are not counted.
    pub inodes_before: f64,
    /// Share of used blocks now.
    pub blocks: f64,
    /// Share of used inodes now; 0 if they are not counted.
    pub inodes: f64,
    /// Size of the file system, bytes.
    pub fs_bytes: u64,
    /// Inodes of the file system; 0 if they are not counted.
    pub fs_inodes: u64,
    /// The maximum share of blocks and of inodes.
    pub ceiling: f64,
    /// Files that remain.
    pub files: u64,
    /// Directories that remain.
    pub directories: u64,
    /// Length of these files, bytes.
    pub bytes: u64,
    /// Total bytes written.
    pub written_bytes: u64,
    /// Required number of overwrite cycles.
    pub cycles_target: f64,
    /// Reached number of overwrite cycles.
    pub cycles: f64,
    /// Operations on files and directories.
    pub operations: u64,
    /// Extents after the first fill; absent if the file system does not report them.
    pub extents_first: Option<StateExtents>,
    /// Extents now; absent if the file system does not report them.
    pub extents: Option<StateExtents>,
    /// The seed of the sequence of operations.
    pub seed: u64,
    /// SHA-256 of the profile of sizes, tree and operations.
    pub profile_sha256: String,
    /// Files and directories that were recreated when the run resumed, because they were missing or had
    /// another length.
    pub made_anew: u64,
    /// Files that were removed then, because they should not exist.
    pub left_over: u64,
    /// The duration, seconds; for a resumed run, that of the last part.
    pub seconds: f64,
}

/// The fragmentation of examined files that hold bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateExtents {
    /// The number of examined files.
    pub files: u64,
    /// Their extents. Extents that are adjacent on the medium count as one.
    pub extents: u64,
    /// Files with more than one extent.
    pub fragmented: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The largest number of extents of a file.
    pub most: u64,
}

impl StateExtents {
    /// Mean number of extents per file; 0 without files.
    pub fn mean(&self) -> f64 {
        self.extents as f64 / self.files.max(1) as f64
    }

    /// Share of the files with more than one extent, 0 to 1; 0 without files.
    pub fn share_fragmented(&self) -> f64 {
        self.fragmented as f64 / self.files.max(1) as f64
    }

    /// Adds one file of `bytes` bytes.
    pub fn add(&mut self, extents: u64, bytes: u64) {
        self.files += 1;
        self.extents += extents;
        self.fragmented += u64::from(extents > 1);
        self.bytes += bytes;
        self.most = self.most.max(extents);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_counted_file_by_file() {
        let mut found = StateExtents::default();
        assert_eq!((found.mean(), found.share_fragmented()), (0.0, 0.0));
        [(1, 10), (5, 20), (0, 7), (2, 3)].into_iter().for_each(|(extents, bytes)| found.add(extents, bytes));
        assert_eq!(found, StateExtents { files: 4, extents: 8, fragmented: 2, bytes: 40, most: 5 });
        assert_eq!((found.mean(), found.share_fragmented()), (2.0, 0.5));
    }
}
