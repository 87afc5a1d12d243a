//! `cargo xtask setup`: everything that the full test needs and this machine may lack.
//!
//! Never here: what is installed and how (`packages`, `wheel`).

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::step::step;
use crate::{packages, wheel};

/// What the set-up came to.
pub(crate) struct Setup {
    /// False if something that could have been installed was not.
    pub(crate) sound: bool,
    /// The environment with MPICH 5, if there is one.
    pub(crate) mpich: Option<PathBuf>,
}

/// Does all of the set-up, a line each; the second part is done also where the first fails.
pub(crate) fn run(root: &Path) -> Result<Setup> {
    let debian = step("Debian packages", || packages::provide(root));
    let wheel = step("MPICH 5 wheel", || wheel::provide(root));
    Ok(Setup { sound: debian && wheel, mpich: wheel::find(root) })
}
