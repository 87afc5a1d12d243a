//! Storage in memory, without a fault or with one injected fault.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use ranks::Comm;
use storage::{EndedTransfer, File, Mode, Op, Open, PageCache, Queue, Space, Storage, Wait};

/// The injected fault. An offset is that of the transfer that meets the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A write at this offset moves half of its bytes; the next call is normal.
    ShortWrite(u64),
    /// A write at this offset reports success, but is not done.
    LostWrite(u64),
    /// A read at this offset returns one byte with a bit flipped.
    FlippedBit(u64),
    /// A read at this offset fails.
    Unreadable(u64),
    /// Writes at or after this offset find no space.
    NoSpace(u64),
    /// A queue fails to report the ended transfers.
    Reap,
    /// The sync fails.
    Sync,
    /// The sync waits until another fault of the storage has struck, and fails 0.2 s later.
    SyncAfterAnother,
    /// The sync takes this number of milliseconds.
    SlowSync(u64),
    /// The close fails.
    Close,
}

type Files = Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>;

/// Files in memory, shared by all ranks of a process.
#[derive(Clone, Debug, Default)]
pub struct Faulty {
    files: Files,
    faults: Vec<(u32, Fault)>,
    /// Whether a write has failed.
    struck: Arc<AtomicBool>,
}

impl Faulty {
    /// Storage without a fault.
    pub fn sound() -> Self {
        Self::default()
    }

    /// Storage with this fault on this rank.
    pub fn on_rank(rank: u32, fault: Fault) -> Self {
        Self { faults: vec![(rank, fault)], ..Self::default() }
    }

    /// The same storage with one more fault, on another rank.
    pub fn and_on_rank(mut self, rank: u32, fault: Fault) -> Self {
        self.faults.push((rank, fault));
        self
    }

    /// A file as `rank` has it.
    fn file(&self, rank: u32, path: &Path) -> FaultyFile {
        let fault = self.faults.iter().find(|(faulty, _)| *faulty == rank).map(|(_, fault)| *fault);
        let (files, struck) = (Arc::clone(&self.files), Arc::clone(&self.struck));
        FaultyFile { files, path: path.to_owned(), fault, struck }
    }

    /// A queue on a file of this storage. Transfers end at once, and are reported in a different order, a few
    /// at a time.
    pub fn queue_on(&self, comm: &dyn Comm, path: &Path, depth: usize, bytes: usize) -> FaultyQueue {
        FaultyQueue {
            file: self.file(comm.rank(), path),
            slots: vec![(vec![0; bytes], false); depth],
            done: Vec::new(),
            most: 0,
        }
    }

    /// The bytes of a file, if it exists.
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        self.files.lock().expect("no test panics while holding it").get(path).cloned()
    }
}

/// The page cache of a client that has not read anything.
struct EmptyPageCache;

impl PageCache for EmptyPageCache {
    fn resident(&mut self, _ranges: &[(u64, u64)]) -> io::Result<f64> {
        Ok(0.0)
    }

