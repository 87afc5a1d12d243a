//! Files by `open`, `pread`, `pwrite`, `fsync`, `close` of the C library: one call a transfer.
//!
//! Options: `odirect` adds `O_DIRECT` to every open. `rangelocks` holds a lock of the transfer's range around
//! each transfer. `lustre.…` gives new files a layout. A failed close is returned, because on a network file
//! system it is the close that reports a lost write.

use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use ranks::Comm;

use crate::backends::{Abilities, Backend, Takes, idle, option};
use crate::locks::{self, Lock, Owner, Range};
use crate::plain::{LUSTRE_OPTIONS, MountedBackend, ODIRECT, OnMount, PlainFile, PlainFiles};
use crate::{File, Open};

pub(super) const BACKEND: Backend = Backend {
    name: "posix",
    about: "files of a mounted file system, by pread and pwrite",
    options: &[
        idle("beegfs.ChunkSize", Takes::Size, NO_BEEGFS),
        idle("beegfs.NumTargets", Takes::Number, NO_BEEGFS),
        idle("gpfs.createsharing", Takes::Flag, NO_GPFS),
        idle("gpfs.finegrainreadsharing", Takes::Flag, NO_GPFS),
        idle("gpfs.finegrainwritesharing", Takes::Flag, NO_GPFS),
        idle("gpfs.hintaccess", Takes::Flag, NO_GPFS),
        idle("gpfs.releasetoken", Takes::Flag, NO_GPFS),
        LUSTRE_OPTIONS[0],
        LUSTRE_OPTIONS[1],
        LUSTRE_OPTIONS[2],
        LUSTRE_OPTIONS[3],
        LUSTRE_OPTIONS[4],
        ODIRECT,
        option("rangelocks", Takes::Flag, "hold a lock of its range around each transfer"),
    ],
    also_takes: &[],
    abilities: Abilities::PLAIN,
    needs_mpi: false,
    library: None,
    open: |settings| {
        let plain = PlainFiles::new("posix", settings)?;
        Ok(Box::new(OnMount(Posix { plain, locks: settings.flag("posix.rangelocks") })))
    },
};

/// Why the options for GPFS have no effect.
const NO_GPFS: &str = "this program gives no hints to GPFS";
/// Why the options for BeeGFS have no effect.
const NO_BEEGFS: &str = "files get the layout of their directory. Set it there with beegfs-ctl.";

struct Posix {
    plain: PlainFiles,
    locks: bool,
}

impl MountedBackend for Posix {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let file = PlainFile::new(self.plain.open(comm, path, how)?);
        Ok(if self.locks { Box::new(LockedFile(file)) } else { Box::new(file) })
    }

    fn is_direct(&self) -> bool {
        self.plain.is_direct()
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
        let fd = self.0.descriptor().expect("a plain file has one");
        // A lock of the open file, not of the process. Ranks may be threads of one process, which do not
        // exclude each other by locks of a process.
        locks::set(fd, Owner::Description, lock, Range { start: offset, length: length as u64 }, true)
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

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.0.descriptor()
    }
}
