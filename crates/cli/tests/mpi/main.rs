//! The program under launchers of MPI, and on libraries that need one.
#![allow(clippy::print_stdout)]

#[path = "../common/mod.rs"]
mod common;

mod age;
mod backends;
mod campaign;
mod campaign_app;
mod campaign_flash_io;
mod campaign_launch;
mod campaign_mpi_io;
mod campaign_probe;
mod classic_lines;
mod fdtree;
mod flash_io;
mod flash_io_hdf5;
mod flash_io_hdf5_faults;
mod flash_io_text;
mod io500;
mod ior_beneath;
mod ior_controls;
mod ior_data;
mod ior_detection;
mod ior_faults;
mod ior_hdf5;
mod ior_hdf5_faults;
mod ior_mpiio;
mod ior_ncmpi;
mod ior_own_files;
mod ior_regressions;
mod ior_scripts;
mod ior_text;
mod launcher_killed;
mod ls_lr;
mod mdtest_faults;
mod mpi_io;
mod mpi_io_died;
mod mpi_io_stopped;
mod nodes;
mod pfind;
mod preloaded;
mod quota;
mod scale;
mod stuck;
mod ten_clauses;
mod terminated;
mod waiting;
