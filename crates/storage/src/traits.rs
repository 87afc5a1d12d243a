//! The traits of a system under test.

use std::ffi::CStr;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::Duration;

use ranks::Comm;
use units::Usage;

use crate::hints::Hints;
use crate::listing::Listing;

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Writing: created when absent, kept as it is when present (no truncation).
    Write,
    /// Reading only.
    Read,
    /// Writing only, to a file that is there.
    Update,
    /// Writing only: created when absent, empty when present.
    Truncate,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// For what.
    pub mode: Mode,
    /// All ranks of the communicator open the same file, and calls may be collective.
    pub shared: bool,
    /// Transfers are collective calls where the backend has such.
    pub collective: bool,
    /// Bytes the file is meant to have; for backends that have to know before the first transfer.
    pub bytes: u64,
    /// The parts it consists of; for backends whose files have such.
    pub parts: Parts,
}

/// Of what a file consists: segments, one after the other, of one block of each rank, of transfers. Bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// From one segment to the next.
    pub segment: u64,
    /// One rank's part of a segment.
    pub block: u64,
    /// One transfer.
    pub transfer: u64,
    /// The rank whose blocks are moved through this opening, in whole transfers: this one, or another when
    /// ranks read what others wrote; `None` where any bytes may be.
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
    /// Until one has ended, if any is under way.
    ForOne,
    /// The same, but no longer than this. A system that cannot do that does not wait.
    AtMost(Duration),
}

/// A queued transfer that has ended.
#[derive(Debug)]
pub struct EndedTransfer {
    /// Its slot.
    pub slot: usize,
    /// How many bytes it moved, which may be fewer than asked for, or why it failed.
    pub moved: io::Result<usize>,
}

/// Room of the file system that holds a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Space {
    /// Size in bytes, as the file system's blocks times its block size.
    pub bytes: u64,
    /// Bytes not in use.
    pub bytes_free: u64,
    /// Bytes an ordinary user may still write.
    pub bytes_available: u64,
    /// Inodes; 0 where the file system does not count them.
    pub inodes: u64,
    /// Inodes not in use.
    pub inodes_free: u64,
    /// The smallest piece of room that a file takes, bytes; 0 where that is not known.
    pub block_bytes: u64,
}

/// A system that holds files.
pub trait Storage: Sync {
    /// Loads the library that files need, where there is one; the ranks run, and no file was touched yet.
    fn load(&self) -> Result<(), Usage> {
        Ok(())
    }

