//! One operation of ageing, as the model decides it and as a rank does it.

use serde::{Deserialize, Serialize};

/// A file of a rank's tree: its directory's number and its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name {
    /// The directory; 0 is the root of the tree.
    pub(super) dir: u32,
    /// Unique; never reused.
    pub(super) number: u32,
}

/// The operation. Offsets and lengths are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Creates the directory of this number.
    MakeDir(u32),
    /// Creates a file.
    Create { name: Name, bytes: u64, sync: bool },
    /// Removes a file.
    Delete(Name),
    /// Appends to a file; whether this is the last time, as far as the model knows.
    Append { name: Name, from: u64, bytes: u64, sync: bool, last: bool },
    /// Overwrites existing data.
    Overwrite { name: Name, from: u64, bytes: u64, sync: bool },
    /// Truncates a file and writes it again.
    Rewrite { name: Name, bytes: u64, sync: bool },
    /// Renames a file.
    Rename { from: Name, to: Name },
    /// Truncates a file to a length, which may be its present one.
    Cut { name: Name, to: u64 },
}

impl Act {
    pub(super) fn written(&self) -> u64 {
        match self {
            Self::Create { bytes, .. }
            | Self::Append { bytes, .. }
            | Self::Overwrite { bytes, .. }
            | Self::Rewrite { bytes, .. } => *bytes,
            _ => 0,
        }
    }
}

/// The number of operations of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Created directories.
    pub make_dir: u64,
    /// Created files.
    pub create: u64,
    /// Removed files.
    pub delete: u64,
    /// Files that were appended to.
    pub append: u64,
    /// Files that were overwritten, in place or after truncation.
    pub overwrite: u64,
    /// Renamed files.
    pub rename: u64,
    /// Truncated files.
    pub cut: u64,
}

impl Operations {
    /// The counts, in the order of the fields.
    pub(super) fn each(&self) -> [u64; 7] {
        [self.make_dir, self.create, self.delete, self.append, self.overwrite, self.rename, self.cut]
    }

    /// The counts from numbers in the order of the fields.
    pub(super) fn from_each(each: [u64; 7]) -> Self {
        let [make_dir, create, delete, append, overwrite, rename, cut] = each;
        Self { make_dir, create, delete, append, overwrite, rename, cut }
    }

    pub(super) fn count(&mut self, act: &Act) {
        *match act {
            Act::MakeDir(_) => &mut self.make_dir,
            Act::Create { .. } => &mut self.create,
            Act::Delete(_) => &mut self.delete,
            Act::Append { .. } => &mut self.append,
            Act::Overwrite { .. } | Act::Rewrite { .. } => &mut self.overwrite,
            Act::Rename { .. } => &mut self.rename,
            Act::Cut { .. } => &mut self.cut,
        } += 1;
    }
}
