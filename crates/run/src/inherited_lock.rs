//! A lock on a whole file, which jobs that are started meanwhile can inherit.
//!
//! Invariant: as long as this process or a job that inherited the lock lives on this node, no other process
//! gets it.
//! Never here: which file, and what to say where another process holds it.

use std::cell::Cell;
use std::fs::File;
use std::io;

use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, FdFlags, fcntl_setfd};

/// The lock, until dropped.
pub(crate) struct InheritedLock {
    file: File,
    /// Whether a job lives on that has inherited it.
    outlived: Cell<bool>,
}

impl InheritedLock {
    /// Locks `file`; `None` where another process holds it. Where the file system knows no locks the file is
    /// taken as locked.
    pub(crate) fn take(file: File) -> io::Result<Option<Self>> {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOLCK | Errno::INVAL) | Ok(()) => {
                Ok(Some(Self { file, outlived: Cell::new(false) }))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Has what is started from now on inherit it, or not: a daemon that a command of the plan leaves
    /// behind is none of the campaign's jobs.
    pub(crate) fn lend(&self, lent: bool) -> io::Result<()> {
        let flags = if lent { FdFlags::empty() } else { FdFlags::CLOEXEC };
        Ok(fcntl_setfd(&self.file, flags)?)
    }

    /// Leaves it to a job that lives on.
    pub(crate) fn leave(&self) {
        self.outlived.set(true);
    }
}

impl Drop for InheritedLock {
    fn drop(&mut self) {
        // Also for what inherited the file: a campaign that ends in order leaves no job behind.
        if !self.outlived.get() {
            let _ = flock(&self.file, FlockOperation::Unlock);
        }
    }
}
