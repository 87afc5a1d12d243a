//! Ranks as MPI processes, on the MPI library that the program finds when it runs.
//!
//! One thread uses MPI: the one that started it (`MPI_THREAD_FUNNELED`). [`MpiComm`] cannot leave this
//! thread, which the compiler checks. A call on another thread would panic before it reaches MPI.
//!
//! Invariant: every wait is a nonblocking call that is tested repeatedly with pauses (`wait`), so that more
//! ranks than processors make progress. No message of an alarm outlives its `clear_alarm`.
//! Never here: files (a storage backend uses [`MpiComm::library`] itself), printing.

mod alarm;
mod calls;
mod clock;
mod collectives;
mod comm;
mod gather;
mod library;
mod messages;
mod nodes;
mod tree;
mod wait;
mod world;

pub use comm::{MpiComm, MpiInUse};
pub use library::{HOMES, LIBRARY_VARIABLE, find, version};
pub use wait::current_wait;
pub use world::MpiWorld;
