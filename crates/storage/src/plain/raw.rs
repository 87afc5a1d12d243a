//! System calls that safe Rust lacks: return values as results, a close that reports failure, truncation by
//! path.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::io;
use std::os::fd::{IntoRawFd, OwnedFd};

/// Converts the return value of a system call; a value below 0 is a failure.
pub(crate) fn answered(answer: c_int) -> io::Result<()> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Closes a descriptor and returns whether that failed.
pub(crate) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: `fd` owned the descriptor and gave it up, so no other code closes or uses it.
    answered(unsafe { libc::close(fd.into_raw_fd()) })
}

/// Sets the length of a file by its name.
pub(crate) fn truncate(path: &CStr, bytes: u64) -> io::Result<()> {
    let bytes = bytes.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    answered(unsafe { libc::truncate(path.as_ptr(), bytes) })
}
