//! The entry of the program: arguments in, exit status out.
//!
//! Under its own name `assay` has commands. Under the name of a classic program (`ior`) it is that program.
//! `status` lists the exit statuses.
//!
//! Invariant: no other crate prints or exits.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod commands;
mod orphan;
mod personalities;
mod session;
mod speech;
mod status;

use std::process::ExitCode;

fn main() -> ExitCode {
    let argv: Result<Vec<String>, _> = std::env::args_os().map(|arg| arg.into_string()).collect();
    let status = match argv {
        Ok(argv) => commands::run(&argv),
        Err(word) => {
            speech::complain(&format!("assay: {} is not UTF-8. Use another name.", word.display()));
            status::USAGE
        }
    };
    ExitCode::from(session::end(status))
}
