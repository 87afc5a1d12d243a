//! A directory passed through, with the faults of `faults`. Inodes are held by descriptors, so they survive
//! renames and removals.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{FileAttr, FileType, TimeOrNow};
use rustix::fs::{self as calls, AtFlags, CWD, Gid, OFlags, RenameFlags, Timestamps, Uid};

use super::faults::{Call, Current, Fault};
use super::{Change, Listed, Made, Served, Space};

/// A known inode.
struct Node {
    fd: OwnedFd,
    /// The path under which it was found first, from the root.
    path: PathBuf,
}

pub(super) struct Through {
    nodes: HashMap<u64, Node>,
    files: HashMap<u64, File>,
    opened: u64,
    current: Current,
}

/// The path that leads to what a descriptor holds, for calls that take paths.
fn place(fd: &OwnedFd) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", fd.as_raw_fd()))
}

fn kind(mode: u32) -> FileType {
    match calls::FileType::from_raw_mode(mode) {
        calls::FileType::Directory => FileType::Directory,
        calls::FileType::Symlink => FileType::Symlink,
        _ => FileType::RegularFile,
    }
}

impl Through {
    pub(super) fn new(root: &Path, current: Current) -> io::Result<Self> {
        let fd = calls::open(root, OFlags::PATH | OFlags::CLOEXEC, calls::Mode::empty())?;
        let root = Node { fd, path: PathBuf::new() };
        Ok(Self { nodes: HashMap::from([(1, root)]), files: HashMap::new(), opened: 0, current })
    }

    fn at(&self, parent: u64, name: &OsStr) -> PathBuf {
        place(&self.nodes[&parent].fd).join(name)
    }

    fn strike(&self, ino: u64, call: Call, offset: u64, bytes: usize) -> io::Result<Option<Fault>> {
        self.current.strike(&self.nodes[&ino].path, call, offset..offset + bytes as u64)
    }

