//! How each backend is opened: one folder and one row each. `command` has the table of backends.

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

/// How a backend of the table is opened.
pub struct Driver {
    /// The name of the backend.
    name: &'static str,
    /// The parallel library that it needs, if the program has to find one.
    pub library: Option<&'static LibraryKind>,
    /// Creates the storage with the given settings.
    pub open: fn(&Settings) -> Result<Box<dyn Storage>, Usage>,
}

const DRIVERS: &[Driver] = &[
    aio::DRIVER,
    dummy::DRIVER,
    hdf5::DRIVER,
    mmap::DRIVER,
    mpiio::DRIVER,
    ncmpi::DRIVER,
    posix::DRIVER,
    uring::DRIVER,
];

/// The libraries that backends need to find.
pub const LIBRARIES: &[&LibraryKind] = &[&crate::hdf5::KIND, &ncmpi::KIND];

/// The driver of the backend with this name, in any case.
pub fn driver(name: &str) -> Result<&'static Driver, Usage> {
    let backend = command::backend(name)?;
    Ok(DRIVERS.iter().find(|driver| driver.name == backend.name).expect("each backend has a driver"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use command::{BACKENDS, Needs};

    #[test]
    fn each_backend_has_a_driver_with_the_library_that_it_needs() {
        assert_eq!(DRIVERS.len(), BACKENDS.len());
        for backend in BACKENDS {
            let driver = driver(backend.name).unwrap();
            assert_eq!(driver.library.is_some(), backend.needs == Needs::LibraryOnMpi, "{}", backend.name);
        }
    }
}
