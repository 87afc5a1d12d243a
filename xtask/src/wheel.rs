//! The MPICH 5 wheel in its own virtual environment, `target/mpich-venv`.
//!
//! Debian has no MPI with the standard binary interface, and its MPICH is slow with more ranks than cores.
//! This wheel solves both. Tests find it in `ASSAY_TEST_MPICH_VENV`, or in that directory.
//!
//! Invariant: the stamp is written last and contains the path. So an incomplete or moved environment is
//! created again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::step::{Outcome, logged};

/// The installed package, as pip spells it.
const WHEEL: &str = "mpich==5.0.2";

/// The environment variable with the path of the virtual environment.
pub(crate) const VENV_VARIABLE: &str = "ASSAY_TEST_MPICH_VENV";

/// Creates the environment unless it exists or the user has named one.
pub(crate) fn provide(root: &Path) -> Result<Outcome> {
    let venv = place(root);
    if std::env::var_os(VENV_VARIABLE).is_some() {
        return Ok(Outcome::Done(format!("{VENV_VARIABLE}={}", venv.display())));
    }
    if is_complete(&venv) {
        return Ok(Outcome::Done(format!("{WHEEL} is installed")));
    }
    if !python_can() {
        return Ok(Outcome::Without("python3 has no venv".into()));
    }
    let outcome = logged(root, "wheel", vec![make(&venv), install(&venv)])?;
    if matches!(outcome, Outcome::Done(_)) {
        fs::write(stamp(&venv), venv.as_os_str().as_encoded_bytes())
            .context("cannot stamp the environment")?;
        return Ok(Outcome::Done(format!("installed {WHEEL}")));
    }
    Ok(outcome)
}

/// The path of the environment, if it exists.
pub(crate) fn find(root: &Path) -> Option<PathBuf> {
    let venv = place(root);
    venv.join("bin/mpiexec").exists().then_some(venv)
}

fn place(root: &Path) -> PathBuf {
    std::env::var_os(VENV_VARIABLE).map_or_else(|| root.join("target/mpich-venv"), PathBuf::from)
}

fn stamp(venv: &Path) -> PathBuf {
    venv.join(format!("{WHEEL}.stamp"))
}

fn is_complete(venv: &Path) -> bool {
    fs::read(stamp(venv)).is_ok_and(|place| place == venv.as_os_str().as_encoded_bytes())
}

fn python_can() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import venv, ensurepip"]).stdin(Stdio::null()).stdout(Stdio::null());
    python.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn make(venv: &Path) -> Command {
    let mut python = Command::new("python3");
    python.args(["-m", "venv", "--clear"]).arg(venv);
    python
}

fn install(venv: &Path) -> Command {
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check", WHEEL]);
    pip
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_that_was_moved_is_not_complete() {
        let folder = tempfile::tempdir().unwrap();
        let venv = folder.path().join("venv");
        fs::create_dir(&venv).unwrap();
        assert!(!is_complete(&venv), "no stamp yet");
        fs::write(stamp(&venv), "/elsewhere/venv").unwrap();
        assert!(!is_complete(&venv), "its scripts contain the old path");
        fs::write(stamp(&venv), venv.to_str().unwrap()).unwrap();
        assert!(is_complete(&venv));
    }
}
