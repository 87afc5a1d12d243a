//! The calls of the next library in the search order.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::transmute_copy;

use crate::mpi_calls::real_dlsym;

/// The function of this name that the program would have called; ends the process if there is none.
pub(crate) fn find<F: Copy>(name: &CStr) -> F {
    // SAFETY: the name ends in a zero byte.
    let found = unsafe { real_dlsym()(libc::RTLD_NEXT, name.as_ptr()) };
    if found.is_null() {
        std::process::abort();
    }
    // SAFETY: the callers below give the type that the C library declares for this function, and all function
    // pointers have the same size.
    unsafe { transmute_copy(&found) }
}

/// `pwrite`.
pub(crate) type Pwrite = unsafe extern "C" fn(c_int, *const c_void, usize, i64) -> isize;

/// `write`.
pub(crate) type Write = unsafe extern "C" fn(c_int, *const c_void, usize) -> isize;

/// `aio_write`.
pub(crate) type AioWrite = unsafe extern "C" fn(*mut libc::aiocb) -> c_int;

/// `pread`.
pub(crate) type Pread = unsafe extern "C" fn(c_int, *mut c_void, usize, i64) -> isize;

/// `writev`.
pub(crate) type Writev = unsafe extern "C" fn(c_int, *const libc::iovec, c_int) -> isize;

/// `pwritev`.
pub(crate) type Pwritev = unsafe extern "C" fn(c_int, *const libc::iovec, c_int, i64) -> isize;

/// `open`; the permissions are used only if a file is created.
pub(crate) type OpenCall = unsafe extern "C" fn(*const c_char, c_int, c_uint) -> c_int;

/// `fsync`, `fdatasync` and `close`.
pub(crate) type Plain = unsafe extern "C" fn(c_int) -> c_int;

/// `clock_gettime`.
pub(crate) type ClockGettime = unsafe extern "C" fn(libc::clockid_t, *mut libc::timespec) -> c_int;

/// `mincore`.
pub(crate) type Mincore = unsafe extern "C" fn(*mut c_void, usize, *mut u8) -> c_int;

/// `fcntl`: each command takes at most one further argument, as wide as a pointer.
pub(crate) type Fcntl = unsafe extern "C" fn(c_int, c_int, usize) -> c_int;

/// `flock`.
pub(crate) type Flock = unsafe extern "C" fn(c_int, c_int) -> c_int;
