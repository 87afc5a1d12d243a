//! Facts of machines, file systems and programs, as they are kept in a campaign's folder.
//!
//! Invariant: a field is added with a default, never renamed; what is not known is empty or absent.
//! Never here: finding facts out.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Facts of the machine that runs the campaign, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// When, RFC 3339.
    pub taken: String,
    /// Host name.
    pub host: String,
    /// Kernel name and release.
    pub kernel: String,
    /// Distribution, from os-release.
    pub os: String,
    /// Processor model.
    pub cpu: String,
    /// Usable cores.
    pub cores: u32,
    /// Main memory, bytes.
    pub memory_bytes: u64,
    /// Load average of the last minute.
    pub load: f64,
    /// Scaling governors of the processor's cores, the distinct ones; empty where the kernel tells none.
    #[serde(default)]
    pub governor: String,
    /// Whether the clock is held to another one, in the words of the system's own service.
    #[serde(default)]
    pub time_sync: String,
    /// The kernel's clock source, such as `tsc`.
    #[serde(default)]
    pub clock_source: String,
    /// Limits of this process by the kernel's names for them, soft and hard with the unit.
    #[serde(default)]
    pub limits: BTreeMap<String, String>,
    /// The file systems of the plan.
    pub file_systems: Vec<FileSystemFacts>,
}

impl Machine {
    /// The file system that the plan calls `name`.
    pub fn file_system(&self, name: &str) -> Option<&FileSystemFacts> {
        self.file_systems.iter().find(|fs| fs.name == name)
    }
}

/// One file system under test, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileSystemFacts {
    /// Its name in the plan, such as `scratch`.
    pub name: String,
    /// The directory used.
    pub dir: String,
    /// Where it is mounted.
    pub mount: String,
    /// What is mounted: a device, a server.
    pub device: String,
    /// Type, such as `ext4` or `lustre`.
    pub kind: String,
    /// Mount options.
    pub options: String,
    /// Size, bytes.
    pub bytes: u64,
    /// In use, bytes. With `bytes_free` it adds up to less than `bytes` where blocks are reserved for root.
    #[serde(default)]
    pub bytes_used: u64,
    /// Free for this user, bytes.
    pub bytes_free: u64,
    /// Inodes; 0 where the file system does not count them.
    pub inodes: u64,
    /// Free inodes.
    pub inodes_free: u64,
    /// The kernel's lines of all mounts on the way to the directory and below it.
    #[serde(default)]
    pub mounts: Vec<String>,
    /// How files of the directory are laid out, where the file system tells.
    #[serde(default)]
    pub layout: Option<Layout>,
    /// Its targets, where they are told apart.
    #[serde(default)]
    pub targets: Vec<Target>,
}

/// How full a file system is, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// In use, bytes.
    pub bytes_used: u64,
    /// Free for this user, bytes.
    pub bytes_free: u64,
    /// Inodes in use; 0 where the file system does not count them.
    pub inodes_used: u64,
    /// Free inodes.
    pub inodes_free: u64,
    /// Its targets, where they are told apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
}

/// One server's part of a file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its name, such as `scratch-OST0003`.
    pub name: String,
    /// In use, bytes.
    pub bytes_used: u64,
    /// Free, bytes.
    pub bytes_free: u64,
}

/// How files are laid out over targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Targets of a file; -1 for all.
    pub stripe_count: i64,
    /// Bytes on a target before the next one's turn.
    pub stripe_bytes: u64,
    /// The pool of targets, empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pool: String,
}

/// How this program was built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Its version.
    pub version: String,
    /// The commit that it was built of; empty where the build was not told.
    pub commit: String,
    /// `release` or `debug`.
    pub profile: String,
    /// Processor and system that it was built for, such as `x86_64-linux`.
    pub target: String,
    /// The compiler; empty where the build was not told.
    pub rustc: String,
}

/// A program that takes part, as it lies on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its file.
    pub path: String,
    /// What it says of itself, the first line.
    pub version: String,
    /// SHA-256 of its file, hexadecimal.
    pub sha256: String,
}

/// A library that a job had loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedLibrary {
    /// Its file, whose name ends in its version.
    pub path: String,
    /// SHA-256 of that file, hexadecimal; empty where it is not on this machine.
    pub sha256: String,
}
