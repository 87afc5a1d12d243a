//! Parallel HDF5: what the backend and the array files share. This is the search for the library, the opening
//! of a file on all its ranks, its datasets, and the properties of transfers.
//!
//! Invariant: the ranks that share a file learn together whether a step of opening it succeeded.
//! Never here: which datasets a file has, and their contents.

mod calls;
mod health;
mod opened;

use ffi::hdf5::{Hdf5Library, probe};
use units::Usage;

use crate::libraries::{self, LibraryKind};
pub(crate) use calls::{HeldIdentifier, SetsOf, Transfers, check, lengths, make, open, type_is};
pub(crate) use health::Health;
pub(crate) use opened::{OpenWay, OpenedFile, Opening, Tuning};

/// The parallel library, with the file names that Debian, releases and Cray use.
pub(crate) const KIND: LibraryKind = LibraryKind {
    name: "HDF5",
    variable: "ASSAY_HDF5_LIBRARY",
    homes: &["HDF5_DIR", "HDF5_ROOT", "HDF5_HOME", "CRAY_HDF5_PARALLEL_PREFIX", "EBROOTHDF5"],
    folders: &[],
    names: &[
        "libhdf5_openmpi.so.103",
        "libhdf5_mpich.so.103",
        "libhdf5_parallel*.so",
        "libhdf5.so.320",
        "libhdf5.so.310",
        "libhdf5.so.200",
        "libhdf5.so.103",
        "libhdf5.so",
    ],
    is_on_mpi: true,
    version: |path| {
        let (version, parallel) = probe(path).map_err(|error| error.why)?;
        Ok(format!("{version} ({})", if parallel { "Parallel" } else { "Serial" }))
    },
    advice: "Debian: apt-get install libhdf5-openmpi-103-1 or libhdf5-mpich-103-1",
};

/// The library that fits the running MPI.
pub(crate) fn load() -> Result<&'static Hdf5Library, Usage> {
    let mpi = libraries::loaded_mpi();
    let mpi = mpi.ok_or_else(|| {
        Usage::new("HDF5 needs MPI ranks, and no MPI library is loaded. Start the ranks with mpirun")
    })?;
    let path = KIND.fitting(&mpi).map_err(Usage)?;
    Hdf5Library::load(path).map_err(|error| Usage(error.to_string()))
}
