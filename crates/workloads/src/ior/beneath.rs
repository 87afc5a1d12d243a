//! The mounted file system beneath the files: whether it is still the same, and has what was written.
//!
//! Never here: collectives; what is found is agreed on with the step that it is part of.

use std::path::Path;

use storage::{Mount, without_room};

use super::test::Test;

/// Says no where the directory of `path` is not on the file system that it was on when it was first used: a
/// mount that goes away leaves its mount point, on which the test would go on.
pub(super) fn same(test: &mut Test<'_>, path: &Path) -> Result<(), String> {
    let storage = test.storage;
    if storage.mounted().is_none() {
        return Ok(());
    }
    let path = storage.system_path(path);
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match test.mounts.iter().find(|(known, _)| known == dir) {
        None => {
            // A directory that cannot be asked fails, with its words, when something in it is opened.
            test.mounts.extend(Mount::of(dir).ok().map(|mount| (dir.to_owned(), mount)));
            Ok(())
        }
        Some((_, mount)) if mount.holds(dir).unwrap_or(true) => Ok(()),
        Some(_) => {
            let why = "is on another file system than at the start: one was mounted or unmounted meanwhile";
            Err(format!("{} {why}", dir.display()))
        }
    }
}

/// Says no where the file of `path`, which was written whole, has holes because its file system is full: some
/// MPI libraries report no error for that.
pub(super) fn has_room(test: &Test<'_>, path: &Path) -> Result<(), String> {
    let (storage, parameters) = (test.storage, test.parameters);
    let written = parameters.layout(test.rank.comm.size()).file_bytes();
    let own = parameters.file_per_rank || test.rank.comm.rank() == 0;
    if !own || storage.mounted().is_none() {
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
