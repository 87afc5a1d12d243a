//! What safe Rust has no word for: whether a close failed, locks of a range, the length of a file by name.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};

/// `F_OFD_SETLKW` of the system's `fcntl.h`, the same number on every architecture.
const F_OFD_SETLKW: libc::c_int = 38;

/// Closes and says whether that failed.
pub(crate) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor was owned by `fd`, which gave it up, so nobody else closes or uses it.
    match unsafe { libc::close(fd.into_raw_fd()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Sets the length of a file by its name.
pub(crate) fn truncate(path: &CStr, bytes: u64) -> io::Result<()> {
    let bytes = bytes.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    match unsafe { libc::truncate(path.as_ptr(), bytes) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// A kind of lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Shared with others who read.
    Read,
    /// Held alone.
    Write,
    /// No lock any more.
    Release,
}

/// Waits for a lock of `length` bytes at `offset`, or releases it.
///
/// The lock belongs to the open file, not to the process: ranks may be threads of one process, and
/// locks of a process would not keep them apart.
pub(crate) fn lock(fd: BorrowedFd<'_>, kind: Lock, offset: u64, length: usize) -> io::Result<()> {
    let invalid = |_| io::Error::from(io::ErrorKind::InvalidInput);
    let kind = match kind {
        Lock::Read => libc::F_RDLCK,
        Lock::Write => libc::F_WRLCK,
        Lock::Release => libc::F_UNLCK,
    };
    // SAFETY: a structure of numbers, for which zeros are sound; `l_pid` has to be 0 for such locks.
    let mut range: libc::flock = unsafe { std::mem::zeroed() };
    range.l_type = kind as libc::c_short;
    range.l_whence = libc::SEEK_SET as libc::c_short;
    range.l_start = libc::off_t::try_from(offset).map_err(invalid)?;
    range.l_len = libc::off_t::try_from(length).map_err(invalid)?;
    // SAFETY: the descriptor is open while it is borrowed, and the structure outlives the call.
    match unsafe { libc::fcntl(fd.as_raw_fd(), F_OFD_SETLKW, &raw const range) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
