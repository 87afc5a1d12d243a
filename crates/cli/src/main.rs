//! The entry of the program: arguments in, exit status out.
//!
//! Under its own name `assay` has commands. Under the name of a classic program (`ior`) it is that program.
//! `status` lists the exit statuses.
//!
//! Invariant: no other crate prints or exits.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::exit)]

mod commands;
#[cfg(test)]
mod corpus;
mod orphan;
mod personalities;
mod session;
mod speech;
mod status;

use std::process::ExitCode;
use std::sync::Arc;

use signal_hook::consts::SIGXFSZ;

fn main() -> ExitCode {
    fail_writes_above_the_limit();
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

/// Lets a write above the limit of file sizes (`ulimit -f`) fail with an error that is reported. By default a
/// signal ends the process. A handler, unlike an ignored signal, is not passed on to started programs.
fn fail_writes_above_the_limit() {
    // Without the handler the default remains.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}
