//! A file system as `fuser` needs it: each reply is a result or an error number.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use fuser::{
    FileAttr, Filesystem, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry,
    ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow,
};

use super::{Change, Listed, Made, Served};

/// How long the kernel may use attributes again: it asks each time.
const TTL: Duration = Duration::ZERO;

/// The error number of a failed call.
fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(rustix::io::Errno::IO.raw_os_error())
}

/// Replies with the value or the error number.
macro_rules! reply {
    ($result:expr, $reply:ident, $value:pat => $done:expr) => {
        match $result {
            Ok($value) => $done,
            Err(error) => $reply.error(number(&error)),
        }
    };
}

/// The file system, and the listings of its open directories. A directory is listed once for each
/// opening, also if its files are removed meanwhile.
pub(super) struct Adapter<S> {
    served: S,
    /// How often the kernel was given each inode, and has not forgotten it.
    given: HashMap<u64, u64>,
    listings: HashMap<u64, Vec<Listed>>,
    opened: u64,
}

impl<S: Served> Adapter<S> {
    pub(super) fn new(served: S) -> Self {
        Self { served, given: HashMap::new(), listings: HashMap::new(), opened: 0 }
    }

    /// Gives an inode to the kernel.
    fn give(&mut self, found: io::Result<FileAttr>, reply: ReplyEntry) {
        reply!(found, reply, found => {
            *self.given.entry(found.ino).or_default() += 1;
            reply.entry(&TTL, &found, 0);
        });
    }
}

impl<S: Served> Filesystem for Adapter<S> {
    fn lookup(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEntry) {
        let found = self.served.lookup(parent, name);
        self.give(found, reply);
    }

    fn forget(&mut self, _: &Request<'_>, ino: u64, times: u64) {
        let Some(given) = self.given.get_mut(&ino) else { return };
        *given = given.saturating_sub(times);
        if *given == 0 {
            self.given.remove(&ino);
            self.served.forget(ino);
        }
    }

    fn getattr(&mut self, _: &Request<'_>, ino: u64, _: Option<u64>, reply: ReplyAttr) {
        reply!(self.served.attributes(ino), reply, found => reply.attr(&TTL, &found));
    }

    fn setattr(
        &mut self,
        _: &Request<'_>,
        ino: u64,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<u64>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<u32>,
        reply: ReplyAttr,
    ) {
        let change = Change { mode, owner: (uid, gid), size, times: (atime, mtime) };
        reply!(self.served.change(ino, &change), reply, found => reply.attr(&TTL, &found));
    }

    fn readlink(&mut self, _: &Request<'_>, ino: u64, reply: ReplyData) {
        reply!(self.served.target(ino), reply, target => reply.data(target.as_os_str().as_encoded_bytes()));
    }

    fn mkdir(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, mode: u32, mask: u32, reply: ReplyEntry) {
        let made = self.served.make(parent, name, &Made::Directory(mode & !mask));
        self.give(made, reply);
    }

    fn symlink(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let made = self.served.make(parent, name, &Made::Symlink(target));
        self.give(made, reply);
    }

    fn link(&mut self, _: &Request<'_>, ino: u64, parent: u64, name: &OsStr, reply: ReplyEntry) {
        let made = self.served.make(parent, name, &Made::Link(ino));
        self.give(made, reply);
    }

    fn unlink(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEmpty) {
        reply!(self.served.remove(parent, name, false), reply, () => reply.ok());
    }

    fn rmdir(&mut self, _: &Request<'_>, parent: u64, name: &OsStr, reply: ReplyEmpty) {
        reply!(self.served.remove(parent, name, true), reply, () => reply.ok());
    }

    fn rename(
        &mut self,
        _: &Request<'_>,
        parent: u64,
        name: &OsStr,
        new_parent: u64,
        new_name: &OsStr,
        flags: u32,
        reply: ReplyEmpty,
    ) {
        reply!(self.served.rename((parent, name), (new_parent, new_name), flags), reply, () => reply.ok());
    }

    fn create(
        &mut self,
        _: &Request<'_>,
        parent: u64,
        name: &OsStr,
        mode: u32,
        mask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let created = self.served.create(parent, name, mode & !mask, flags);
        reply!(created, reply, (made, handle) => {
            *self.given.entry(made.ino).or_default() += 1;
            reply.created(&TTL, &made, 0, handle, 0);
        });
    }

    fn open(&mut self, _: &Request<'_>, ino: u64, flags: i32, reply: ReplyOpen) {
        reply!(self.served.open(ino, flags), reply, handle => reply.opened(handle, 0));
    }

    fn read(
        &mut self,
        _: &Request<'_>,
        ino: u64,
        handle: u64,
        offset: i64,
        bytes: u32,
        _: i32,
        _: Option<u64>,
        reply: ReplyData,
    ) {
        let data = self.served.read(ino, handle, offset as u64, bytes as usize);
        reply!(data, reply, data => reply.data(&data));
    }

    fn write(
        &mut self,
        _: &Request<'_>,
        ino: u64,
        handle: u64,
        offset: i64,
        data: &[u8],
        _: u32,
        _: i32,
        _: Option<u64>,
        reply: ReplyWrite,
    ) {
        let written = self.served.write(ino, handle, offset as u64, data);
        reply!(written, reply, () => reply.written(data.len() as u32));
    }

    fn flush(&mut self, _: &Request<'_>, ino: u64, handle: u64, _: u64, reply: ReplyEmpty) {
        reply!(self.served.flush(ino, handle), reply, () => reply.ok());
    }

    fn fsync(&mut self, _: &Request<'_>, ino: u64, handle: u64, _: bool, reply: ReplyEmpty) {
        reply!(self.served.fsync(ino, handle), reply, () => reply.ok());
    }

    fn release(
        &mut self,
        _: &Request<'_>,
        _: u64,
        handle: u64,
        _: i32,
        _: Option<u64>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        self.served.release(handle);
        reply.ok();
    }

    fn opendir(&mut self, _: &Request<'_>, ino: u64, _: i32, reply: ReplyOpen) {
        reply!(self.served.list(ino), reply, names => {
            self.opened += 1;
            self.listings.insert(self.opened, names);
            reply.opened(self.opened, 0);
        });
    }

    fn readdir(&mut self, _: &Request<'_>, _: u64, handle: u64, from: i64, mut reply: ReplyDirectory) {
        for (next, (ino, kind, name)) in (1..).zip(&self.listings[&handle]).skip(from as usize) {
            if reply.add(*ino, next, *kind, name) {
                break;
            }
        }
        reply.ok();
    }

    fn releasedir(&mut self, _: &Request<'_>, _: u64, handle: u64, _: i32, reply: ReplyEmpty) {
        self.listings.remove(&handle);
        reply.ok();
    }

    fn statfs(&mut self, _: &Request<'_>, _: u64, reply: ReplyStatfs) {
        reply!(self.served.space(), reply, [blocks, free, inodes, free_inodes] => {
            reply.statfs(blocks, free, free, inodes, free_inodes, 4096, 255, 4096);
        });
    }
}
