//! The calls by which `ls -l` reads directories and their entries, one by one as GNU ls 9.1 makes them.
//!
//! `Names` reads all attributes, which costs more on some file systems: another server may hold the size of a
//! file. Here the calls request only what `ls -l` shows.
//!
//! Never here: the order of the calls, and the meaning of an error.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{self, AtFlags, CWD, FileType, Mode as Permissions, OFlags, RawDir, StatxFlags};

use crate::names::LISTED_AT_ONCE;
use crate::traits::Names;

/// The attributes that `ls -l` shows.
const SHOWN: StatxFlags = StatxFlags::MODE
    .union(StatxFlags::NLINK)
    .union(StatxFlags::UID)
    .union(StatxFlags::GID)
    .union(StatxFlags::MTIME)
    .union(StatxFlags::SIZE);

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

/// The ability to list directories as `ls -lR` does. On a mounted file system each method is one system call,
/// except [`Listing::open_dir`], which is `open` and `fstat` as in the C library's `opendir`.
pub trait Listing: Sync {
    /// Opens a directory.
    fn open_dir(&self, path: &CStr) -> io::Result<Box<dyn Directory>>;

    /// `statx` with the fields that `ls -l` shows; it does not follow links and triggers no automount.
    fn shown(&self, path: &CStr) -> io::Result<ListedEntry>;

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

    /// Passes the entries of one `getdents64` except `.` and `..` to `each`, in the system's order; false
    /// where there are no more.
    fn read(&mut self, each: &mut dyn FnMut(&CStr, EntryKind)) -> io::Result<bool>;
}

impl Listing for crate::names::MountedNames {
    fn open_dir(&self, path: &CStr) -> io::Result<Box<dyn Directory>> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::DIRECTORY;
        let fd = fs::open(path, flags, Permissions::empty())?;
        fs::fstat(&fd)?;
        Ok(Box::new(OpenedDirectory { fd, room: Vec::with_capacity(LISTED_AT_ONCE) }))
    }

    fn shown(&self, path: &CStr) -> io::Result<ListedEntry> {
        let found = fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT, SHOWN)?;
        let kind = kind(FileType::from_raw_mode(found.stx_mode.into()));
        Ok(ListedEntry { kind, device: (found.stx_dev_major, found.stx_dev_minor) })
    }

    fn attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        self.get_attribute(path, name, value)
    }

    fn own_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        Ok(fs::lgetxattr(path, name, value)?)
    }

    fn read_link(&self, path: &CStr, target: &mut [u8]) -> io::Result<usize> {
        Ok(fs::readlinkat_raw(CWD, path, target)?)
    }
}

struct OpenedDirectory {
    fd: OwnedFd,
    room: Vec<u8>,
}

impl Directory for OpenedDirectory {
    fn identity(&self) -> io::Result<DirectoryIdentity> {
        let found = fs::statx(&self.fd, c"", AtFlags::EMPTY_PATH | AtFlags::NO_AUTOMOUNT, StatxFlags::INO)?;
        Ok(DirectoryIdentity { device: (found.stx_dev_major, found.stx_dev_minor), inode: found.stx_ino })
    }

    fn read(&mut self, each: &mut dyn FnMut(&CStr, EntryKind)) -> io::Result<bool> {
        let mut entries = RawDir::new(&self.fd, self.room.spare_capacity_mut());
        while let Some(found) = entries.next() {
            let found = found?;
            if found.file_name() != c"." && found.file_name() != c".." {
                each(found.file_name(), kind(found.file_type()));
            }
            // The next entry would need the next system call.
            if entries.is_buffer_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn kind(found: FileType) -> EntryKind {
    match found {
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Link,
        FileType::Unknown => EntryKind::Unknown,
        _ => EntryKind::Other,
    }
}
