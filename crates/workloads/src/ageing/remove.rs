//! Removal of the created files, and of no others.
//!
//! The created files follow from the marker and the ranks' states. The sequence is replayed in memory, and
//! exactly the files that exist at its end are removed. Other files stay, and so do the directories that
//! contain them.
//!
//! Invariant: without a marker nothing is removed. A directory that was replaced, for example by a link, is
//! not entered.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ranks::{Comm, Halt, Reduce};
use storage::{Names, Storage};

use super::act::{Act, Name};
use super::audit::number;
use super::begin::{REJECTED, look_around, sequence};
use super::model::AgeingModel;
use super::part::{next_of_all, replay};
use super::profile::Profile;
use super::state::{self, AgeingMarker, AgeingState, MARKER, Odometer, SEQUENCE, StatePlaces, at, gone};
use super::tree::DirectoryTree;
use crate::kit::few;
use crate::kit::path::PathBuffer;
use crate::kit::reduce;

/// The largest number of foreign files that are reported.
const REPORTED_MAX: usize = 20;

/// The result of a removal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Removed files, over all ranks.
    pub files: u64,
    /// Removed directories, over all ranks.
    pub dirs: u64,
    /// Foreign names that were not removed, over all ranks.
    pub foreign: u64,
    /// Some of these names, on rank 0.
    pub named: Vec<String>,
}

/// Removes the files that were created in `dir`. Collective. The number of ranks may differ from that of the
/// run.
pub fn remove(comm: &dyn Comm, storage: &dyn Storage, dir: &Path) -> Result<Removed, Halt> {
    let marker = reduce::from_rank_0(comm, REJECTED, || known(dir))?;
    let names = storage.names().ok_or("this backend has no directories");
    let names = comm.agree(REJECTED, names)?;
    let mut removed = Removed::default();
    let done = (comm.rank()..marker.ranks)
        .step_by(comm.size() as usize)
        .try_for_each(|rank| remove_rank(names, dir, &marker, rank.into(), &mut removed));
    comm.agree("remove", done)?;
    let left = comm.reduce_one(removed.foreign, Reduce::Sum)?;
    let own = if comm.rank() == 0 { remove_marker(dir, left == 0, &mut removed) } else { Ok(()) };
    comm.agree("remove", own)?;
    gathered(comm, removed)
}

/// The marker of a directory whose sequence is known to this program.
fn known(dir: &Path) -> Result<AgeingMarker, String> {
    let path = dir.join(MARKER);
    match state::load::<AgeingMarker>(&path)? {
        None => Err(format!("{}: there is no {MARKER} in it, so nothing is removed", dir.display())),
        Some(marker) if marker.sequence != SEQUENCE => Err(format!(
            "{}: was made by another version of this program, whose names are others; remove it with that",
            dir.display()
        )),
        Some(marker) => Ok(marker),
    }
}

fn gathered(comm: &dyn Comm, removed: Removed) -> Result<Removed, Halt> {
    let mut sums = [removed.files, removed.dirs, removed.foreign];
    comm.all_reduce(&mut sums, Reduce::Sum)?;
    // A name can contain a newline, but never a NUL.
    let mine = (!removed.named.is_empty()).then(|| removed.named.join("\0"));
    let collected = few::collect(comm, mine.as_deref())?;
    let names = |text: &str| text.split('\0').map(str::to_owned).collect();
    let named = collected.parcels.iter().map(|(_, text)| names(text)).collect();
    let named = few::in_turn(named, REPORTED_MAX);
    Ok(Removed { files: sums[0], dirs: sums[1], foreign: sums[2], named })
}

impl Removed {
    fn leave(&mut self, path: &Path) {
        self.foreign += 1;
        let path = path.display().to_string();
        let length: usize = self.named.iter().map(|name| name.len() + 1).sum();
        if self.named.len() < REPORTED_MAX && length + path.len() <= few::BYTES {
            self.named.push(path);
        }
    }
}

