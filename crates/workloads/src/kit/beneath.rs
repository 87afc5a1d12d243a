//! Files and the file system below them, as a rank finds them outside a phase. A rank checks whether a mount
//! is still the same, whether there was space for the written data, and whether all of it is visible. It also
//! reports how much of a read came from the page cache.
//!
//! Never here: collectives. The step that calls a check agrees on its result.

use results::reason::{Reason, reason};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ranks::Comm;
use storage::{Mode, MountedFileSystem, Open, Parts, Storage, directory_of, stored_before_full};

/// How often the size of a file is queried, with one second between two queries.
const SIZE_ASKED: u32 = 3;

/// A read is reported if more than this share of its data was in the page cache before.
const CACHED_SHARE: f64 = 0.01;

/// How a rank opens a file that no other rank opens with it.
pub fn alone(mode: Mode, bytes: u64) -> Open {
    Open { mode, shared: false, collective: false, bytes, parts: Parts::NONE }
}

/// The directories that a rank has used, and the file system of each at its first use.
#[derive(Debug, Default)]
pub struct Mounts(Vec<(PathBuf, MountedFileSystem)>);

impl Mounts {
    /// Fails if the directory of `path` is not on the file system that it was on at its first use. A mount
    /// that disappears leaves its mount point, and the test would continue there.
    pub fn same(&mut self, storage: &dyn Storage, path: &Path) -> Result<(), String> {
        if storage.mounted().is_none() {
            return Ok(());
        }
        let path = storage.system_path(path);
        let dir = directory_of(path);
        match self.0.iter().find(|(known, _)| known == dir) {
            None => {
                // If the query fails here, the open of a file in the directory reports the error.
                self.0.extend(MountedFileSystem::of(dir).ok().map(|mount| (dir.to_owned(), mount)));
                Ok(())
            }
            Some((_, mount)) if mount.holds(dir).unwrap_or(true) => Ok(()),
            Some(_) => {
                let why = "is not on the same file system as at the start. A file system was mounted or \
                           unmounted during the run. Check the mounts and run again";
                Err(format!("{} {why}", dir.display()))
            }
        }
    }
}

/// Fails if a file has holes because its file system is full. `written` bytes were written, without gaps.
/// Some MPI libraries report no error for a full file system.
pub fn has_space(storage: &dyn Storage, path: &Path, written: u64) -> Result<(), String> {
    if storage.mounted().is_none() {
        return Ok(());
    }
    // If the query fails for a file that this rank wrote, nothing is known, and this is not an error.
    match stored_before_full(storage.system_path(path), written).unwrap_or(None) {
        None => Ok(()),
        Some(taken) => Err(format!(
            "{}: the file system is full. {} were written, {} have space on it. Free space and run again",
            path.display(),
            units::bytes_binary(written as f64),
            units::bytes_binary(taken as f64)
        )),
    }
}

/// Opens a file and returns its size in bytes. If the size is below `wanted`, it tries again a few times. A
/// client may show an old size until it opens the file again. Returns 0 if the size is not available. The
/// fields of `how` other than mode and sharing are kept.
pub fn size_after_reopening(
    storage: &dyn Storage,
    comm: &dyn Comm,
    path: &Path,
    how: Open,
    wanted: u64,
) -> u64 {
    let how = Open { mode: Mode::Read, shared: false, collective: false, bytes: 0, ..how };
    let ask = || -> io::Result<u64> {
        let mut file = storage.open(comm, path, how)?;
        let size = file.size()?;
        file.close()?;
        Ok(size)
    };
    let mut found = ask().unwrap_or(0);
    for _ in 1..SIZE_ASKED {
        if found >= wanted {
            break;
        }
        std::thread::sleep(Duration::from_secs(1));
        found = ask().unwrap_or(0);
    }
    found
}

/// The notice about the read `label`, if `share` of its data was in the page cache before it. `None` if the
/// share is small or unknown.
pub fn cached_read(label: &str, share: Option<f64>) -> Option<Reason> {
    let share = share.filter(|share| *share > CACHED_SHARE)?;
    Some(reason!(CachedRead { label, share }))
}
