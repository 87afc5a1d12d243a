//! Files by parallel HDF5: a dataset for each segment, which all ranks of a shared file write together.
//!
//! The byte at a position of the data is the one that other backends have at that offset of the file: segment
//! by segment, rank by rank. Opening makes or opens every dataset (see `sets`), so that transfers only move.
//!
//! A file that is there and holds something is opened as it is, and its datasets have to fit; an empty one,
//! as tools leave it that choose a layout beforehand, is made into an HDF5 file.
#![allow(unsafe_code)]

mod calls;
mod file;
mod health;
mod sets;

use std::ffi::{CString, c_uint};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ffi::hdf5::{self, DEFAULT, Library, READ_ONLY, READ_WRITE, TRUNCATE};
use ranks::Comm;
use units::Usage;

use crate::backends::{Backend, BackendOption, Settings, Takes};
use crate::libraries::{self, Kind};
use crate::mpi_file::Info;
use crate::shared::{given, is_empty, together};
use crate::{File, Mode, Open, PageCache, Space, Storage};
use crate::{files, hints, residency};
use calls::{Held, check};
use file::{H5File, Opened, Parts, Shown};
use health::Health;
use sets::{ELEMENT, Look, Sets};

/// The parallel library, by the names that Debian, releases and Cray build it under.
pub(super) const KIND: Kind = Kind {
    name: "HDF5",
    variable: "ASSAY_HDF5_LIBRARY",
    homes: &["HDF5_DIR", "HDF5_ROOT", "HDF5_HOME", "CRAY_HDF5_PARALLEL_PREFIX", "EBROOTHDF5"],
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
    version: |path| {
        let (version, parallel) = hdf5::probe(path).map_err(|error| error.why)?;
        Ok(format!("{version} ({})", if parallel { "Parallel" } else { "Serial" }))
    },
    advice: "Debian: apt-get install libhdf5-openmpi-103-1 or libhdf5-mpich-103-1",
};

pub(super) const BACKEND: Backend = Backend {
    name: "hdf5",
    about: "datasets of a file, by parallel HDF5, independent or collective (-c)",
    options: &[
        BackendOption {
            name: "chunkSize",
            takes: Takes::Number,
            about: "chunks of the datasets, elements of 8 bytes; 0 for none",
        },
        BackendOption {
            name: "collectiveMetadata",
            takes: Takes::Flag,
            about: "all ranks read and write metadata together",
        },
        BackendOption { name: "hintsFileName", takes: Takes::Text, about: "file of hints for MPI-IO" },
        BackendOption {
            name: "individualDataSets",
            takes: Takes::Flag,
            about: "a dataset per rank (never worked in IOR either)",
        },
        BackendOption {
            name: "noFill",
            takes: Takes::Flag,
            about: "write no fill values into a new dataset",
        },
        BackendOption { name: "setAlignment", takes: Takes::Size, about: "alignment of objects in the file" },
        BackendOption { name: "showHints", takes: Takes::Flag, about: "show the hints of each file" },
    ],
    needs_mpi: true,
    open,
};

struct Hdf5 {
    library: OnceLock<&'static Library>,
    health: Arc<Health>,
    hints: hints::Asked,
    shows_hints: bool,
    metadata_together: bool,
    /// Bytes.
    alignment: u64,
    look: Look,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    let whole = |name: &str, least: i64, default: i64| {
        let given = settings.number(name).unwrap_or(default);
        let why = || Usage(format!("--{name}={given}: has to be {least} or more"));
        u64::try_from(given).ok().filter(|_| given >= least).ok_or_else(why)
    };
    Ok(Box::new(Hdf5 {
        library: OnceLock::new(),
        health: Arc::default(),
        hints: hints::asked("hdf5", settings)?,
        shows_hints: settings.flag("hdf5.showHints"),
        metadata_together: settings.flag("hdf5.collectiveMetadata"),
        alignment: whole("hdf5.setAlignment", 1, 1)?,
        look: Look { chunk: whole("hdf5.chunkSize", 0, 0)?, no_fill: settings.flag("hdf5.noFill") },
    }))
}

/// The library that fits the MPI that runs.
fn load() -> Result<&'static Library, Usage> {
    let mpi = libraries::loaded_mpi();
    let mpi = mpi.ok_or_else(|| Usage::new("HDF5 needs ranks of MPI, and no MPI library is loaded"))?;
    let path = KIND.fitting(&mpi).map_err(Usage)?;
    Library::load(path).map_err(|error| Usage(error.to_string()))
}

