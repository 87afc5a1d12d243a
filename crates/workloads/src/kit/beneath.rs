//! Files and the file system beneath them as they are found from outside of a phase: whether a mount is still
//! the same, has room for what was written and shows all of it, and what of it is in the page cache.
//!
//! Never here: collectives; what is found is agreed on with the step that it is part of.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ranks::Comm;
use storage::{Mode, MountedFileSystem, Open, Parts, Storage, directory_of, without_room};

/// How often a file's size is asked for, a second apart.
const SIZE_ASKED: u32 = 3;

/// A read of which more than this share was cached beforehand is marked.
const CACHED_SHARE: f64 = 0.01;

/// How a file is opened that no other rank opens with this one.
pub fn alone(mode: Mode, bytes: u64) -> Open {
    Open { mode, shared: false, collective: false, bytes, parts: Parts::NONE }
}

/// The directories that a rank has used, and on which file system they were then.
#[derive(Debug, Default)]
pub struct Mounts(Vec<(PathBuf, MountedFileSystem)>);

impl Mounts {
    /// Says no where the directory of `path` is not on the file system that it was on when it was first used:
    /// a mount that goes away leaves its mount point, on which the test would go on.
    pub fn same(&mut self, storage: &dyn Storage, path: &Path) -> Result<(), String> {
        if storage.mounted().is_none() {
            return Ok(());
        }
        let path = storage.system_path(path);
        let dir = directory_of(path);
        match self.0.iter().find(|(known, _)| known == dir) {
            None => {
                // A directory that cannot be asked fails, with its words, when something in it is opened.
                self.0.extend(MountedFileSystem::of(dir).ok().map(|mount| (dir.to_owned(), mount)));
                Ok(())
            }
            Some((_, mount)) if mount.holds(dir).unwrap_or(true) => Ok(()),
            Some(_) => {
                let why =
                    "is on another file system than at the start: one was mounted or unmounted meanwhile";
                Err(format!("{} {why}", dir.display()))
            }
        }
    }
}

/// Says no where a file, of which so many bytes were written and none left out, has holes because its file
/// system is full: some MPI libraries report no error for that.
pub fn has_room(storage: &dyn Storage, path: &Path, written: u64) -> Result<(), String> {
    if storage.mounted().is_none() {
        return Ok(());
    }
    // Who cannot ask that of what he has just written knows nothing of it.
    match without_room(storage.system_path(path), written).unwrap_or(None) {
        None => Ok(()),
        Some(taken) => Err(format!(
            "{}: the file system is full: of {} written, {} have room behind them",
            path.display(),
            units::bytes_binary(written as f64),
            units::bytes_binary(taken as f64)
        )),
    }
}

/// The size of a file in bytes by opening it, a few times until it has `wanted` of them: a client may go on
/// showing the size it knew before other clients wrote, until it opens the file again. 0 where it cannot be
/// had. What `how` says beside the mode and the sharing is kept.
pub fn size_asked_anew(storage: &dyn Storage, comm: &dyn Comm, path: &Path, how: Open, wanted: u64) -> u64 {
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

/// What is to be told of the read that `label` names, where this `share` of its data, if that is known, was
/// cached beforehand; nothing where that was little.
pub fn cached_read(label: &str, share: Option<f64>) -> Option<String> {
    let percent = 100.0 * share.filter(|share| *share > CACHED_SHARE)?;
    Some(format!(
        "{label}: {percent:.0} % of the data was in this client's page cache before it was read; this is the \
         speed of memory, not of the file system"
    ))
}
