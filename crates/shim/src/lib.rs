//! Faults of a file system, injected into calls of the C library by `LD_PRELOAD`, and a count of the calls of
//! MPI (`ASSAY_SHIM_COUNT`, see `mpi_calls`). `ASSAY_SHIM_CALLS` counts the calls on files (see `counts`).
//!
//! The environment selects the fault. `ASSAY_SHIM_UNDER`: only files whose path begins with this text.
//! `ASSAY_SHIM_RANK`: only on this MPI rank. `ASSAY_SHIM_FAULT` is one of these:
//!
//! - `drop:N`: the Nth write of each file reports success, but is not done.
//! - `tear:N`: only the first half of that write is done.
//! - `block:N`: that write never returns.
//! - `die:N`: the first write of each file ends the process by signal N.
//! - `full:N`: that write and all later ones fail with ENOSPC.
//! - `slow:N`: every write takes N milliseconds longer.
//! - `slow_sync:N`: every sync takes N milliseconds longer.
//! - `open`: a file cannot be opened (EMFILE).
//! - `delay`: other processes do not see writes at an offset until the file is synced or closed.
//! - `lie`: the same, and syncing does nothing.
//! - `no_sync`: syncing does nothing.
//! - `locks`: every lock is granted.
//! - `stays:N`: a lock that a process waited for stays for N seconds after its end.
//! - `ahead:N`: the wall clock is N seconds ahead, for any path.
//! - `pace:N`: all other clocks run at N percent of their pace, for any path.
//! - `cold`: no page is reported to be in memory, for any path.
//! - `mpi_test`: `MPI_Test` fails, and the operation continues, for any path.
//!
//! Invariant: calls without a fault go to the next library unchanged.
//! Never here: anything that the program itself uses; only tests load this library.
#![allow(unsafe_code)]

mod calls;
mod counted;
mod counts;
mod fault;
mod locks;
mod mpi_calls;
mod next;

pub use counted::*;
pub use mpi_calls::dlsym;

pub use calls::{
    aio_write, clock_gettime, close, fdatasync, fsync, mincore, open, open64, pread, pread64, pwrite,
    pwrite64, pwritev, pwritev64, write, writev,
};
pub use locks::{fcntl, fcntl64, flock};
