//! The operations on each name of a tree.
//!
//! Invariant: the system calls for a file are those that `dd` makes for its output: open with truncation, one
//! write for each block, close.

use std::ffi::{CStr, CString};
use std::io::{self, ErrorKind};
use std::path::Path;

use command::fdtree::{BLOCK, FdtreeShape};
use ranks::Comm;
use storage::{Buffer, File, Mode, Names, Storage};

use super::names::holds;
use super::walk::{TreeWalk, Which};
use crate::kit::beneath::alone;
use crate::kit::failed_call::words;
use crate::kit::operations::Operation;

/// One call for each name of a walk.
pub(super) struct NameCall<'a> {
    names: &'a dyn Names,
    walk: TreeWalk,
    name: &'static str,
    call: fn(&dyn Names, &CStr) -> io::Result<()>,
}

impl<'a> NameCall<'a> {
    /// `mkdir`, from the base down.
    pub(super) fn make_dirs(names: &'a dyn Names, shape: FdtreeShape, base: &str) -> Self {
        let walk = TreeWalk::new(shape, Which::DirectoriesDown, base);
        Self { names, walk, name: "mkdir", call: |names, path| names.make_dir(path, 0o777) }
    }

    /// `unlink`, directory by directory from the top.
    pub(super) fn remove_files(names: &'a dyn Names, shape: FdtreeShape, base: &str) -> Self {
        let walk = TreeWalk::new(shape, Which::Files, base);
        Self { names, walk, name: "unlink", call: |names, path| names.unlink(path) }
    }
}

impl Operation for NameCall<'_> {
    fn before(&mut self, _item: u64) {
        self.walk.advance();
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        (self.call)(self.names, self.walk.path().as_c_str())
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.name, self.walk.path().as_path())
    }
}

/// Files of zeros.
pub(super) struct MakeFiles<'a> {
    storage: &'a dyn Storage,
    comm: &'a dyn Comm,
    walk: TreeWalk,
    shape: FdtreeShape,
    block: Buffer,
    /// The last call made.
    call: &'static str,
}

impl<'a> MakeFiles<'a> {
    /// Fails if there is no memory for a block.
    pub(super) fn new(
        storage: &'a dyn Storage,
        comm: &'a dyn Comm,
        shape: FdtreeShape,
        base: &str,
    ) -> io::Result<Self> {
        let mut block = Buffer::new(BLOCK as usize)?;
        block.bytes_mut().fill(0);
        let walk = TreeWalk::new(shape, Which::Files, base);
        Ok(Self { storage, comm, walk, shape, block, call: "open" })
    }

    fn write(&mut self, file: &mut dyn File) -> io::Result<()> {
        self.call = "write";
        for block in 0..self.shape.blocks {
            let mut written = 0;
            while written < BLOCK {
                let rest = &self.block.bytes()[written as usize..];
                match file.write_at(rest, block * BLOCK + written)? {
                    0 => return Err(ErrorKind::WriteZero.into()),
                    more => written += more as u64,
                }
            }
        }
        Ok(())
    }
}

impl Operation for MakeFiles<'_> {
    fn before(&mut self, _item: u64) {
        self.walk.advance();
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        self.call = "open";
        let how = alone(Mode::Truncate, self.shape.file_bytes());
        let mut file = self.storage.open(self.comm, self.walk.path().as_path(), how)?;
        if let Err(error) = self.write(&mut *file) {
            // The file has already failed, so an error of the close adds nothing.
            let _ = file.close();
            return Err(error);
        }
        self.call = "close";
        file.close()
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.walk.path().as_path())
    }
}

/// `rmdir`, from the leaves up.
pub(super) struct RemoveDirs<'a> {
    names: &'a dyn Names,
    walk: TreeWalk,
    shape: FdtreeShape,
    /// Whether the phase continues after a directory that could not be removed.
    keep_going: bool,
    /// The first name found that does not belong to the tree.
    pub(super) foreign: Option<String>,
}

impl<'a> RemoveDirs<'a> {
    pub(super) fn new(names: &'a dyn Names, shape: FdtreeShape, base: &str, keep_going: bool) -> Self {
        let walk = TreeWalk::new(shape, Which::DirectoriesUp, base);
        Self { names, walk, shape, keep_going, foreign: None }
    }

    /// The reason why a directory is not empty: it has an entry that does not belong to the tree.
    #[cold]
    fn explain(&mut self, error: io::Error) -> io::Error {
        if self.foreign.is_none() && error.kind() == ErrorKind::DirectoryNotEmpty {
            self.foreign = stranger(self.names, self.shape, &self.walk);
        }
        match &self.foreign {
            // A phase that continues counts the reason by the error number.
            Some(path) if !self.keep_going => {
                let text =
                    format!("{}; {path} does not belong to the tree and was not removed", words(&error));
                storage::call_error::reworded(&error, text)
            }
            _ => error,
        }
    }
}

impl Operation for RemoveDirs<'_> {
    fn before(&mut self, _item: u64) {
        self.walk.advance();
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        self.names.remove_dir(self.walk.path().as_c_str()).map_err(|error| self.explain(error))
    }

    fn failed(&self) -> (&'static str, &Path) {
        ("rmdir", self.walk.path().as_path())
    }
}

/// The first entry of the current directory that a tree of this shape does not have.
fn stranger(names: &dyn Names, shape: FdtreeShape, walk: &TreeWalk) -> Option<String> {
    let mut found: Option<CString> = None;
    let listed = names.list(walk.path().as_c_str(), &mut |name, _| {
        let own = name.to_str().is_ok_and(|name| holds(&shape, walk.level(), name).is_some());
        // The lowest name, independent of the order in which the file system returns them.
        if !own && found.as_deref().is_none_or(|other| name < other) {
            found = Some(name.to_owned());
        }
    });
    listed.ok()?;
    Some(format!("{}{}", walk.path().as_path().display(), found?.to_string_lossy()))
}
