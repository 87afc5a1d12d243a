//! The traits of a system under test.

use std::io;
use std::path::Path;

use ranks::Comm;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Writing: created when absent, kept as it is when present (no truncation).
    Write,
    /// Reading only.
    Read,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// For what.
    pub mode: Mode,
    /// All ranks of the communicator open the same file, and calls may be collective.
    pub shared: bool,
    /// Transfers are collective calls where the backend has such.
    pub collective: bool,
}

/// Room of the file system that holds a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// Size in bytes, as the file system's blocks times its block size.
    pub bytes: u64,
    /// Bytes not in use.
    pub bytes_free: u64,
    /// Bytes an ordinary user may still write.
    pub bytes_available: u64,
    /// Inodes; 0 where the file system does not count them.
    pub inodes: u64,
    /// Inodes not in use.
    pub inodes_free: u64,
}

/// A system that holds files.
pub trait Storage: Sync {
    /// Opens a file; with `how.shared` all ranks of `comm` call this together.
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>>;

    /// Removes a file; one that does not exist is an error.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Size of a file in bytes; `None` where there is no such file.
    fn size(&self, path: &Path) -> io::Result<Option<u64>>;

    /// Room of the file system that holds `path`, which exists; `None` where that means nothing.
    fn space(&self, path: &Path) -> io::Result<Option<Space>>;

    /// Directories and names, where there are any.
    fn names(&self) -> Option<&dyn Names> {
        None
    }

    /// This client's cache of a file, where it can be asked and answers truthfully; through a handle of
    /// its own.
    fn page_cache(&self, _path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        Ok(None)
    }

    /// Whether syncing and closing a shared file are calls that all its ranks have to make together.
    fn is_collective(&self) -> bool {
        false
    }

    /// Whether what is written can be read back; a system that only counts keeps nothing.
    fn keeps_data(&self) -> bool;

    /// Whether transfers bypass this client's page cache.
    fn direct(&self) -> bool;
}

/// An open file. Offsets and lengths are bytes.
pub trait File: Send {
    /// Writes from `data` at `offset`; returns how many bytes were taken, which may be fewer.
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize>;

    /// Reads into `data` from `offset`; returns how many bytes came, 0 at the end of the file.
    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Makes everything written through this file durable.
    fn sync(&mut self) -> io::Result<()>;

    /// Size of the file, bytes.
    fn size(&mut self) -> io::Result<u64>;

    /// Closes the file; a failed close is a result.
    fn close(self: Box<Self>) -> io::Result<()>;
}

/// The ability to look into and empty this client's page cache of one file.
pub trait PageCache {
    /// Share of the pages of these ranges (offset and length in bytes; of each at most the first
    /// 256 KiB) that are in memory, 0 to 1; looking changes nothing.
    fn resident(&mut self, ranges: &[(u64, u64)]) -> io::Result<f64>;

    /// Drops the file's clean pages from memory, after writing the dirty ones.
    fn evict(&mut self) -> io::Result<()>;
}

/// The ability to hold directories.
pub trait Names: Sync {
    /// Makes a directory for its owner alone; one that exists already is not an error.
    fn make_dir(&self, path: &Path) -> io::Result<()>;
}
