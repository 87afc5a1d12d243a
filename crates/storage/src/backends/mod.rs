//! The table of backends: one folder and one line each; parser, help, listing and tests walk it.

use std::collections::BTreeMap;

use units::Usage;

use crate::Storage;
use crate::libraries::LibraryKind;

mod abilities;
mod aio;
mod dummy;
mod hdf5;
mod mmap;
mod mpiio;
mod ncmpi;
mod posix;
mod uring;

pub use abilities::{Abilities, FileForm};
pub(crate) use mmap::mapping;

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
