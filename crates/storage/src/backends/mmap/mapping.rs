//! One shared mapping of the start of a file.
//!
//! Its pages may change or vanish at any time: other ranks write them, and others may shorten the file. So no
//! reference to the pages exists; bytes are copied in and out. The copy is an instruction that the compiler
//! does not see into. So it assumes nothing of the pages, also if another rank changes them meanwhile.
#![allow(unsafe_code)]

use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{Ordering, compiler_fence};

use super::faults::{self, RangeWatch};
use crate::calls::answered;

/// Advice that the kernel accepts about pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Advice {
    /// `MADV_SEQUENTIAL`
    Sequential,
    /// `MADV_RANDOM`
    Random,
    /// `MADV_DONTNEED`
    DontNeed,
}

/// A mapping, which may be empty.
#[derive(Debug)]
pub(super) struct Mapping {
    start: *mut u8,
    length: usize,
    /// `None` where the mapping is empty.
    watch: Option<RangeWatch>,
}

// SAFETY: the mapping belongs to the process, and all access goes through the value that owns it.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps the first `length` bytes of a file.
    pub(super) fn new(fd: &OwnedFd, length: u64, writes: bool) -> io::Result<Self> {
        let too_long = |_| io::Error::new(io::ErrorKind::FileTooLarge, "longer than memory has addresses");
        let length = usize::try_from(length).map_err(too_long)?;
        if length == 0 {
            return Ok(Self { start: ptr::null_mut(), length, watch: None });
        }
        faults::install()?;
        let access = if writes { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
        // SAFETY: a fresh mapping that the kernel places.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), length, access, libc::MAP_SHARED, fd.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            let error = io::Error::last_os_error();
            // It means no mappings on this file system here, and a lost device in other calls.
            let errno = error.raw_os_error().map(|errno| match errno {
                libc::ENODEV => libc::EOPNOTSUPP,
                other => other,
            });
            return Err(crate::call_error::numbered(errno, format!("cannot map {length} bytes: {error}")));
        }
        let watch = Some(RangeWatch::new(start.expose_provenance(), length));
        Ok(Self { start: start.cast(), length, watch })
    }

    /// Bytes that are mapped.
    pub(super) fn length(&self) -> u64 {
        self.length as u64
    }

    /// Copies into the file; false if the kernel could not supply a page, now or earlier.
    pub(super) fn write(&self, data: &[u8], offset: u64) -> bool {
        if data.is_empty() {
            return true;
        }
        let at = self.place(offset, data.len());
        // SAFETY: the mapping has these bytes, and `data` is other memory. The fault handler replaces a page
        // that the kernel cannot supply, so that the copy ends.
        unsafe { copy(data.as_ptr(), at, data.len()) };
        self.is_whole()
    }

    /// Copies out of the file; false if the kernel could not supply a page, now or earlier.
    pub(super) fn read(&self, data: &mut [u8], offset: u64) -> bool {
        if data.is_empty() {
            return true;
        }
        let at = self.place(offset, data.len());
        // SAFETY: as for `write`, in the other direction.
        unsafe { copy(at, data.as_mut_ptr(), data.len()) };
        self.is_whole()
    }

    /// Flushes a range to storage: `msync` with `MS_SYNC`.
    pub(super) fn sync(&self, range: Range<u64>) -> io::Result<()> {
        self.msync(range, libc::MS_SYNC)
    }

    /// Invalidates copies that differ from the file on its storage: `msync` with `MS_INVALIDATE`.
    pub(super) fn invalidate(&self) -> io::Result<()> {
        self.msync(0..self.length(), libc::MS_INVALIDATE)
    }

    fn msync(&self, range: Range<u64>, flags: libc::c_int) -> io::Result<()> {
        let (start, length) = self.pages(range);
        if length == 0 {
            return Ok(());
        }
        // SAFETY: the pages belong to the mapping.
        answered(unsafe { libc::msync(start.cast(), length, flags) })
    }

    /// Passes advice on a range to the kernel.
    pub(super) fn advise(&self, advice: Advice, range: Range<u64>) -> io::Result<()> {
        let (start, length) = self.pages(range);
        if length == 0 {
            return Ok(());
        }
        let advice = match advice {
            Advice::Sequential => libc::MADV_SEQUENTIAL,
            Advice::Random => libc::MADV_RANDOM,
            Advice::DontNeed => libc::MADV_DONTNEED,
        };
        // SAFETY: the pages belong to the mapping and to a file, so no advice here loses data.
        answered(unsafe { libc::madvise(start.cast(), length, advice) })
    }

    /// Removes the mapping and returns whether that failed.
    pub(super) fn unmap(mut self) -> io::Result<()> {
        self.take_away()
    }

    fn place(&self, offset: u64, length: usize) -> *mut u8 {
        let inside = offset.checked_add(length as u64).is_some_and(|end| end <= self.length());
        assert!(inside, "{length} bytes at {offset} lie in the mapping of {} bytes", self.length);
        // SAFETY: asserted to lie inside the mapping.
        unsafe { self.start.add(offset as usize) }
    }

    /// The whole pages that hold a range: the first address, and the length in bytes.
    fn pages(&self, range: Range<u64>) -> (*mut u8, usize) {
        let start = range.start as usize / rustix::param::page_size() * rustix::param::page_size();
        let end = (range.end as usize).min(self.length);
        (self.place(start as u64, end - start), end - start)
    }

    fn is_whole(&self) -> bool {
        // The handler runs on this thread, inside the copy. The fence keeps the copy before the check.
        compiler_fence(Ordering::SeqCst);
        self.watch.as_ref().is_none_or(|watch| !watch.has_faulted())
    }

    fn take_away(&mut self) -> io::Result<()> {
        // The watch ends first: after the unmapping other code may get these addresses.
        if self.watch.take().is_none() {
            return Ok(());
        }
        // SAFETY: the mapping made above, into which no pointer remains.
        answered(unsafe { libc::munmap(self.start.cast(), self.length) })
    }
}

/// Copies bytes of which one side may be changed by another rank at the same time. Such bytes arrive old or
/// new, as from any shared file.
///
/// # Safety
///
/// Both sides have `length` bytes and do not overlap.
#[cfg(target_arch = "x86_64")]
unsafe fn copy(from: *const u8, to: *mut u8, length: usize) {
    // SAFETY: by the contract of this function. The direction flag is clear, as the ABI requires.
    unsafe {
        std::arch::asm!("rep movsb", inout("rcx") length => _, inout("rsi") from => _, inout("rdi") to => _,
            options(nostack, preserves_flags));
    }
}

/// The same where no instruction copies: word by word, each exactly once.
///
/// # Safety
///
/// The same.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy(from: *const u8, to: *mut u8, length: usize) {
    const WORD: usize = size_of::<u64>();
    let mut done = 0;
    // SAFETY: by the contract of this function. A volatile access may race with other memory of the system.
    unsafe {
        if from.align_offset(WORD) == to.align_offset(WORD) && from.align_offset(WORD) == 0 {
            while done + WORD <= length {
                to.add(done).cast::<u64>().write_volatile(from.add(done).cast::<u64>().read_volatile());
                done += WORD;
            }
        }
        while done < length {
            to.add(done).write_volatile(from.add(done).read_volatile());
            done += 1;
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        let _ = self.take_away();
    }
}
