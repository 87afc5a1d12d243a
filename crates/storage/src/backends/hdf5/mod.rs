//! Files by parallel HDF5. A segment is one dataset, which all ranks of a shared file write together, or each
//! block of a rank is one.
//!
//! The data has the same order as the file of other backends: segment by segment, rank by rank. Opening
//! creates or opens every dataset (see `sets`), so transfers only move data.
//!
//! A file that exists and is not empty is opened unchanged, and its datasets must fit. An empty file is made
//! into an HDF5 file: tools that set a layout in advance leave such a file.

mod file;
mod sets;

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ffi::hdf5::{Hdf5Library, READ_ONLY, READ_WRITE};
use ranks::Comm;
use units::Usage;

use crate::backends::Driver;
use crate::hdf5::{self, Health, HeldIdentifier, OpenWay, OpenedFile, Opening, SetsOf, Tuning};
use crate::inside::Inside;
use crate::shared::{files_by_library, is_empty, together};
use crate::{File, Mode, Open, Storage, StorageLibrary, hints};
use command::Settings;
use file::{H5File, ShownHints, TransferParts};
use sets::{DatasetOptions, SetShape, Sets};

pub(super) const DRIVER: Driver = Driver { name: "hdf5", library: Some(&hdf5::KIND), open };

struct Hdf5Storage {
    library: OnceLock<&'static Hdf5Library>,
    health: Arc<Health>,
    inside: Arc<Inside>,
    hints: hints::RequestedHints,
    tuning: Tuning,
    look: DatasetOptions,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    let whole = |name: &str, least: i64, default: i64| {
        let given = settings.number(name).unwrap_or(default);
        let why = || Usage(format!("--{name}={given}: give {least} or more"));
        u64::try_from(given).ok().filter(|_| given >= least).ok_or_else(why)
    };
    Ok(Box::new(Hdf5Storage {
        library: OnceLock::new(),
        health: Arc::default(),
        inside: Arc::default(),
        hints: hints::asked("hdf5", settings)?,
        tuning: Tuning {
            alignment: whole("hdf5.setAlignment", 1, 1)?,
            metadata_together: settings.flag("hdf5.collectiveMetadata"),
        },
        look: DatasetOptions {
            chunk: whole("hdf5.chunkSize", 0, 0)?,
            no_fill: settings.flag("hdf5.noFill"),
            individual: settings.flag("hdf5.individualDataSets"),
        },
    }))
}

impl Hdf5Storage {
    fn library(&self) -> io::Result<&'static Hdf5Library> {
        self.library.get().copied().ok_or_else(|| io::Error::other("the HDF5 library was not loaded"))
    }

    /// The access property list for opening a file, and its hints if they are to be shown.
    fn access(&self, opening: &Opening<'_>) -> io::Result<(HeldIdentifier, Option<ShownHints>)> {
        let (access, info) = opening.access(self.hints.pairs(), self.tuning)?;
        let shown = opening.comm.mpi().filter(|_| self.hints.are_shown());
        let Some(mpi) = shown else { return Ok((access, None)) };
        let shown = ShownHints { mpi: mpi.library(), passed: info.pairs()?, access: opening.list()? };
        Ok((access, Some(shown)))
    }

    /// Everything that transfers need in addition to the open file.
    fn parts(&self, file: &OpenedFile, how: Open) -> io::Result<TransferParts> {
        let library = self.library()?;
        let of = SetsOf { library, file: file.id() };
        let shape = SetShape::new(how.parts, how.bytes, self.look.individual);
        let sets = match how.mode {
            Mode::Write | Mode::Truncate => Sets::make(of, shape, self.look)?,
            Mode::Read | Mode::Update => Sets::open(of, shape)?,
        };
        TransferParts::new(library, sets, how.parts.transfer, how.shared && how.collective)
    }
}

impl StorageLibrary for Hdf5Storage {
    fn load(&self) -> Result<(), Usage> {
        if self.library.get().is_none() {
            // Only this thread loads the library: each MPI rank is a process with one such thread.
            let _ = self.library.set(hdf5::load()?);
        }
        Ok(())
    }

    fn version(&self) -> String {
        self.library.get().map_or(String::new(), |library| format!("{} (Parallel)", library.version))
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

    fn inside(&self) -> Option<(u64, &'static str)> {
        self.inside.call()
    }
}

impl Storage for Hdf5Storage {
    files_by_library!();

    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let _during = self.inside.opening(how);
        let (library, health) = (self.library()?, &*self.health);
        let opening = Opening { library, comm, shared: how.shared, health };
        let (access, shown) = together(comm, how.shared, "hints", self.access(&opening))?;
        let way = match how.mode {
            Mode::Truncate => OpenWay::Make,
            Mode::Write if is_empty(comm, path, how.shared)? => OpenWay::Make,
            Mode::Write | Mode::Update => OpenWay::Open(READ_WRITE),
            Mode::Read => OpenWay::Open(READ_ONLY),
        };
        let file = opening.open(path, way, &access)?;
        let made = self.health.watched(how.shared, self.parts(&file, how));
        match together(comm, how.shared, "datasets", made) {
            Ok(parts) => {
                let (health, shared) = (Arc::clone(&self.health), how.shared);
                let file = H5File { file, parts, health, shared, shown, uncollective: 0 };
                Ok(self.inside.noted(how, how.collective, file))
            }
            Err(error) if how.mode == Mode::Read => {
                self.health.settle();
                file.close().and(Err(error))
            }
            Err(error) => {
                self.health.abandon();
                Err(error)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_sizes_are_rejected_in_one_line() {
        for (name, value) in
            [("hdf5.setAlignment", "0"), ("hdf5.setAlignment", "-4"), ("hdf5.chunkSize", "-1")]
        {
            let mut settings = Settings::default();
            settings.set(name, value);
            let error = open(&settings).err().expect("rejected").0;
            assert!(error.starts_with(&format!("--{name}={value}: give ")), "{error}");
        }
        assert!(open(&Settings::default()).is_ok());
    }

    #[test]
    fn without_mpi_nothing_is_loaded() {
        let Ok(storage) = open(&Settings::default()) else { panic!("the defaults are valid") };
        assert!(storage.load().unwrap_err().0.contains("no MPI library is loaded"));
        assert_eq!(storage.version(), "");
    }
}
