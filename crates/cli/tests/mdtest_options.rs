//! Every option of `mdtest` that the help lists has a row in `mdtest_options/`, whose effect is seen: in the
//! tree, in the system calls, in the records, in a line, in the exit status.
//!
//! A row is run once for each form its option has: letter and word.
#![allow(clippy::print_stdout)]

mod common;

#[path = "mdtest_options/backends.rs"]
mod backends;
#[path = "mdtest_options/flags.rs"]
mod flags;
#[path = "mdtest_options/values.rs"]
mod values;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::listed::{Listed, listed};
use common::mdtest::mdtest;
use common::{Ran, program, run};
use serde_json::Value;

/// One option, a line with it, and what is seen then.
struct Row {
    /// Its first name in the help.
    option: &'static str,
    /// A line that is run before, empty for none.
    before: &'static str,
    /// The line, with `{}` where a flag stands, and `{VALUE}` where an option with that value stands.
    words: &'static str,
    status: i32,
    traced: bool,
    sees: fn(&Seen),
}

/// A line that succeeds.
const fn works(option: &'static str, words: &'static str, sees: fn(&Seen)) -> Row {
    Row { option, before: "", words, status: 0, traced: false, sees }
}

/// A line that succeeds after another one.
const fn follows(option: &'static str, before: &'static str, words: &'static str, sees: fn(&Seen)) -> Row {
    Row { option, before, words, status: 0, traced: false, sees }
}

/// A line that succeeds, seen by its system calls.
const fn calls(option: &'static str, words: &'static str, sees: fn(&Seen)) -> Row {
    Row { option, before: "", words, status: 0, traced: true, sees }
}

/// A line that ends with this status.
const fn fails(option: &'static str, words: &'static str, status: i32, sees: fn(&Seen)) -> Row {
    Row { option, before: "", words, status, traced: false, sees }
}

/// What a run left.
struct Seen {
    dir: PathBuf,
    ran: Ran,
    records: Vec<Value>,
    trace: String,
}

impl Seen {
    fn out(&self, text: &str) {
        assert!(self.ran.out.contains(text), "{text}: {:#?}", self.ran);
    }

    fn no_out(&self, text: &str) {
        assert!(!self.ran.out.contains(text), "{text}: {:#?}", self.ran);
    }

    fn err(&self, text: &str) {
        assert!(self.ran.err.contains(text), "{text}: {:#?}", self.ran);
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.dir.join(name)).unwrap_or_else(|error| panic!("{name}: {error}: {:#?}", self.ran))
    }

    /// The word of 8 bytes with that number.
    fn word(&self, name: &str, number: usize) -> u64 {
        u64::from_le_bytes(self.bytes(name)[number * 8..][..8].try_into().unwrap())
    }

    /// The names below the first test directory, sorted.
    fn tree(&self) -> Vec<String> {
        let root = self.dir.join("out/test-dir.0-0");
        let mut names = Vec::new();
        walk_tree(&root, &root, &mut names);
        names.sort();
        names
    }

    /// How many files and directories of items there are.
    fn items(&self) -> (usize, usize) {
        let tree = self.tree();
        let of = |kind: &str| tree.iter().filter(|name| name.contains(&format!("/{kind}.mdtest."))).count();
        (of("file"), of("dir"))
    }

    /// The record of the first phase of that name.
    fn phase(&self, name: &str) -> &Value {
        let found = self.of_phases().find(|record| record["phase"] == name);
        found.unwrap_or_else(|| panic!("no {name}: {:#?}", self.ran))
    }

    fn of_phases(&self) -> impl Iterator<Item = &Value> {
        self.records.iter().filter(|record| record["record"] == "phase")
    }

    fn phases(&self) -> Vec<&str> {
        self.of_phases().filter_map(|record| record["phase"].as_str()).collect()
    }

    /// The traced calls whose line has all of these in it.
    fn called(&self, parts: &[&str]) -> usize {
        self.trace.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
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

fn help() -> Vec<Listed> {
    let dir = tempfile::tempdir().unwrap();
    mdtest(dir.path(), 1, "-h").out.lines().filter_map(listed).collect()
}

fn has_strace() -> bool {
    Command::new("strace").arg("-V").output().is_ok()
}

/// Runs `words` on two ranks and looks at what is left.
fn seen(row: &Row, words: &str) -> Seen {
    // System calls for direct transfers need a file system that is not memory.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap().keep();
    if !row.before.is_empty() {
        mdtest(&dir, 2, row.before).ok();
    }
    let mut command = match row.traced {
        false => Command::new(program()),
        true => {
            let mut command = Command::new("strace");
            command.args(["-f", "-y", "-s", "0", "-o", "trace"]).arg(program());
            command
        }
    };
    command.current_dir(&dir).args(["-n", "2", "mdtest"]).args(words.split_whitespace());
    if !words.contains("--record") {
        command.args(["--record", "record"]);
    }
    let ran = run(&mut command);
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap_or_default();
    let records = read("record").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Seen { ran, records, trace: read("trace"), dir }
}

/// Runs every row in every form of its option.
fn walk(rows: &[Row]) {
    let help = help();
    let strace = has_strace();
    if !strace {
        println!(
            "SKIPPED: strace is not installed, so system calls are not seen; `cargo xtask setup` installs it"
        );
    }
    for row in rows.iter().filter(|row| strace || !row.traced) {
        let listed = help.iter().find(|listed| listed.key() == row.option);
        let listed = listed.unwrap_or_else(|| panic!("{} is not in the help", row.option));
        let (before, rest) = row.words.split_once('{').expect(row.words);
        let (value, after) = rest.split_once('}').expect(row.words);
        for form in listed.forms(value) {
            let words = format!("{before}{form}{after}");
            println!("{words}");
            let seen = seen(row, &words);
            assert_eq!(seen.ran.status, Some(row.status), "{words}: {:#?}", seen.ran);
            (row.sees)(&seen);
            std::fs::remove_dir_all(&seen.dir).unwrap();
        }
    }
}

#[test]
fn every_option_of_the_help_has_a_row_and_every_row_an_option() {
    let listed: BTreeSet<String> = help().iter().map(Listed::key).collect();
    let all: BTreeSet<String> = [flags::ROWS, values::ROWS, backends::ROWS]
        .iter()
        .flat_map(|rows| rows.iter().map(|row| row.option.to_owned()))
        .collect();
    let missing: Vec<_> = listed.difference(&all).collect();
    assert!(missing.is_empty(), "no row shows the effect of {missing:?}");
    let strange: Vec<_> = all.difference(&listed).collect();
    assert!(strange.is_empty(), "not in the help: {strange:?}");
}

#[test]
fn every_flag_does_what_it_says() {
    walk(flags::ROWS);
}

#[test]
fn every_option_with_a_value_does_what_it_says() {
    walk(values::ROWS);
}

#[test]
fn every_option_of_a_backend_does_what_it_says() {
    walk(backends::ROWS);
}
