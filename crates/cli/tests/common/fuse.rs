//! File systems of the tests' own, mounted through FUSE. A thread of the test serves them.
//!
//! Invariant: no call waits after the test. If the test is killed, the kernel ends the waiting calls, because
//! the device of FUSE is closed. The next test removes the mount.

mod adapter;
pub mod faults;
pub mod nfs;
mod through;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fuser::{BackgroundSession, FileAttr, FileType, MountOption, TimeOrNow};
use rustix::io::Errno;

use super::campaign::skipped;
use adapter::Adapter;

/// The beginning of the name of a mount. The number of the process follows.
const NAME: &str = "assay-test.";

/// A name in a directory: number of the inode, kind, name.
pub type Listed = (u64, FileType, OsString);

/// What is changed of an inode.
pub struct Change {
    /// Permissions.
    pub mode: Option<u32>,
    /// Owner and group.
    pub owner: (Option<u32>, Option<u32>),
    /// Size in bytes.
    pub size: Option<u64>,
    /// Time of the last access and of the last change.
    pub times: (Option<TimeOrNow>, Option<TimeOrNow>),
}

/// What is made under a name.
pub enum Made<'a> {
    /// A directory with these permissions.
    Directory(u32),
    /// A symbolic link to this path.
    Symlink(&'a Path),
    /// One more name of this inode.
    Link(u64),
}

/// Total and free blocks of 4 KiB, total and free inodes.
pub type Space = [u64; 4];

/// The calls of a file system, by the numbers of inodes. The root has number 1. A call that a file system
/// does not define is one that it does not support, or that it has nothing to do for.
pub trait Served: Send + 'static {
    /// The inode with this name. It is known until it is forgotten.
    fn lookup(&mut self, parent: u64, name: &OsStr) -> io::Result<FileAttr>;
    /// The kernel no longer uses an inode.
    fn forget(&mut self, _ino: u64) {}
    /// The attributes of an inode.
    fn attributes(&mut self, ino: u64) -> io::Result<FileAttr>;
    /// Changes attributes.
    fn change(&mut self, ino: u64, change: &Change) -> io::Result<FileAttr>;
    /// Makes a directory or a link.
    fn make(&mut self, _parent: u64, _name: &OsStr, _made: &Made<'_>) -> io::Result<FileAttr> {
        Err(Errno::NOSYS.into())
    }
    /// The target of a symbolic link.
    fn target(&mut self, _ino: u64) -> io::Result<PathBuf> {
        Err(Errno::NOSYS.into())
    }
    /// Opens a file, and makes it before. Gives the handle.
    fn create(&mut self, parent: u64, name: &OsStr, mode: u32, flags: i32) -> io::Result<(FileAttr, u64)>;
    /// Opens a file. Gives the handle.
    fn open(&mut self, ino: u64, flags: i32) -> io::Result<u64>;
    /// Reads at most this number of bytes. Fewer are the end of the file.
    fn read(&mut self, ino: u64, handle: u64, offset: u64, bytes: usize) -> io::Result<Vec<u8>>;
    /// Writes all these bytes.
    fn write(&mut self, ino: u64, handle: u64, offset: u64, data: &[u8]) -> io::Result<()>;
    /// A descriptor of the file is closed.
    fn flush(&mut self, _ino: u64, _handle: u64) -> io::Result<()> {
        Ok(())
    }
    /// Flushes the file to storage.
    fn fsync(&mut self, _ino: u64, _handle: u64) -> io::Result<()> {
        Ok(())
    }
    /// The last descriptor was closed.
    fn release(&mut self, _handle: u64) {}
    /// The names in a directory.
    fn list(&mut self, _ino: u64) -> io::Result<Vec<Listed>> {
        Err(Errno::NOSYS.into())
    }
    /// Removes a file or a directory.
    fn remove(&mut self, parent: u64, name: &OsStr, is_directory: bool) -> io::Result<()>;
    /// Renames; `flags` are those of renameat2(2).
    fn rename(&mut self, _from: (u64, &OsStr), _to: (u64, &OsStr), _flags: u32) -> io::Result<()> {
        Err(Errno::NOSYS.into())
    }
    /// The space of the file system.
    fn space(&mut self) -> io::Result<Space>;
}

/// A mount, until dropped.
pub struct FuseMount {
    path: PathBuf,
    _session: BackgroundSession,
}

impl FuseMount {
    /// Mounts a file system at this directory. `None`, with the reason printed, if this machine cannot.
    pub fn new(served: impl Served, path: &Path) -> Option<Self> {
        sweep();
        let options = [MountOption::FSName(format!("{NAME}{}", std::process::id()))];
        match fuser::spawn_mount2(Adapter::new(served), path, &options) {
            Ok(session) => Some(Self { path: path.to_owned(), _session: session }),
            Err(error) => {
                skipped(&format!("FUSE cannot be mounted here: {error}"));
                None
            }
        }
    }
}

impl Drop for FuseMount {
    fn drop(&mut self) {
        // Also if a process still uses it: the session only unmounts what is not in use.
        unmount(&self.path);
    }
}

fn unmount(path: &Path) {
    let _ = Command::new("umount").arg("-l").arg(path).stderr(Stdio::null()).status();
}

/// Removes what killed tests left.
fn sweep() {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    for line in mounts.lines() {
        let mut words = line.split(' ');
        let (Some(name), Some(path)) = (words.next(), words.next()) else { continue };
        let of_a_test = name.strip_prefix(NAME);
        if of_a_test.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            unmount(Path::new(path));
        }
    }
}
