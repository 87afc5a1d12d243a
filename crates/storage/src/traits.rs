//! The traits of a system under test.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ranks::Comm;
use units::Usage;

use crate::hints::Hints;
use crate::listing::Listing;
use crate::quota::Quotas;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Writing: created if it does not exist, otherwise kept (no truncation).
    Write,
    /// Reading only.
    Read,
    /// Writing only, to an existing file.
    Update,
    /// Writing only: created if it does not exist, truncated if it does.
    Truncate,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// What it is opened for.
    pub mode: Mode,
    /// All ranks of the communicator open the same file, and calls may be collective.
    pub shared: bool,
    /// Transfers are collective calls, if the backend has them.
    pub collective: bool,
    /// The expected size of the file, bytes; for backends that need it before the first transfer.
    pub bytes: u64,
    /// The parts of the file; for backends whose files have parts.
    pub parts: Parts,
}

/// The parts of a file: consecutive segments, each with one block of every rank, each in transfers. Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The distance from one segment to the next.
    pub segment: u64,
    /// One rank's part of a segment.
    pub block: u64,
    /// One transfer.
    pub transfer: u64,
    /// The rank whose blocks are moved through this open file, in whole transfers. This is another rank when
    /// ranks read what others wrote. `None` if any bytes may be moved.
    pub owner: Option<u64>,
}

impl Parts {
    /// A file without parts.
    pub const NONE: Self = Self { segment: 0, block: 0, transfer: 0, owner: None };
}

/// What a queue does with one transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// From the slot's buffer to the file.
    Write,
    /// From the file to the slot's buffer.
    Read,
}

/// How long a queue waits for a transfer to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    No,
    /// Until one has ended, if any is outstanding.
    ForOne,
    /// The same, but at most for this time. A system that cannot do this does not wait.
    AtMost(Duration),
}

/// A queued transfer that has ended.
#[derive(Debug)]
pub struct EndedTransfer {
    /// Its slot.
    pub slot: usize,
    /// How many bytes it moved, possibly fewer than requested, or why it failed.
    pub moved: io::Result<usize>,
}

/// Capacity and free space of the file system that holds a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// Size in bytes, as the file system's blocks times its block size.
    pub bytes: u64,
    /// Bytes not in use.
    pub bytes_free: u64,
    /// Bytes that an ordinary user may still write.
    pub bytes_available: u64,
    /// Inodes; 0 where the file system does not count them.
    pub inodes: u64,
    /// Inodes not in use.
    pub inodes_free: u64,
    /// The smallest unit of space that a file occupies, bytes; 0 where that is not known.
    pub block_bytes: u64,
}

/// A library that moves files: how it is loaded, and how it fails.
pub trait StorageLibrary: Sync {
    /// Loads it; called by running ranks before they open any file.
    fn load(&self) -> Result<(), Usage> {
        Ok(())
    }

    /// The version of the underlying library, as IOR 4.1 shows it; empty where there is none.
    fn version(&self) -> String {
        String::new()
    }

    /// Whether a file can be neither synced nor closed after a failed call, because the ranks would wait for
    /// each other inside the library. In that case all its ranks abandon it instead.
    fn is_fragile(&self) -> bool {
        false
    }

    /// Why a call failed, if other ranks may not know of the failure and would wait inside the library
    /// forever.
    fn stuck(&self) -> Option<String> {
        None
    }

    /// The collective call on a shared file that this rank is in: a number that no other call of this storage
    /// has, and a word. If a rank does not make the call, the others stay in it forever.
    fn inside(&self) -> Option<(u64, &'static str)> {
        None
    }

    /// Whether a file was abandoned. The library would close it when MPI ends, and block there.
    fn has_abandoned(&self) -> bool {
        false
    }
}

/// A storage system that holds files.
pub trait Storage: Sync {
    /// The library that it needs, if any.
    fn library(&self) -> Option<&dyn StorageLibrary> {
        None
    }

    /// Opens a file; with `how.shared` all ranks of `comm` call this together.
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>>;

    /// Removes a file; one that does not exist is an error.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Size of a file or a block device in bytes; `None` where there is no such file.
    fn size(&self, path: &Path) -> io::Result<Option<u64>>;

