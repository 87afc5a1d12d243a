//! `assay man` and `assay completions`: made from the same table that parses the command line.

use clap::CommandFactory;
use clap_complete::Shell;

use super::Assay;
use crate::speech::say;

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
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Assay::command(), "assay", &mut text);
    say(&String::from_utf8_lossy(&text))?;
    Ok(0)
}

pub(crate) fn man(_args: Man) -> anyhow::Result<u8> {
    let mut text = Vec::new();
    clap_mangen::Man::new(Assay::command()).render(&mut text)?;
    say(&String::from_utf8_lossy(&text))?;
    Ok(0)
}
