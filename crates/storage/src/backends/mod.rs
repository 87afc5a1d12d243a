//! The table of backends: one folder and one row each; the parser, help, listings and tests use it.

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

/// The kind of value that a backend option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is a flag.
    Flag,
    /// A whole number.
    Number,
    /// Bytes, with a suffix.
    Size,
    /// Any text.
    Text,
}

/// One option of a backend, set on the command line as `--<backend>.<name>`.
#[derive(Clone, Copy, Debug)]
pub struct BackendOption {
    /// Its name without the backend's name and the dot.
    pub name: &'static str,
    /// The kind of value it takes.
    pub takes: Takes,
    /// One line of help.
    pub about: &'static str,
    /// Why the option is accepted without effect; empty for one that has an effect.
    pub idle: &'static str,
}

/// An option of other file systems that command lines for the classic programs contain.
pub(crate) const fn idle(name: &'static str, takes: Takes, idle: &'static str) -> BackendOption {
    BackendOption { name, takes, about: "accept it, without effect", idle }
}

/// A row of an option table.
pub(crate) const fn option(name: &'static str, takes: Takes, about: &'static str) -> BackendOption {
    BackendOption { name, takes, about, idle: "" }
}

/// The values of the backends' options that were set, by `<backend>.<option>`; a flag that is set is 1.
///
/// Hints for MPI-IO from the environment are here as `hint.<key>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Sets an option.
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

    /// The same without the files that a backend reads when it is opened, for a check on another machine.
    pub fn without_files(&self) -> Self {
        let kept = |(name, _): &(&String, &String)| !name.ends_with(".hintsFileName");
        Self(self.0.iter().filter(kept).map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// All options whose names begin with `prefix`, by the rest of the name.
    pub fn under<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.0.iter().filter_map(move |(name, value)| Some((name.strip_prefix(prefix)?, value.as_str())))
    }
}

/// What one backend can do with any settings; the program asks this before it opens a file. A workload
/// rejects what a backend cannot do by these fields, never by the backend's name.
///
/// Invariant: this is what [`Storage`] offers; `tests/pure/abilities.rs` compares the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// A transfer is a blocking call, so a rank has one transfer outstanding.
    pub blocking: bool,
    /// Transfers may go to any offset in any order.
    pub random_access: bool,
    /// Each rank can have its own file.
    pub file_per_rank: bool,
    /// Transfers of a shared file can be collective calls.
    pub collective: bool,
    /// Transfers can use a file view, which has its own order.
    pub file_views: bool,
    /// There are directories, and files can be created, stat'ed and removed by name.
    pub names: bool,
    /// Files can be opened for writing only, and truncated at open.
    pub write_only: bool,
    /// Written data can be read back.
    pub keeps_data: bool,
    /// The contents of a file.
    pub form: FileForm,
    /// The unit in which data is synced, bytes; 1 where any bytes can be synced.
    pub sync_bytes: u64,
    /// Transfers, if any, are calls of functions of the C library or of another one. Only such transfers are
    /// seen by a preloaded library.
    pub transfers_by_library: bool,
}

impl Abilities {
    /// The abilities of files of a mounted file system with blocking transfers.
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
        transfers_by_library: true,
    };
}

/// The contents of a file of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// Bytes only.
    Bytes,
    /// Datasets of elements, one for each segment; a dataset may have chunks.
    Datasets {
        /// Bytes of an element.
        element_bytes: u64,
        /// The most bytes in a chunk.
        chunk_bytes_max: u64,
    },
    /// One variable with a record for each block.
    Variable,
}

/// One storage system that can be tested.
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
    /// Whether its ranks must be MPI ranks.
    pub needs_mpi: bool,
    /// The parallel library that it needs, if the program has to find one.
    pub library: Option<&'static LibraryKind>,
    /// Creates the storage with the given settings.
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

/// The libraries that backends need to find.
pub const LIBRARIES: &[&LibraryKind] = &[&crate::hdf5::KIND, &ncmpi::KIND];

/// The backend of that name, in any case.
pub fn backend(name: &str) -> Result<&'static Backend, Usage> {
    BACKENDS.iter().find(|backend| backend.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let known: Vec<_> = BACKENDS.iter().map(|backend| backend.name.to_uppercase()).collect();
        Usage(format!("unknown backend `{name}`. Choose one of {}", known.join(", ")))
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
    fn a_backend_is_found_in_any_case_and_an_unknown_one_is_rejected_with_the_list() {
        assert_eq!(backend("PoSiX").unwrap().name, "posix");
        let error = backend("lustre").err().unwrap();
        assert_eq!(
            error.0,
            "unknown backend `lustre`. Choose one of AIO, DUMMY, HDF5, MMAP, MPIIO, NCMPI, POSIX, URING"
        );
    }
}