    /// The version of what is underneath, as IOR 4.1 shows it; empty where there is nothing to tell.
    fn version(&self) -> String {
        String::new()
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

    /// The first byte of a file of which nothing is stored, though it lies before the end; `None` where there
    /// is none, or where that cannot be known.
    fn hole(&self, _path: &Path) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Whether a path is there whose size says nothing of what was written, such as a device.
    fn is_device(&self, _path: &Path) -> bool {
        false
    }

    /// Room of the file system that holds `path`, which exists; `None` where that means nothing.
    fn space(&self, path: &Path) -> io::Result<Option<Space>>;

    /// Where the system has a file: its path without what is said to a library only.
    fn system_path<'p>(&self, path: &'p Path) -> &'p Path {
        path
    }

    /// Directories and names, where there are any.
    fn names(&self) -> Option<&dyn Names> {
        None
    }

    /// The names of the mounted file system beneath, also where a library is between; `None` where there is
    /// none. Paths are those of [`Storage::system_path`].
    fn mounted(&self) -> Option<&dyn Names> {
        self.names().filter(|_| self.keeps_data())
    }

    /// This client's cache of a file, where it can be asked and answers truthfully; through a handle of
    /// its own.
    fn page_cache(&self, _path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        Ok(None)
    }

    /// In how many pieces a file lies on the medium: extents, of which those that follow each other there are
    /// one; 0 for a file without any. `None` where the system does not tell.
    fn extents(&self, _path: &Path) -> io::Result<Option<u64>> {
        Ok(None)
    }

    /// Makes everything durable that was written to the file system that holds `path`, which exists, through
    /// whatever file; nothing where there is no such thing.
    fn sync_all(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Whether syncing and closing a shared file are calls that all its ranks have to make together.
    fn is_collective(&self) -> bool {
        false
    }

    /// Whether a transfer of a file that was opened with an owner in its [`Parts`] moves as much of all
    /// segments: its data is these pieces end to end, and its offset that of the first.
    fn moves_all_segments(&self) -> bool {
        false
    }

    /// A queue for many transfers of up to `bytes` at once, `depth` of them (`None`: the backend's own
    /// choice); its memory is made and touched here. `None` where a transfer is a call that blocks.
    fn queue(&self, _depth: Option<u32>, _bytes: usize) -> io::Result<Option<Box<dyn Queue>>> {
        Ok(None)
    }

    /// Whether a file of which a call failed can be neither synced nor closed any more, because the ranks
    /// would wait for each other inside the library: all its ranks abandon it instead.
    fn is_fragile(&self) -> bool {
        false
    }

    /// Why a call failed of which other ranks may not know, so that they wait inside the library for ever.
    fn stuck(&self) -> Option<String> {
        None
    }

    /// The call that all ranks of a shared file make together and that this rank is in: a number that no
    /// other call of this storage has, and a word. A rank that does not make it keeps the others in it for
    /// ever.
    fn inside(&self) -> Option<(u64, &'static str)> {
        None
    }

    /// Whether a file was abandoned. The library would close it when MPI ends, and wait there.
    fn has_abandoned(&self) -> bool {
        false
    }

    /// Whether a file is as long as what was written into it, and holds nothing else.
    fn is_bare(&self) -> bool {
        true
    }

    /// Whether what is written can be read back; a system that only counts keeps nothing.
    fn keeps_data(&self) -> bool;

    /// Whether transfers bypass this client's page cache.
    fn direct(&self) -> bool;
}

/// An open file. Offsets and lengths are bytes.
pub trait File: Send {
    /// Writes from `data` at `offset`; returns how many bytes were taken, which may be fewer.
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize>;

    /// Reads into `data` from `offset`; returns how many bytes came, 0 at the end of the file.
    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Makes everything written through this file durable.
    fn sync(&mut self) -> io::Result<()>;

    /// Size of the file, bytes.
    fn size(&mut self) -> io::Result<u64>;

    /// Closes the file; a failed close is a result.
    fn close(self: Box<Self>) -> io::Result<()>;

    /// Leaves the file open for good, see [`Storage::is_fragile`]; all its ranks have learned of the failure.
    fn abandon(self: Box<Self>) {}

    /// The hints that the file was opened with, where there are any or the settings ask to show them. The
    /// caller prints them on one rank, as [`Hints`] says.
    fn hints(&self) -> io::Result<Option<Hints>> {
        Ok(None)
    }

    /// How many of the transfers that were asked for as collective ones the library moved by calls of single
    /// ranks instead.
    fn uncollective(&self) -> u64 {
        0
    }

    /// Where in the file the byte at `offset` of the data lies, in the file's own terms; `None` where it lies
    /// at `offset`. Not a collective call.
    fn place(&self, _offset: u64) -> Option<String> {
        None
    }

    /// The system's descriptor, for backends whose queue works on one.
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// The ability to have many transfers of one file under way at once, each in a slot with a buffer of
/// its own.
///
/// A queue that is dropped waits for what is under way: the kernel still writes into its buffers.
pub trait Queue: Send {
    /// How many slots there are.
    fn depth(&self) -> usize;

    /// The whole buffer of a slot; panics while its transfer is under way.
    fn buffer(&mut self, slot: usize) -> &mut [u8];

    /// From now on transfers go to this file.
    fn attach(&mut self, file: &dyn File) -> io::Result<()>;

