//! Ranks: threads of this process, or MPI processes, and no one above can tell which.
#![deny(unsafe_code)]

mod comm;
pub mod mpi;

pub use comm::{ClockOffset, Comm, Halt, Reduce};