/// The files and directories of one rank at the end of its sequence.
struct LeftNames {
    files: Vec<Name>,
    model: AgeingModel,
}

/// The files of a rank at its last recorded state, with the unfinished operation done or not done.
fn left(marker: &AgeingMarker, places: &StatePlaces, rank: u64) -> Result<LeftNames, String> {
    let state: AgeingState = state::load(&places.state)?.unwrap_or_default();
    let done = Odometer::read(&places.odometer)?;
    let profile = Profile::read(&marker.profile).map_err(|usage| usage.0)?;
    let (_, model) = sequence(marker, &profile, rank)?;
    let mut model = model.ok_or("its sizes fit no more")?;
    let mut leg = 0;
    replay(&mut model, &state, done, &mut leg)
        .map_err(|why| format!("{}: {why}", places.odometer.display()))?;
    let mut files: Vec<Name> = model.files.iter().map(|file| file.name).collect();
    let under_way = next_of_all(&mut model, &state, &mut leg);
    if let Some(Act::Create { name, .. } | Act::Rename { to: name, .. }) = under_way {
        files.push(name);
    }
    files.sort_unstable();
    Ok(LeftNames { files, model })
}

fn remove_rank(
    names: &dyn Names,
    dir: &Path,
    marker: &AgeingMarker,
    rank: u64,
    removed: &mut Removed,
) -> Result<(), String> {
    let places = StatePlaces::of(dir, rank);
    match fs::symlink_metadata(&places.rank_dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(at(&places.rank_dir, &error)),
        Ok(found) if !found.is_dir() => {
            removed.leave(&places.rank_dir);
            return Ok(());
        }
        Ok(_) => {}
    }
    let lock = if places.odometer.exists() { Some(Odometer::open(&places.odometer)?) } else { None };
    let left = left(marker, &places, rank)?;
    let before = removed.foreign;
    let ours = ours(names, &places.tree, &left.model.tree, removed)?;
    // Subdirectories have greater numbers than their parents.
    for dir in (0..left.model.tree.count() as u32).rev().filter(|dir| ours[*dir as usize]) {
        remove_dir(names, &places.tree, &left, dir, removed)?;
    }
    let own = [&places.state, &places.odometer, &places.tree].map(|path| path.as_path());
    let staged = state::staged(&places.state);
    for name in fs::read_dir(&places.rank_dir).map_err(|error| at(&places.rank_dir, &error))? {
        let path = name.map_err(|error| at(&places.rank_dir, &error))?.path();
        if !own.contains(&path.as_path()) && path != staged {
            removed.leave(&path);
        }
    }
    // The state is needed until all files are removed.
    if removed.foreign > before {
        return Ok(());
    }
    drop(lock);
    for path in [&staged, &places.odometer, &places.state] {
        gone(fs::remove_file(path)).map_err(|error| at(path, &error))?;
    }
    fs::remove_dir(&places.rank_dir).map_err(|error| at(&places.rank_dir, &error))
}

/// The directories that still exist as directories, together with their parents. Other entries with their
/// names stay.
fn ours(
    names: &dyn Names,
    root: &Path,
    tree: &DirectoryTree,
    removed: &mut Removed,
) -> Result<Vec<bool>, String> {
    let (mut path, mut way) = (PathBuffer::new(root), Vec::new());
    let length = path.len();
    let mut ours: Vec<bool> = Vec::with_capacity(tree.count() as usize);
    for dir in 0..tree.count() as u32 {
        let above = dir == 0 || tree.parent(dir).is_some_and(|parent| ours[parent as usize]);
        tree.path(dir, (&mut path, length), &mut way);
        let found = if above { names.lstat(path.as_c_str()) } else { Err(ErrorKind::NotFound.into()) };
        ours.push(found.as_ref().is_ok_and(|entry| entry.directory));
        match found {
            Ok(entry) if !entry.directory => removed.leave(path.as_path()),
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(at(path.as_path(), &error)),
            _ => {}
        }
    }
    Ok(ours)
}

