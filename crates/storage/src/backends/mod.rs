//! The table of backends: one folder and one line each; parser, help, listing and tests walk it.

use std::collections::BTreeMap;

use units::Usage;

use crate::Storage;

mod dummy;
mod mpiio;
mod posix;

/// One option of a backend, set on the command line as `--<backend>.<name>`.
#[derive(Clone, Copy, Debug)]
pub struct BackendOption {
    /// Its name after the dot.
    pub name: &'static str,
    /// Whether it takes a number; else it is a flag.
    pub takes_value: bool,
    /// One line of help.
    pub about: &'static str,
}

/// What was set of a backend's options, by name; a flag that is set is 1.
pub type Settings = BTreeMap<String, u64>;

/// One system that can be tested.
pub struct Backend {
    /// Its name in lower case; `-a` takes it in any case.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Its options.
    pub options: &'static [BackendOption],
    /// Whether its ranks have to be MPI's.
    pub needs_mpi: bool,
    /// Makes it with the given settings.
    pub open: fn(&Settings) -> Result<Box<dyn Storage>, Usage>,
}

/// All backends, by name.
pub const BACKENDS: &[Backend] = &[dummy::BACKEND, mpiio::BACKEND, posix::BACKEND];

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
        assert_eq!(error.0, "no such backend as lustre; there are DUMMY, MPIIO, POSIX");
    }
}
