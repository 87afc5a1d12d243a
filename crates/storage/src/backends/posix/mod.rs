//! Files by `open`, `pread`, `pwrite`, `fsync`, `close`: one system call a transfer.
//!
//! Options: `odirect` adds `O_DIRECT` to every open. A close that fails is returned, because on a
//! network file system that is where a lost write is reported.

mod raw;

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use ranks::Comm;
use rustix::fs::{self, Mode as Permissions, OFlags};
use rustix::io::Errno;

use crate::backends::{Backend, BackendOption, Takes};
use crate::{File, Mode, Names, Open, PageCache, Space, Storage};
use crate::{files, residency};

pub(super) const BACKEND: Backend = Backend {
    name: "posix",
    about: "files of a mounted file system, by pread and pwrite",
    options: &[BackendOption {
        name: "odirect",
        takes: Takes::Flag,
        about: "open with O_DIRECT: transfers bypass this client's page cache",
    }],
    needs_mpi: false,
    open: |settings| Ok(Box::new(Posix { direct: settings.flag("posix.odirect") })),
};

struct Posix {
    direct: bool,
}

struct PosixFile {
    fd: OwnedFd,
}

impl Storage for Posix {
    fn open(&self, _comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let mut flags = match how.mode {
            Mode::Write => OFlags::RDWR | OFlags::CREATE,
            Mode::Read => OFlags::RDONLY,
        };
        flags |= OFlags::CLOEXEC;
        if self.direct {
            flags |= OFlags::DIRECT;
        }
        let fd = fs::open(path, flags, Permissions::from_raw_mode(0o664))?;
        Ok(Box::new(PosixFile { fd }))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        files::remove(path)
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        files::size(path)
    }

    fn space(&self, path: &Path) -> io::Result<Option<Space>> {
        files::space(path)
    }

    fn page_cache(&self, path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        residency::of(path)
    }

    fn names(&self) -> Option<&dyn Names> {
        Some(self)
    }

    fn keeps_data(&self) -> bool {
        true
    }

    fn direct(&self) -> bool {
        self.direct
    }
}

impl Names for Posix {
    fn make_dir(&self, path: &Path) -> io::Result<()> {
        match fs::mkdir(path, Permissions::RWXU) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl File for PosixFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        Ok(rustix::io::pwrite(&self.fd, data, offset)?)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(rustix::io::pread(&self.fd, data, offset)?)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(fs::fsync(&self.fd)?)
    }

    fn size(&mut self) -> io::Result<u64> {
        Ok(fs::fstat(&self.fd)?.st_size.try_into().unwrap_or(0))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        raw::close(self.fd)
    }
}
