//! The most that is read from a campaign folder or an archive, which may come from a stranger.
//!
//! Invariant: each limit is far above what a campaign writes. `docs/reference/evidence.md` lists them.

use std::io::{self, ErrorKind};
use std::path::Path;

use units::{GIB, MIB};

/// The plan, bytes.
pub(crate) const PLAN_BYTES_MAX: u64 = 16 * MIB;
/// A file with one JSON value, such as `job.json`, bytes.
pub(crate) const JSON_BYTES_MAX: u64 = 256 * MIB;
/// The hash chain, bytes.
pub(crate) const CHAIN_BYTES_MAX: u64 = GIB;
/// The records of a job, bytes.
pub(crate) const RECORDS_BYTES_MAX: u64 = GIB;
/// One record, bytes.
pub(crate) const RECORD_BYTES_MAX: u64 = 64 * MIB;
/// The ranks of all phases of a job together.
pub(crate) const RANK_RESULTS_MAX: u64 = 1 << 28;
/// The standard output of a job that is compared with its records, bytes. A longer one is not compared.
pub(crate) const PRINTED_BYTES_MAX: u64 = MIB;
/// Calls that ranks of a job did not return from, in the files of all its processes.
pub(super) const WAITS_MAX: WaitsLimit = WaitsLimit { calls: 100_000, bytes: 64 * MIB };
/// The report, bytes.
pub(crate) const REPORT_BYTES_MAX: u64 = GIB;
/// Directories inside each other, from the campaign folder down.
pub(crate) const DEPTH_MAX: usize = 256;
/// A name or a link target in an archive, bytes.
pub(crate) const NAME_BYTES_MAX: u64 = 4096;

/// The most calls, and the most bytes of their files, that are read of one job.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitsLimit {
    pub(super) calls: usize,
    pub(super) bytes: u64,
}

/// Rejects a path of too many directories inside each other.
pub(super) fn depth(path: &Path) -> io::Result<()> {
    match path.components().count() > DEPTH_MAX {
        true => Err(io::Error::other(format!("more than {DEPTH_MAX} directories are inside each other"))),
        false => Ok(()),
    }
}

/// What an entry of an archive counts in addition to its bytes: a block of a file system. Else empty entries,
/// which compress very well, would have no limit but their number.
pub(super) const ENTRY_BYTES: u64 = 4096;

/// The most that an archive may contain.
pub(super) struct UnpackLimits {
    /// The files together, bytes, with [`ENTRY_BYTES`] for each.
    pub(super) bytes: u64,
    /// The entries.
    pub(super) entries: u64,
    /// Unpacked bytes for each byte of the archive.
    pub(super) ratio: u64,
    /// The unpacked bytes from which the ratio counts, because small files may be compressed better.
    pub(super) ratio_from: u64,
}

impl Default for UnpackLimits {
    fn default() -> Self {
        Self { bytes: 64 * GIB, entries: 4_000_000, ratio: 100, ratio_from: 64 * MIB }
    }
}

impl UnpackLimits {
    /// Rejects an archive of `packed` bytes with this many unpacked bytes and entries, if that is too much.
    pub(super) fn accept(&self, bytes: u64, entries: u64, packed: u64) -> io::Result<()> {
        let Self { bytes: bytes_max, entries: entries_max, ratio, ratio_from } = self;
        let what = if bytes > *bytes_max {
            format!("its files have more than {bytes_max} bytes together")
        } else if entries > *entries_max {
            format!("it has more than {entries_max} entries")
        } else if bytes > *ratio_from && bytes > ratio.saturating_mul(packed) {
            format!("it would be unpacked to more than {ratio} times its size")
        } else {
            return Ok(());
        };
        Err(io::Error::new(ErrorKind::InvalidData, format!("{what}, the limit for an archive")))
    }
}
