//! Links between documents: each leads to a file and a heading, and the book has every page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Documents outside the book.
const OTHERS: &[&str] = &["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
/// The folder of the book.
const BOOK: &str = "docs";
/// Its table of contents.
const SUMMARY: &str = "docs/SUMMARY.md";

/// What a document links to, and what can be linked to in it.
#[derive(Default)]
struct Page {
    /// Targets with their lines.
    links: Vec<(usize, String)>,
    anchors: BTreeSet<String>,
}

/// What is wrong with the links under `root`, a line each.
pub(super) fn broken(root: &Path) -> Result<Vec<String>> {
    let mut paths: Vec<PathBuf> =
        OTHERS.iter().map(PathBuf::from).filter(|path| root.join(path).exists()).collect();
    collect(root, Path::new(BOOK), &mut paths)?;
    let mut pages = BTreeMap::new();
    for path in paths {
        let text = fs::read_to_string(root.join(&path)).with_context(|| path.display().to_string())?;
        pages.insert(path, read(&text));
    }
    let mut broken = Vec::new();
    for (path, page) in &pages {
        for (line, target) in &page.links {
            if let Some(why) = wrong(root, &pages, path, target) {
                broken.push(format!("{}:{line}: {target}: {why}", path.display()));
            }
        }
    }
    broken.extend(unlisted(&pages));
    Ok(broken)
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(root, &path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
    Ok(())
}

/// Reads the links and headings of a document.
fn read(text: &str) -> Page {
    let mut page = Page::default();
    let mut heading: Option<String> = None;
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push((line(range.start), dest_url.to_string()));
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(text) | Event::Code(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().unwrap_or_default());
                let mut free = anchor.clone();
                let mut number = 1;
                while !page.anchors.insert(free) {
                    free = format!("{anchor}-{number}");
                    number += 1;
                }
            }
            _ => {}
        }
    }
    page
}

/// The anchor that mdBook and GitHub give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Why a link leads nowhere, if it does.
fn wrong(root: &Path, pages: &BTreeMap<PathBuf, Page>, from: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
    let path = match file {
        "" => from.to_owned(),
        file => plain(&from.parent().unwrap_or(Path::new("")).join(file)),
    };
    if !root.join(&path).exists() {
        return Some("no such file".to_owned());
    }
    if from.starts_with(BOOK) && !path.starts_with(BOOK) {
        return Some("leads out of the book (give the address on the web)".to_owned());
    }
    let page = pages.get(&path)?;
    let is_there = fragment.is_empty() || page.anchors.contains(fragment);
    (!is_there).then(|| "no such heading".to_owned())
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Pages of the book that its table of contents does not have.
fn unlisted(pages: &BTreeMap<PathBuf, Page>) -> Vec<String> {
    let summary = Path::new(SUMMARY);
    let Some(contents) = pages.get(summary) else { return vec![format!("{SUMMARY} is missing")] };
    let listed: BTreeSet<PathBuf> =
        contents.links.iter().map(|(_, target)| plain(&Path::new(BOOK).join(target))).collect();
    let pages = pages.keys().filter(|path| path.starts_with(BOOK) && *path != summary);
    let missing = pages.filter(|path| !listed.contains(*path));
    missing.map(|path| format!("{}: is not in {SUMMARY}", path.display())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_of_this_project_lead_somewhere() {
        let broken = broken(&crate::root().unwrap()).unwrap();
        assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
    }

    #[test]
    fn a_missing_file_heading_or_page_is_found() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("docs/SUMMARY.md", "[A](a.md)\n");
        write(
            "docs/a.md",
            "# A `b` c!\n\n[x](gone.md) [y](#a-b-c) [z](#d) [w](../README.md) [v](https://x.y)\n",
        );
        write("docs/b/c.md", "[back](../a.md#a-b-c)\n");
        write("README.md", "[a](docs/a.md)\n");
        let found = broken(root.path()).unwrap();
        let wanted = [
            "docs/a.md:3: gone.md: no such file",
            "docs/a.md:3: #d: no such heading",
            "docs/a.md:3: ../README.md: leads out of the book (give the address on the web)",
            "docs/b/c.md: is not in docs/SUMMARY.md",
        ];
        assert_eq!(found, wanted);
    }
}