    fn facts(&self, fd: impl AsFd) -> io::Result<FileAttr> {
        let facts = calls::fstat(fd)?;
        // Times before 1970 do not occur in tests.
        let time = |seconds: i64, nanoseconds| {
            UNIX_EPOCH + Duration::new((seconds + self.current.ahead()).max(0) as u64, nanoseconds as u32)
        };
        Ok(FileAttr {
            ino: facts.st_ino,
            size: facts.st_size as u64,
            blocks: facts.st_blocks as u64,
            atime: time(facts.st_atime, facts.st_atime_nsec),
            mtime: time(facts.st_mtime, facts.st_mtime_nsec),
            ctime: time(facts.st_ctime, facts.st_ctime_nsec),
            crtime: UNIX_EPOCH,
            kind: kind(facts.st_mode),
            perm: (facts.st_mode & 0o7777) as u16,
            nlink: facts.st_nlink as u32,
            uid: facts.st_uid,
            gid: facts.st_gid,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    /// The time below for one that is set above.
    fn below(&self, time: Option<TimeOrNow>) -> calls::Timespec {
        match time {
            None => calls::Timespec { tv_sec: 0, tv_nsec: calls::UTIME_OMIT },
            Some(TimeOrNow::Now) => calls::Timespec { tv_sec: 0, tv_nsec: calls::UTIME_NOW },
            Some(TimeOrNow::SpecificTime(time)) => {
                let since = SystemTime::duration_since(&time, UNIX_EPOCH).unwrap_or_default();
                let seconds = since.as_secs() as i64 - self.current.ahead();
                calls::Timespec { tv_sec: seconds, tv_nsec: since.subsec_nanos().into() }
            }
        }
    }

    /// The inode with this name, without a fault.
    fn found(&mut self, parent: u64, name: &OsStr) -> io::Result<FileAttr> {
        let how = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = calls::openat(&self.nodes[&parent].fd, name, how, calls::Mode::empty())?;
        let facts = self.facts(&fd)?;
        let path = self.nodes[&parent].path.join(name);
        self.nodes.entry(facts.ino).or_insert(Node { fd, path });
        Ok(facts)
    }

    fn hold(&mut self, file: File) -> u64 {
        self.opened += 1;
        self.files.insert(self.opened, file);
        self.opened
    }
}

impl Served for Through {
    fn lookup(&mut self, parent: u64, name: &OsStr) -> io::Result<FileAttr> {
        self.current.strike(&self.nodes[&parent].path.join(name), Call::Lookup, 0..0)?;
        self.found(parent, name)
    }

    fn forget(&mut self, ino: u64) {
        self.nodes.remove(&ino);
    }

    fn attributes(&mut self, ino: u64) -> io::Result<FileAttr> {
        let facts = self.facts(&self.nodes[&ino].fd)?;
        Ok(FileAttr { ino, ..facts })
    }

    fn change(&mut self, ino: u64, change: &Change) -> io::Result<FileAttr> {
        let path = place(&self.nodes[&ino].fd);
        if let Some(mode) = change.mode {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode & 0o7777))?;
        }
        let (uid, gid) = change.owner;
        if uid.is_some() || gid.is_some() {
            calls::chown(&path, uid.map(Uid::from_raw), gid.map(Gid::from_raw))?;
        }
        if let Some(bytes) = change.size {
            File::options().write(true).open(&path)?.set_len(bytes)?;
        }
        if change.times.0.is_some() || change.times.1.is_some() {
            let [last_access, last_modification] =
                [change.times.0, change.times.1].map(|time| self.below(time));
            calls::utimensat(CWD, &path, &Timestamps { last_access, last_modification }, AtFlags::empty())?;
        }
        self.attributes(ino)
    }

    fn make(&mut self, parent: u64, name: &OsStr, made: &Made<'_>) -> io::Result<FileAttr> {
        let at = self.at(parent, name);
        match made {
            Made::Directory(mode) => calls::mkdir(&at, calls::Mode::from_raw_mode(*mode))?,
            Made::Symlink(target) => calls::symlink(*target, &at)?,
            Made::Link(ino) => {
                calls::linkat(CWD, place(&self.nodes[ino].fd), CWD, &at, AtFlags::SYMLINK_FOLLOW)?;
            }
        }
        self.found(parent, name)
    }

    fn target(&mut self, ino: u64) -> io::Result<PathBuf> {
        let target = calls::readlinkat(&self.nodes[&ino].fd, "", Vec::new())?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    fn create(&mut self, parent: u64, name: &OsStr, mode: u32, flags: i32) -> io::Result<(FileAttr, u64)> {
        self.current.strike(&self.nodes[&parent].path.join(name), Call::Open, 0..0)?;
        let mut how = File::options();
        let flags = flags & !(OFlags::ACCMODE | OFlags::DIRECT | OFlags::APPEND).bits() as i32;
        let file = how.read(true).write(true).custom_flags(flags).mode(mode).open(self.at(parent, name))?;
        Ok((self.found(parent, name)?, self.hold(file)))
    }

    fn open(&mut self, ino: u64, flags: i32) -> io::Result<u64> {
        self.strike(ino, Call::Open, 0, 0)?;
        let is_read = flags & OFlags::ACCMODE.bits() as i32 == OFlags::RDONLY.bits() as i32;
        let how = if is_read { OFlags::RDONLY } else { OFlags::RDWR };
        let truncate = OFlags::from_bits_truncate(flags as u32) & OFlags::TRUNC;
        let file =
            calls::open(place(&self.nodes[&ino].fd), how | truncate | OFlags::CLOEXEC, calls::Mode::empty())?;
        Ok(self.hold(file.into()))
    }

    fn read(&mut self, ino: u64, handle: u64, offset: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let fault = self.strike(ino, Call::Read, offset, bytes)?;
        let mut data = vec![0; bytes];
        let mut moved = 0;
        while moved < bytes {
            match self.files[&handle].read_at(&mut data[moved..], offset + moved as u64)? {
                0 => break,
                more => moved += more,
            }
        }
        data.truncate(moved);
        if let Some(Fault::Misread(byte)) = fault {
            data.get_mut((byte - offset) as usize).into_iter().for_each(|byte| *byte ^= 1);
        }
        Ok(data)
    }

    fn write(&mut self, ino: u64, handle: u64, offset: u64, data: &[u8]) -> io::Result<()> {
        let fault = self.strike(ino, Call::Write, offset, data.len())?;
        let file = &self.files[&handle];
        match fault {
            Some(Fault::Lost(_)) => Ok(()),
            Some(Fault::Torn(_)) => file.write_all_at(&data[..data.len() / 2], offset),
            Some(Fault::Shifted(_)) => file.write_all_at(data, offset + 512),
            Some(Fault::Flipped(byte)) => {
                let mut data = data.to_vec();
                data[(byte - offset) as usize] ^= 1;
                file.write_all_at(&data, offset)
            }
            _ => file.write_all_at(data, offset),
        }
    }

    fn flush(&mut self, ino: u64, _: u64) -> io::Result<()> {
        self.strike(ino, Call::Close, 0, 0).map(drop)
    }

    fn fsync(&mut self, ino: u64, handle: u64) -> io::Result<()> {
        self.strike(ino, Call::Fsync, 0, 0)?;
        self.files[&handle].sync_all()
    }

    fn release(&mut self, handle: u64) {
        self.files.remove(&handle);
    }

    fn list(&mut self, ino: u64) -> io::Result<Vec<Listed>> {
        let own = [".", ".."].map(|name| (ino, FileType::Directory, name.into()));
        let entry = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            let facts = entry.metadata()?;
            let [ino, mode] =
                [std::os::unix::fs::MetadataExt::ino(&facts), facts.permissions().mode().into()];
            Ok((ino, kind(mode as u32), entry.file_name()))
        };
        let names = fs::read_dir(place(&self.nodes[&ino].fd))?.map(entry);
        own.into_iter().map(Ok).chain(names).collect()
    }

    fn remove(&mut self, parent: u64, name: &OsStr, is_directory: bool) -> io::Result<()> {
        let at = self.at(parent, name);
        match self.current.strike(&self.nodes[&parent].path.join(name), Call::Remove, 0..0)? {
            Some(Fault::Ignored(_)) => Ok(()),
            _ if is_directory => fs::remove_dir(at),
            _ => fs::remove_file(at),
        }
    }

    fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr), flags: u32) -> io::Result<()> {
        let flags = RenameFlags::from_bits_retain(flags);
        Ok(calls::renameat_with(&self.nodes[&from.0].fd, from.1, &self.nodes[&to.0].fd, to.1, flags)?)
    }

    fn space(&mut self) -> io::Result<Space> {
        let facts = calls::fstatvfs(&self.nodes[&1].fd)?;
        Ok([facts.f_blocks, facts.f_bavail, facts.f_files, facts.f_ffree])
    }
}
