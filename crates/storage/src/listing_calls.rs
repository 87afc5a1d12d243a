//! Listing directories of a mounted file system: the calls of GNU ls 9.1.
//!
//! Never here: the order of the calls, and the meaning of an error.

use std::ffi::CStr;
use std::io;

use rustix::fs::FileType;

use crate::calls::{self, DirectoryStream};
use crate::listing::{Directory, DirectoryIdentity, EntryKind, EntryStatus, ListedEntry, Listing};
use crate::names::MountedNames;
use crate::traits::Names;

/// The attributes that `ls -l` shows.
const SHOWN: u32 = libc::STATX_MODE
    | libc::STATX_NLINK
    | libc::STATX_UID
    | libc::STATX_GID
    | libc::STATX_MTIME
    | libc::STATX_SIZE;

impl Listing for MountedNames {
    fn open_dir(&self, path: &CStr) -> io::Result<Box<dyn Directory>> {
        Ok(Box::new(DirectoryStream::open(path)?))
    }

    fn shown(&self, path: &CStr) -> io::Result<ListedEntry> {
        let found = calls::statx(path, libc::AT_NO_AUTOMOUNT, SHOWN)?;
        let kind = kind(FileType::from_raw_mode(found.stx_mode.into()));
        Ok(ListedEntry { kind, device: (found.stx_dev_major, found.stx_dev_minor) })
    }

    #[allow(clippy::useless_conversion, reason = "the widths differ between architectures")]
    fn status(&self, path: &CStr) -> io::Result<EntryStatus> {
        let found = calls::lstat(path)?;
        Ok(EntryStatus {
            kind: kind(FileType::from_raw_mode(found.st_mode)),
            bytes: found.st_size.try_into().unwrap_or(0),
            changed: (found.st_ctime.into(), found.st_ctime_nsec.into()),
        })
    }

    fn attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        self.get_attribute(path, name, value)
    }

    fn own_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        Ok(calls::lgetxattr(path, name, value)?)
    }

    fn read_link(&self, path: &CStr, target: &mut [u8]) -> io::Result<usize> {
        Ok(calls::readlink(path, target)?)
    }
}

impl Directory for DirectoryStream {
    fn identity(&self) -> io::Result<DirectoryIdentity> {
        let found = self.statx(libc::AT_NO_AUTOMOUNT, libc::STATX_INO)?;
        Ok(DirectoryIdentity { device: (found.stx_dev_major, found.stx_dev_minor), inode: found.stx_ino })
    }

    fn next(&mut self) -> io::Result<Option<(&CStr, EntryKind)>> {
        Ok(self.next_entry()?.map(|(name, found)| (name, kind(found))))
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
