//! The mounted file system beneath the files: whether it is still the same, and has what was written.
//!
//! Never here: collectives; what is found is agreed on with the step that it is part of.

use std::path::{Path, PathBuf};

use storage::{MountedFileSystem, Storage, without_room};

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
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
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
