//! Parallel HDF5: one contiguous dataset for each array, in this machine's number format. The ranks must be
//! MPI ranks of the MPI that the library is built on.
//!
//! Invariant: a step that can fail on one rank alone runs before a file is open, or its failure is noted.
//! Otherwise the other ranks would wait forever.

mod file;
mod records;

use std::io;
use std::path::Path;
use std::sync::Arc;

use ffi::hdf5::{Hdf5Library, READ_ONLY};
use ranks::Comm;
use units::Usage;

use super::{ArrayFile, Arrays, LibraryMemory};
use crate::StorageLibrary;
use crate::hdf5::{self, Health, OpenWay, Opening, Transfers, Tuning};
use crate::shared::together;
use file::SetFile;

/// The loaded library.
pub(super) struct Hdf5Arrays {
    library: &'static Hdf5Library,
    tuning: Tuning,
    health: Arc<Health>,
}

impl Hdf5Arrays {
    /// Loads the library that is built on the MPI that runs; `alignment` is bytes.
    pub(super) fn load(alignment: u64) -> Result<Self, Usage> {
        let tuning = Tuning { alignment, metadata_together: false };
        Ok(Self { library: hdf5::load()?, tuning, health: Arc::default() })
    }

    fn file(
        &self,
        comm: &dyn Comm,
        path: &Path,
        way: OpenWay,
        hints: &[(&str, &str)],
    ) -> io::Result<Box<dyn ArrayFile>> {
        let library = self.library;
        let opening = Opening { library, comm, shared: true, health: &self.health };
        let lists = || {
            let mpi = comm.mpi().ok_or_else(|| io::Error::other("the ranks are not MPI ranks"))?;
            let (access, _) = opening.access(hints.iter().copied(), self.tuning)?;
            Ok::<_, io::Error>((mpi.library(), access, Transfers::new(library, true)?))
        };
        let (mpi, access, transfers) = together(comm, true, "hints", lists())?;
        let file = opening.open(path, way, &access)?;
        let (health, writes) = (Arc::clone(&self.health), comm.rank() == 0);
        Ok(Box::new(SetFile::new(library, mpi, (file, access, transfers), health, writes)))
    }
}

impl StorageLibrary for Hdf5Arrays {
    fn version(&self) -> String {
        self.library.version.to_string()
    }

    fn is_fragile(&self) -> bool {
        true
    }

    fn stuck(&self) -> Option<String> {
        self.health.stuck()
    }

    fn has_abandoned(&self) -> bool {
        self.health.has_abandoned()
    }
}

impl Arrays for Hdf5Arrays {
    fn name(&self) -> &'static str {
        "hdf5"
    }

    fn create(&self, comm: &dyn Comm, path: &Path, hints: &[(&str, &str)]) -> io::Result<Box<dyn ArrayFile>> {
        self.file(comm, path, OpenWay::Make, hints)
    }

    fn open(&self, comm: &dyn Comm, path: &Path) -> io::Result<Box<dyn ArrayFile>> {
        self.file(comm, path, OpenWay::Open(READ_ONLY), &[])
    }

    fn held(&self) -> Option<LibraryMemory> {
        None
    }
}
