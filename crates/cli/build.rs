//! States the commit and the compiler of this build, so that each campaign records them.
//!
//! `ASSAY_COMMIT` and `ASSAY_RUSTC` win, for builds from an archive of the sources. Both are empty if they
//! are not known.
//!
//! Invariant: a build without git works. Cargo runs this again only after a commit, or if a file of the
//! program changed.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let facts =
        [("ASSAY_COMMIT", commit(&root)), ("ASSAY_RUSTC", output(Command::new(rustc).arg("--version")))];
    for (name, found) in facts {
        let stated = env::var(name).ok().filter(|text| !text.is_empty());
        println!("cargo::rerun-if-env-changed={name}");
        println!("cargo::rustc-env={name}={}", stated.or(found).unwrap_or_default());
    }
    for path in watched(&root) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
}

/// The commit of the checkout with these sources, marked if a file of the program differs from it.
pub(crate) fn commit(root: &Path) -> Option<String> {
    // Sources that were unpacked inside the checkout of another project are not its commit.
    git(root, &["ls-files", "--error-unmatch", "crates/cli/build.rs"])?;
    let commit = git(root, &["rev-parse", "HEAD"])?;
    let inputs = inputs(root);
    let relative = inputs.iter().map(|path| path.strip_prefix(root).expect("it is below the root"));
    let mut status = Command::new("git");
    status.current_dir(root).args(["--no-optional-locks", "status", "--porcelain", "--"]).args(relative);
    let changes = output(&mut status)?;
    Some(if changes.is_empty() { commit } else { format!("{commit}-modified") })
}

/// What the program is made of: sources of crates, bundled plans, and the versions of dependencies.
fn inputs(root: &Path) -> Vec<PathBuf> {
    let crates = std::fs::read_dir(root.join("crates")).into_iter().flatten().flatten();
    let parts = crates.flat_map(|one| ["src", "Cargo.toml", "build.rs"].map(|name| one.path().join(name)));
    let whole = ["plans", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"].map(|name| root.join(name));
    let mut inputs: Vec<PathBuf> = parts.chain(whole).filter(|path| path.exists()).collect();
    inputs.sort();
    inputs
}

/// The files that change with the commit or with its mark. Cargo would run this at each build for a missing
/// one.
pub(crate) fn watched(root: &Path) -> Vec<PathBuf> {
    let heads = ["HEAD", "refs/heads", "reftable"];
    let heads = heads.iter().filter_map(|name| git(root, &["rev-parse", "--git-path", name]));
    let heads = heads.map(|path| root.join(path)).filter(|path| path.exists());
    inputs(root).into_iter().chain(heads).collect()
}

fn git(root: &Path, words: &[&str]) -> Option<String> {
    output(Command::new("git").current_dir(root).args(words))
}

/// What a command that succeeds prints; `None` also if it cannot be started.
fn output(command: &mut Command) -> Option<String> {
    let done = command.output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8(done.stdout).ok()?.trim().to_owned())
}
