//! A file system that breaks its promises: calls of the C library, laid over the real ones by `LD_PRELOAD`.
//!
//! The environment says what is broken, and where: `ASSAY_SHIM_UNDER` (only files whose path begins so),
//! `ASSAY_SHIM_RANK` (only on that rank of MPI), `ASSAY_SHIM_FAULT`, one of `drop:N` (the Nth write of each
//! file says that it was done, and is not), `tear:N` (of it only the first half is), `block:N` (it never
//! returns), `full:N` (it and all after it fail with ENOSPC), `open` (a file cannot be opened: EMFILE),
//! `delay` (writes at an offset are held back from others until the file is synced or closed), `lie` (the
//! same, and syncing does nothing), `locks` (locks are granted to all), `ahead:N` (the calendar is N seconds
//! ahead, whatever the path).
//!
//! Invariant: what is not broken goes to the next library as it came.
//! Never here: anything that the program itself uses; this is loaded by tests alone.
#![allow(unsafe_code)]

mod calls;
mod fault;
mod next;

pub use calls::{
    aio_write, clock_gettime, close, fcntl, fcntl64, fdatasync, fsync, open, open64, pread, pread64, pwrite,
    pwrite64, pwritev, pwritev64, write, writev,
};
