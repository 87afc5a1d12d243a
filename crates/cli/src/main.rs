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
mod speech;

use std::process::ExitCode;

fn main() -> ExitCode {
    let argv: Result<Vec<String>, _> = std::env::args_os().map(|arg| arg.into_string()).collect();
    let status = match argv {
        Ok(argv) => commands::run(&argv),
        Err(word) => {
            speech::complain(&format!("assay: {} is not UTF-8; use another name", word.display()));
            2
        }
    };
    ExitCode::from(session::end(status))
}
