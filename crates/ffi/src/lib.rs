//! C functions as C has them, from libraries that are looked for when they are first needed.
//!
//! The program is built on a machine without any of them and runs under those that are there. A library,
//! once loaded, is never unloaded: HDF5 leaves a callback inside MPI, and unloading it crashes
//! `MPI_Finalize`.
//!
//! Never here: logic, policy about which library to take, anything a caller could do in safe code.

pub mod end;
pub mod hdf5;
mod loaded;
pub mod mpi;
pub mod netcdf;

pub use loaded::{LoadError, library_text};
