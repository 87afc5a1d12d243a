//! The table of backends: one folder and one line each; parser, help, listing and tests walk it.

use std::collections::BTreeMap;

use units::Usage;

use crate::Storage;
use crate::libraries::LibraryKind;

mod aio;
mod dummy;
mod hdf5;
mod mmap;
mod mpiio;
mod ncmpi;
mod posix;
mod uring;

pub use mmap::Mapped;

/// What an option of a backend takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is a flag.
    Flag,
    /// A whole number.
    Number,
    /// Bytes, with a suffix.
    Size,
    /// Anything.
    Text,
}

/// One option of a backend, set on the command line as `--<backend>.<name>`.
#[derive(Clone, Copy, Debug)]
pub struct BackendOption {
    /// Its name after the backend's and a dot.
    pub name: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// One line of help.
    pub about: &'static str,
}

/// An option of a table.
pub(crate) const fn option(name: &'static str, takes: Takes, about: &'static str) -> BackendOption {
    BackendOption { name, takes, about }
}

/// What was set of the backends' options, by `<backend>.<option>`; a flag that is set is 1.
///
/// Hints for MPI-IO that come from the environment are here as `hint.<key>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Sets one.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// Whether a flag is set.
    pub fn flag(&self, name: &str) -> bool {
        self.number(name).is_some_and(|number| number != 0)
    }

    /// A number; `None` where it was not set.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.0.get(name)?.parse().ok()
    }

    /// A text; `None` where it was not set.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// All whose names begin with `prefix`, by the rest of the name.
    pub fn under<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.0.iter().filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }
}

/// What one backend can do, whatever its settings: what is asked before any file is opened. A workload
/// rejects what a backend cannot do by these fields, never by the backend's name.
///
/// Invariant: this is what [`Storage`] offers; `tests/pure/abilities.rs` compares the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// A transfer is a call that blocks, so that a rank has one outstanding.
    pub blocking: bool,
    /// Transfers may go to any offset in any order.
    pub random_access: bool,
    /// Each rank can have a file of its own.
    pub file_per_rank: bool,
    /// Transfers of a shared file can be calls that all ranks have to make together.
    pub collective: bool,
    /// Transfers can go through a file view, which has an order of its own.
    pub file_views: bool,
    /// There are directories, and files can be made, looked at and removed by name.
    pub names: bool,
    /// Files can be opened for writing only, and made empty as they are opened.
    pub write_only: bool,
    /// What was written can be read back.
    pub keeps_data: bool,
    /// What a file consists of.
    pub form: FileForm,
    /// Bytes of the unit in which data is synced; 1 where any bytes can be.
    pub sync_bytes: u64,
}

impl Abilities {
    /// Those of a file of a mounted file system that is moved by calls that block.
    pub const PLAIN: Self = Self {
        blocking: true,
        random_access: true,
        file_per_rank: true,
        collective: false,
        file_views: false,
        names: true,
        write_only: true,
        keeps_data: true,
        form: FileForm::Bytes,
        sync_bytes: 1,
    };
}

/// What a file of a backend consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// Bytes, and nothing else.
    Bytes,
    /// Datasets of elements, one for each segment, which may lie in chunks.
    Datasets {
        /// Bytes of an element.
        element_bytes: u64,
        /// Most bytes of a chunk.
        chunk_bytes_max: u64,
    },
    /// One variable with a record for each block.
    Variable,
}

/// One system that can be tested.
pub struct Backend {
    /// Its name in lower case; `-a` takes it in any case.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Its options.
    pub options: &'static [BackendOption],
    /// Options of other backends that it takes as its own, as `<backend>.<option>`.
    pub also_takes: &'static [&'static str],
    /// What it can do.
    pub abilities: Abilities,
    /// Whether its ranks have to be MPI's.
    pub needs_mpi: bool,
    /// The parallel library that it is made of, where it is looked for.
    pub library: Option<&'static LibraryKind>,
    /// Makes it with the given settings.
    pub open: fn(&Settings) -> Result<Box<dyn Storage>, Usage>,
}

/// All backends, by name.
pub const BACKENDS: &[Backend] = &[
    aio::BACKEND,
    dummy::BACKEND,
    hdf5::BACKEND,
    mmap::BACKEND,
    mpiio::BACKEND,
    ncmpi::BACKEND,
    posix::BACKEND,
    uring::BACKEND,
];

/// The libraries that backends look for.
pub const LIBRARIES: &[&LibraryKind] = &[&crate::hdf5::KIND, &ncmpi::KIND];

/// The backend of that name, in any case.
pub fn backend(name: &str) -> Result<&'static Backend, Usage> {
    BACKENDS.iter().find(|backend| backend.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let known: Vec<_> = BACKENDS.iter().map(|backend| backend.name.to_uppercase()).collect();
        Usage(format!("no such backend as {name}; there are {}", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        assert!(BACKENDS.iter().map(|backend| backend.name).is_sorted(), "keep the table in order");
        for backend in BACKENDS {
            assert!(!backend.about.is_empty() && !backend.about.ends_with('.'), "{}", backend.name);
            assert!(backend.options.iter().map(|option| option.name).is_sorted(), "{}", backend.name);
        }
    }

    #[test]
    fn a_backend_is_found_in_any_case_and_an_unknown_one_is_named_with_the_known() {
        assert_eq!(backend("PoSiX").unwrap().name, "posix");
        let error = backend("lustre").err().unwrap();
        assert_eq!(
            error.0,
            "no such backend as lustre; there are AIO, DUMMY, HDF5, MMAP, MPIIO, NCMPI, POSIX, URING"
        );
    }
}
