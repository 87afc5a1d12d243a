//! `cargo xtask setup`: installs all dependencies of the full test.
//!
//! Never here: the list of dependencies and their installation (`packages`, `wheel`).

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::step::step;
use crate::{packages, wheel};

/// The result of the set-up.
pub(crate) struct Setup {
    /// False if an installation failed.
    pub(crate) sound: bool,
    /// The virtual environment with MPICH 5, if it exists.
    pub(crate) mpich: Option<PathBuf>,
}

/// Runs both parts of the set-up, the second also if the first fails. Prints one line for each. With `all`
/// also what only the slow tests need.
pub(crate) fn run(root: &Path, all: bool) -> Result<Setup> {
    let debian = step("Debian packages", || packages::provide(root, all));
    let wheel = step("MPICH 5 wheel", || wheel::provide(root));
    Ok(Setup { sound: debian && wheel, mpich: wheel::find(root) })
}
