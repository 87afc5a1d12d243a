//! Files by `open`, `pread`, `pwrite`, `fsync`, `close` of the C library: one call a transfer.
//!
//! Options: `odirect` adds `O_DIRECT` to every open. `rangelocks` holds a lock of the transfer's range around
//! each transfer. `lustre.…` gives new files a layout, and `gpfs.…` gives hints on open files. A failed close
//! is returned, because on a network file system it is the close that reports a lost write.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use ranks::Comm;

use crate::backends::Driver;
use crate::locks::{self, Lock, Owner, Range};
use crate::plain::{MountedBackend, OnMount, PlainFile, PlainFiles};
use crate::{File, Open};

pub(super) const DRIVER: Driver = Driver {
    name: "posix",
    library: None,
    open: |settings| {
        let plain = PlainFiles::new("posix", settings)?.with_hints(settings);
        Ok(Box::new(OnMount(Posix { plain, locks: settings.flag("posix.rangelocks") })))
    },
};

struct Posix {
    plain: PlainFiles,
    locks: bool,
}

impl MountedBackend for Posix {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let file = PlainFile::new(self.plain.open(comm, path, how)?);
        let file: Box<dyn File> = if self.locks { Box::new(LockedFile(file)) } else { Box::new(file) };
        Ok(self.plain.hints().around(file))
    }

    fn is_direct(&self) -> bool {
        self.plain.is_direct()
    }

    fn note(&self) -> Option<String> {
        self.plain.hints().note()
    }
}

/// A file whose transfers each hold a lock of their range.
struct LockedFile(PlainFile);

impl LockedFile {
    fn locked(
        &mut self,
        lock: Lock,
        offset: u64,
        length: usize,
        transfer: impl FnOnce(&mut PlainFile) -> io::Result<usize>,
    ) -> io::Result<usize> {
        if length == 0 {
            // A lock of length 0 would reach to the end of the file.
            return transfer(&mut self.0);
        }
        self.hold(lock, offset, length)?;
        let moved = transfer(&mut self.0);
        self.hold(Lock::None, offset, length)?;
        moved
    }

    fn hold(&self, lock: Lock, offset: u64, length: usize) -> io::Result<()> {
        // A lock of the open file, not of the process. Ranks may be threads of one process, which do not
        // exclude each other by locks of a process.
        locks::set(
            self.0.fd(),
            Owner::Description,
            lock,
            Range { start: offset, length: length as u64 },
            true,
        )
        .map_err(|error| crate::call_error::reworded(&error, format!("lock of a range: {error}")))
    }
}

impl File for LockedFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        self.locked(Lock::Write, offset, data.len(), |file| file.write_at(data, offset))
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        self.locked(Lock::Read, offset, data.len(), |file| file.read_at(data, offset))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync()
    }

    fn size(&mut self) -> io::Result<u64> {
        self.0.size()
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        Box::new(self.0).close()
    }

    fn descriptor(&self) -> Option<Arc<OwnedFd>> {
        self.0.descriptor()
    }
}
