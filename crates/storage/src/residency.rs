//! Which pages of a file are in this client's page cache, and how to drop them, for every backend with files
//! of the system.
//!
//! The query is `mincore` on a mapping that is never read through, so it changes nothing. The kernel gives a
//! true answer only to users who own the file or may write it. The call is made by the instruction. A
//! preloaded library could replace the function of the C library, and report that nothing is in memory.
#![allow(unsafe_code)]

use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};
use std::path::Path;

use ffi::system_call;
use rustix::fs::{self, Access, Mode, OFlags};
use rustix::io::Errno;
use rustix::mm::{self, MapFlags, ProtFlags};

use crate::PageCache;

/// The bytes checked by one call; a longer range takes several.
const WINDOW: u64 = 64 << 20;

/// The page cache of one file; `None` where the kernel would not give a true answer.
pub(crate) fn of(path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
    let fd = fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let user = rustix::process::geteuid();
    let owns = user.is_root() || fs::fstat(&fd)?.st_uid == user.as_raw();
    if !owns && fs::access(path, Access::WRITE_OK).is_err() {
        return Ok(None);
    }
    Ok(Some(Box::new(FilePageCache { fd: ManuallyDrop::new(fd) })))
}

struct FilePageCache {
    fd: ManuallyDrop<OwnedFd>,
}

impl Drop for FilePageCache {
    /// Closes the file as it was opened: a preloaded library sees no close without an open.
    fn drop(&mut self) {
        // SAFETY: the descriptor is taken once, and nothing uses it afterwards.
        unsafe { rustix::io::close(ManuallyDrop::take(&mut self.fd).into_raw_fd()) };
    }
}

impl PageCache for FilePageCache {
    fn resident(&mut self, ranges: &[(u64, u64)]) -> io::Result<f64> {
        let size = u64::try_from(fs::fstat(&*self.fd)?.st_size).unwrap_or(0);
        let page = rustix::param::page_size() as u64;
        let (mut pages, mut present) = (0, 0);
        for (offset, length) in ranges {
            let mut start = offset / page * page;
            let end = (offset + length).min(size);
            while start < end {
                let window = (end - start).min(WINDOW);
                let found = pages_in_memory(self.fd.as_fd(), start, window as usize)?;
                pages += found.len();
                present += found.iter().filter(|state| **state & 1 == 1).count();
                start += window;
            }
        }
        Ok(if pages == 0 { 0.0 } else { present as f64 / pages as f64 })
    }

    fn evict(&mut self) -> io::Result<()> {
        match fs::fsync(&*self.fd) {
            // The call may fail for a file opened read-only; its pages are dropped if they are clean.
            Ok(()) | Err(Errno::INVAL | Errno::BADF | Errno::ROFS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(fs::fadvise(&*self.fd, 0, None, fs::Advice::DontNeed)?)
    }
}

/// The residency byte of every page of one page-aligned range.
fn pages_in_memory(fd: BorrowedFd<'_>, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut states = vec![0_u8; length.div_ceil(rustix::param::page_size())];
    // SAFETY: a new read-only mapping that the kernel places. It is only queried, never read through, and is
    // unmapped below.
    let at =
        unsafe { mm::mmap(std::ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, fd, offset)? };
    // SAFETY: `at` maps `length` bytes, and `states` has one byte for each of its pages.
    let asked = unsafe { system_call::mincore(at, length, &mut states) };
    // SAFETY: the mapping made above, into which no pointer remains.
    unsafe { mm::munmap(at, length)? };
    asked.map(|()| states).map_err(io::Error::from_raw_os_error)
}
