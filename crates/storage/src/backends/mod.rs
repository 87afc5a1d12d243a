//! How each backend is opened: one folder and one row each. `command` has the table of backends.

use command::Settings;
use units::Usage;

use crate::Storage;
use crate::libraries::LibraryKind;

mod aio;
mod cephfs;
mod dummy;
mod hdf5;
mod mmap;
mod mpiio;
mod ncmpi;
mod posix;
mod uring;

pub use mmap::Mapped;

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
    cephfs::DRIVER,
    dummy::DRIVER,
    hdf5::DRIVER,
    mmap::DRIVER,
    mpiio::DRIVER,
    ncmpi::DRIVER,
    posix::DRIVER,
    uring::DRIVER,
];

/// The libraries that backends need to find, and that of hints.
pub const LIBRARIES: &[&LibraryKind] =
    &[&crate::hdf5::KIND, &ncmpi::KIND, &cephfs::KIND, &crate::plain::GPFS];

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
            let needs = match driver.library {
                Some(kind) if kind.is_on_mpi => backend.needs == Needs::LibraryOnMpi,
                Some(_) => backend.needs == Needs::Library,
                None => !matches!(backend.needs, Needs::Library | Needs::LibraryOnMpi),
            };
            assert!(needs, "{}", backend.name);
        }
    }
}
