//! Metadata operations on a mounted file system: one system call each.
//!
//! Never here: opening files.

use std::ffi::CStr;
use std::io;

use rustix::fs::{
    self, AtFlags, CWD, FileType, Mode as Permissions, OFlags, RawDir, Stat, StatxFlags, XattrFlags,
};

use crate::listing::Listing;
use crate::plain::truncate;
use crate::traits::{NameStatus, Names};

/// Bytes of directory entries that one call reads; the C library uses the same size.
pub(crate) const LISTED_AT_ONCE: usize = 32 << 10;

/// The metadata operations of mounted file systems.
pub(crate) struct MountedNames;

impl Names for MountedNames {
    fn make_dir(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        Ok(fs::mkdir(path, Permissions::from_raw_mode(permissions))?)
    }

    fn remove_dir(&self, path: &CStr) -> io::Result<()> {
        Ok(fs::rmdir(path)?)
    }

    fn make_node(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        Ok(fs::mknodat(CWD, path, FileType::RegularFile, Permissions::from_raw_mode(permissions), 0)?)
    }

    fn unlink(&self, path: &CStr) -> io::Result<()> {
        Ok(fs::unlink(path)?)
    }

    fn stat(&self, path: &CStr) -> io::Result<NameStatus> {
        Ok(entry(&fs::stat(path)?))
    }

    fn lstat(&self, path: &CStr) -> io::Result<NameStatus> {
        Ok(entry(&fs::lstat(path)?))
    }

    fn statx(&self, path: &CStr) -> io::Result<NameStatus> {
        let found = fs::statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BASIC_STATS)?;
        Ok(NameStatus {
            directory: FileType::from_raw_mode(found.stx_mode.into()) == FileType::Directory,
            bytes: found.stx_size,
        })
    }

    fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        Ok(fs::rename(from, to)?)
    }

    fn link(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        Ok(fs::link(from, to)?)
    }

    fn symlink(&self, target: &CStr, path: &CStr) -> io::Result<()> {
        Ok(fs::symlink(target, path)?)
    }

    fn chmod(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        Ok(fs::chmod(path, Permissions::from_raw_mode(permissions))?)
    }

    fn truncate(&self, path: &CStr, bytes: u64) -> io::Result<()> {
        truncate(path, bytes)
    }

    fn set_attribute(&self, path: &CStr, name: &CStr, value: &[u8]) -> io::Result<()> {
        Ok(fs::setxattr(path, name, value, XattrFlags::empty())?)
    }

    fn get_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        Ok(fs::getxattr(path, name, value)?)
    }

    fn remove_attribute(&self, path: &CStr, name: &CStr) -> io::Result<()> {
        Ok(fs::removexattr(path, name)?)
    }

    fn list(&self, path: &CStr, each: &mut dyn FnMut(&CStr, Option<bool>)) -> io::Result<u64> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = fs::open(path, flags, Permissions::empty())?;
        let mut room: Vec<u8> = Vec::with_capacity(LISTED_AT_ONCE);
        let mut entries = RawDir::new(&fd, room.spare_capacity_mut());
        let mut count = 0;
        while let Some(found) = entries.next() {
            let found = found?;
            let name = found.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            count += 1;
            each(
                name,
                match found.file_type() {
                    FileType::Unknown => None,
                    kind => Some(kind == FileType::Directory),
                },
            );
        }
        Ok(count)
    }

    fn listing(&self) -> Option<&dyn Listing> {
        Some(self)
    }
}

#[allow(clippy::useless_conversion, reason = "the widths differ between architectures")]
fn entry(found: &Stat) -> NameStatus {
    NameStatus {
        directory: FileType::from_raw_mode(found.st_mode) == FileType::Directory,
        bytes: found.st_size.try_into().unwrap_or(0),
    }
}
