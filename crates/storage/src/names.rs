//! Metadata operations on a mounted file system: one call of the C library each.
//!
//! Never here: opening files.

use std::ffi::CStr;
use std::io;

use rustix::fs::FileType;

use crate::calls::{self, DirectoryStream};
use crate::listing::Listing;
use crate::traits::{NameStatus, Names};

/// The metadata operations of mounted file systems.
pub(crate) struct MountedNames;

impl Names for MountedNames {
    fn make_dir(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        Ok(calls::mkdir(path, permissions)?)
    }

    fn remove_dir(&self, path: &CStr) -> io::Result<()> {
        Ok(calls::rmdir(path)?)
    }

    fn make_node(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        Ok(calls::mknod(path, permissions)?)
    }

    fn unlink(&self, path: &CStr) -> io::Result<()> {
        Ok(calls::unlink(path)?)
    }

    fn stat(&self, path: &CStr) -> io::Result<NameStatus> {
        Ok(entry(&calls::stat(path)?))
    }

    fn lstat(&self, path: &CStr) -> io::Result<NameStatus> {
        Ok(entry(&calls::lstat(path)?))
    }

    fn statx(&self, path: &CStr) -> io::Result<NameStatus> {
        let found = calls::statx(path, 0, libc::STATX_BASIC_STATS)?;
        Ok(NameStatus {
            directory: FileType::from_raw_mode(found.stx_mode.into()) == FileType::Directory,
            bytes: found.stx_size,
        })
    }

    fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        Ok(calls::rename(from, to)?)
    }

    fn link(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        Ok(calls::link(from, to)?)
    }

    fn symlink(&self, target: &CStr, path: &CStr) -> io::Result<()> {
        Ok(calls::symlink(target, path)?)
    }

    fn chmod(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        Ok(calls::chmod(path, permissions)?)
    }

    fn truncate(&self, path: &CStr, bytes: u64) -> io::Result<()> {
        Ok(calls::truncate(path, bytes)?)
    }

    fn set_attribute(&self, path: &CStr, name: &CStr, value: &[u8]) -> io::Result<()> {
        Ok(calls::setxattr(path, name, value)?)
    }

    fn get_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        Ok(calls::getxattr(path, name, value)?)
    }

    fn remove_attribute(&self, path: &CStr, name: &CStr) -> io::Result<()> {
        Ok(calls::removexattr(path, name)?)
    }

    fn list(&self, path: &CStr, each: &mut dyn FnMut(&CStr, Option<bool>)) -> io::Result<u64> {
        let mut entries = DirectoryStream::open(path)?;
        let mut count = 0;
        while let Some((name, kind)) = entries.next_entry()? {
            count += 1;
            each(name, (kind != FileType::Unknown).then_some(kind == FileType::Directory));
        }
        Ok(count)
    }

    fn listing(&self) -> Option<&dyn Listing> {
        Some(self)
    }
}

#[allow(clippy::useless_conversion, reason = "the widths differ between architectures")]
fn entry(found: &libc::stat) -> NameStatus {
    NameStatus {
        directory: FileType::from_raw_mode(found.st_mode) == FileType::Directory,
        bytes: found.st_size.try_into().unwrap_or(0),
    }
}
