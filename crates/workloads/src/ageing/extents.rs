//! In how many pieces files lie.

use serde::{Deserialize, Serialize};

/// Extents of some files, those that hold bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extents {
    /// Files that were looked at.
    pub files: u64,
    /// Their extents; those that follow each other on the medium are one.
    pub extents: u64,
    /// Files with more than one.
    pub fragmented: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The most of any file.
    pub most: u64,
}

impl Extents {
    /// Extents a file; 0 where there are no files.
    pub fn mean(&self) -> f64 {
        self.extents as f64 / self.files.max(1) as f64
    }

    /// Share of the files with more than one, 0 to 1.
    pub fn share_fragmented(&self) -> f64 {
        self.fragmented as f64 / self.files.max(1) as f64
    }

    /// One file more, of so many bytes.
    pub fn add(&mut self, extents: u64, bytes: u64) {
        self.files += 1;
        self.extents += extents;
        self.fragmented += u64::from(extents > 1);
        self.bytes += bytes;
        self.most = self.most.max(extents);
    }
}
