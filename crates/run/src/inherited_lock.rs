//! A lock on a whole file. Jobs that are started meanwhile can inherit it.
//!
//! Invariant: no other process gets the lock as long as this process, or a job that inherited it, is alive on
//! this node.
//! Never here: which file, and the message if another process has the lock.

use std::cell::Cell;
use std::fs::File;
use std::io;

use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, FdFlags, fcntl_setfd};

/// The lock. It is released when dropped.
pub(crate) struct InheritedLock {
    file: File,
    /// Whether a job that inherited it is still alive.
    outlived: Cell<bool>,
}

impl InheritedLock {
    /// Locks `file`; `None` if another process has the lock. On a file system without locks it always
    /// succeeds.
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

    /// Lets processes that are started from now on inherit the lock, or not. A daemon that a command of the
    /// plan starts must not inherit it, because it is not a job of the campaign.
    pub(crate) fn lend(&self, lent: bool) -> io::Result<()> {
        let flags = if lent { FdFlags::empty() } else { FdFlags::CLOEXEC };
        Ok(fcntl_setfd(&self.file, flags)?)
    }

    /// Leaves the lock to a job that is still alive.
    pub(crate) fn leave(&self) {
        self.outlived.set(true);
    }
}

impl Drop for InheritedLock {
    fn drop(&mut self) {
        // This also unlocks it for processes that inherited the file. A campaign that ends normally leaves no
        // jobs.
        if !self.outlived.get() {
            let _ = flock(&self.file, FlockOperation::Unlock);
        }
    }
}