    fn evict(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Storage for Faulty {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let mut files = self.files.lock().expect("no test panics while holding it");
        match how.mode {
            Mode::Write => drop(files.entry(path.to_owned()).or_default()),
            Mode::Read | Mode::Update if !files.contains_key(path) => {
                return Err(io::ErrorKind::NotFound.into());
            }
            Mode::Read | Mode::Update => {}
            Mode::Truncate => drop(files.insert(path.to_owned(), Vec::new())),
        }
        drop(files);
        Ok(Box::new(self.file(comm.rank(), path)))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let removed = self.files.lock().expect("no test panics while holding it").remove(path);
        removed.map(drop).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        Ok(self.bytes(path).map(|bytes| bytes.len() as u64))
    }

    fn space(&self, _path: &Path) -> io::Result<Option<Space>> {
        Ok(None)
    }

    fn page_cache(&self, _path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        Ok(Some(Box::new(EmptyPageCache)))
    }

    fn direct(&self) -> bool {
        false
    }
}

struct FaultyFile {
    files: Files,
    path: PathBuf,
    fault: Option<Fault>,
    struck: Arc<AtomicBool>,
}

impl FaultyFile {
    fn with<T>(&self, what: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        let mut files = self.files.lock().expect("no test panics while holding it");
        what(files.entry(self.path.clone()).or_default())
    }
}

impl File for FaultyFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        let mut length = data.len();
        match self.fault {
            Some(Fault::NoSpace(from)) if offset >= from => {
                self.struck.store(true, Ordering::Release);
                return Err(io::ErrorKind::StorageFull.into());
            }
            Some(Fault::LostWrite(at)) if at == offset => return Ok(length),
            Some(Fault::ShortWrite(at)) if at == offset => length /= 2,
            _ => {}
        }
        let start = offset as usize;
        self.with(|bytes| {
            bytes.resize(bytes.len().max(start + length), 0);
            bytes[start..start + length].copy_from_slice(&data[..length]);
        });
        Ok(length)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        if self.fault == Some(Fault::Unreadable(offset)) {
            return Err(io::Error::other("lost the sector"));
        }
        let moved = self.with(|bytes| {
            let from = bytes.get(offset as usize..).unwrap_or_default();
            let moved = from.len().min(data.len());
            data[..moved].copy_from_slice(&from[..moved]);
            moved
        });
        if self.fault == Some(Fault::FlippedBit(offset)) && moved > 0 {
            data[moved / 2] ^= 1;
        }
        Ok(moved)
    }

    fn sync(&mut self) -> io::Result<()> {
        match self.fault {
            Some(Fault::Sync) => Err(io::Error::other("lost the disk")),
            Some(Fault::SyncAfterAnother) => {
                while !self.struck.load(Ordering::Acquire) {
                    std::thread::yield_now();
                }
                // The other rank reads its clock only after its call has returned.
                std::thread::sleep(std::time::Duration::from_millis(200));
                Err(io::Error::other("lost the disk"))
            }
            Some(Fault::SlowSync(ms)) => {
                std::thread::sleep(std::time::Duration::from_millis(ms));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn size(&mut self) -> io::Result<u64> {
        Ok(self.with(|bytes| bytes.len() as u64))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        if self.fault == Some(Fault::Close) { Err(io::Error::other("lost a write")) } else { Ok(()) }
    }
}

/// See [`Faulty::queue_on`].
pub struct FaultyQueue {
    file: FaultyFile,
    slots: Vec<(Vec<u8>, bool)>,
    done: Vec<EndedTransfer>,
    /// The most transfers that were outstanding at once.
    pub most: usize,
}

impl Queue for FaultyQueue {
    fn depth(&self) -> usize {
        self.slots.len()
    }

    fn buffer(&mut self, slot: usize) -> &mut [u8] {
        assert!(!self.slots[slot].1, "slot {slot} is outstanding");
        &mut self.slots[slot].0
    }

    fn attach(&mut self, _file: &dyn File) -> io::Result<()> {
        Ok(())
    }

    fn detach(&mut self) -> io::Result<()> {
        let mut ended = Vec::new();
        while !self.done.is_empty() {
            self.reap(Wait::ForOne, &mut ended)?;
        }
        Ok(())
    }

    fn submit(&mut self, slot: usize, op: Op, from: usize, offset: u64) -> io::Result<()> {
        let (data, is_outstanding) = &mut self.slots[slot];
        assert!(!std::mem::replace(is_outstanding, true), "slot {slot} is outstanding");
        let moved = match op {
            Op::Write => self.file.write_at(&data[from..], offset),
            Op::Read => self.file.read_at(&mut data[from..], offset),
        };
        self.done.push(EndedTransfer { slot, moved });
        self.most = self.most.max(self.done.len());
        Ok(())
    }

    fn reap(&mut self, wait: Wait, ended: &mut Vec<EndedTransfer>) -> io::Result<()> {
        if self.file.fault == Some(Fault::Reap) {
            return Err(io::Error::other("lost the ring"));
        }
        // The newest is reported first, and at most three together.
        let some =
            if wait == Wait::ForOne { 1.max(self.done.len() / 2).min(3) } else { self.done.len().min(1) };
        for _ in 0..some.min(self.done.len()) {
            let back = self.done.pop().expect("counted above");
            self.slots[back.slot].1 = false;
            ended.push(back);
        }
        Ok(())
    }
}
