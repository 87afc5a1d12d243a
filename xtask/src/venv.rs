//! Virtual environments of Python under `target`, with programs of fixed versions.
//!
//! Invariant: the stamp is written last and contains the path and the packages. So an environment that is
//! incomplete, was moved or has other versions is created again.
//! Never here: which packages, and what they are for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::step::{Outcome, logged};

/// An environment and what is installed in it, as pip spells it.
pub(crate) struct Venv {
    pub(crate) folder: PathBuf,
    pub(crate) packages: &'static [&'static str],
    /// The name of the log under `target/xtask`.
    pub(crate) log: &'static str,
}

impl Venv {
    /// Creates the environment unless it is complete.
    pub(crate) fn provide(&self, root: &Path) -> Result<Outcome> {
        let names = self.packages.join(", ");
        if self.is_complete() {
            return Ok(Outcome::Done(names));
        }
        if !python_can() {
            return Ok(Outcome::Without("python3 has no venv".into()));
        }
        let outcome = logged(root, self.log, vec![self.make(), self.install()])?;
        if matches!(outcome, Outcome::Done(_)) {
            fs::write(self.stamp(), self.stamp_text()).context("cannot stamp the environment")?;
            return Ok(Outcome::Done(format!("installed {names}")));
        }
        Ok(outcome)
    }

    /// The path of a program in it.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    /// Whether it has these packages and was not moved.
    pub(crate) fn is_complete(&self) -> bool {
        fs::read(self.stamp()).is_ok_and(|text| text == self.stamp_text())
    }

    fn stamp(&self) -> PathBuf {
        self.folder.join("complete.stamp")
    }

    /// The path is part of it, because the scripts in the environment contain it.
    fn stamp_text(&self) -> Vec<u8> {
        let packages = format!("\n{}\n", self.packages.join("\n"));
        [self.folder.as_os_str().as_encoded_bytes(), packages.as_bytes()].concat()
    }

    fn make(&self) -> Command {
        let mut python = Command::new("python3");
        python.args(["-m", "venv", "--clear"]).arg(&self.folder);
        python
    }

    fn install(&self) -> Command {
        let mut pip = Command::new(self.program("python"));
        pip.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check"]).args(self.packages);
        pip
    }
}

fn python_can() -> bool {
    let mut python = Command::new("python3");
    python.args(["-c", "import venv, ensurepip"]).stdin(Stdio::null()).stdout(Stdio::null());
    python.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_that_was_moved_or_has_other_versions_is_not_complete() {
        let folder = tempfile::tempdir().unwrap();
        let venv = Venv { folder: folder.path().join("venv"), packages: &["a==1", "b==2"], log: "a" };
        fs::create_dir(&venv.folder).unwrap();
        assert!(!venv.is_complete(), "no stamp yet");
        fs::write(venv.stamp(), "/elsewhere/venv\na==1\nb==2\n").unwrap();
        assert!(!venv.is_complete(), "its scripts contain the old path");
        fs::write(venv.stamp(), venv.stamp_text()).unwrap();
        assert!(venv.is_complete());
        let newer = Venv { folder: venv.folder.clone(), packages: &["a==1", "b==3"], log: "a" };
        assert!(!newer.is_complete());
    }
}
