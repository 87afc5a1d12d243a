//! On which file systems the files of a phase are.

use serde::{Deserialize, Serialize};

use super::is_zero;

/// The files that the ranks of a phase opened, after links were followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedFiles {
    /// The type of the file system of rank 0's file, such as `lustre`.
    pub kind: String,
    /// Its device: a device file, a server with its export, or any other text.
    pub device: String,
    /// Its number in the mount table of rank 0's node, `MAJOR:MINOR`.
    pub number: String,
    /// Inode of rank 0's file.
    pub inode: u64,
    /// Ranks whose file is on another file system than its directory: a link leads there, or something is
    /// mounted on the file.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stray: u32,
    /// Ranks whose file is a link to another file on the file system of its directory.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub linked: u32,
    /// Some of these files, at most [`OpenedFiles::CAP`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<StrayFile>,
}

/// A file that is not where its name is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrayFile {
    /// The rank that used it.
    pub rank: u32,
    /// Its name, as the rank opened it.
    pub path: String,
    /// Its place after links were followed.
    pub place: String,
    /// The type and the device of the file system there.
    pub found: String,
    /// The same of the directory of its name.
    pub expected: String,
}

impl OpenedFiles {
    /// The most files that a record lists.
    pub const CAP: usize = 5;
}