    /// Opens a file for reading and closes it again, on this rank alone, where the system has such files.
    fn readable(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    /// The offset of the first hole, which is a range before the end of the file without stored data. `None`
    /// without a hole, or where holes cannot be detected.
    fn hole(&self, _path: &Path) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Whether the path exists and its size does not depend on what was written, as for a device.
    fn is_device(&self, _path: &Path) -> bool {
        false
    }

    /// Free space of the file system that holds `path`, which exists; `None` where that does not apply.
    fn space(&self, path: &Path) -> io::Result<Option<Space>>;

    /// The path by which the system has a file: without the prefix that only a library reads.
    fn system_path<'p>(&self, path: &'p Path) -> &'p Path {
        path
    }

    /// Metadata operations, where there are any.
    fn names(&self) -> Option<&dyn Names> {
        None
    }

    /// Metadata operations of the underlying mounted file system, also where a library is between; `None`
    /// where there is none. Paths are those of [`Storage::system_path`].
    fn mounted(&self) -> Option<&dyn Names> {
        self.names()
    }

    /// Limits of users, groups and projects, where the system may have some.
    fn quotas(&self) -> Option<&dyn Quotas> {
        None
    }

    /// This client's page cache of a file, if it can be queried and gives true answers; through a separate
    /// handle.
    fn page_cache(&self, _path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        Ok(None)
    }

    /// The number of separate pieces of a file on the medium: extents, with adjacent ones counted as one. 0
    /// for a file without extents; `None` where the system does not report it.
    fn extents(&self, _path: &Path) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Flushes to storage all data written to the file system that holds `path`, which exists, through any
    /// file. Does nothing where this does not apply.
    fn sync_all(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Whether a transfer moves the same piece of all segments, for a file that was opened with an owner in
    /// its [`Parts`]. Its data is then these pieces end to end, and its offset is that of the first.
    fn moves_all_segments(&self) -> bool {
        false
    }

    /// A queue for `depth` outstanding transfers of up to `bytes` each (`None`: the backend chooses the
    /// depth). The call allocates and writes its memory. `None` where a transfer is a blocking call.
    fn queue(&self, _depth: Option<u32>, _bytes: usize) -> io::Result<Option<Box<dyn Queue>>> {
        Ok(None)
    }

    /// Rejects a queue of `depth` transfers of up to `bytes` each that no kernel makes. It makes no queue.
    fn check_queue(&self, _depth: Option<u32>, _bytes: u64) -> io::Result<()> {
        Ok(())
    }

    /// Whether transfers bypass this client's page cache.
    fn direct(&self) -> bool;

    /// Which options have no effect on this machine, and why; one line.
    fn note(&self) -> Option<String> {
        None
    }
}

impl dyn Storage + '_ {
    /// Loads the library that it needs, if any. See [`StorageLibrary::load`].
    pub fn load(&self) -> Result<(), Usage> {
        self.library().map_or(Ok(()), StorageLibrary::load)
    }

    /// The version of its library; empty where there is none.
    pub fn version(&self) -> String {
        self.library().map_or(String::new(), StorageLibrary::version)
    }
}

/// An open file. Offsets and lengths are bytes.
pub trait File {
    /// Writes from `data` at `offset`; returns how many bytes were written, which may be fewer.
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize>;

    /// Reads into `data` from `offset`; returns how many bytes were read, 0 at the end of the file.
    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Flushes everything written through this file to storage.
    fn sync(&mut self) -> io::Result<()>;

    /// Size of the file, bytes.
    fn size(&mut self) -> io::Result<u64>;

    /// Closes the file; a failed close is a result.
    fn close(self: Box<Self>) -> io::Result<()>;

    /// Leaves the file open for good, see [`StorageLibrary::is_fragile`]; all its ranks know of the failure.
    fn abandon(self: Box<Self>) {}

    /// The hints that the file was opened with, if there are any or if the settings ask to show them. The
    /// caller prints them on one rank, in the form of [`Hints`].
    fn hints(&self) -> io::Result<Option<Hints>> {
        Ok(None)
    }

    /// How many requested collective transfers the library moved by independent calls instead.
    fn uncollective(&self) -> u64 {
        0
    }

    /// The position in the file of the byte at `offset` of the data, in the terms of the file format; `None`
    /// where it is `offset`. Not a collective call.
    fn place(&self, _offset: u64) -> Option<String> {
        None
    }

    /// The system's descriptor, for backends whose queue works on one. The file cannot be closed while a
    /// queue has it.
    fn descriptor(&self) -> Option<Arc<OwnedFd>> {
        None
    }
}

