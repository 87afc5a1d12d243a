//! A directory by a handle, so that another entry with its name is never read in its place.
//!
//! The owner of a directory may replace a campaign folder by a link at any time. The handle is opened without
//! following a link, and everything is then read below it.
//!
//! Never here: the files in the directory.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{self, Mode, OFlags};

/// Opens a directory only to reach what is in it.
const HANDLE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A directory that was opened.
pub(super) struct PinnedFolder {
    handle: OwnedFd,
    /// A path that leads to it while it is open.
    path: PathBuf,
}

impl PinnedFolder {
    /// Opens the directory `dir`, also if the user named a link to it.
    pub(super) fn open(dir: &Path) -> io::Result<Self> {
        Self::of(fs::open(dir, HANDLE, Mode::empty())?)
    }

    /// Opens the directory `name` in this one. A link fails.
    pub(super) fn within(&self, name: &OsStr) -> io::Result<Self> {
        Self::of(fs::openat(&self.handle, name, HANDLE.union(OFlags::NOFOLLOW), Mode::empty())?)
    }

    fn of(handle: OwnedFd) -> io::Result<Self> {
        let path = PathBuf::from(format!("/proc/self/fd/{}", handle.as_raw_fd()));
        Ok(Self { handle, path })
    }

    /// The path to read it with.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Device and number of the directory.
    pub(super) fn identity(&self) -> io::Result<(u64, u64)> {
        let facts = fs::fstat(&self.handle)?;
        Ok((facts.st_dev, facts.st_ino))
    }

    /// A message about it, with the path that the user knows.
    pub(super) fn renamed(&self, message: &str, shown: &str) -> String {
        message.replace(&self.path.display().to_string(), shown)
    }
}
