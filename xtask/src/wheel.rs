//! The MPICH 5 wheel in its own virtual environment, `target/mpich-venv`.
//!
//! Debian has no MPI with the standard binary interface, and its MPICH is slow with more ranks than cores.
//! This wheel solves both. Tests find it in `ASSAY_TEST_MPICH_VENV`, or in that directory.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::step::Outcome;
use crate::venv::Venv;

/// The installed package, as pip spells it.
const WHEEL: &str = "mpich==5.0.2";

/// The environment variable with the path of the virtual environment.
pub(crate) const VENV_VARIABLE: &str = "ASSAY_TEST_MPICH_VENV";

/// Creates the environment unless it exists or the user has named one.
pub(crate) fn provide(root: &Path) -> Result<Outcome> {
    let folder = place(root);
    if std::env::var_os(VENV_VARIABLE).is_some() {
        return Ok(Outcome::Done(format!("{VENV_VARIABLE}={}", folder.display())));
    }
    Venv { folder, packages: &[WHEEL], log: "wheel" }.provide(root)
}

/// The path of the environment, if it exists.
pub(crate) fn find(root: &Path) -> Option<PathBuf> {
    let venv = place(root);
    venv.join("bin/mpiexec").exists().then_some(venv)
}

fn place(root: &Path) -> PathBuf {
    std::env::var_os(VENV_VARIABLE).map_or_else(|| root.join("target/mpich-venv"), PathBuf::from)
}
