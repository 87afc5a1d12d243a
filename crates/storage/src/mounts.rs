//! Which mounted file system holds a directory, and whether it still does.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

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
    /// automounters take away what nobody uses for a while.
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