/// Removes the known files of a directory, and the directory if it is then empty.
fn remove_dir(
    names: &dyn Names,
    root: &Path,
    left: &LeftNames,
    dir: u32,
    removed: &mut Removed,
) -> Result<(), String> {
    let mut path = PathBuffer::new(root);
    let root = path.len();
    left.model.tree.path(dir, (&mut path, root), &mut Vec::new());
    let length = path.len();
    let (mut ours, mut foreign) = (Vec::new(), Vec::new());
    let listed = names.list(path.as_c_str(), &mut |name, is_dir| {
        let file = number(name, b'f').filter(|_| is_dir != Some(true));
        match file.map(|number| Name { dir, number }) {
            Some(name) if left.files.binary_search(&name).is_ok() => ours.push(name),
            _ => foreign.push(name.to_owned()),
        }
    });
    match listed {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        listed => listed.map_err(|error| at(path.as_path(), &error))?,
    };
    for name in ours {
        path.cut(length);
        path.push("/f").number(name.number.into());
        gone(names.unlink(path.as_c_str())).map_err(|error| at(path.as_path(), &error))?;
        removed.files += 1;
    }
    path.cut(length);
    // Remaining directories of the tree contain foreign files, which were reported.
    let is_tree = |name: &std::ffi::CStr| {
        number(name, b'd').is_some_and(|child| child != 0 && left.model.tree.parent(child) == Some(dir))
    };
    let strange = foreign.iter().filter(|name| !is_tree(name));
    strange
        .for_each(|name| removed.leave(&path.as_path().join(std::ffi::OsStr::from_bytes(name.to_bytes()))));
    if foreign.is_empty() {
        gone(names.remove_dir(path.as_c_str())).map_err(|error| at(path.as_path(), &error))?;
        removed.dirs += 1;
    }
    Ok(())
}

/// Names the other entries of the directory, and removes the marker if everything that it describes is gone.
fn remove_marker(dir: &Path, all_gone: bool, removed: &mut Removed) -> Result<(), String> {
    let around = look_around(dir).map_err(|error| at(dir, &error))?;
    let left = around.strangers;
    if !all_gone {
        // A directory with foreign entries is not foreign itself.
        let own = |name: &std::ffi::OsStr| name.as_bytes().starts_with(b"rank.");
        left.iter().filter(|name| !own(name)).for_each(|name| removed.leave(&dir.join(name)));
        return Ok(());
    }
    left.iter().for_each(|name| removed.leave(&dir.join(name)));
    // From a run that started at the same time and was rejected.
    around.unused.iter().try_for_each(StatePlaces::remove_unused)?;
    let marker: PathBuf = dir.join(MARKER);
    gone(fs::remove_file(state::staged(&marker))).map_err(|error| at(&marker, &error))?;
    fs::remove_file(&marker).map_err(|error| at(&marker, &error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranks::local;

    #[test]
    fn each_of_many_ranks_names_some_foreign_entries_and_all_are_counted() {
        let all = local::run(8, |comm| {
            let mut removed = Removed::default();
            for number in 0..if comm.rank() % 2 == 0 { 100 } else { 0 } {
                removed.leave(Path::new(&format!("rank.{}/a\nname {number}", comm.rank())));
            }
            gathered(comm, removed)
        });
        let all: Vec<Removed> = all.into_iter().map(|one| one.unwrap().unwrap()).collect();
        assert!(all.iter().all(|one| one.foreign == 400), "{all:?}");
        let of = |rank: u32| {
            all[0].named.iter().filter(|name| name.starts_with(&format!("rank.{rank}/a\n"))).count()
        };
        assert_eq!(([0, 2, 4, 6].map(of), all[0].named.len()), ([5; 4], REPORTED_MAX));
    }
}
