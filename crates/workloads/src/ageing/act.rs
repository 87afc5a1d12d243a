//! One operation of ageing, as the model decides it and as it is done.

use serde::{Deserialize, Serialize};

/// A file of a rank's tree: its directory's number and its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name {
    /// The directory; 0 is the root of the tree.
    pub(super) dir: u32,
    /// Never given twice.
    pub(super) number: u32,
}

/// What is done. Offsets and lengths are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Makes the directory of this number.
    MakeDir(u32),
    /// Makes a file.
    Create { name: Name, bytes: u64, sync: bool },
    /// Removes one.
    Delete(Name),
    /// Writes on at its end; for the last time, as far as is known.
    Append { name: Name, from: u64, bytes: u64, sync: bool, last: bool },
    /// Writes over what is there.
    Overwrite { name: Name, from: u64, bytes: u64, sync: bool },
    /// Truncates a file and writes it again.
    Rewrite { name: Name, bytes: u64, sync: bool },
    /// Gives a file another name.
    Rename { from: Name, to: Name },
    /// Cuts a file to a length, which may be its own.
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

/// How often what was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operations {
    /// Directories made.
    pub make_dir: u64,
    /// Files made.
    pub create: u64,
    /// Files removed.
    pub delete: u64,
    /// Files written on at their end.
    pub append: u64,
    /// Files that were overwritten, in place or after truncation.
    pub overwrite: u64,
    /// Files that got another name.
    pub rename: u64,
    /// Files cut.
    pub cut: u64,
}

impl Operations {
    /// In the order of the fields.
    pub(super) fn each(&self) -> [u64; 7] {
        [self.make_dir, self.create, self.delete, self.append, self.overwrite, self.rename, self.cut]
    }

    /// From numbers in the order of the fields.
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
