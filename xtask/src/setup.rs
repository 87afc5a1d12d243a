//! `cargo xtask setup`: installs all dependencies of the full test.
//!
//! Never here: the list of dependencies and their installation (`packages`, `wheel`, `venv`).

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::step::step;
use crate::venv::Venv;
use crate::{packages, wheel};

/// The framework of the tests of `integrations/reframe`. They find it in `target/reframe-venv`.
const REFRAME: &[&str] = &["ReFrame-HPC==4.10.4"];

/// The result of the set-up.
pub(crate) struct Setup {
    /// False if an installation failed.
    pub(crate) sound: bool,
    /// The virtual environment with MPICH 5, if it exists.
    pub(crate) mpich: Option<PathBuf>,
}

/// Runs all parts of the set-up, also if one fails. Prints one line for each. With `all` also what only the
/// slow tests need.
pub(crate) fn run(root: &Path, all: bool) -> Result<Setup> {
    let reframe = Venv { folder: root.join("target/reframe-venv"), packages: REFRAME, log: "reframe" };
    let sound = [
        step("Debian packages", || packages::provide(root, all)),
        step("MPICH 5 wheel", || wheel::provide(root)),
        !all || step("ReFrame", || reframe.provide(root)),
    ];
    Ok(Setup { sound: sound.iter().all(|sound| *sound), mpich: wheel::find(root) })
}
