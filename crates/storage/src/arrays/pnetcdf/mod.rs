//! PnetCDF: files in the format CDF-5, through MPI-IO. The ranks must be MPI ranks of the MPI that the
//! library is built on.
#![allow(unsafe_code)]

mod data;
mod deferred;
mod file;

use std::io;
use std::path::Path;

use ffi::netcdf::{NO_ERROR, PnetcdfLibrary};
use ranks::Comm;
use units::Usage;

use super::{ArrayFile, Arrays, LibraryMemory};
use crate::StorageLibrary;
use crate::libraries::{LibraryKind, loaded_mpi};
pub(crate) use file::{NcFile, NetcdfOpenMode};

/// The library, with the file names of its releases and of Debian.
pub(crate) const KIND: LibraryKind = LibraryKind {
    name: "PnetCDF",
    variable: "ASSAY_PNETCDF_LIBRARY",
    homes: &["PNETCDF_DIR", "PNETCDF_ROOT", "PARALLEL_NETCDF_DIR", "PARALLEL_NETCDF_ROOT"],
    folders: &[],
    names: &[
        "libpnetcdf.so.6",
        "libpnetcdf.so.5",
        "libpnetcdf.so.4",
        "libpnetcdf.so.3",
        "libpnetcdf.so.0d",
        "libpnetcdf.so",
    ],
    is_on_mpi: true,
    version: |path| ffi::pnetcdf_version(path).map_err(|error| error.why),
    advice: "Debian: apt-get install libpnetcdf0d, which needs Open MPI",
};

/// The loaded library.
pub(crate) struct Pnetcdf {
    pub(crate) library: &'static PnetcdfLibrary,
}

impl Pnetcdf {
    /// Loads the library that is built on the MPI that runs.
    pub(crate) fn load() -> Result<Self, Usage> {
        let mpi = loaded_mpi().ok_or_else(|| Usage::new("PnetCDF needs MPI. Start the ranks with mpirun"))?;
        let path = KIND.fitting(&mpi).map_err(Usage)?;
        let library = PnetcdfLibrary::load(path).map_err(|error| Usage(format!("PnetCDF: {error}")))?;
        Ok(Self { library })
    }
}

impl StorageLibrary for Pnetcdf {
    fn version(&self) -> String {
        self.library.version()
    }
}

impl Arrays for Pnetcdf {
    fn name(&self) -> &'static str {
        "pnetcdf"
    }

    fn create(&self, comm: &dyn Comm, path: &Path, hints: &[(&str, &str)]) -> io::Result<Box<dyn ArrayFile>> {
        let how = NetcdfOpenMode { new: true, ..NetcdfOpenMode::SHARED };
        Ok(Box::new(NcFile::open(self.library, comm, path, how, hints.iter().copied())?))
    }

    fn open(&self, comm: &dyn Comm, path: &Path) -> io::Result<Box<dyn ArrayFile>> {
        Ok(Box::new(NcFile::open(self.library, comm, path, NetcdfOpenMode::SHARED, [])?))
    }

    fn held(&self) -> Option<LibraryMemory> {
        let (mut most, mut now) = (0, 0);
        let functions = &self.library.functions;
        // SAFETY: both functions only return a number that the library keeps, and need no file.
        let codes = unsafe {
            [(functions.inq_malloc_max_size)(&raw mut most), (functions.inq_malloc_size)(&raw mut now)]
        };
        let bytes = |value: i64| u64::try_from(value).unwrap_or(0);
        (codes == [NO_ERROR; 2]).then(|| LibraryMemory { most: bytes(most), now: bytes(now) })
    }
}
