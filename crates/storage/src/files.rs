//! What the system knows of a path, for every backend whose files have one; and which mounted file system
//! holds it.

use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{self, Access, FileType, Mode, OFlags, SeekFrom};
use rustix::io::Errno;

use crate::Space;

/// The directory that holds `path`.
pub fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Size in bytes, `None` where there is no such file.
pub(crate) fn size(path: &Path) -> io::Result<Option<u64>> {
    match fs::stat(path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice => {
            let device = fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
            Ok(Some(fs::seek(&device, SeekFrom::End(0))?))
        }
        Ok(stat) => Ok(Some(stat.st_size.try_into().unwrap_or(0))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Opens for reading, through the C library as those do that MPI opens with, and closes again.
pub(crate) fn readable(path: &Path) -> io::Result<()> {
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path).map(drop)
}

/// Why the system would reject to open a file, in its own words; `None` where it would not.
pub(crate) fn rejection(path: &Path, writes: bool) -> Option<io::Error> {
    let wanted = if writes { Access::READ_OK | Access::WRITE_OK } else { Access::READ_OK };
    let dir = directory_of(path);
    let rejected = match fs::stat(path) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Directory => Some(Errno::ISDIR),
        Ok(_) => fs::access(path, wanted).err(),
        Err(Errno::NOENT) if writes => fs::access(dir, Access::WRITE_OK | Access::EXEC_OK).err(),
        Err(error) => Some(error),
    };
    rejected.map(Into::into)
}

/// Of a file into which the first `written` bytes were written whole: how many bytes have room behind them,
/// where others have none, so that data was lost; `None` where nothing says so.
///
/// Three things have to say it: the file takes less room, what is missing would not fit into the file system
/// any more, and a hole is where data should be. One alone is also seen where data is compressed, or late.
pub fn without_room(path: &Path, written: u64) -> io::Result<Option<u64>> {
    let taken = u64::try_from(fs::stat(path)?.st_blocks).unwrap_or(0).saturating_mul(512);
    let missing = written.saturating_sub(taken);
    let fits = missing == 0 || space(path)?.is_none_or(|space| space.bytes_available >= missing);
    let lost = !fits && hole(path)?.is_some_and(|hole| hole < written);
    Ok(lost.then_some(taken))
}

/// Where the first hole of a regular file begins, if it has one.
pub(crate) fn hole(path: &Path) -> io::Result<Option<u64>> {
    let file = fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())?;
    let stat = fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Ok(None);
    }
    let end = u64::try_from(stat.st_size).unwrap_or(0);
    match fs::seek(&file, SeekFrom::Hole(0)) {
        Ok(hole) => Ok(Some(hole).filter(|hole| *hole < end)),
        // An empty file, or a system that does not know holes.
        Err(Errno::NXIO | Errno::INVAL | Errno::OPNOTSUPP) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether something is there that is neither a file nor a directory.
pub(crate) fn is_device(path: &Path) -> bool {
    let kind = fs::stat(path).map(|stat| FileType::from_raw_mode(stat.st_mode));
    kind.is_ok_and(|kind| !matches!(kind, FileType::RegularFile | FileType::Directory))
}

/// Room of the file system that holds `path`.
pub fn space(path: &Path) -> io::Result<Option<Space>> {
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

/// The mounted file system that held a directory when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MountedFileSystem {
    device: u64,
    /// The uppermost directory on it.
    top: PathBuf,
    /// The number of that directory.
    inode: u64,
}

impl MountedFileSystem {
    /// That of `dir`, which exists.
    pub fn of(dir: &Path) -> io::Result<Self> {
        let device = device(dir)?;
        let dir = dir.canonicalize()?;
        let same = |dir: &&Path| dir.metadata().is_ok_and(|found| found.dev() == device);
        let top = dir.ancestors().take_while(same).last().unwrap_or(&dir).to_owned();
        let inode = top.metadata()?.ino();
        Ok(Self { device, top, inode })
    }

    /// Whether it still holds `dir`. What was mounted again at the same place with the same root is the same:
    /// automounters unmount what has not been used for a while.
    pub fn holds(&self, dir: &Path) -> io::Result<bool> {
        if device(dir)? == self.device {
            return Ok(true);
        }
        let now = Self::of(dir)?;
        Ok(now.top == self.top && now.inode == self.inode)
    }
}

/// The number of the file system of `dir`; what is only mounted when it is used is mounted by that.
fn device(dir: &Path) -> io::Result<u64> {
    Ok(dir.join(".").metadata()?.dev())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_file_has_a_size_that_says_nothing() {
        assert_eq!(size(Path::new("/dev/null")).unwrap(), Some(0));
        assert!(is_device(Path::new("/dev/null")) && !is_device(Path::new("/")));
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(!is_device(file.path()) && !is_device(&file.path().join("nothing")));
    }

    #[test]
    fn the_system_says_why_it_rejects_to_open() {
        let dir = tempfile::tempdir().unwrap();
        let (file, missing) = (dir.path().join("f"), dir.path().join("no/such"));
        std::fs::write(&file, "").unwrap();
        let kind = |path: &Path, writes| rejection(path, writes).map(|error| error.kind());
        assert_eq!((kind(&file, true), kind(&file, false)), (None, None));
        assert_eq!(kind(&dir.path().join("new"), true), None, "it can be made");
        assert_eq!(kind(&dir.path().join("new"), false), Some(io::ErrorKind::NotFound));
        assert_eq!(kind(&missing, true), Some(io::ErrorKind::NotFound));
        assert_eq!(kind(dir.path(), true), Some(io::ErrorKind::IsADirectory));
        assert_eq!(kind(Path::new("/proc/version"), false), None);
    }

    #[test]
    fn a_hole_is_found_where_it_begins() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!((hole(file.path()).unwrap(), hole(Path::new("/dev/null")).unwrap()), (None, None));
        std::fs::write(file.path(), vec![1; 1 << 20]).unwrap();
        assert_eq!(hole(file.path()).unwrap(), None);
        file.as_file().set_len(4 << 20).unwrap();
        // A system that does not know holes has none.
        assert!([None, Some(1 << 20)].contains(&hole(file.path()).unwrap()));
    }

    #[test]
    fn a_directory_stays_where_it_is_and_proc_is_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let mount = MountedFileSystem::of(dir.path()).unwrap();
        assert!(mount.holds(dir.path()).unwrap() && mount.holds(&mount.top).unwrap());
        assert!(!mount.holds(Path::new("/proc")).unwrap());
        assert_eq!(MountedFileSystem::of(Path::new("/proc")).unwrap().top, Path::new("/proc"));
        let nowhere = mount.holds(&dir.path().join("nothing")).unwrap_err();
        assert_eq!(nowhere.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_same_place_with_another_number_is_the_same_unless_its_root_changed() {
        let dir = tempfile::tempdir().unwrap();
        let again = MountedFileSystem { device: u64::MAX, ..MountedFileSystem::of(dir.path()).unwrap() };
        assert!(again.holds(dir.path()).unwrap());
        assert!(!MountedFileSystem { inode: again.inode + 1, ..again }.holds(dir.path()).unwrap());
    }
}