/// The ability to have many outstanding transfers of one file, each in a slot with its own buffer.
///
/// A queue that is dropped waits for its outstanding transfers: the kernel still writes into its buffers.
pub trait Queue {
    /// How many slots there are.
    fn depth(&self) -> usize;

    /// The whole buffer of a slot; panics while its transfer is outstanding.
    fn buffer(&mut self, slot: usize) -> &mut [u8];

    /// From now on transfers go to this file.
    fn attach(&mut self, file: &dyn File) -> io::Result<()>;

    /// Releases the file, so that closing it closes it; waits for the outstanding transfers and discards
    /// their results.
    fn detach(&mut self) -> io::Result<()>;

    /// Submits a transfer of the slot's bytes, from `from` to the end of the buffer, to or from the file at
    /// `offset`. Panics while the slot's transfer is outstanding. The transfer may be sent only with the next
    /// [`Queue::reap`]. A transfer that is rejected here is not outstanding.
    fn submit(&mut self, slot: usize, op: Op, from: usize, offset: u64) -> io::Result<()>;

    /// Sends what was submitted, waits as `wait` says, and appends the ended transfers to `ended`.
    fn reap(&mut self, wait: Wait, ended: &mut Vec<EndedTransfer>) -> io::Result<()>;
}

/// The ability to query and empty this client's page cache of one file.
pub trait PageCache {
    /// Share of the pages of these ranges that are in memory, 0 to 1; the query changes nothing. A range is
    /// an offset and a length in bytes, and all its pages are checked.
    fn resident(&mut self, ranges: &[(u64, u64)]) -> io::Result<f64>;

    /// Drops the file's clean pages from memory, after writing the dirty ones.
    fn evict(&mut self) -> io::Result<()>;
}

/// What the system reports of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameStatus {
    /// Whether it is a directory.
    pub directory: bool,
    /// Length in bytes.
    pub bytes: u64,
}

/// The ability to hold directories and to make the metadata operations of a file system.
///
/// Paths end in NUL, as the kernel takes them, so that no call needs to copy one. Each method except
/// [`Names::list`] is one call of the C library on a mounted file system. Only `stat`, `chmod`, `truncate`
/// and the attributes follow links. [`Storage::open`] opens files.
pub trait Names: Sync {
    /// Creates a directory with these permissions, less the umask; an existing one is an error.
    fn make_dir(&self, path: &CStr, permissions: u32) -> io::Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, path: &CStr) -> io::Result<()>;

    /// Creates an empty file with these permissions, less the umask, without opening it.
    fn make_node(&self, path: &CStr, permissions: u32) -> io::Result<()>;

    /// Removes a path that is not a directory.
    fn unlink(&self, path: &CStr) -> io::Result<()>;

    /// The status of the file that the path leads to, after links.
    fn stat(&self, path: &CStr) -> io::Result<NameStatus>;

    /// The status of the path itself, also if it is a link.
    fn lstat(&self, path: &CStr) -> io::Result<NameStatus>;

    /// The same by `statx`, with all fields that every file system has.
    fn statx(&self, path: &CStr) -> io::Result<NameStatus>;

    /// Renames a file or directory; an existing file of the new name is replaced.
    fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()>;

    /// Makes a hard link to a file.
    fn link(&self, from: &CStr, to: &CStr) -> io::Result<()>;

    /// Makes `path` a symbolic link to `target`.
    fn symlink(&self, target: &CStr, path: &CStr) -> io::Result<()>;

    /// Sets permissions.
    fn chmod(&self, path: &CStr, permissions: u32) -> io::Result<()>;

    /// Sets the length in bytes.
    fn truncate(&self, path: &CStr, bytes: u64) -> io::Result<()>;

    /// Sets an extended attribute.
    fn set_attribute(&self, path: &CStr, name: &CStr, value: &[u8]) -> io::Result<()>;

    /// Reads an extended attribute; returns its length in bytes.
    fn get_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize>;

    /// Removes an extended attribute.
    fn remove_attribute(&self, path: &CStr, name: &CStr) -> io::Result<()>;

    /// Passes every entry of a directory except `.` and `..` to `each`, in the system's order, and returns
    /// their number. The flag is whether the entry is a directory, if the system reports it along with the
    /// name.
    fn list(&self, path: &CStr, each: &mut dyn FnMut(&CStr, Option<bool>)) -> io::Result<u64>;

    /// Listing as `ls -lR` does it, call by call, if there are directories to list.
    fn listing(&self) -> Option<&dyn Listing> {
        None
    }
}
