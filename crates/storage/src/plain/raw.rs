//! What safe Rust has no word for: whether a close failed, the length of a file by name.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::io;
use std::os::fd::{IntoRawFd, OwnedFd};

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
