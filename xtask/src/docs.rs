//! `cargo xtask docs`: checks the links of all documents and builds the book.
//!
//! The links are also a test, because they need no network. mdBook comes from crates.io once, into
//! `target/mdbook`.
//!
//! Never here: command lines and plans in the documents, which tests of `cli` and `plan` check.

mod links;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::step::{Outcome, cargo, logged, step};

/// The version of mdBook that builds the book.
const MDBOOK: &str = "0.5.4";

/// Checks the documents and builds the book into `target/book`.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let checked = step("links", || {
        let broken = links::broken(root)?;
        Ok(match broken.is_empty() {
            true => Outcome::Done(String::new()),
            false => Outcome::Failed(broken.join("\n")),
        })
    });
    let built = step("book", || build(root));
    Ok(checked && built)
}

fn build(root: &Path) -> Result<Outcome> {
    let program = root.join("target/mdbook/bin/mdbook");
    let mut commands = Vec::new();
    if !is_there(&program) {
        let place = root.join("target/mdbook");
        let place = place.to_string_lossy();
        let words = ["install", "mdbook", "--version", MDBOOK, "--locked", "--no-default-features"];
        let words = [&words[..], &["--features", "search", "--root", &place]].concat();
        commands.push(cargo(root, &words));
    }
    let mut book = Command::new(program);
    let out: PathBuf = root.join("target/book");
    book.current_dir(root).args(["build", "docs", "--dest-dir"]).arg(&out);
    commands.push(book);
    Ok(match logged(root, "docs", commands)? {
        Outcome::Done(_) => Outcome::Done(out.join("index.html").display().to_string()),
        other => other,
    })
}

/// Whether this version of mdBook is installed there.
fn is_there(program: &Path) -> bool {
    let version = Command::new(program).arg("--version").output();
    version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains(MDBOOK))
}