impl Hdf5 {
    fn library(&self) -> io::Result<&'static Library> {
        self.library.get().copied().ok_or_else(|| io::Error::other("the HDF5 library was not loaded"))
    }

    /// The list of properties that a file is opened with, and the hints in it where they are to be shown.
    fn access(&self, comm: &dyn Comm, shared: bool) -> io::Result<(Held, Option<Shown>)> {
        let library = self.library()?;
        let functions = &library.functions;
        let mpi = comm.mpi().ok_or_else(|| io::Error::other("the ranks are not MPI's"))?;
        let list = || Held::list(library, library.constants.file_access);
        let whose = if shared { mpi.handle() } else { mpi.library().constants.comm_self };
        let info = match self.hints.is_empty() {
            true => Info::none(mpi),
            false => Info::new(mpi, self.hints.iter().map(|(key, value)| (&**key, &**value)))?,
        };
        let access = list()?;
        // SAFETY: the list is live, and so are communicator and hints, of which HDF5 makes its own copies.
        check(library, unsafe { (functions.pset_fapl_mpio)(access.id(), whose, info.handle()) })?;
        // SAFETY: the list is live.
        check(library, unsafe { (functions.pset_alignment)(access.id(), self.alignment, self.alignment) })?;
        if self.metadata_together {
            // SAFETY: the list is live.
            check(library, unsafe { (functions.pset_all_coll_metadata_ops)(access.id(), true) })?;
            // SAFETY: the list is live.
            check(library, unsafe { (functions.pset_coll_metadata_write)(access.id(), true) })?;
        }
        if !self.shows_hints {
            return Ok((access, None));
        }
        let shown = Shown { mpi: mpi.library(), passed: info.pairs()?, access: list()? };
        Ok((access, Some(shown)))
    }

    /// Opens or makes the file itself.
    fn file(&self, path: &Path, how: Way, access: &Held) -> io::Result<Opened> {
        let library = self.library()?;
        let name = CString::new(given(path, false).as_os_str().as_bytes())?;
        // SAFETY: the name ends in a zero byte, and the lists are live; all ranks of the file call this.
        let made = unsafe {
            match how {
                Way::Make => (library.functions.fcreate)(name.as_ptr(), TRUNCATE, DEFAULT, access.id()),
                Way::Open(flags) => (library.functions.fopen)(name.as_ptr(), flags, access.id()),
            }
        };
        Opened::new(library, made).map_err(|error| match error.to_string().contains("signature not found") {
            true => io::Error::new(io::ErrorKind::InvalidData, "it is no HDF5 file"),
            false => error,
        })
    }

    /// What is needed beside the open file.
    fn parts(&self, file: &Opened, how: Open) -> io::Result<Parts> {
        let library = self.library()?;
        let segment = how.parts.segment;
        let elements = segment / ELEMENT;
        let count = if elements == 0 { 0 } else { how.bytes.div_ceil(segment) };
        let sets = match how.mode {
            Mode::Write | Mode::Truncate => Sets::make(library, file.id(), elements, count, self.look)?,
            Mode::Read | Mode::Update => Sets::open(library, file.id(), elements, count)?,
        };
        Parts::new(library, sets, (segment, how.parts.transfer), how.shared && how.collective)
    }
}

/// How a file comes to be open.
#[derive(Clone, Copy)]
enum Way {
    Make,
    Open(c_uint),
}

impl Storage for Hdf5 {
    fn load(&self) -> Result<(), Usage> {
        if self.library.get().is_none() {
            // Only this thread loads: MPI's ranks have one each.
            let _ = self.library.set(load()?);
        }
        Ok(())
    }

    fn version(&self) -> String {
        self.library.get().map_or(String::new(), |library| format!("{} (Parallel)", library.version))
    }

    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let (access, shown) = together(comm, how.shared, "hints", self.access(comm, how.shared))?;
        let way = match how.mode {
            Mode::Truncate => Way::Make,
            Mode::Write if is_empty(comm, path, how.shared)? => Way::Make,
            Mode::Write | Mode::Update => Way::Open(READ_WRITE),
            Mode::Read => Way::Open(READ_ONLY),
        };
        // Where only some ranks have the file, closing it would wait for those that have not.
        let file = self.health.watched(how.shared, self.file(path, way, &access));
        let is_open = file.is_ok();
        let file = together(comm, how.shared, "open", file).inspect_err(|_| match is_open {
            true => self.health.abandon(),
            false => self.health.settle(),
        })?;
        let made = self.health.watched(how.shared, self.parts(&file, how));
        match together(comm, how.shared, "datasets", made) {
            Ok(parts) => {
                Ok(Box::new(H5File::new(file, parts, (Arc::clone(&self.health), how.shared), shown)))
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

    fn remove(&self, path: &Path) -> io::Result<()> {
        files::remove(path)
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        files::size(path)
    }

    fn space(&self, path: &Path) -> io::Result<Option<Space>> {
        files::space(path)
    }

    fn hole(&self, path: &Path) -> io::Result<Option<u64>> {
        files::hole(path)
    }

    fn is_device(&self, path: &Path) -> bool {
        files::is_device(path)
    }

    fn page_cache(&self, path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        residency::of(path)
    }

    fn is_collective(&self) -> bool {
        true
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

    fn is_bare(&self) -> bool {
        false
    }

    fn keeps_data(&self) -> bool {
        true
    }

    fn direct(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_mean_nothing_are_refused_in_one_line() {
        for (name, value) in
            [("hdf5.setAlignment", "0"), ("hdf5.setAlignment", "-4"), ("hdf5.chunkSize", "-1")]
        {
            let mut settings = Settings::default();
            settings.set(name, value);
            let error = open(&settings).err().expect("refused").0;
            assert!(error.starts_with(&format!("--{name}={value}: has to be ")), "{error}");
        }
        assert!(open(&Settings::default()).is_ok());
    }

    #[test]
    fn without_mpi_nothing_is_loaded() {
        let Ok(storage) = open(&Settings::default()) else { panic!("its defaults are sound") };
        assert!(storage.load().unwrap_err().0.contains("no MPI library is loaded"));
        assert_eq!(storage.version(), "");
    }
}
