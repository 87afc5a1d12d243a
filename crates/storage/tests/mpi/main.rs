//! Files of MPI under every launcher of MPI that is here.
#![allow(clippy::print_stdout)]

mod mpi_file;
mod mpiio;
