//! The chores of this workspace: `cargo xtask test`, `tidy`, `docs`, and others.
//!
//! Chores are Rust programs, not shell scripts: they are linted and tested, and run the same everywhere.
//!
//! Invariant: a chore needs no terminal and no standard input; it exits non-zero on any failure.
//! Never here: anything that `assay` itself needs to run.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod dist;
mod docs;
mod packages;
mod programs;
mod screenshot;
mod setup;
mod step;
mod tally;
mod test;
mod tidy;
mod venv;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

use test::TestRequest;

const HELP: &str = "\
The chores of this workspace.

Usage: cargo xtask COMMAND

  test [--all] [-- FILTER]
                      install test dependencies, check format and lints, run the tests
      --all           also run the slow tests
  tidy                check the source rules that no compiler checks
  docs                check the links of all documents and build the book in target/book
  dist                make the packages of a release in target/dist
  screenshot [NAME]   run campaigns and write the pictures of their reports (needs Chromium)
      NAME            only this one: report, ten-clauses or bluewaters
  setup               install test dependencies only
  bench [DIR]         measure this program, the bare system calls, fio and ior; print one table
      DIR             directory on a disk [default: the target directory]
      --memory DIR    directory in memory [default: /dev/shm]
      --rounds N      number of rounds [default: 5]
      --quick         2 rounds
      --smoke         only show that it runs
      --only TEXT     only groups with this text in their title [default: all]
      --patience S    wait at most S seconds in total for a quiet machine [default: 120]
      --before DIR    compare with an earlier build; DIR is its target/release

As root, `setup` and `test` install Debian packages. For other users they print the command to run.
A test without its dependency is skipped, and the reason is listed at the end. Logs are in target/xtask.";

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

/// Runs one command. `Ok(false)` if a check failed, `Err` if it could not check.
fn run(words: &[&str]) -> Result<bool> {
    if asks_for_help(words) {
        println!("{HELP}");
        return Ok(true);
    }
    let root = root()?;
    match words {
        ["test"] => test::run(&root, &TestRequest { all: false, filter: &[] }),
        ["test", "--all"] => test::run(&root, &TestRequest { all: true, filter: &[] }),
        ["test", "--", filter @ ..] => test::run(&root, &TestRequest { all: false, filter }),
        ["test", "--all", "--", filter @ ..] => test::run(&root, &TestRequest { all: true, filter }),
        ["tidy"] => Ok(tidy::print(&root)?.is_empty()),
        ["docs"] => docs::run(&root),
        ["dist"] => dist::run(&root),
        ["screenshot"] => screenshot::run(&root, None),
        ["screenshot", name] => screenshot::run(&root, Some(name)),
        ["setup"] => Ok(setup::run(&root, true)?.sound),
        ["bench", words @ ..] => bench::run(&root, words),
        [] => bail!("no command is given\n\n{HELP}"),
        other => bail!("unknown command `{}`\n\n{HELP}", other.join(" ")),
    }
}

/// Whether the usage is asked for, of all commands or of one. What follows `--` is for the tests.
fn asks_for_help(words: &[&str]) -> bool {
    let mut own = words.iter().take_while(|word| **word != "--");
    words == ["help"] || own.any(|word| ["-h", "--help"].contains(word))
}

/// The root of the workspace: the parent directory of this crate.
fn root() -> Result<PathBuf> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").context("start this as `cargo xtask COMMAND`")?;
    Ok(Path::new(&here).parent().context("xtask has no parent directory")?.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usage_is_printed_for_every_command_that_asks_for_it() {
        for words in [&["-h"][..], &["help"], &["bench", "--help"], &["test", "--all", "-h"], &["tidy", "-h"]]
        {
            assert!(asks_for_help(words), "{words:?}");
            assert!(run(words).unwrap(), "{words:?}");
        }
        assert!(!asks_for_help(&["test", "--", "--help"]), "that is a filter of tests");
    }
}
