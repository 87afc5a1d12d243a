//! The directories of a run on the file system under test: made by rank 0, and removed if they are empty.

use std::ffi::CString;
use std::io;

use command::Settings;
use command::io500::PhaseLines;
use storage::{Names, Storage};
use units::Usage;

/// Those that the program itself makes.
const MADE: [&str; 2] = ["ior-easy", "ior-hard"];
/// Those that may be left, from the deepest to the data directory itself.
const LEFT: [&str; 6] = ["ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard", "mdworkbench", ""];
/// Only the user who runs it may use them.
const PERMISSIONS: u32 = 0o700;

/// The file system of the data, by the backend of the configuration if it has directories.
pub(super) fn storage(lines: &PhaseLines) -> Result<Box<dyn Storage>, Usage> {
    let api = lines.config.text("global", "api").unwrap_or_default();
    let name = api.split_ascii_whitespace().next().unwrap_or(command::POSIX);
    let opened = |name: &str| (storage::driver(name)?.open)(&Settings::default());
    let given = opened(name)?;
    if given.names().is_some() { Ok(given) } else { opened(command::POSIX) }
}

fn c_path(path: &str) -> io::Result<CString> {
    Ok(CString::new(path)?)
}

/// Makes the directories, and those above them.
pub(super) fn make(storage: &dyn Storage, lines: &PhaseLines) -> Result<(), Usage> {
    let Some(names) = storage.names() else { return Ok(()) };
    let made = MADE.iter().try_for_each(|name| {
        let path = lines.dir(name);
        let steps = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).filter(|at| *at > 0);
        steps.map(|at| &path[..at]).try_for_each(|dir| make_one(names, dir))
    });
    made.map_err(|error| Usage(format!("[global] datadir = {}: {error}.", lines.data_dir)))
}

fn make_one(names: &dyn Names, dir: &str) -> io::Result<()> {
    let path = c_path(dir)?;
    if names.stat(&path).is_ok_and(|found| found.directory) {
        return Ok(());
    }
    match names.make_dir(&path, PERMISSIONS) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

/// Removes those that are empty. Whether the data directory is gone.
pub(super) fn remove_empty(storage: &dyn Storage, lines: &PhaseLines) -> bool {
    let Some(names) = storage.names() else { return true };
    for name in LEFT {
        let dir = lines.dir(name);
        if let Ok(path) = c_path(dir.trim_end_matches('/')) {
            // One that is not empty is named at the end.
            let _ = names.remove_dir(&path);
        }
    }
    c_path(&lines.data_dir).is_ok_and(|path| names.stat(&path).is_err())
}
