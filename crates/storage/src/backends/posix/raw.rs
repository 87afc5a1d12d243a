//! The one thing about an open file that safe Rust has no word for: whether its close failed.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{IntoRawFd, OwnedFd};

/// Closes and says whether that failed.
pub(super) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor was owned by `fd`, which gave it up, so nobody else closes or uses it.
    match unsafe { libc::close(fd.into_raw_fd()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
