//! Removes a tree that assay made: exactly the names of its shape.
//!
//! Files of other users in it are kept, and so are the directories above them. A directory that was replaced,
//! for example by a link, is not entered.

use std::io::{self, ErrorKind};
use std::path::Path;

use command::ls_lr::LsLrShape;
use ranks::{Halt, Reduce};
use storage::Names;

use super::entry_paths::EntryPaths;
use super::make::in_parts;
use super::marker::{Marker, NAME, NEW, TreeState};
use super::observer::LsLrListener;
use crate::kit::operations::{Operating, Operation, OperationSetting, OperationsDone};
use crate::kit::path::c_path;
use crate::kit::rank::Rank;

/// The state of a tree before it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeRemains {
    Nothing,
    /// Only its root exists, and it is empty.
    Root,
    /// A tree of this shape.
    Whole(LsLrShape),
    /// A part of a tree of this shape: its creation or its removal was interrupted.
    Part(LsLrShape),
}

/// Begins the removal. Rejects a directory that was not made by assay.
pub(super) fn begin(root: &Path) -> io::Result<TreeRemains> {
    match root.symlink_metadata() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(TreeRemains::Nothing),
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let Some(marker) = Marker::load(root)? else {
        if Marker::is_bare(root)? {
            return Ok(TreeRemains::Root);
        }
        return Err(io::Error::other(format!(
            "{}: ls-lr did not create this directory, so it is not removed",
            root.display()
        )));
    };
    match (Marker { state: TreeState::Removing, ..marker }).keep(root) {
        // A full file system accepts no write. The removal must still be possible, because it frees space.
        Err(error) if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {}
        other => other?,
    }
    Ok(match marker.state {
        TreeState::Whole => TreeRemains::Whole(marker.shape),
        TreeState::Making | TreeState::Removing => TreeRemains::Part(marker.shape),
    })
}

/// Removes the entries of the tree. Returns how many of this rank remain, and the first of them. Missing and
/// remaining entries are not operations of the phase. Collective.
pub(super) fn entries(
    names: &dyn Names,
    rank: &mut Rank<'_>,
    observer: &mut LsLrListener<'_>,
    setting: OperationSetting,
    (root, found): (&Path, TreeRemains),
) -> Result<(OperationsDone, u64, Option<String>), Halt> {
    let (shape, partial) = match found {
        TreeRemains::Whole(shape) => (Some(shape), false),
        TreeRemains::Part(shape) => (Some(shape), true),
        TreeRemains::Nothing | TreeRemains::Root => (None, false),
    };
    let known = shape.unwrap_or_default();
    let mut removing = Removing {
        names,
        shape: known,
        places: EntryPaths::new(root, known),
        ours: Vec::new(),
        filled: Vec::new(),
        absent: 0,
        left: 0,
        first_left: None,
    };
    let sure = if shape.is_some() { removing.look(partial) } else { Ok(()) };
    rank.comm.agree("remove", sure)?;
    let doing = Operating::begin(rank, setting, None)?;
    let items = shape.map_or(0, |shape| shape.entries);
    let mut done = in_parts("removing", doing, rank, observer, &mut removing, items)?;
    let not_removed = rank.comm.reduce_one(removing.absent + removing.left, Reduce::Sum)?;
    done.phase.ops = done.phase.ops.saturating_sub(not_removed);
    Ok((done, removing.left, removing.first_left))
}

/// Ends the removal: removes the root and its marker, unless the root holds another entry. Returns whether
/// the root was removed.
pub(super) fn end(names: &dyn Names, root: &Path) -> io::Result<bool> {
    let mut others = false;
    let ours = [NAME.as_bytes(), NEW.as_bytes()];
    names.list(&c_path(root), &mut |name, _| others |= !ours.contains(&name.to_bytes()))?;
    if !others {
        Marker::remove(root)?;
        names.remove_dir(&c_path(root))?;
    }
    Ok(!others)
}

/// Removes entry number n: first all files, then all directories, the deepest first.
struct Removing<'m> {
    names: &'m dyn Names,
    shape: LsLrShape,
    places: EntryPaths,
    /// Whether each directory, and all directories above it, still exist as directories.
    ours: Vec<bool>,
    /// Whether each directory may hold files of the tree. In a partial tree most may have none.
    filled: Vec<bool>,
    /// Entries that did not exist.
    absent: u64,
    /// Entries that remain.
    left: u64,
    first_left: Option<String>,
}

impl Removing<'_> {
    /// Finds out which directories still exist as directories. For a partial tree it also finds out which of
    /// them hold files. If a directory has none, the names of its files are not queried one by one.
    fn look(&mut self, partial: bool) -> io::Result<()> {
        let directories = self.shape.directories();
        self.ours = vec![false; directories as usize];
        self.filled = vec![false; directories as usize];
        for number in 0..directories {
            let above = number == 0 || self.ours[((number - 1) / self.shape.fan_out) as usize];
            self.ours[number as usize] = above
                && match self.names.lstat(self.places.directory(number).as_c_str()) {
                    Ok(found) => found.directory,
                    Err(error) if error.kind() == ErrorKind::NotFound => false,
                    Err(error) => return Err(error),
                };
            self.filled[number as usize] =
                self.ours[number as usize] && (!partial || self.has_files(number)?);
        }
        Ok(())
    }

    /// Whether a directory holds an entry that may be a file of the tree.
    fn has_files(&mut self, directory: u64) -> io::Result<bool> {
        let mut found = false;
        let path = self.places.directory(directory).as_c_str();
        self.names.list(path, &mut |name, _| found |= name.to_bytes().starts_with(b"f"))?;
        Ok(found)
    }

    /// The directory of entry number `item`. If the entry is a file, the directory that holds it.
    fn which(&self, item: u64) -> Result<u64, u64> {
        if item < self.shape.files() { Err(item) } else { Ok(self.shape.entries - item) }
    }

    /// Counts an entry that remains.
    fn stays(&mut self) {
        self.left += 1;
        let path = self.places.path().as_path();
        self.first_left.get_or_insert_with(|| path.display().to_string());
    }
}

impl Operation for Removing<'_> {
    fn before(&mut self, item: u64) {
        match self.which(item) {
            Ok(directory) => self.places.directory(directory),
            Err(file) => self.places.file(file),
        };
    }

    fn operate(&mut self, item: u64) -> io::Result<()> {
        let path = self.places.path().as_c_str();
        let removed = match self.which(item) {
            Ok(directory) if self.ours[directory as usize] => self.names.remove_dir(path),
            Err(file) if self.filled[self.places.directory_of(file) as usize] => self.names.unlink(path),
            _ => Err(ErrorKind::NotFound.into()),
        };
        match removed.as_ref().err().map(io::Error::kind) {
            Some(ErrorKind::NotFound) => {
                self.absent += 1;
                Ok(())
            }
            // The entry was not made by assay.
            Some(ErrorKind::DirectoryNotEmpty | ErrorKind::IsADirectory | ErrorKind::NotADirectory) => {
                self.stays();
                Ok(())
            }
            _ => removed,
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        ("remove", self.places.path().as_path())
    }
}
