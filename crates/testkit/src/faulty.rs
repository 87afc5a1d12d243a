//! Storage in memory that does as it is told: whole, or with one planted fault.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use ranks::Comm;
use storage::{File, Mode, Open, Space, Storage};

/// What goes wrong, and where. Offsets are those of the transfer that meets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A write at this offset moves half of its bytes; the next call goes on normally.
    ShortWrite(u64),
    /// A write at this offset is said to be done and is not.
    LostWrite(u64),
    /// A read at this offset returns one byte with a bit flipped.
    FlippedBit(u64),
    /// A read at this offset fails.
    Unreadable(u64),
    /// Writes at or beyond this offset find no space.
    NoSpace(u64),
    /// The sync fails.
    Sync,
    /// The close fails.
    Close,
}

type Files = Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>;

/// Files in memory, shared by all ranks of a process.
#[derive(Clone, Debug, Default)]
pub struct Faulty {
    files: Files,
    fault: Option<(u32, Fault)>,
}

impl Faulty {
    /// Storage without a fault.
    pub fn sound() -> Self {
        Self::default()
    }

    /// Storage that fails this way on this rank.
    pub fn on_rank(rank: u32, fault: Fault) -> Self {
        Self { fault: Some((rank, fault)), ..Self::default() }
    }

    /// The bytes of a file, if it is there.
    pub fn bytes(&self, path: &Path) -> Option<Vec<u8>> {
        self.files.lock().expect("no test panics while holding it").get(path).cloned()
    }
}

impl Storage for Faulty {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let mut files = self.files.lock().expect("no test panics while holding it");
        match how.mode {
            Mode::Write => drop(files.entry(path.to_owned()).or_default()),
            Mode::Read if !files.contains_key(path) => return Err(io::ErrorKind::NotFound.into()),
            Mode::Read => {}
        }
        let fault = self.fault.filter(|(rank, _)| *rank == comm.rank()).map(|(_, fault)| fault);
        Ok(Box::new(FaultyFile { files: Arc::clone(&self.files), path: path.to_owned(), fault }))
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

    fn keeps_data(&self) -> bool {
        true
    }

    fn direct(&self) -> bool {
        false
    }
}

struct FaultyFile {
    files: Files,
    path: PathBuf,
    fault: Option<Fault>,
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
            Some(Fault::NoSpace(from)) if offset >= from => return Err(io::ErrorKind::StorageFull.into()),
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
        if self.fault == Some(Fault::Sync) { Err(io::Error::other("lost the disk")) } else { Ok(()) }
    }

    fn size(&mut self) -> io::Result<u64> {
        Ok(self.with(|bytes| bytes.len() as u64))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        if self.fault == Some(Fault::Close) { Err(io::Error::other("lost a write")) } else { Ok(()) }
    }
}
