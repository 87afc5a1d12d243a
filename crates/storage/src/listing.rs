//! The calls by which `ls -l` and `find` read directories and their entries, one by one as GNU ls 9.1 makes
//! them.
//!
//! `Names` reads all attributes, which costs more on some file systems: another server may hold the size of a
//! file. Here the calls request only what `ls -l` shows.
//!
//! Never here: the order of the calls, and the meaning of an error.

use std::ffi::CStr;
use std::io;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// Anything else: a file, a socket, a device.
    Other,
    /// Unknown: the system did not report it along with the name.
    #[default]
    Unknown,
}

/// Identifies a directory among all directories of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirectoryIdentity {
    /// Device numbers.
    pub device: (u32, u32),
    /// Inode number.
    pub inode: u64,
}

/// What `ls -l` needs to know of an entry for its further calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListedEntry {
    /// Its kind.
    pub kind: EntryKind,
    /// Device numbers.
    pub device: (u32, u32),
}

/// What `find` compares of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntryStatus {
    /// Its kind.
    pub kind: EntryKind,
    /// Its size.
    pub bytes: u64,
    /// When its status changed (`st_ctim`): seconds since 1970, and nanoseconds.
    pub changed: (i64, i64),
}

/// The ability to list directories as `ls -lR` does. On a mounted file system each method is one call of the
/// C library.
pub trait Listing: Sync {
    /// Opens a directory: `opendir`.
    fn open_dir(&self, path: &CStr) -> io::Result<Box<dyn Directory>>;

    /// `statx` with the fields that `ls -l` shows; it does not follow links and triggers no automount.
    fn shown(&self, path: &CStr) -> io::Result<ListedEntry>;

    /// `lstat`, which does not follow links.
    fn status(&self, path: &CStr) -> io::Result<EntryStatus>;

    /// Reads an extended attribute of the file that the name leads to; returns its length in bytes.
    fn attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize>;

    /// The same of the name itself.
    fn own_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize>;

    /// Reads the target of a symbolic link; returns its length in bytes.
    fn read_link(&self, path: &CStr, target: &mut [u8]) -> io::Result<usize>;
}

/// An open directory; it is closed when dropped.
pub trait Directory {
    /// Its identity, by `statx` with the inode number.
    fn identity(&self) -> io::Result<DirectoryIdentity>;

    /// The next entry except `.` and `..`, in the system's order, by `readdir`; `None` after the last one.
    fn next(&mut self) -> io::Result<Option<(&CStr, EntryKind)>>;
}
