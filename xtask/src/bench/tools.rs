//! The programs of a benchmark: ours, built in release, and the peers that this machine has.
//!
//! Never here: what they are asked to do.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::step::cargo;

/// Paths of programs; a peer that is not here is absent.
pub(super) struct Tools {
    /// The program itself.
    pub(super) assay: String,
    /// The example that measures in process.
    pub(super) inside: String,
    /// The example that is nothing but a loop.
    pub(super) bare: String,
    pub(super) fio: Option<String>,
    pub(super) ior: Option<String>,
    pub(super) mdtest: Option<String>,
    /// `assay` and `inside` of an earlier build, where one was named.
    pub(super) before: Option<[String; 2]>,
    /// What the table says of the peers, a line each.
    pub(super) about_peers: Vec<String>,
}

/// Tools by their names alone, for tests that start none of them: ours and fio.
#[cfg(test)]
pub(super) fn named() -> Tools {
    let name = |name: &str| name.to_owned();
    Tools {
        assay: name("assay"),
        inside: name("bench"),
        bare: name("bare"),
        fio: Some(name("fio")),
        ior: None,
        mdtest: None,
        before: None,
        about_peers: Vec::new(),
    }
}

/// Builds ours and looks for the others; `before` is the `release` folder of an earlier build.
pub(super) fn provide(root: &Path, before: Option<&Path>) -> Result<Tools> {
    let build = ["build", "--release", "-p", "cli", "-p", "workloads", "--bins", "--examples"];
    ensure!(cargo(root, &build).status()?.success(), "the release build fails");
    let here = std::env::current_exe()?;
    let target = here.ancestors().nth(2).context("this program is not in a target folder")?;
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
    Ok(Tools {
        assay: ours(assay)?,
        inside: ours(inside)?,
        bare: ours("examples/bare")?,
        fio,
        ior,
        mdtest,
        about_peers: [about_fio, about_ior, about_mdtest]
            .into_iter()
            .chain(before.iter().map(|[assay, _]| format!("before: {assay}")))
            .collect(),
        before,
    })
}

/// What a program on the PATH says to one word; `None` where it is not there.
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

/// `ior` or `mdtest`, where the PATH has the original.
fn original(name: &str) -> (Option<String>, String) {
    match ask(name, "-h") {
        Some(help) if is_ours(&help) => (None, format!("{name}: the one on the PATH is assay itself")),
        Some(_) => (Some(name.into()), format!("{name}: one process without mpirun")),
        None => (None, format!("{name}: not on the PATH")),
    }
}

/// A link named as the original may lead to this very program, which would then be its own peer.
fn is_ours(help: &str) -> bool {
    help.contains("assay")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_has_no_answer() {
        assert_eq!(ask("no-such-program-anywhere", "-h"), None);
        assert_eq!(ask("echo", "fio-3.33"), Some("fio-3.33\n".into()));
    }

    #[test]
    fn this_program_under_the_name_ior_is_no_peer() {
        assert!(is_ours("Synopsis ior\n  --record  write the records; assay -n RANKS ior\n"));
        assert!(!is_ours("Synopsis ior\n\nFlags\n  -c, --collective  Use collective I/O\n"));
    }
}
