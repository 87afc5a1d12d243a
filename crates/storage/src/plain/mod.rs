//! Files of a mounted file system: the common part of the backends that open a path and use a descriptor.
//!
//! [`PlainFiles`] opens files, with O_DIRECT and a Lustre layout if the settings request them. [`PlainFile`]
//! moves bytes by `pread` and `pwrite`. [`OnMount`] combines these with the parts of a backend into a
//! storage.
//!
//! Never here: queues, mappings, locks around transfers.

mod extents;
mod gpfs;
mod lustre;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use ranks::Comm;
use rustix::fs::OFlags;
use units::Usage;

use crate::shared::{files_of_system, together};
use crate::{File, Mode, Names, Open, Queue, Quotas, Storage};
use crate::{calls, files, names, quota};
use command::Settings;
use gpfs::GpfsHints;
use lustre::LustreLayout;

pub(crate) use gpfs::KIND as GPFS;
pub(crate) use lustre::{LUSTRE, MAGIC_V1, MAGIC_V3};

/// How files are opened.
#[derive(Debug)]
pub(crate) struct PlainFiles {
    direct: bool,
    layout: LustreLayout,
    hints: Arc<GpfsHints>,
}

impl PlainFiles {
    /// As the settings of `posix` request; another backend may have its own option `odirect`, and gives no
    /// hints.
    pub(crate) fn new(backend: &str, settings: &Settings) -> Result<Self, Usage> {
        let own = settings.flag(&format!("{backend}.odirect"));
        let (direct, layout) = (own || settings.flag("posix.odirect"), LustreLayout::new(settings)?);
        Ok(Self { direct, layout, hints: Arc::default() })
    }

    /// The same with the hints to GPFS that the settings request.
    pub(crate) fn with_hints(self, settings: &Settings) -> Self {
        Self { hints: Arc::new(GpfsHints::new(settings)), ..self }
    }

    /// The same for a backend with many outstanding transfers, which cannot hold a lock around each.
    pub(crate) fn queued(backend: &str, settings: &Settings) -> Result<Self, Usage> {
        if settings.flag("posix.rangelocks") {
            return Err(Usage(format!(
                "--posix.rangelocks: only blocking transfers can hold a lock. Use POSIX, not {}",
                backend.to_uppercase()
            )));
        }
        Self::new(backend, settings)
    }

    /// Whether files are opened with O_DIRECT.
    pub(crate) fn is_direct(&self) -> bool {
        self.direct
    }

    /// The hints on open files.
    pub(crate) fn hints(&self) -> &Arc<GpfsHints> {
        &self.hints
    }

    /// Opens a file; if it is shared and gets a layout, all ranks of `comm` call this together.
    pub(crate) fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<OwnedFd> {
        let mut flags = match how.mode {
            Mode::Write => OFlags::RDWR | OFlags::CREATE,
            Mode::Read => OFlags::RDONLY,
            Mode::Update => OFlags::WRONLY,
            Mode::Truncate => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
        };
        flags |= OFlags::CLOEXEC;
        if self.direct {
            flags |= OFlags::DIRECT;
        }
        let created = match how.mode {
            Mode::Write | Mode::Truncate if self.layout.is_set() => {
                self.create(comm, path, flags, how.shared)?
            }
            _ => None,
        };
        let fd = match created {
            Some(fd) => fd,
            None => calls::open(path, flags, permissions(how.mode))?,
        };
        self.layout.ignore_locks(&fd, path)?;
        self.hints.opened(&fd, how.mode)?;
        Ok(fd)
    }

    /// Creates the file with its layout; for a shared file rank 0 does, while the others wait.
    fn create(
        &self,
        comm: &dyn Comm,
        path: &Path,
        flags: OFlags,
        shared: bool,
    ) -> io::Result<Option<OwnedFd>> {
        if !shared || comm.size() == 1 {
            return self.layout.create(path, flags);
        }
        let mine = if comm.rank() == 0 { self.layout.create(path, flags) } else { Ok(None) };
        together(comm, true, "layout", mine)
    }
}

/// The permissions of a new file, less the umask: those of IOR, or those of `dd` and shells.
fn permissions(mode: Mode) -> u32 {
    if mode == Mode::Truncate { 0o666 } else { 0o664 }
}

/// An open file; transfers use `pread` and `pwrite`.
#[derive(Debug)]
pub(crate) struct PlainFile {
    fd: Arc<OwnedFd>,
}

impl PlainFile {
    /// The file behind a descriptor.
    pub(crate) fn new(fd: OwnedFd) -> Self {
        Self { fd: Arc::new(fd) }
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl File for PlainFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        Ok(calls::pwrite(&self.fd, data, offset)?)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(calls::pread(&self.fd, data, offset)?)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(calls::fsync(&self.fd)?)
    }

    fn size(&mut self) -> io::Result<u64> {
        Ok(calls::fstat(&self.fd)?.st_size.try_into().unwrap_or(0))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        let shared = || io::Error::other("a queue still uses the file");
        calls::close(Arc::into_inner(self.fd).ok_or_else(shared)?)
    }

    fn descriptor(&self) -> Option<Arc<OwnedFd>> {
        Some(Arc::clone(&self.fd))
    }
}

/// The part of a storage on a mounted file system that differs between backends.
pub(crate) trait MountedBackend: Sync {
    /// See [`Storage::open`].
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>>;

    /// See [`Storage::queue`].
    fn queue(&self, _depth: Option<u32>, _bytes: usize) -> io::Result<Option<Box<dyn Queue>>> {
        Ok(None)
    }

    /// See [`Storage::check_queue`].
    fn check_queue(&self, _depth: Option<u32>, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    /// See [`Storage::direct`].
    fn is_direct(&self) -> bool;

    /// See [`Storage::note`].
    fn note(&self) -> Option<String> {
        None
    }
}

/// A storage on a mounted file system, made of such a part.
pub(crate) struct OnMount<T>(pub(crate) T);

impl<T: MountedBackend> Storage for OnMount<T> {
    files_of_system!();

    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        self.0.open(comm, path, how)
    }

    fn extents(&self, path: &Path) -> io::Result<Option<u64>> {
        extents::count(path)
    }

    fn sync_all(&self, path: &Path) -> io::Result<()> {
        files::sync_all(path)
    }

    fn names(&self) -> Option<&dyn Names> {
        Some(&names::MountedNames)
    }

    fn quotas(&self) -> Option<&dyn Quotas> {
        Some(&quota::MountedQuotas)
    }

    fn queue(&self, depth: Option<u32>, bytes: usize) -> io::Result<Option<Box<dyn Queue>>> {
        self.0.queue(depth, bytes)
    }

    fn check_queue(&self, depth: Option<u32>, bytes: u64) -> io::Result<()> {
        self.0.check_queue(depth, bytes)
    }

    fn direct(&self) -> bool {
        self.0.is_direct()
    }

    fn note(&self) -> Option<String> {
        self.0.note()
    }
}
