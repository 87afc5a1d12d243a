//! flash-io: what the FLASH code leaves of a simulation, without the simulation: a checkpoint and two plot
//! files, each of many arrays, written by all ranks (the FLASH I/O benchmark of PnetCDF, and
//! the first one, of HDF5).
//!
//! [`FlashIoParameters`] is what is meant, whoever parsed it; its `check` says no before any rank starts;
//! [`run`] is every rank's body. What happens is told to a [`FlashIoListener`] on rank 0 and kept as records.
//!
//! Invariant: the data in the files is the same however they are written; by PnetCDF so are the files,
//! by HDF5 but for the times at which it made their datasets.
//! Never here: the command line, text for people, the library that keeps the arrays.

mod compare;
mod define;
mod files;
mod mesh;
mod parameters;
mod read;
mod record;
mod run;
mod write;

#[cfg(test)]
mod tests;

pub use files::{FlashFile, Form};
pub use parameters::FlashIoParameters;
pub use record::Seconds;
pub use run::{FlashIoContext, FlashIoEvent, FlashIoListener, run};
