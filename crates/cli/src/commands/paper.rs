//! `assay man` and `assay completions`: made from the same table that parses the command line.

use std::io::stdout;

use clap::CommandFactory;
use clap_complete::Shell;

use super::Assay;

/// Print the completions of a shell
#[derive(clap::Args)]
pub(crate) struct Completions {
    /// bash, zsh, fish, elvish or powershell
    shell: Shell,
}

/// Print the manual page (roff; read it with `assay man | man -l -`)
#[derive(clap::Args)]
pub(crate) struct Man {}

pub(crate) fn completions(args: Completions) -> anyhow::Result<u8> {
    clap_complete::generate(args.shell, &mut Assay::command(), "assay", &mut stdout());
    Ok(0)
}

pub(crate) fn man(_args: Man) -> anyhow::Result<u8> {
    clap_mangen::Man::new(Assay::command()).render(&mut stdout())?;
    Ok(0)
}
