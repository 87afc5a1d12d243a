//! Files by a shared mapping: a transfer is a copy, and the kernel moves the pages.
//!
//! The whole file is mapped. For writing, a file shorter than the expected size is extended first (and never
//! shortened). If the kernel cannot supply a page, the transfer that accessed it fails, see `faults`. Causes
//! are missing space, a device error or a file that was cut short.
//!
//! Options: `madv_pattern` informs the kernel that pages are needed in order (`MADV_SEQUENTIAL`; 2: in random
//! order, `MADV_RANDOM`). `madv_dont_need` removes the pages from the mapping (`MADV_DONTNEED`) after it is
//! made and after every sync; they stay in the page cache. O_DIRECT does not exist here: a mapping is the
//! page cache.

mod faults;
mod mapping;

use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::path::Path;

use ranks::Comm;
use rustix::fs;
use rustix::io::Errno;
use units::Usage;

use crate::backends::Driver;
use crate::files::{Moved, rejection_of_open};
use crate::plain::{MountedBackend, OnMount, PlainFiles};
use crate::{File, Mode, Open, Storage, call_error, calls};
use command::Settings;
use mapping::{Advice, Mapping};

pub(super) const DRIVER: Driver = Driver { name: "mmap", library: None, open };

struct Mmap {
    plain: PlainFiles,
    pattern: Option<Advice>,
    dont_need: bool,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    let plain = PlainFiles::queued("mmap", settings)?;
    if plain.is_direct() {
        let what = "--posix.odirect: MMAP has no O_DIRECT, because a mapping is the page cache. Use POSIX";
        return Err(Usage::new(what));
    }
    let pattern = match settings.number("mmap.madv_pattern").unwrap_or(0) {
        0 => None,
        1 => Some(Advice::Sequential),
        2 => Some(Advice::Random),
        other => {
            return Err(Usage(format!("--mmap.madv_pattern={other}: give 1 (in order) or 2 (at random)")));
        }
    };
    Ok(Box::new(OnMount(Mmap { plain, pattern, dont_need: settings.flag("mmap.madv_dont_need") })))
}

impl MountedBackend for Mmap {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        if matches!(how.mode, Mode::Update | Mode::Truncate) {
            return Err(io::Error::other("mmap cannot open a file for writing only. Use POSIX"));
        }
        let fd = self.plain.open(comm, path, how)?;
        let mut size = size_of_file(&fd)?;
        let writes = how.mode == Mode::Write;
        if writes && size < how.bytes {
            calls::ftruncate(&fd, how.bytes)?;
            size = how.bytes;
        }
        let mapping = Mapping::new(&fd, size.max(how.bytes), writes)?;
        if let Some(pattern) = self.pattern {
            mapping.advise(pattern, 0..mapping.length())?;
        }
        if self.dont_need {
            mapping.advise(Advice::DontNeed, 0..mapping.length())?;
        }
        Ok(Box::new(MappedFile { mapping, fd, writes, size, dirty: None, dont_need: self.dont_need }))
    }

    fn is_direct(&self) -> bool {
        false
    }
}

fn size_of_file(fd: &OwnedFd) -> io::Result<u64> {
    Ok(calls::fstat(fd)?.st_size.try_into().unwrap_or(0))
}

/// An open file and its mapping. The mapping is dropped first.
struct MappedFile {
    mapping: Mapping,
    fd: OwnedFd,
    writes: bool,
    /// Size of the file at the last query, bytes.
    size: u64,
    /// The range that was written since the last sync.
    dirty: Option<Range<u64>>,
    dont_need: bool,
}

impl MappedFile {
    /// The error of a transfer that met a fault. A signal has no error number, so a plain call with the same
    /// bytes gives it. If that succeeds, the kernel failed to read the page.
    fn fault(&self, moved: Moved<'_>, offset: u64) -> io::Error {
        let end = offset + moved.length() as u64;
        let size = size_of_file(&self.fd).unwrap_or(0);
        if size < end {
            let what = format!("the file was cut short to {size} bytes while it was mapped");
            return io::Error::new(io::ErrorKind::UnexpectedEof, what);
        }
        let errno =
            rejection_of_open(&self.fd, moved, offset).unwrap_or_else(|| match fs::fstatvfs(&self.fd) {
                Ok(found) if self.writes && found.f_bavail == 0 => Errno::NOSPC,
                _ => Errno::IO,
            });
        let error = io::Error::from(errno);
        let text = format!("the system cannot supply a page of the mapped file: {error}");
        call_error::reworded(&error, text)
    }

