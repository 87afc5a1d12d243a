//! The licences of the crates that are part of the program.
//!
//! Most of these licences demand that their text is handed on with the program.
//!
//! Invariant: each crate of the program is listed, with the text of its own files, or with the name of its
//! licence if it has none.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Release, output, program, tree};
use crate::step::cargo;

/// One crate.
struct Crate {
    name: String,
    version: String,
    licence: String,
    /// The texts of its licence files.
    texts: Vec<String>,
}

/// Writes the notices, and gives the number of crates.
pub(super) fn write(release: &Release, file: &Path) -> Result<usize> {
    let words =
        ["metadata", "--format-version=1", "--locked", "--filter-platform", &program::target(release)];
    let metadata: Value = serde_json::from_str(&output(&mut cargo(&release.root, &words))?)?;
    let crates = linked(&metadata)?;
    ensure!(!crates.is_empty(), "cargo listed no crate of other authors");
    tree::write(file, &text(&crates))?;
    Ok(crates.len())
}

/// The crates of other authors that `cli` links, sorted.
fn linked(metadata: &Value) -> Result<Vec<Crate>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (package["id"].as_str().unwrap_or_default().to_owned(), package))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (node["id"].as_str().unwrap_or_default().to_owned(), node))
        .collect();
    let start = packages.iter().find(|(_, package)| package["name"] == "cli").context("no package `cli`")?.0;
    let (mut open, mut seen) = (vec![start.clone()], BTreeSet::new());
    while let Some(id) = open.pop() {
        for dependency in list(&nodes[&id]["deps"]) {
            // `null` is a normal dependency: part of the program, not of its tests or its build.
            let is_linked = list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
            let next = dependency["pkg"].as_str().unwrap_or_default().to_owned();
            if is_linked && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    let foreign = seen.iter().map(|id| &packages[id]).filter(|package| !package["source"].is_null());
    foreign.map(of_package).collect()
}

fn of_package(package: &Value) -> Result<Crate> {
    let field = |name: &str| package[name].as_str().unwrap_or_default().to_owned();
    let manifest = field("manifest_path");
    let folder = Path::new(&manifest).parent().context("a manifest without a folder")?;
    let mut texts = Vec::new();
    for name in super::names_in(folder)? {
        let upper = name.to_uppercase();
        let is_notice = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];
        let path = folder.join(&name);
        if is_notice.iter().any(|begin| upper.starts_with(begin)) && path.is_file() {
            texts.push(fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?);
        }
    }
    Ok(Crate { name: field("name"), version: field("version"), licence: field("license"), texts })
}

/// A table of the crates, and each different text once with the crates that have it.
fn text(crates: &[Crate]) -> String {
    let mut text = "assay contains these crates:\n\n".to_owned();
    let mut owners: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for one in crates {
        let name = format!("{} {}", one.name, one.version);
        text.push_str(&format!("{name:<40} {}\n", one.licence));
        for own in &one.texts {
            owners.entry(own.trim()).or_default().push(name.clone());
        }
    }
    for (own, names) in owners {
        text.push_str(&format!("\n{}\n{}\n\n{own}\n", "-".repeat(80), names.join(", ")));
    }
    text
}

/// The copyright file of a Debian package.
pub(super) fn copyright() -> String {
    let stanza = |licence: &str, text: &str| format!("License: {licence}\n {}\n", text.replace('\n', "\n "));
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: assay\n\nFiles: *\nCopyright: the authors of assay\n\
         License: Expat or Apache-2.0\n\
         Comment: The crates in the program are listed in THIRD-PARTY.txt, with their licences.\n\n{}\n{}",
        stanza("Expat", "See LICENSE-MIT in this directory."),
        stanza("Apache-2.0", "On Debian systems, see /usr/share/common-licenses/Apache-2.0."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_crates_of_others_that_the_program_links_are_listed() {
        let metadata = serde_json::json!({
            "packages": [
                { "id": "cli", "name": "cli", "source": null },
                { "id": "own", "name": "own", "source": null },
                { "id": "a", "name": "a", "version": "1.0.0", "license": "MIT", "source": "registry",
                  "manifest_path": concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml") },
                { "id": "t", "name": "t", "source": "registry" },
            ],
            "resolve": { "nodes": [
                { "id": "cli", "deps": [
                    { "pkg": "own", "dep_kinds": [{ "kind": null }] },
                    { "pkg": "t", "dep_kinds": [{ "kind": "dev" }] },
                ] },
                { "id": "own", "deps": [{ "pkg": "a", "dep_kinds": [{ "kind": "dev" }, { "kind": null }] }] },
                { "id": "a", "deps": [] },
            ] },
        });
        let crates = linked(&metadata).unwrap();
        let names: Vec<&str> = crates.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(crates[0].texts.len(), 2, "the root of this workspace has two licence files");
    }

    #[test]
    fn a_text_of_two_crates_is_printed_once_with_both() {
        let one = |name: &str| Crate {
            name: name.into(),
            version: "1.0.0".into(),
            licence: "MIT".into(),
            texts: vec!["Permission is granted\n".into()],
        };
        let text = text(&[one("a"), one("b")]);
        assert_eq!(text.matches("Permission").count(), 1);
        assert!(text.contains("a 1.0.0, b 1.0.0\n\nPermission"), "{text}");
    }
}
