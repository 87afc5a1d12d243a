//! Ranks: threads of this process, or MPI processes; their users see no difference.
//!
//! Invariant: a dead rank never leaves others waiting (threads: their group breaks; MPI: the launcher ends
//! the job).
//! Never here: storage, workloads, printing.
#![deny(unsafe_code)]

mod comm;
pub mod launcher;
pub mod local;
mod mailbox;
pub mod mpi;

pub use comm::{CallFailure, ClockOffset, Comm, FailedAt, FailureCause, Halt, Reduce};
pub use mailbox::Mailbox;