    /// Lets go of the file, so that closing it closes it; waits for what is under way and forgets how it
    /// ended.
    fn detach(&mut self) -> io::Result<()>;

    /// Puts a transfer of the slot's bytes from `from` to the end of the buffer into the queue, to or from
    /// the file at `offset`; panics while the slot's transfer is under way. It may go out only with
    /// the next [`Queue::reap`]. One that is rejected here is not under way.
    fn submit(&mut self, slot: usize, op: Op, from: usize, offset: u64) -> io::Result<()>;

    /// Sends out what was submitted and appends what has ended to `ended`, for which it waits as told.
    fn reap(&mut self, wait: Wait, ended: &mut Vec<EndedTransfer>) -> io::Result<()>;
}

/// The ability to look into and empty this client's page cache of one file.
pub trait PageCache {
    /// Share of the pages of these ranges (offset and length in bytes; of each at most the first
    /// 256 KiB) that are in memory, 0 to 1; looking changes nothing.
    fn resident(&mut self, ranges: &[(u64, u64)]) -> io::Result<f64>;

    /// Drops the file's clean pages from memory, after writing the dirty ones.
    fn evict(&mut self) -> io::Result<()>;
}

/// What the system keeps of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameStatus {
    /// Whether it is a directory.
    pub directory: bool,
    /// Length in bytes.
    pub bytes: u64,
}

/// The ability to hold directories and to do to names what a file system does.
///
/// Paths end in NUL as the kernel takes them, so that no call has to copy one. Each method but
/// [`Names::list`] is one system call on a mounted file system. Names that are links are followed by none
/// but `stat`, `chmod`, `truncate` and the attributes. Files are opened by [`Storage::open`].
pub trait Names: Sync {
    /// Makes a directory with these permissions, less the umask; one that exists is an error.
    fn make_dir(&self, path: &CStr, permissions: u32) -> io::Result<()>;

    /// Removes a directory, which is empty.
    fn remove_dir(&self, path: &CStr) -> io::Result<()>;

    /// Makes an empty file with these permissions, less the umask, without opening it.
    fn make_node(&self, path: &CStr, permissions: u32) -> io::Result<()>;

    /// Removes a name that is no directory.
    fn unlink(&self, path: &CStr) -> io::Result<()>;

    /// What is kept of the file that the name leads to.
    fn stat(&self, path: &CStr) -> io::Result<NameStatus>;

    /// What is kept of the name itself.
    fn lstat(&self, path: &CStr) -> io::Result<NameStatus>;

    /// The same by `statx`, with all fields that every file system knows.
    fn statx(&self, path: &CStr) -> io::Result<NameStatus>;

    /// Gives a file or directory another name; a file that has this name goes.
    fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()>;

    /// Gives a file one more name.
    fn link(&self, from: &CStr, to: &CStr) -> io::Result<()>;

    /// Makes `path` a link that says `target`.
    fn symlink(&self, target: &CStr, path: &CStr) -> io::Result<()>;

    /// Sets permissions.
    fn chmod(&self, path: &CStr, permissions: u32) -> io::Result<()>;

    /// Sets the length in bytes.
    fn truncate(&self, path: &CStr, bytes: u64) -> io::Result<()>;

    /// Sets an extended attribute.
    fn set_attribute(&self, path: &CStr, name: &CStr, value: &[u8]) -> io::Result<()>;

    /// Reads an extended attribute; how many bytes it has.
    fn get_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize>;

    /// Removes an extended attribute.
    fn remove_attribute(&self, path: &CStr, name: &CStr) -> io::Result<()>;

    /// Brings every entry of a directory but `.` and `..` to `each`, in the system's order, with whether it
    /// is a directory where the system says so along with the name; returns how many there were.
    fn list(&self, path: &CStr, each: &mut dyn FnMut(&CStr, Option<bool>)) -> io::Result<u64>;

    /// Listing as `ls -lR` does it, call by call, where there is something to list.
    fn listing(&self) -> Option<&dyn Listing> {
        None
    }
}
