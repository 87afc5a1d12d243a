//! The files of all packages, below the prefix of an installation.
//!
//! The classic names are links in a directory of their own, because `ior` and `mdtest` may be installed from
//! other packages. The directory for the search path of `man` is beside it, so a shell with these links also
//! finds `man ior`.
//!
//! Invariant: what a command of the program can write comes from the program that is packed.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Release, names_in, notices, output, program};
use crate::step::Outcome;

/// The directory of the classic names. Relative links lead from it to the program.
pub(super) const LINKS: &str = "lib/assay/links";
/// The directory of the manual pages.
pub(super) const PAGES: &str = "share/man/man1";
/// The directory of the documents.
pub(super) const DOCUMENTS: &str = "share/doc/assay";
/// The directory of the module file.
pub(super) const MODULES: &str = "share/assay/modulefiles";
/// The completions, by shell.
pub(super) const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/assay"),
    ("zsh", "share/zsh/site-functions/_assay"),
    ("fish", "share/fish/vendor_completions.d/assay.fish"),
];

/// Lays all files.
pub(super) fn lay(release: &Release) -> Result<Outcome> {
    let tree = release.tree();
    let copied = copy(&program::path(release), &tree.join("bin/assay"))?;
    fs::set_permissions(&copied, fs::Permissions::from_mode(0o755))?;
    let pages = pages(release, &copied)?;
    let links = links(&tree, &copied)?;
    for (shell, place) in COMPLETIONS {
        write(&tree.join(place), &output(Command::new(&copied).args(["completions", shell]))?)?;
    }
    for name in names_in(&release.root.join("plans"))? {
        copy(&release.root.join("plans").join(&name), &tree.join("share/assay/plans").join(&name))?;
    }
    for name in ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&release.root.join(name), &tree.join(DOCUMENTS).join(name))?;
    }
    let module = release.root.join("packaging/modulefiles/assay-links");
    copy(&module, &tree.join(MODULES).join("assay-links"))?;
    let crates = notices::write(release, &tree.join(DOCUMENTS).join("THIRD-PARTY.txt"))?;
    Ok(Outcome::Done(format!("{pages} manual pages, {links} links, notices of {crates} crates")))
}

/// Writes the manual pages, compressed without the time.
fn pages(release: &Release, program: &Path) -> Result<usize> {
    let folder = release.tree().join(PAGES);
    fs::create_dir_all(&folder)?;
    output(Command::new(program).args(["man", "--all"]).arg(&folder))?;
    let names = names_in(&folder)?;
    ensure!(!names.is_empty(), "`assay man --all` wrote no page");
    output(release.with_epoch(Command::new("gzip")).args(["-n", "-9", "-r"]).arg(&folder))?;
    Ok(names.len())
}

/// Makes the links that `assay links` makes, relative, each with the manual page of its command.
fn links(tree: &Path, program: &Path) -> Result<usize> {
    let made = tempfile::tempdir()?;
    output(Command::new(program).arg("links").arg(made.path()))?;
    let names = names_in(made.path())?;
    ensure!(!names.is_empty(), "`assay links` made no link");
    let pages = tree.join("lib/assay/man/man1");
    for folder in [&tree.join(LINKS), &pages] {
        fs::create_dir_all(folder)?;
    }
    for name in &names {
        symlink("../../../bin/assay", tree.join(LINKS).join(name))?;
        let page = format!("assay-{name}.1.gz");
        if tree.join(PAGES).join(&page).exists() {
            symlink(format!("../../../../{PAGES}/{page}"), pages.join(format!("{name}.1.gz")))?;
        }
    }
    Ok(names.len())
}

/// Copies a file, readable for all.
fn copy(from: &Path, to: &Path) -> Result<PathBuf> {
    create_folder_of(to)?;
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o644))?;
    Ok(to.to_owned())
}

/// Writes a new file.
pub(super) fn write(to: &Path, text: &str) -> Result<()> {
    create_folder_of(to)?;
    fs::write(to, text).with_context(|| format!("cannot write {}", to.display()))
}

pub(super) fn create_folder_of(file: &Path) -> Result<()> {
    let folder = file.parent().context("a file without a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// All files and links in a tree, relative to it, sorted.
pub(super) fn files(tree: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        for name in names_in(&tree.join(&inside))? {
            let path = inside.join(name);
            match tree.join(&path).symlink_metadata()?.is_dir() {
                true => open.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_links_of_a_tree_are_listed_and_links_are_not_followed() {
        let tree = tempfile::tempdir().unwrap();
        write(&tree.path().join("share/b/c"), "c").unwrap();
        write(&tree.path().join("a"), "a").unwrap();
        symlink("share", tree.path().join("link")).unwrap();
        let found = files(tree.path()).unwrap();
        assert_eq!(found, ["a", "link", "share/b/c"].map(PathBuf::from));
    }
}
