//! Ranks as MPI processes, on whichever MPI library is found when the program runs.
//!
//! MPI is used by one thread: the one that started it (`MPI_THREAD_FUNNELED`). [`MpiComm`] may be shared with
//! other threads, since it holds only numbers and function pointers; a collective called from another thread
//! panics before it reaches MPI, and `alarm_raised` answers there from what is known.
//!
//! Invariant: every wait is a call that does not wait, tested again and again with pauses between (`wait`),
//! so that more ranks than processors make progress; no message of an alarm outlives its `clear_alarm`.
//! Never here: files (a storage backend uses [`MpiComm::library`] itself), printing.

mod alarm;
mod calls;
mod clock;
mod comm;
mod library;
mod wait;
mod world;

pub use comm::MpiComm;
pub use library::{HOMES, LIBRARY_VARIABLE, find, version};
pub use world::MpiWorld;
