//! Files by PnetCDF: one variable of bytes, `data_var`. It has a record for each rank's block of each
//! segment, in transfers. This is IOR 4.1's form, in the format CDF-5.
//!
//! The data has the same order as the file of other backends, so ranks may read what others wrote. The
//! records are contiguous after the header.
//!
//! A file that exists and is not empty is opened unchanged, and its variable must fit. An empty file is
//! replaced: tools that set a layout in advance leave such a file.
//!
//! `preallocate`, `useFileView` and `useStridedDatatype` are accepted and change nothing, as in IOR 4.1.

mod file;

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ranks::Comm;
use units::Usage;

use crate::arrays::pnetcdf::{NcFile, NetcdfOpenMode, Pnetcdf};
use crate::arrays::{Access, ArrayFile};
use crate::backends::Driver;
use crate::inside::Inside;
use crate::shared::{files_by_library, is_empty, plain, together};
use crate::{File, Mode, Open, Storage, StorageLibrary, hints};
use command::Settings;
use file::{Cells, DataVariable};

pub(super) use crate::arrays::pnetcdf::KIND;

pub(super) const DRIVER: Driver = Driver { name: "ncmpi", library: Some(&KIND), open };

struct Ncmpi {
    inside: Arc<Inside>,
    library: OnceLock<Pnetcdf>,
    hints: hints::RequestedHints,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    Ok(Box::new(Ncmpi {
        inside: Arc::default(),
        library: OnceLock::new(),
        hints: hints::asked("ncmpi", settings)?,
    }))
}

impl Ncmpi {
    /// Opens the file, or creates it if the mode allows that and no data exists.
    fn file(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<(NcFile, bool)> {
        let library = self.library.get().ok_or_else(|| io::Error::other("PnetCDF was not loaded"))?;
        let new = match how.mode {
            Mode::Truncate => true,
            Mode::Write => is_empty(comm, plain(path), how.shared)?,
            Mode::Read | Mode::Update => false,
        };
        let way = NetcdfOpenMode { new, writes: how.mode != Mode::Read, shared: how.shared };
        let file = NcFile::open(library.library, comm, path, way, self.hints.pairs());
        Ok((self.inside.opened(comm, how.shared, file)?, new))
    }
}

impl StorageLibrary for Ncmpi {
    fn load(&self) -> Result<(), Usage> {
        if self.library.get().is_none() {
            // Only this thread loads the library: each MPI rank is a process with one such thread.
            let _ = self.library.set(Pnetcdf::load()?);
        }
        Ok(())
    }

    fn version(&self) -> String {
        self.library.get().map_or(String::new(), StorageLibrary::version)
    }

    fn has_abandoned(&self) -> bool {
        self.inside.has_left()
    }

    fn inside(&self) -> Option<(u64, &'static str)> {
        self.inside.call()
    }
}

impl Storage for Ncmpi {
    files_by_library!();

    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let _during = self.inside.opening(how);
        let cells = Cells::new(how.parts)?;
        let (mut file, new) = self.file(comm, path, how)?;
        let collective = how.shared && how.collective;
        let access = if collective { Access::Collective } else { Access::Independent };
        let variable = if new { cells.define(&mut file) } else { cells.find(&mut file) };
        let there = (!new).then_some(plain(path));
        let ready = together(comm, how.shared, "variable", variable).and_then(|variable| {
            let lies = file.access(access).and_then(|()| cells.lie(&file, variable, there));
            Ok((variable, together(comm, how.shared, "access", lies)?))
        });
        let passed = || self.hints.pairs().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let passed = self.hints.are_shown().then(passed);
        match ready {
            Ok((variable, lies)) => {
                let data = DataVariable { file, variable, cells, passed, lies };
                Ok(self.inside.noted(how, how.collective, data))
            }
            Err(error) => {
                // All ranks have opened the file, and all close it; the reason of the failure is already
                // known.
                let _ = Box::new(file).close();
                Err(error)
            }
        }
    }

    fn system_path<'p>(&self, path: &'p Path) -> &'p Path {
        plain(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_mpi_nothing_is_loaded() {
        let storage = open(&Settings::default()).expect("the defaults are valid");
        assert!(storage.load().unwrap_err().0.contains("PnetCDF needs MPI"));
        assert_eq!(storage.version(), "");
    }
}
