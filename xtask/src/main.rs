//! The chores of this workspace, as verbs: `cargo xtask test`, `tidy`, `setup`, `bench`.
//!
//! Chores are Rust and not shell, so that they are linted, tested and run the same everywhere.
//!
//! Invariant: works without a terminal and without standard input; exits non-zero on any failure.
//! Never here: anything that the program itself needs to run.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod packages;
mod programs;
mod setup;
mod step;
mod tally;
mod test;
mod tidy;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use test::Asked;

const HELP: &str = "\
The chores of this workspace.

Usage: cargo xtask VERB

  test [--all] [-- FILTER]
                    install what the full test needs, check format and lints, run the tests;
                    with --all also those that are slow
  tidy              check the rules of the house that no compiler checks
  setup             only the installing part of `test`
  bench [DIR]       measure this program beside the bare system calls, fio and ior: one table
                    (DIR: on the disk, else the target folder; --memory DIR: in memory, else /dev/shm;
                    --rounds N: 5; --quick: 2 rounds; --smoke: only show that it runs;
                    --patience S: wait so long in all for a quiet machine, 120;
                    --before DIR: beside an earlier build, whose target/release that is)

As root, `setup` and `test` install Debian packages; otherwise they print the one line to run, and
tests that miss something say `SKIPPED: reason`. Logs are in target/xtask.";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
    match run(&words.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("xtask: {why:#}");
            ExitCode::from(2)
        }
    }
}

/// Runs one verb: `Ok(false)` when what it checks is not in order, `Err` when it could not check.
fn run(words: &[&str]) -> Result<bool> {
    let root = root()?;
    match words {
        ["test"] => test::run(&root, &Asked { all: false, filter: &[] }),
        ["test", "--all"] => test::run(&root, &Asked { all: true, filter: &[] }),
        ["test", "--", filter @ ..] => test::run(&root, &Asked { all: false, filter }),
        ["test", "--all", "--", filter @ ..] => test::run(&root, &Asked { all: true, filter }),
        ["tidy"] => Ok(tidy::print(&root)?.is_empty()),
        ["setup"] => Ok(setup::run(&root)?.sound),
        ["bench", words @ ..] => bench::run(&root, words),
        ["-h" | "--help" | "help"] => {
            println!("{HELP}");
            Ok(true)
        }
        [] => bail!("which verb?\n\n{HELP}"),
        other => bail!("unknown verb `{}`\n\n{HELP}", other.join(" ")),
    }
}

/// The root of the workspace: the parent of this crate's folder.
fn root() -> Result<PathBuf> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").context("start this as `cargo xtask VERB`")?;
    Ok(Path::new(&here).parent().context("xtask has no parent folder")?.to_path_buf())
}
