//! C functions as C declares them, from libraries that are searched for when they are first needed.
//!
//! The program can be built on a machine without any of these libraries, and uses the installed ones at run
//! time. A loaded library is never unloaded: HDF5 leaves a callback inside MPI, and unloading it crashes
//! `MPI_Finalize`.
//!
//! Never here: logic, the choice of a library, anything that a caller could do in safe code.

pub mod cephfs;
pub mod end;
pub mod gpfs;
pub mod hdf5;
mod loaded;
pub mod mpi;
pub mod netcdf;
pub mod system_call;

pub use loaded::{LoadError, pnetcdf_version};
