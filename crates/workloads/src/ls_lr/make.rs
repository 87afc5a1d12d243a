//! Creates a tree: directories first, then files. Each rank creates its own. At the end the entries are
//! counted by a listing.
//!
//! An interrupted creation is resumed: an existing directory is kept, and a file is opened again. Nothing is
//! emptied or removed here.

use std::ffi::{CStr, CString};
use std::io::{self, ErrorKind};
use std::path::Path;

use command::ls_lr::LsLrShape;
use ranks::{Comm, Halt};
use storage::{Mode, Names, Storage, call_error};

use super::entry_paths::EntryPaths;
use super::marker::{Marker, TreeState};
use super::observer::{LsLrEvent, LsLrListener};
use crate::kit::beneath::alone;
use crate::kit::drive::Stop;
use crate::kit::failed_call::{words, wrong_count};
use crate::kit::operations::{Operating, Operation, OperationSetting, OperationsDone};
use crate::kit::order::TransferOrder;
use crate::kit::path::{PathBuffer, c_path};
use crate::kit::rank::Rank;

/// Number of entries between two progress reports.
const TELL_EVERY: u64 = 512;

/// The state of a tree before it is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    /// A part of it exists: its creation was interrupted.
    Part,
    Whole,
}

/// Begins the tree of this rank. Rejects a directory that was not made by assay.
pub(super) fn begin(names: &dyn Names, root: &Path, shape: LsLrShape) -> io::Result<Before> {
    let rejected = |why: &str| Err(io::Error::other(format!("{}: {why}", root.display())));
    match names.make_dir(&c_path(root), 0o775) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => match Marker::load(root)? {
            None if Marker::is_bare(root)? => {}
            None => {
                return rejected("ls-lr did not create this directory. Move it or choose another directory");
            }
            Some(Marker { state: TreeState::Removing, .. }) => {
                return rejected("its removal was interrupted. Complete the removal with --remove");
            }
            Some(marker) if marker.shape != shape => {
                return rejected("this tree has another shape. Remove it with --remove");
            }
            Some(Marker { state: TreeState::Making, .. }) => return Ok(Before::Part),
            Some(_) => return Ok(Before::Whole),
        },
        Err(error) => {
            let text = format!("{}: mkdir: {}", root.display(), words(&error));
            return Err(call_error::reworded(&error, text));
        }
    }
    if let Err(error) = (Marker { state: TreeState::Making, shape }).keep(root) {
        // Without its marker, a later run cannot recognize the tree.
        let _ = names.remove_dir(&c_path(root));
        return Err(error);
    }
    Ok(Before::Nothing)
}

/// Creates the entries of the tree. A rank without work has nothing to do. Collective.
pub(super) fn entries(
    storage: &dyn Storage,
    names: &dyn Names,
    rank: &mut Rank<'_>,
    observer: &mut LsLrListener<'_>,
    setting: OperationSetting,
    tree: (&Path, LsLrShape, bool),
) -> Result<OperationsDone, Halt> {
    let (root, shape, wanted) = tree;
    let data = vec![b'a'; shape.bytes.min(1 << 20) as usize];
    let places = EntryPaths::new(root, shape);
    let mut making = Making { storage, names, comm: rank.comm, shape, places, data, call: "mkdir" };
    let doing = Operating::begin(rank, setting, None)?;
    let items = if wanted { shape.entries } else { 0 };
    in_parts("making", doing, rank, observer, &mut making, items)
}

/// Does the items of a phase and reports the progress from time to time. Collective.
pub(super) fn in_parts(
    what: &'static str,
    mut doing: Operating,
    rank: &mut Rank<'_>,
    observer: &mut LsLrListener<'_>,
    operation: &mut dyn Operation,
    items: u64,
) -> Result<OperationsDone, Halt> {
    let mut order = TransferOrder::items(items);
    let mut reached = 0;
    while reached < items && !doing.has_failed() && !rank.comm.alarm_raised() {
        let stop = Stop::after((reached + TELL_EVERY).min(items));
        reached = doing.run(rank, operation, &mut order, reached, stop).0;
        observer.event(&LsLrEvent::Going { what, done: reached, of: items });
    }
    doing.end(rank, || Ok(()))
}

/// Completes a tree: counts its entries by a listing, compares, and marks it as complete.
pub(super) fn end(names: &dyn Names, root: &Path, shape: LsLrShape) -> io::Result<u64> {
    let counted = count(names, root)?;
    if counted != shape.entries {
        let (root, wanted) = (root.display(), shape.entries);
        let text = format!("{root}: the listing returns {counted} entries instead of {wanted}");
        return Err(wrong_count(counted, wanted, text));
    }
    Marker { state: TreeState::Whole, shape }.keep(root)?;
    Ok(counted)
}

/// The number of names that are listed below a directory, without names that begin with a dot.
pub(super) fn count(names: &dyn Names, root: &Path) -> io::Result<u64> {
    let mut pending = vec![c_path(root)];
    let mut count = 0;
    while let Some(directory) = pending.pop() {
        let mut unsure = Vec::new();
        let mut path = PathBuffer::default();
        path.push_name(&directory).push("/");
        let base = path.len();
        let each = &mut |name: &CStr, is_directory: Option<bool>| {
            if name.to_bytes().starts_with(b".") {
                return;
            }
            count += 1;
            path.cut(base);
            let whole = || -> CString { path.push_name(name).as_c_str().to_owned() };
            match is_directory {
                Some(true) => pending.push({ whole }()),
                Some(false) => {}
                None => unsure.push({ whole }()),
            }
        };
        names.list(&directory, each)?;
        for path in unsure {
            if names.lstat(&path)?.directory {
                pending.push(path);
            }
        }
    }
    Ok(count)
}

/// Creates entry number n: first all directories, each after its parent, then all files.
struct Making<'m> {
    storage: &'m dyn Storage,
    names: &'m dyn Names,
    comm: &'m dyn Comm,
    shape: LsLrShape,
    places: EntryPaths,
    /// Bytes that one call writes.
    data: Vec<u8>,
    call: &'static str,
}

impl Making<'_> {
    fn directory(&self) -> io::Result<()> {
        match self.names.make_dir(self.places.path().as_c_str(), 0o775) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }

    fn file(&self) -> io::Result<()> {
        let how = alone(Mode::Write, self.shape.bytes);
        let mut file = self.storage.open(self.comm, self.places.path().as_path(), how)?;
        let mut written = 0;
        while written < self.shape.bytes {
            let part = (self.shape.bytes - written).min(self.data.len() as u64) as usize;
            match file.write_at(&self.data[..part], written)? {
                0 => return Err(call_error::short("the write call wrote 0 bytes")),
                moved => written += moved as u64,
            }
        }
        file.close()
    }
}

impl Operation for Making<'_> {
    fn before(&mut self, item: u64) {
        let directories = self.shape.directories() - 1;
        if item < directories {
            self.places.directory(item + 1);
            self.call = "mkdir";
        } else {
            self.places.file(item - directories);
            self.call = "create";
        }
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        if self.call == "mkdir" { self.directory() } else { self.file() }
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.places.path().as_path())
    }
}
