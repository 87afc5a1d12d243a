//! `dataset.json`: what a dataset consists of, so that whoever reads it later knows that it is still that.
//!
//! It lies in the folder of the job that made the dataset, and beside the files where these are kept for
//! later campaigns; there it is written last, so that files without it were never finished.
//!
//! Invariant: a field is added with a default, never renamed.
//! Never here: finding files, judging them.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Layout;
use super::load::{json, named};
use super::write::to_json;
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
    /// When it was found whole, RFC 3339.
    pub made: String,
    /// The folder of the campaign that made it, as it was then.
    pub campaign: String,
    /// When that campaign began, RFC 3339.
    pub campaign_started: String,
    /// Seconds after `made` for which later campaigns may use it; absent where it goes with its campaign.
    #[serde(default)]
    pub keep_s: Option<f64>,
    /// Regular files in all.
    pub files: u64,
    /// Their sizes, bytes; 0 where they were only counted.
    pub bytes: u64,
    /// Bytes that the file system has given them; absent where it does not tell, or where they were only
    /// counted.
    #[serde(default)]
    pub allocated_bytes: Option<u64>,
    /// Each file, by path; empty where they were only counted.
    #[serde(default)]
    pub list: Vec<DatasetFile>,
    /// How many files each directory has, by path; empty where each file is listed.
    #[serde(default)]
    pub counted: Vec<(String, u64)>,
    /// What was read at some places.
    #[serde(default)]
    pub samples: Vec<Sample>,
    /// Why it could not be looked at, as the system says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Why files that an earlier campaign had kept were not used, if there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<Reason>,
    /// How it was found, where an earlier campaign made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused: Option<DatasetReuse>,
}

/// All that decides what a dataset is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// Program and version.
    pub tool: String,
    /// The command of the workload.
    pub workload: String,
    /// The words behind it, with the values of the plan's parameters, and with `{dir}` still in them.
    pub words: Vec<String>,
    /// Commands that ran before, with `{dir}` still in them.
    pub setup: Vec<String>,
    /// Ranks in all.
    pub ranks: u32,
    /// Nodes, where the plan says how many.
    pub nodes: Option<u32>,
    /// Ranks on each node, where the plan says how many.
    pub ppn: Option<u32>,
    /// Type of the file system, such as `lustre`.
    pub kind: String,
    /// What is mounted: a device, a server.
    pub device: String,
}

/// One file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetFile {
    /// Relative to the dataset's directory.
    pub path: String,
    /// Whether it is one of those that the records are about; others lie beside, such as a status file.
    pub data: bool,
    /// Size, bytes.
    pub bytes: u64,
    /// Bytes that the file system has given it.
    pub allocated_bytes: u64,
    /// Time of the last change, nanoseconds since 1970.
    pub mtime_ns: i64,
    /// How it is laid out, where the file system tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
}

/// What was read at one place of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// The file, relative to the dataset's directory.
    pub path: String,
    /// From the file's beginning, bytes.
    pub offset: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Their SHA-256, hexadecimal.
    pub sha256: String,
}

/// How a dataset was found that an earlier campaign made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatasetReuse {
    /// When it was looked at, RFC 3339.
    pub taken: String,
    /// Files whose size and time of change were as before, or that were counted.
    pub files: u64,
    /// Samples that were read again and were the same.
    pub samples: u64,
}

impl Manifest {
    /// Reads the manifest at `path`; the error names the file.
    pub fn load(path: &Path) -> io::Result<Self> {
        json(path)
    }

    /// Writes it to `path`, durable and whole or not at all.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        super::write_whole(path, &to_json(self)?).map_err(|error| named(path, &error))
    }

    /// The files that the records are about.
    pub fn data(&self) -> impl Iterator<Item = &DatasetFile> {
        self.list.iter().filter(|file| file.data)
    }
}
