//! What the kernel counted during a phase, beside what the program counted itself: bytes and time.
//!
//! Never here: how much a measurement may differ from it.

use serde::{Deserialize, Serialize};

use super::is_zero;

/// Bytes that the kernel counted from the preparation of a phase to its record, over all processes of the run
/// (proc(5), `/proc/PID/io`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelCount {
    /// How many processes were counted. Local ranks are threads of one process.
    pub processes: u32,
    /// Processes whose bytes the kernel did not count. The bytes below are then only those of the others.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub uncounted: u32,
    /// Bytes that the processes caused to be fetched from a block device or a server (`read_bytes`).
    pub read_bytes: u64,
    /// Bytes of pages that they changed and that must reach storage, and of direct writes (`write_bytes`).
    pub written_bytes: u64,
    /// Bytes of all reading calls (`rchar`), also of those that the page cache served.
    pub read_call_bytes: u64,
    /// Bytes of all writing calls (`wchar`).
    pub write_call_bytes: u64,
    /// The number of processes that another process traced when the phase was prepared or recorded.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub traced: u32,
    /// The highest seccomp mode of a process then: 0 none, 1 strict, 2 a filter.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub seccomp: u32,
    /// What the clients of a network file system counted; absent on other file systems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mount: Option<MountCount>,
}

/// Bytes that the client of a network file system counted for a mount, over all nodes of the run. Other
/// programs on these nodes are in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MountCount {
    /// Where the count is from: `mountstats` (NFS: bytes to and from the server) or `llite` (Lustre: bytes of
    /// calls, also of those that the client's cache served).
    pub source: String,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}

impl MountCount {
    /// The source of NFS.
    pub const NFS: &'static str = "mountstats";
    /// The source of Lustre.
    pub const LUSTRE: &'static str = "llite";
}

/// The pace of the ranks' clocks during a phase, compared with two clocks of the kernel. Each value is the
/// largest difference of any rank, as a share: 0.01 is one second in a hundred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockPace {
    /// The shortest time that a rank compared, seconds.
    pub seconds: f64,
    /// Against `CLOCK_MONOTONIC_RAW`.
    pub raw: f64,
    /// Against `CLOCK_REALTIME`.
    pub wall: f64,
}
