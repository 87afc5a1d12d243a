//! The directories of a run on the file system under test. Rank 0 makes them, and removes those that it made,
//! or all after `--cleanup`.

use std::ffi::CString;
use std::io;

use command::Settings;
use command::io500::{Effect, PhaseLines};
use storage::{Names, Storage};
use units::Usage;

use super::ReadyIo500;

/// Those that the program itself makes.
const MADE: [&str; 2] = ["ior-easy", "ior-hard"];
/// Those of all phases, in the data directory.
const ALL: [&str; 5] = ["ior-easy", "ior-hard", "mdtest-easy", "mdtest-hard", "mdworkbench"];
/// Only the user who runs it may use them.
const PERMISSIONS: u32 = 0o700;

/// The directories of the phases.
pub(super) fn paths(lines: &PhaseLines) -> impl Iterator<Item = String> {
    ALL.iter().map(|name| lines.dir(name))
}

/// The directories of a run.
#[derive(Default)]
pub(super) struct RunDirectories {
    /// Those that are removed at the end if they are empty, the deepest last.
    removable: Vec<String>,
}

impl RunDirectories {
    /// Makes the directories, and those above them. Data of others is rejected. Nothing is made for a run
    /// that only removes.
    pub(super) fn prepare(ready: &ReadyIo500) -> Result<Self, Usage> {
        let lines = &ready.lines;
        let (storage, mut prepared) = (storage(lines)?, Self::default());
        let placed = |why: String| Usage(format!("[global] datadir = {}: {why}", lines.data_dir));
        if ready.cleanup {
            let whole = ready.flag("timestamp-datadir").then(|| lines.data_dir.clone());
            prepared.removable = whole.into_iter().chain(paths(lines)).collect();
            return Ok(prepared);
        }
        if std::fs::symlink_metadata(&lines.data_dir).is_ok_and(|found| found.is_symlink()) {
            return Err(placed("a link, which a search does not follow. Give what it leads to.".to_owned()));
        }
        let names = storage.names();
        let writes = ready.phases().filter(|phase| ready.is_wanted(phase));
        for phase in writes.filter(|phase| phase.effect == Effect::Writes || phase.record.0 == "precreate") {
            let dir = lines.dir(phase.parent);
            if has_entries(names, &dir) {
                return Err(placed(format!("{dir} has data already. Choose another one.")));
            }
        }
        prepared.make(names, lines).map_err(|error| placed(format!("{error}.")))?;
        Ok(prepared)
    }

    fn make(&mut self, names: Option<&dyn Names>, lines: &PhaseLines) -> io::Result<()> {
        let Some(names) = names else { return Ok(()) };
        for path in MADE.map(|name| lines.dir(name)) {
            let steps = path.match_indices('/').map(|(at, _)| at).chain([path.len()]).filter(|at| *at > 0);
            for dir in steps.map(|at| &path[..at]) {
                if make_one(names, dir)? && dir.starts_with(&lines.data_dir) {
                    self.removable.push(dir.to_owned());
                }
            }
        }
        // The phases make theirs, and remove them.
        self.removable.extend(ALL.iter().filter(|name| !MADE.contains(name)).map(|name| lines.dir(name)));
        Ok(())
    }

    /// Removes what may be removed and is empty. Gives the directories of phases that still have data.
    pub(super) fn remove_empty(&self, lines: &PhaseLines) -> Vec<String> {
        let Ok(storage) = storage(lines) else { return Vec::new() };
        let Some(names) = storage.names() else { return Vec::new() };
        for dir in self.removable.iter().rev() {
            if let Ok(path) = CString::new(dir.as_str()) {
                // One that is not empty is named below.
                let _ = names.remove_dir(&path);
            }
        }
        paths(lines).filter(|dir| has_entries(Some(names), dir)).collect()
    }
}

/// The file system of the data, by the backend of the configuration if it has directories.
fn storage(lines: &PhaseLines) -> Result<Box<dyn Storage>, Usage> {
    let api = lines.config.text("global", "api").unwrap_or_default();
    let name = api.split_ascii_whitespace().next().unwrap_or(command::POSIX);
    let opened = |name: &str| (storage::driver(name)?.open)(&Settings::default());
    let given = opened(name)?;
    if given.names().is_none() {
        return opened(command::POSIX);
    }
    given.load()?;
    Ok(given)
}

fn has_entries(names: Option<&dyn Names>, dir: &str) -> bool {
    let (Some(names), Ok(path)) = (names, CString::new(dir)) else { return false };
    names.list(&path, &mut |_, _| ()).is_ok_and(|entries| entries > 0)
}

/// Makes a directory. False if it exists.
fn make_one(names: &dyn Names, dir: &str) -> io::Result<bool> {
    let path = CString::new(dir)?;
    if names.stat(&path).is_ok_and(|found| found.directory) {
        return Ok(false);
    }
    match names.make_dir(&path, PERMISSIONS) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        done => done.map(|()| true),
    }
}
