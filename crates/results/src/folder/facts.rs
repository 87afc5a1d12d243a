//! Facts of machines, file systems and programs, as stored in a campaign folder.
//!
//! Invariant: a new field has a default, and a field is never renamed. Unknown facts are empty or absent.
//! Never here: collecting the facts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use units::words;

/// Facts of the machine that runs the campaign, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Time of recording, RFC 3339.
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
    /// Scaling governors of the processor's cores, the distinct ones; empty if the kernel reports none.
    pub governor: String,
    /// Whether the clock is synchronized, as reported by the system's time service.
    pub time_sync: String,
    /// The kernel's clock source, such as `tsc`.
    pub clock_source: String,
    /// Limits of this process by the kernel's names, soft and hard, with the unit.
    pub limits: BTreeMap<String, String>,
    /// The file systems of the plan.
    pub file_systems: Vec<FileSystemFacts>,
    /// The hosts that start ranks by ssh, as each of them reported before the first job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostFacts>,
}

impl Machine {
    /// The file system with this name in the plan.
    pub fn file_system(&self, name: &str) -> Option<&FileSystemFacts> {
        self.file_systems.iter().find(|fs| fs.name == name)
    }
}

/// A host that starts ranks by ssh, as the program reports it there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Its name in the plan.
    pub name: String,
    /// Its own host name.
    pub host: String,
    /// The architecture of its processors, such as `x86_64`.
    pub arch: String,
    /// Kernel name and release.
    pub kernel: String,
    /// The program that runs workloads there.
    pub program: Program,
    /// The process of the launcher that starts the ranks there.
    pub proxy: Program,
    /// The version of the MPI library, as that library reports it.
    pub mpi: String,
    /// The MPI library, and the libraries that it moves data with.
    pub libraries: Vec<LoadedLibrary>,
    /// By path: the type of the file system of each directory under test; empty if it is missing.
    pub dirs: BTreeMap<String, String>,
    /// A hash of all copied files; empty if nothing was copied.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub copied: String,
}

/// One file system under test, at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FileSystemFacts {
    /// Its name in the plan, such as `scratch`.
    pub name: String,
    /// The directory used.
    pub dir: String,
    /// Its mount point.
    pub mount: String,
    /// The mounted device: a device file, or a server with its export.
    pub device: String,
    /// Type, such as `ext4` or `lustre`.
    pub kind: String,
    /// Mount options.
    pub options: String,
    /// Size, bytes.
    pub bytes: u64,
    /// Used, bytes. With `bytes_free` the sum is less than `bytes` if blocks are reserved for root.
    pub bytes_used: u64,
    /// Free for this user, bytes.
    pub bytes_free: u64,
    /// Inodes; 0 if the file system does not count them.
    pub inodes: u64,
    /// Free inodes.
    pub inodes_free: u64,
    /// The kernel's lines of all mounts above and below the directory.
    pub mounts: Vec<String>,
    /// The layout of files in the directory, if the file system reports it.
    pub layout: Option<Layout>,
    /// Its storage targets, if it reports them.
    pub targets: Vec<Target>,
    /// Files and directories of other file systems that it lies on, the highest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backing: Vec<BackingLayer>,
}

/// Whether file systems of this type keep their data in memory.
pub fn is_memory(fs: &str) -> bool {
    matches!(fs, "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs")
}

/// A file or directory that a file system lies on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackingLayer {
    /// How the file system above uses it.
    pub kind: LayerKind,
    /// Its path, or the device in memory.
    pub place: String,
    /// The type of the file system that it is on; empty if it is not known here.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub fs: String,
    /// The device of that file system.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub device: String,
    /// Whether a loop device bypasses the page cache of that file system.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub direct: bool,
}

words! {
    /// How a file system uses what it lies on.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum LayerKind {
        /// A file as a block device.
        #[default]
        Loop = "loop",
        /// A directory of an overlay.
        Overlay = "overlay",
        /// A block device in memory.
        Memory = "memory",
    }
}

impl BackingLayer {
    /// Whether its data is in memory.
    pub fn is_in_memory(&self) -> bool {
        self.kind == LayerKind::Memory || is_memory(&self.fs)
    }

    /// Whether it is known what it lies on.
    pub fn is_resolved(&self) -> bool {
        self.kind == LayerKind::Memory || !self.fs.is_empty()
    }

    /// In words, such as `loop: /srv/image on ext4 /dev/sda2`.
    pub fn words(&self) -> String {
        let on = match (self.kind, self.fs.as_str()) {
            (LayerKind::Memory, _) => String::new(),
            (_, "") => " on an unknown file system".to_owned(),
            (_, fs) => format!(" on {fs} {}", self.device),
        };
        format!("{}: {}{on}", self.kind.word(), self.place)
    }
}

/// The utilization of a file system at one moment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Fill {
    /// Used, bytes.
    pub bytes_used: u64,
    /// Free for this user, bytes.
    pub bytes_free: u64,
    /// Used inodes; 0 if the file system does not count them.
    pub inodes_used: u64,
    /// Free inodes.
    pub inodes_free: u64,
    /// Its storage targets, if it reports them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
}

/// What a block device of the campaign's node wrote during a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceWrites {
    /// Its number, `MAJOR:MINOR`.
    pub number: String,
    /// Bytes, also those of other programs.
    pub bytes: u64,
    /// The id of the node's kernel since it booted; empty if it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub boot_id: String,
}

/// A storage target of a file system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// Its name, such as `scratch-OST0003`.
    pub name: String,
    /// Used, bytes.
    pub bytes_used: u64,
    /// Free, bytes.
    pub bytes_free: u64,
}

/// The layout of files over targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Number of targets of a file; -1 for all.
    pub stripe_count: i64,
    /// Bytes on one target before the next target follows.
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
    /// The commit that it was built from; empty if the build did not know it.
    pub commit: String,
    /// `release` or `debug`.
    pub profile: String,
    /// The processor and system that it was built for, such as `x86_64-linux`.
    pub target: String,
    /// The compiler; empty if the build did not know it.
    pub rustc: String,
}

/// A program that takes part, as found on this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its file.
    pub path: String,
    /// The first line of its version output.
    pub version: String,
    /// SHA-256 of its file, hexadecimal.
    pub sha256: String,
}

/// A library that a job had loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadedLibrary {
    /// Its file. The file name ends with the version.
    pub path: String,
    /// SHA-256 of that file, hexadecimal; empty if it is not on this machine.
    pub sha256: String,
}
