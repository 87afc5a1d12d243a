//! A shared mapping of a file of the system, for those who look at how mappings and files agree.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use crate::backends::mapping::Mapping;

/// The first bytes of a file, as memory that all who map it share; bytes are copied in and out.
#[derive(Debug)]
pub struct Mapped(Mapping);

impl Mapped {
    /// Maps the first `length` bytes of a file that has so many.
    pub fn open(path: &Path, length: u64) -> io::Result<Self> {
        let fd: OwnedFd = OpenOptions::new().read(true).write(true).open(path)?.into();
        Mapping::new(&fd, length, true).map(Self)
    }

    /// Stores into the mapping at `offset`.
    pub fn write(&self, data: &[u8], offset: u64) -> io::Result<()> {
        if self.0.write(data, offset) { Ok(()) } else { Err(lost()) }
    }

    /// Loads from the mapping at `offset`.
    pub fn read(&self, data: &mut [u8], offset: u64) -> io::Result<()> {
        if self.0.read(data, offset) { Ok(()) } else { Err(lost()) }
    }

    /// Forgets what of the mapping is not as the file is on its storage: `msync` with `MS_INVALIDATE`. Later
    /// loads find what was made durable before.
    pub fn invalidate(&self) -> io::Result<()> {
        self.0.invalidate()
    }

    /// Makes the whole mapping durable: `msync` with `MS_SYNC`.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync(0..self.0.length())
    }
}

fn lost() -> io::Error {
    io::Error::other("a page of the mapping could not be had")
}
