//! Words in, exit status out.
//!
//! `assay` under its own name has commands; under the name of a classic program (`ior`) it is that
//! program. This file only finds out which, and turns the answer into an exit status:
//! 0 done or all clauses passed, 1 failed, 2 wrong usage, 3 undecided.
//!
//! Invariant: the only crate that prints or exits.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod commands;
mod personalities;
mod session;

use std::process::ExitCode;

fn main() -> ExitCode {
    let argv: Vec<String> = std::env::args_os().map(|arg| arg.to_string_lossy().into_owned()).collect();
    ExitCode::from(commands::run(&argv))
}
