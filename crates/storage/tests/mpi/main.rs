//! MPI files under every installed MPI launcher.
#![allow(clippy::print_stdout)]

mod mpi_file;
mod mpiio;
