//! The four system calls of native asynchronous I/O, and their two structures.
//!
//! Structures and numbers are those of the kernel's `linux/aio_abi.h`.
#![allow(unsafe_code)]

use std::io;
use std::ptr;
use std::time::Duration;

/// `struct iocb` on a little-endian machine: one transfer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IoControlBlock {
    /// Returned in [`IoEvent::slot`].
    pub(super) slot: u64,
    pub(super) key: u32,
    pub(super) flags: i32,
    /// [`READ`] or [`WRITE`].
    pub(super) operation: u16,
    pub(super) priority: i16,
    pub(super) fd: u32,
    /// Address of the first byte.
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) offset: i64,
    pub(super) reserved: u64,
    pub(super) more_flags: u32,
    pub(super) event_fd: u32,
}

/// `struct io_event`: the end of a transfer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IoEvent {
    pub(super) slot: u64,
    request: u64,
    /// Bytes, or an error number below zero.
    pub(super) result: i64,
    result2: i64,
}

/// `IOCB_CMD_PREAD`.
pub(super) const READ: u16 = 0;
/// `IOCB_CMD_PWRITE`.
pub(super) const WRITE: u16 = 1;

#[cfg(target_endian = "big")]
compile_error!("two fields of struct iocb change places on a big-endian machine");

/// A kernel's context of transfers.
#[derive(Debug)]
pub(super) struct Context(libc::c_ulong);

/// What a system call returned, or its error.
fn returned(value: libc::c_long) -> io::Result<usize> {
    usize::try_from(value).map_err(|_| io::Error::last_os_error())
}

impl Context {
    /// `io_setup`: a context for `depth` transfers.
    pub(super) fn new(depth: usize) -> io::Result<Self> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes the context into a local variable that is 0, as the call requires.
        returned(unsafe { libc::syscall(libc::SYS_io_setup, depth as libc::c_uint, &raw mut context) })?;
        Ok(Self(context))
    }

    /// `io_submit`: sends the requests at these addresses; returns how many were accepted, counted from the
    /// first.
    ///
    /// # Safety
    /// Each address is that of an [`IoControlBlock`] that no other code uses during the call. The memory of
    /// its transfer must stay valid and unused until its event has arrived.
    pub(super) unsafe fn submit(&self, requests: &mut [usize]) -> io::Result<usize> {
        let count = requests.len() as libc::c_long;
        // SAFETY: the requests live during the call; the caller guarantees the rest.
        returned(unsafe { libc::syscall(libc::SYS_io_submit, self.0, count, requests.as_mut_ptr()) })
    }

    /// `io_getevents`: waits for `least` events, at most for `time` if it is given. Returns how many were
    /// written to `events`.
    pub(super) fn events(
        &self,
        least: usize,
        time: Option<Duration>,
        events: &mut [IoEvent],
    ) -> io::Result<usize> {
        let (least, most) = (least as libc::c_long, events.len() as libc::c_long);
        let mut time = time.map(|time| libc::timespec {
            tv_sec: time.as_secs() as libc::time_t,
            tv_nsec: time.subsec_nanos() as libc::c_long,
        });
        let time = time.as_mut().map_or(ptr::null_mut(), |time| &raw mut *time);
        // SAFETY: there is space for `most` events, and the time, if any, outlives the call.
        returned(unsafe {
            libc::syscall(libc::SYS_io_getevents, self.0, least, most, events.as_mut_ptr(), time)
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: this value owns the context, which is not used afterwards.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_layout_of_the_kernel() {
        assert_eq!((size_of::<IoControlBlock>(), size_of::<IoEvent>()), (64, 32));
        assert_eq!(std::mem::offset_of!(IoControlBlock, operation), 16);
        assert_eq!(std::mem::offset_of!(IoControlBlock, fd), 20);
        assert_eq!(std::mem::offset_of!(IoControlBlock, start), 24);
        assert_eq!(std::mem::offset_of!(IoControlBlock, offset), 40);
        assert_eq!(std::mem::offset_of!(IoEvent, result), 16);
    }
}
