//! flash-io: the output of the FLASH code without the simulation (the FLASH I/O benchmark of PnetCDF, and the
//! first one, of HDF5). It is a checkpoint and two plot files. Each has many arrays, written by all ranks.
//!
//! [`FlashIoParameters`] are the parsed parameters. Their `check` rejects wrong ones before any rank starts.
//! [`run`] is the body of every rank. Events go to a [`FlashIoListener`] on rank 0 and into records.
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
