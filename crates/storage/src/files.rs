//! What the system knows of a path, for every backend whose files have one.

use std::io;
use std::path::Path;

use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;

use crate::Space;

/// Size in bytes, `None` where there is no such file.
pub(crate) fn size(path: &Path) -> io::Result<Option<u64>> {
    match fs::stat(path) {
        Ok(stat) => Ok(Some(stat.st_size.try_into().unwrap_or(0))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Room of the file system that holds `path`.
pub(crate) fn space(path: &Path) -> io::Result<Option<Space>> {
    let found = fs::statvfs(path)?;
    let unit = if found.f_frsize == 0 { found.f_bsize } else { found.f_frsize };
    Ok(Some(Space {
        bytes: found.f_blocks.saturating_mul(unit),
        bytes_free: found.f_bfree.saturating_mul(unit),
        bytes_available: found.f_bavail.saturating_mul(unit),
        inodes: found.f_files,
        inodes_free: found.f_ffree,
        block_bytes: unit,
    }))
}

/// Writes back all of the file system that holds `path`.
pub(crate) fn sync_all(path: &Path) -> io::Result<()> {
    let fd = fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    Ok(fs::syncfs(fd)?)
}

/// Removes a regular file or a link; anything else (a device, a pipe, a directory) stays.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let kind = fs::FileType::from_raw_mode(fs::lstat(path)?.st_mode);
    let why = match kind {
        fs::FileType::RegularFile | fs::FileType::Symlink => return Ok(fs::unlink(path)?),
        fs::FileType::Directory => "is a directory and is not removed; name a file",
        _ => "is not a regular file and is not removed; write into it with -E -k",
    };
    Err(io::Error::other(why))
}
