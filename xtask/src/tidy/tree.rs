//! The tree as text: every file that a rule may check, read once.
//!
//! Build directories (with `CACHEDIR.TAG`), `.git` and binary files are left out.
//!
//! Invariant: paths are relative to the root, with `/`, and sorted.
//! Never here: rules.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::tokens::{self, Token};

/// One file of the tree.
pub(super) struct Source {
    pub(super) path: String,
    pub(super) text: String,
    /// Empty if the file is not Rust or does not lex.
    pub(super) tokens: Vec<Token>,
}

impl Source {
    fn new(path: &str, text: &str) -> Self {
        let tokens = if path.ends_with(".rs") { tokens::lex(text).unwrap_or_default() } else { Vec::new() };
        Self { path: path.to_owned(), text: text.to_owned(), tokens }
    }

    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The file name without its extension.
    pub(super) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.strip_suffix(".rs").unwrap_or(name)
    }

    /// True for code outside the program: tests, benches, examples, build scripts, chores.
    pub(super) fn is_beside_the_program(&self) -> bool {
        let beside = ["tests", "benches", "examples"];
        self.path.starts_with("xtask/")
            || self.path.starts_with("crates/testkit/")
            || self.path.split('/').any(|part| beside.contains(&part))
            || ["tests", "build"].contains(&self.stem())
    }
}

/// All files of the tree.
pub(super) struct Tree {
    pub(super) sources: Vec<Source>,
}

impl Tree {
    /// Reads all text files under the root.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut sources = Vec::new();
        read_folder(root, "", &mut sources)?;
        sources.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { sources })
    }

    /// A tree of snippets, for the tests of the rules.
    #[cfg(test)]
    pub(super) fn of(files: &[(&str, &str)]) -> Self {
        Self { sources: files.iter().map(|(path, text)| Source::new(path, text)).collect() }
    }

    /// The Rust files.
    pub(super) fn rust(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.is_rust())
    }
}

fn read_folder(folder: &Path, inside: &str, sources: &mut Vec<Source>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let inside = if inside.is_empty() { name.clone() } else { format!("{inside}/{name}") };
        let kind = entry.file_type()?;
        // The evidence of campaigns has paths of the machine that they ran on (.gitignore).
        let is_campaign = inside.starts_with("assay-");
        let is_built = name == "target" || path.join("CACHEDIR.TAG").exists();
        // In a second work tree, `.git` is a file with the path of the first.
        if name == ".git" {
            continue;
        }
        if kind.is_dir() && !is_campaign && !is_built {
            read_folder(&path, &inside, sources)?;
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(&path)
        {
            sources.push(Source::new(&inside, &text));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_directories_campaigns_and_pictures_are_not_read() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["src", "src/assay-plan", "target", "elsewhere", ".ci", "assay-try-20261129-161812"] {
            fs::create_dir(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("a.rs"), "//! A.").unwrap();
        }
        fs::write(root.path().join("elsewhere/CACHEDIR.TAG"), "").unwrap();
        fs::write(root.path().join("picture.png"), [0xff, 0xfe, 0x00]).unwrap();
        fs::write(root.path().join(".git"), "gitdir: /elsewhere").unwrap();
        let tree = Tree::read(root.path()).unwrap();
        let paths: Vec<&str> = tree.sources.iter().map(|source| source.path.as_str()).collect();
        assert_eq!(paths, [".ci/a.rs", "src/a.rs", "src/assay-plan/a.rs"]);
    }
}
