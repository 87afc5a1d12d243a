//! `dataset.json`: the contents of a dataset, so that later readers can check that it is unchanged.
//!
//! It is in the folder of the job that made the dataset. If the files are kept for later campaigns, a copy is
//! next to them. This copy is written last, so that files without it were never finished.
//!
//! Invariant: a new field has a default, and a field is never renamed.
//! Never here: searching files, evaluating them.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::json::{json, named, to_json};
use super::{Layout, beneath};
use crate::reason::Reason;

/// The version of this format that this program writes.
pub const DATASET_SCHEMA: u32 = 1;

/// Files that were made once for several readers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the format, [`DATASET_SCHEMA`].
    pub schema: u32,
    /// Its name in the plan.
    pub name: String,
    /// How it was made.
    pub recipe: Recipe,
    /// SHA-256 of the recipe, hexadecimal.
    pub recipe_sha256: String,
    /// When it was complete, RFC 3339.
    pub made: String,
    /// The folder of the campaign that made it, at that time.
    pub campaign: String,
    /// When that campaign began, RFC 3339.
    pub campaign_started: String,
    /// How long later campaigns may use it after `made`, seconds; absent if it is removed with its campaign.
    pub keep_s: Option<f64>,
    /// Regular files in all.
    pub files: u64,
    /// Total size, bytes; 0 if the files were only counted.
    pub bytes: u64,
    /// Allocated bytes; absent if the file system does not report them, or if the files were only counted.
    pub allocated_bytes: Option<u64>,
    /// Each file, by path; empty if the files were only counted.
    pub list: Vec<DatasetFile>,
    /// The number of files in each directory, by path; empty if each file is listed.
    pub counted: Vec<(String, u64)>,
    /// Samples of its contents.
    pub samples: Vec<Sample>,
    /// The error of the system if it could not be examined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Why kept files of an earlier campaign were not used, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<Reason>,
    /// The state in which it was found, if an earlier campaign made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reused: Option<DatasetReuse>,
}

/// All facts that determine a dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Program and version.
    pub tool: String,
    /// The command of the workload.
    pub workload: String,
    /// Its arguments, with the values of the plan's parameters, and with `{dir}` unreplaced.
    pub words: Vec<String>,
    /// Commands that ran before, with `{dir}` unreplaced.
    pub setup: Vec<String>,
    /// Total number of ranks.
    pub ranks: u32,
    /// Nodes, if the plan states their number.
    pub nodes: Option<u32>,
    /// Ranks on each node, if the plan states their number.
    pub ppn: Option<u32>,
    /// Type of the file system, such as `lustre`.
    pub kind: String,
    /// The mounted device: a device file, or a server with its export.
    pub device: String,
    /// The number of the key of its data; absent without a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_key: Option<String>,
}

/// One file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetFile {
    /// Relative to the dataset's directory.
    pub path: String,
    /// Whether the records are about it. Other files, such as a status file, may be in the same directory.
    pub data: bool,
    /// Size, bytes.
    pub bytes: u64,
    /// Allocated bytes.
    pub allocated_bytes: u64,
    /// Modification time, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Its layout, if the file system reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
}

/// A sample of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The file, relative to the dataset's directory.
    pub path: String,
    /// Offset in the file, bytes.
    pub offset: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Their SHA-256, hexadecimal.
    pub sha256: String,
}

/// The state of a dataset that an earlier campaign made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetReuse {
    /// When it was examined, RFC 3339.
    pub taken: String,
    /// Files with unchanged size and modification time, or counted files.
    pub files: u64,
    /// Samples that were read again and matched.
    pub samples: u64,
}

impl Manifest {
    /// Reads the manifest at `path`; the error names the file.
    pub fn load(path: &Path) -> io::Result<Self> {
        let (dir, name) = beneath::split(path);
        json(dir, &name.to_string_lossy())
    }

    /// Writes it to `path`, completely or not at all, and flushes it to storage.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        super::write_whole(path, &to_json(self)?).map_err(|error| named(path, &error))
    }

    /// The files that the records are about.
    pub fn data(&self) -> impl Iterator<Item = &DatasetFile> {
        self.list.iter().filter(|file| file.data)
    }
}
