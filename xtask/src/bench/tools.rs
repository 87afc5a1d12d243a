//! The programs of a benchmark: our release build, and the peers on this machine.
//!
//! Never here: their arguments.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::step::cargo;
use crate::wheel;

/// Paths of programs; `None` for a missing peer.
pub(super) struct Tools {
    /// The program itself.
    pub(super) assay: String,
    /// The example program that measures inside its process.
    pub(super) inside: String,
    /// The example program with the bare loop.
    pub(super) bare: String,
    /// The example program that only starts and ends MPI.
    pub(super) bare_mpi: String,
    /// The directory of MPICH, as its wheel is installed.
    pub(super) mpich: Option<PathBuf>,
    pub(super) fio: Option<String>,
    pub(super) ior: Option<String>,
    pub(super) mdtest: Option<String>,
    pub(super) pfind: Option<String>,
    /// `assay` and `inside` of an earlier build, if one is given.
    pub(super) before: Option<[String; 2]>,
    /// Notes on the peers, one line each.
    pub(super) about_peers: Vec<String>,
}

/// Our programs and fio as bare names, for tests that start none of them.
#[cfg(test)]
pub(super) fn named() -> Tools {
    let name = |name: &str| name.to_owned();
    Tools {
        assay: name("assay"),
        inside: name("bench"),
        bare: name("bare"),
        bare_mpi: name("bare_mpi"),
        mpich: Some("mpich".into()),
        fio: Some(name("fio")),
        ior: None,
        mdtest: None,
        pfind: None,
        before: None,
        about_peers: Vec::new(),
    }
}

/// Builds our programs and finds the peers. `before` is the `release` directory of an earlier build.
pub(super) fn provide(root: &Path, before: Option<&Path>) -> Result<Tools> {
    let build = ["build", "--release", "-p", "cli", "-p", "workloads", "-p", "ffi", "--bins", "--examples"];
    ensure!(cargo(root, &build).status()?.success(), "the release build failed");
    let here = std::env::current_exe()?;
    let target = here.ancestors().nth(2).context("this program is not in a target directory")?;
    let built = |release: &Path, name: &str| {
        let path = release.join(name);
        ensure!(path.is_file(), "{} was not built", path.display());
        Ok(path.display().to_string())
    };
    let release = target.join("release");
    let ours = |name: &str| built(&release, name);
    let (assay, inside) = ("assay", "examples/bench");
    let earlier = |release: &Path| -> Result<[String; 2]> {
        let release = std::path::absolute(release)?;
        Ok([built(&release, assay)?, built(&release, inside)?])
    };
    let before = before.map(earlier).transpose()?;
    let (fio, about_fio) = fio();
    let (ior, about_ior) = original("ior");
    let (mdtest, about_mdtest) = original("mdtest");
    let (pfind, about_pfind) = original("pfind");
    Ok(Tools {
        assay: ours(assay)?,
        inside: ours(inside)?,
        bare: ours("examples/bare")?,
        bare_mpi: ours("examples/bare_mpi")?,
        mpich: wheel::find(root),
        fio,
        ior,
        mdtest,
        pfind,
        about_peers: [about_fio, about_ior, about_mdtest, about_pfind]
            .into_iter()
            .chain(before.iter().map(|[assay, _]| format!("before: {assay}")))
            .collect(),
        before,
    })
}

/// The output of a program on the PATH with one argument; `None` if it cannot be started.
fn ask(program: &str, word: &str) -> Option<String> {
    let answer = Command::new(program).arg(word).stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&[answer.stdout, answer.stderr].concat()).into_owned())
}

fn fio() -> (Option<String>, String) {
    match ask("fio", "--version") {
        Some(version) => (Some("fio".into()), version.trim().to_owned()),
        None => (None, "fio: not on the PATH (Debian: apt-get install fio)".into()),
    }
}

/// The original of this name, if it is on the PATH.
fn original(name: &str) -> (Option<String>, String) {
    match ask(name, "-h") {
        Some(help) if is_ours(&help) => {
            (None, format!("{name}: on the PATH is assay itself, not the original"))
        }
        Some(_) => (Some(name.into()), format!("{name}: one process without mpirun")),
        None => (None, format!("{name}: not on the PATH")),
    }
}

/// Whether this is the help of assay. A link with the name of the original may lead to assay.
fn is_ours(help: &str) -> bool {
    help.contains("assay")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_has_no_answer() {
        assert_eq!(ask("no-such-program-anywhere", "-h"), None);
        assert_eq!(ask("echo", "fio-3.33"), Some("fio-3.33\n".into()));
    }

    #[test]
    fn assay_under_the_name_ior_is_not_a_peer() {
        assert!(is_ours("Synopsis ior\n  --record  write the records; assay -n RANKS ior\n"));
        assert!(!is_ours("Synopsis ior\n\nFlags\n  -c, --collective  Use collective I/O\n"));
    }
}
