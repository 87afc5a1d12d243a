//! Every option in the help of `mdtest` has a row in `mdtest_options/` that checks its effect: in the tree,
//! the system calls, the records, the output, or the exit status.
//!
//! A row runs once for each form of its option: letter and word.

mod backends;
mod flags;
mod values;

use std::path::Path;

use crate::common::options::{CEPHFS, Classic, Seen, secret};

const MDTEST: Classic =
    Classic { name: "mdtest", ranks: |_| "2", prepare: |dir| secret(&dir.join("secret")), equip: |_, _| {} };

/// The tree that mdtest leaves.
trait Left {
    /// The paths below the first test directory, sorted.
    fn tree(&self) -> Vec<String>;

    /// The numbers of files and of directories among the items.
    fn items(&self) -> (usize, usize);
}

impl Left for Seen {
    fn tree(&self) -> Vec<String> {
        let root = self.dir.join("out/test-dir.0-0");
        let mut names = Vec::new();
        walk_tree(&root, &root, &mut names);
        names.sort();
        names
    }

    fn items(&self) -> (usize, usize) {
        let tree = self.tree();
        let of = |kind: &str| tree.iter().filter(|name| name.contains(&format!("/{kind}.mdtest."))).count();
        (of("file"), of("dir"))
    }
}

fn walk_tree(root: &Path, dir: &Path, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().map(Result::unwrap) {
        names.push(entry.path().strip_prefix(root).unwrap().display().to_string());
        if entry.file_type().unwrap().is_dir() {
            walk_tree(root, &entry.path(), names);
        }
    }
}

#[test]
fn options_of_the_help_and_rows_agree() {
    MDTEST.has_a_row_for_every_option(&[flags::ROWS, values::ROWS, backends::ROWS, CEPHFS]);
}

#[test]
fn every_flag_has_its_effect() {
    MDTEST.walk(flags::ROWS);
}

#[test]
fn every_option_with_a_value_has_its_effect() {
    MDTEST.walk(values::ROWS);
}

#[test]
fn every_option_of_a_backend_has_its_effect() {
    MDTEST.walk(backends::ROWS.iter().chain(CEPHFS));
}
