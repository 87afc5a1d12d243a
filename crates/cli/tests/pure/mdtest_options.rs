//! Every option of `mdtest` that the help lists has a row in `mdtest_options/`, whose effect is seen: in the
//! tree, in the system calls, in the records, in a line, in the exit status.
//!
//! A row is run once for each form its option has: letter and word.

mod backends;
mod flags;
mod values;

use std::path::Path;

use crate::common::options::{Classic, Seen};

const MDTEST: Classic = Classic { name: "mdtest", ranks: |_| "2", prepare: |_| {}, equip: |_, _| {} };

/// What mdtest leaves.
trait Left {
    /// The names below the first test directory, sorted.
    fn tree(&self) -> Vec<String>;

    /// How many files and directories of items there are.
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
fn every_option_of_the_help_has_a_row_and_every_row_an_option() {
    MDTEST.has_a_row_for_every_option(&[flags::ROWS, values::ROWS, backends::ROWS]);
}

#[test]
fn every_flag_does_what_it_says() {
    MDTEST.walk(flags::ROWS);
}

#[test]
fn every_option_with_a_value_does_what_it_says() {
    MDTEST.walk(values::ROWS);
}

#[test]
fn every_option_of_a_backend_does_what_it_says() {
    MDTEST.walk(backends::ROWS);
}
