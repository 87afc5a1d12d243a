//! `assay backends`: what can be tested here, and with which library.

use std::fmt::Write as _;

use ranks::mpi;

use crate::speech::say;

/// List the backends and the libraries found on this machine
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: Args) -> anyhow::Result<u8> {
    let mut text = String::from("Backends\n");
    for backend in storage::BACKENDS {
        writeln!(text, "  {:<10} {}", backend.name.to_uppercase(), backend.about)?;
        for option in backend.options {
            writeln!(text, "  {:<10}   --{}.{}: {}", "", backend.name, option.name, option.about)?;
        }
    }
    text.push_str("\nLibraries\n");
    let lookup = |name: &str| std::env::var(name).ok();
    match mpi::find(crate::session::launch().as_ref(), &lookup) {
        Ok(library) => writeln!(text, "  {:<10} {}", "MPI", library.path.display())?,
        Err(why) => writeln!(text, "  {:<10} not found: {why}", "MPI")?,
    }
    say(&text)?;
    Ok(0)
}
