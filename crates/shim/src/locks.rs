//! The calls that set locks.

use std::ffi::c_int;

use crate::calls::reject;
use crate::fault::{self, InjectedFault};
use crate::next::{Fcntl, Flock, Write, find};

/// `fcntl`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_int {
    let next: Fcntl = find(c"fcntl64");
    // SAFETY: the arguments are passed on.
    let call = || unsafe { next(fd, command, argument) };
    match command {
        libc::F_SETLK | libc::F_OFD_SETLK => lock(fd, false, call),
        libc::F_SETLKW | libc::F_OFD_SETLKW => lock(fd, true, call),
        _ => call(),
    }
}

/// `fcntl64`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fcntl64(fd: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: the arguments are passed on.
    unsafe { fcntl(fd, command, argument) }
}

/// `flock`.
#[unsafe(no_mangle)]
pub extern "C" fn flock(fd: c_int, operation: c_int) -> c_int {
    let next: Flock = find(c"flock");
    let waits = operation & (libc::LOCK_NB | libc::LOCK_UN) == 0;
    // SAFETY: the arguments are passed on.
    lock(fd, waits, || unsafe { next(fd, operation) })
}

/// Locks by this call, or with the fault of the file.
fn lock(fd: c_int, waits: bool, call: impl FnOnce() -> c_int) -> c_int {
    match fault::of(fd) {
        Some((InjectedFault::Locks, _)) => 0,
        Some((InjectedFault::Stays(seconds), _)) if waits => keep(seconds, call),
        _ => call(),
    }
}

/// Locks in a process of its own, which shares the open files of this one. It ends this number of seconds
/// after this one.
fn keep(seconds: u64, call: impl FnOnce() -> c_int) -> c_int {
    let mut ends = [0; 2];
    let mut locked = 0_u8;
    // SAFETY: the calls write to the array and the byte. The new process has one thread, and makes only
    // system calls, so it needs no lock that another thread may have had.
    unsafe {
        let parent = libc::getpid();
        if libc::pipe(ends.as_mut_ptr()) != 0 {
            return -1;
        }
        match libc::fork() {
            0 => {
                // A launcher waits for the ends of these.
                (0..3).for_each(|stream| _ = libc::close(stream));
                locked = u8::from(call() == 0);
                find::<Write>(c"write")(ends[1], (&raw const locked).cast(), 1);
                while libc::getppid() == parent {
                    libc::usleep(1000);
                }
                libc::sleep(seconds as u32);
                libc::_exit(0)
            }
            -1 => return -1,
            _ => {
                libc::close(ends[1]);
                libc::read(ends[0], (&raw mut locked).cast(), 1);
                libc::close(ends[0]);
            }
        }
    }
    if locked == 1 { 0 } else { reject(libc::ENOLCK) }
}
