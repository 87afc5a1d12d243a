//! What the system knows of a path, for every backend whose files have one; and which mounted file system
//! holds it.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags};
use rustix::io::Errno;

use crate::{Space, calls};

/// The directory that holds `path`.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Size in bytes, `None` where there is no such file.
pub(crate) fn size(path: &Path) -> io::Result<Option<u64>> {
    match calls::stat(path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice => {
            let device = calls::open(path, OFlags::RDONLY | OFlags::CLOEXEC, 0)?;
            Ok(Some(calls::lseek(&device, libc::SEEK_END)?))
        }
        Ok(stat) => Ok(Some(stat.st_size.try_into().unwrap_or(0))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens a file for reading and closes it again, through the C library, as the libraries do that MPI opens
/// files with.
pub(crate) fn readable(path: &Path) -> io::Result<()> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path).map(drop)
}

/// The system's own error for opening a file; `None` where the open would succeed.
pub(crate) fn rejection(path: &Path, writes: bool) -> Option<io::Error> {
    let wanted = if writes { libc::R_OK | libc::W_OK } else { libc::R_OK };
    let dir = directory_of(path);
    let rejected = match calls::stat(path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => Some(Errno::ISDIR),
        Ok(_) => calls::access(path, wanted).err(),
        Err(Errno::NOENT) if writes => calls::access(dir, libc::W_OK | libc::X_OK).err(),
        Err(error) => Some(error),
    };
    rejected.map(Into::into)
}

/// Bytes that a transfer moves.
pub(crate) enum Moved<'d> {
    Written(&'d [u8]),
    Read(&'d mut [u8]),
}

impl Moved<'_> {
    /// The number of bytes.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Written(data) => data.len(),
            Self::Read(data) => data.len(),
        }
    }

    /// The first bytes of it, at most this many.
    pub(crate) fn first(self, most: u64) -> Self {
        let length = self.length().min(usize::try_from(most).unwrap_or(usize::MAX));
        match self {
            Self::Written(data) => Self::Written(&data[..length]),
            Self::Read(data) => Self::Read(&mut data[..length]),
        }
    }
}

/// The system's own error for a transfer that a library could not make, from a plain call on the same bytes;
/// `None` where that succeeds. Written bytes are flushed, because the error can come with the flush.
pub(crate) fn transfer_rejection(path: &Path, moved: Moved<'_>, offset: u64) -> Option<Errno> {
    let access = if matches!(moved, Moved::Written(_)) { OFlags::WRONLY } else { OFlags::RDONLY };
    let file = calls::open(path, access | OFlags::CLOEXEC, 0);
    file.map_or_else(Some, |file| rejection_of_open(&file, moved, offset))
}

/// The same for an open file.
pub(crate) fn rejection_of_open(file: &OwnedFd, moved: Moved<'_>, offset: u64) -> Option<Errno> {
    let again = match moved {
        Moved::Written(data) => written(file, data, offset).and_then(|()| calls::fsync(file)),
        Moved::Read(data) => calls::pread(file, data, offset).map(drop),
    };
    again.err()
}

/// Writes all bytes. The first call on an almost full file system writes some of them.
fn written(file: &OwnedFd, mut data: &[u8], mut offset: u64) -> Result<(), Errno> {
    while !data.is_empty() {
        let moved = match calls::pwrite(file, data, offset) {
            Ok(0) => break,
            Err(Errno::INTR) => 0,
            moved => moved?,
        };
        data = &data[moved..];
        offset += moved as u64;
    }
    Ok(())
}

/// Whether a file whose first `written` bytes were written has lost data because no space was left for it.
/// Returns how many bytes have storage space then; `None` without evidence of a loss.
///
/// Three facts are needed. The file occupies less space than was written. The missing bytes no longer fit
/// into the file system. The written range has a hole. Compression or late allocation can cause each of them
/// alone.
pub fn stored_before_full(path: &Path, written: u64) -> io::Result<Option<u64>> {
    let taken = u64::try_from(calls::stat(path)?.st_blocks).unwrap_or(0).saturating_mul(512);
    let missing = written.saturating_sub(taken);
    let fits = missing == 0 || space(path)?.is_none_or(|space| space.bytes_available >= missing);
    let lost = !fits && hole(path)?.is_some_and(|hole| hole < written);
    Ok(lost.then_some(taken))
}

/// The offset of the first hole of a regular file; `None` without a hole.
pub(crate) fn hole(path: &Path) -> io::Result<Option<u64>> {
    let file = calls::open(path, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK, 0)?;
    let stat = calls::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let end = u64::try_from(stat.st_size).unwrap_or(0);
    match calls::lseek(&file, libc::SEEK_HOLE) {
        Ok(hole) => Ok(Some(hole).filter(|hole| *hole < end)),
        // An empty file, or a system without holes.
        Err(Errno::NXIO | Errno::INVAL | Errno::OPNOTSUPP) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether the path exists and is neither a file nor a directory.
pub(crate) fn is_device(path: &Path) -> bool {
    let kind = calls::stat(path).map(|stat| FileType::from_raw_mode(stat.st_mode));
    kind.is_ok_and(|kind| !matches!(kind, FileType::RegularFile | FileType::Directory))
}

/// The free space of the file system that holds `path`.
pub fn space(path: &Path) -> io::Result<Option<Space>> {
    Ok(Some(space_of(&calls::statvfs(path)?)))
}

/// The space as a file system reports it.
pub(crate) fn space_of(found: &libc::statvfs) -> Space {
    let unit = if found.f_frsize == 0 { found.f_bsize } else { found.f_frsize };
    Space {
        bytes: found.f_blocks.saturating_mul(unit),
        bytes_free: found.f_bfree.saturating_mul(unit),
        bytes_available: found.f_bavail.saturating_mul(unit),
        inodes: found.f_files,
        inodes_free: found.f_ffree,
        block_bytes: unit,
    }
}

/// Writes all data of the file system that holds `path` back to storage.
pub(crate) fn sync_all(path: &Path) -> io::Result<()> {
    Ok(calls::syncfs(calls::open(path, OFlags::RDONLY | OFlags::CLOEXEC, 0)?)?)
}

/// Removes a regular file or a link; anything else (a device, a pipe, a directory) stays.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let kind = FileType::from_raw_mode(calls::lstat(path)?.st_mode);
    let why = match kind {
        FileType::RegularFile | FileType::Symlink => return Ok(calls::unlink(path)?),
        FileType::Directory => "is a directory and is not removed. Name a file",
        _ => "is not a regular file and is not removed. Write into it with -E -k",
    };
    Err(io::Error::other(why))
}

/// The file system on which a directory was when this was created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountedFileSystem {
    device: u64,
    /// The topmost directory on it.
    top: PathBuf,
    /// The inode number of that directory.
    inode: u64,
}

