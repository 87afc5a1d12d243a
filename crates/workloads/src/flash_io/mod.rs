//! flash-io: the output of the FLASH code without the simulation (the FLASH I/O benchmark of PnetCDF, and the
//! first one, of HDF5). It is a checkpoint and two plot files. Each has many arrays, written by all ranks.
//!
//! [`command::flash_io::FlashIoParameters`] are the parsed parameters.
//! [`run`] is the body of every rank. Events go to a [`FlashIoListener`] on rank 0 and into records.
//!
//! Invariant: the data in the files does not depend on how they are written. PnetCDF's files are equal in
//! every byte; HDF5's files differ only in the creation times of their datasets.
//! Never here: the command line, text for people, the library that stores the arrays.

mod compare;
mod files;
mod memory;
mod mesh;
mod read;
mod record;
mod run;
mod write;

#[cfg(test)]
mod tests;

pub use files::FlashFile;
pub use record::Seconds;
pub use run::{FlashIoContext, FlashIoEvent, FlashIoListener, run};
