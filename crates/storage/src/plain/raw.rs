//! What safe Rust has no word for: answers of system calls, whether a close failed, the length of a file by
//! name.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::io;
use std::os::fd::{IntoRawFd, OwnedFd};

/// A system call's answer: below 0 it failed.
pub(crate) fn answered(answer: c_int) -> io::Result<()> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Closes and says whether that failed.
pub(crate) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor was owned by `fd`, which gave it up, so nobody else closes or uses it.
    answered(unsafe { libc::close(fd.into_raw_fd()) })
}

/// Sets the length of a file by its name.
pub(crate) fn truncate(path: &CStr, bytes: u64) -> io::Result<()> {
    let bytes = bytes.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // SAFETY: the path ends in NUL and outlives the call, which only reads it.
    answered(unsafe { libc::truncate(path.as_ptr(), bytes) })
}