    /// How many of `length` bytes at `offset` are before the end of the file.
    fn there(&mut self, offset: u64, length: usize) -> io::Result<usize> {
        if offset.saturating_add(length as u64) > self.size {
            self.size = size_of_file(&self.fd)?;
        }
        let end = self.size.min(self.mapping.length());
        Ok(end.saturating_sub(offset).min(length as u64) as usize)
    }
}

impl File for MappedFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        if !self.writes {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        let end = offset.saturating_add(data.len() as u64);
        if end > self.mapping.length() {
            let what = format!("{end} is beyond the {} bytes that are mapped", self.mapping.length());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let dirty = self.dirty.take().unwrap_or(offset..end);
        self.dirty = Some(dirty.start.min(offset)..dirty.end.max(end));
        if self.mapping.write(data, offset) {
            Ok(data.len())
        } else {
            Err(self.fault(Moved::Written(data), offset))
        }
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let length = self.there(offset, data.len())?;
        let data = &mut data[..length];
        if self.mapping.read(data, offset) { Ok(length) } else { Err(self.fault(Moved::Read(data), offset)) }
    }

    fn sync(&mut self) -> io::Result<()> {
        let Some(dirty) = self.dirty.clone() else { return Ok(()) };
        self.mapping.sync(dirty.clone())?;
        if self.dont_need {
            self.mapping.advise(Advice::DontNeed, dirty)?;
        }
        self.dirty = None;
        Ok(())
    }

    fn size(&mut self) -> io::Result<u64> {
        self.size = size_of_file(&self.fd)?;
        Ok(self.size)
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        let Self { mapping, fd, .. } = *self;
        mapping.unmap()?;
        calls::close(fd)
    }
}

/// The start of a file, as memory that all who map it share. It is for tests of how mappings and files agree;
/// bytes are copied in and out.
#[derive(Debug)]
pub struct Mapped(Mapping);

impl Mapped {
    /// Maps the first `length` bytes of a file, which has at least that many.
    pub fn open(path: &Path, length: u64) -> io::Result<Self> {
        let fd: OwnedFd = std::fs::OpenOptions::new().read(true).write(true).open(path)?.into();
        Mapping::new(&fd, length, true).map(Self)
    }

    /// Writes into the mapping at `offset`.
    pub fn write(&self, data: &[u8], offset: u64) -> io::Result<()> {
        if self.0.write(data, offset) { Ok(()) } else { Err(lost()) }
    }

    /// Reads from the mapping at `offset`.
    pub fn read(&self, data: &mut [u8], offset: u64) -> io::Result<()> {
        if self.0.read(data, offset) { Ok(()) } else { Err(lost()) }
    }

    /// Invalidates what differs from the file on its storage: `msync` with `MS_INVALIDATE`. Later reads see
    /// data that was flushed to storage before.
    pub fn invalidate(&self) -> io::Result<()> {
        self.0.invalidate()
    }

    /// Flushes the whole mapping to storage: `msync` with `MS_SYNC`.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync(0..self.0.length())
    }
}

fn lost() -> io::Error {
    io::Error::other("the system could not supply a page of the mapping")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rejection(name: &str, value: &str) -> String {
        let mut settings = Settings::default();
        settings.set(name, value);
        open(&settings).err().expect("rejected").0
    }

    #[test]
    fn what_a_mapping_cannot_do_is_rejected_in_one_line() {
        assert!(rejection("posix.odirect", "1").contains("a mapping is the page cache"));
        assert!(rejection("posix.rangelocks", "1").contains("Use POSIX, not MMAP"));
        assert!(rejection("mmap.madv_pattern", "3").contains("give 1 (in order) or 2 (at random)"));
    }
}