impl MountedFileSystem {
    /// The file system of `dir`, which exists.
    pub fn of(dir: &Path) -> io::Result<Self> {
        let device = device(dir)?;
        let dir = dir.canonicalize()?;
        let same = |dir: &&Path| dir.metadata().is_ok_and(|found| found.dev() == device);
        let top = dir.ancestors().take_while(same).last().unwrap_or(&dir).to_owned();
        let inode = top.metadata()?.ino();
        Ok(Self { device, top, inode })
    }

    /// Whether `dir` is still on it. A file system mounted again at the same place with the same root is the
    /// same. Automounters unmount a file system that is unused for a while.
    pub fn holds(&self, dir: &Path) -> io::Result<bool> {
        if device(dir)? == self.device {
            return Ok(true);
        }
        let now = Self::of(dir)?;
        Ok(now.top == self.top && now.inode == self.inode)
    }
}

/// The device number of the file system of `dir`; the access mounts a file system that is mounted on use.
fn device(dir: &Path) -> io::Result<u64> {
    Ok(dir.join(".").metadata()?.dev())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_distinguished_from_files_and_directories() {
        assert_eq!(size(Path::new("/dev/null")).unwrap(), Some(0));
        assert!(is_device(Path::new("/dev/null")) && !is_device(Path::new("/")));
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(!is_device(file.path()) && !is_device(&file.path().join("nothing")));
    }

    #[test]
    fn a_rejected_open_has_the_error_of_the_system() {
        let dir = tempfile::tempdir().unwrap();
        let (file, missing) = (dir.path().join("f"), dir.path().join("no/such"));
        std::fs::write(&file, "").unwrap();
        let kind = |path: &Path, writes| rejection(path, writes).map(|error| error.kind());
        assert_eq!((kind(&file, true), kind(&file, false)), (None, None));
        assert_eq!(kind(&dir.path().join("new"), true), None, "it can be created");
        assert_eq!(kind(&dir.path().join("new"), false), Some(io::ErrorKind::NotFound));
        assert_eq!(kind(&missing, true), Some(io::ErrorKind::NotFound));
        assert_eq!(kind(dir.path(), true), Some(io::ErrorKind::IsADirectory));
        assert_eq!(kind(Path::new("/proc/version"), false), None);
    }

    #[test]
    fn a_rejected_transfer_has_the_error_of_the_system() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, "abcd").unwrap();
        let write = |path: &Path, offset| transfer_rejection(path, Moved::Written(b"xy"), offset);
        assert_eq!(write(&file, 1), None);
        assert_eq!(std::fs::read(&file).unwrap(), b"axyd");
        assert_eq!(write(&file, 1 << 63), Some(Errno::INVAL));
        assert_eq!(write(&dir.path().join("g"), 0), Some(Errno::NOENT));
        assert_eq!(write(Path::new("/dev/full"), 0), Some(Errno::NOSPC));
        let mut data = [0; 8];
        assert_eq!(transfer_rejection(&file, Moved::Read(&mut data), 0), None, "a short read is no error");
        assert_eq!(transfer_rejection(dir.path(), Moved::Read(&mut data), 0), Some(Errno::ISDIR));
    }

    #[test]
    fn a_hole_is_found_where_it_begins() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!((hole(file.path()).unwrap(), hole(Path::new("/dev/null")).unwrap()), (None, None));
        std::fs::write(file.path(), vec![1; 1 << 20]).unwrap();
        assert_eq!(hole(file.path()).unwrap(), None);
        file.as_file().set_len(4 << 20).unwrap();
        // A system without holes reports none.
        assert!([None, Some(1 << 20)].contains(&hole(file.path()).unwrap()));
    }

    #[test]
    fn a_directory_is_on_its_own_file_system_and_not_on_proc() {
        let dir = tempfile::tempdir().unwrap();
        let mount = MountedFileSystem::of(dir.path()).unwrap();
        assert!(mount.holds(dir.path()).unwrap() && mount.holds(&mount.top).unwrap());
        assert!(!mount.holds(Path::new("/proc")).unwrap());
        assert_eq!(MountedFileSystem::of(Path::new("/proc")).unwrap().top, Path::new("/proc"));
        let nowhere = mount.holds(&dir.path().join("nothing")).unwrap_err();
        assert_eq!(nowhere.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_file_system_mounted_again_is_the_same_unless_its_root_changed() {
        let dir = tempfile::tempdir().unwrap();
        let again = MountedFileSystem { device: u64::MAX, ..MountedFileSystem::of(dir.path()).unwrap() };
        assert!(again.holds(dir.path()).unwrap());
        assert!(!MountedFileSystem { inode: again.inode + 1, ..again }.holds(dir.path()).unwrap());
    }
}
