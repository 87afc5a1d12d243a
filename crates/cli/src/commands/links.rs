//! `assay links DIR`: links with the classic names to this program.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use anyhow::Context;
use units::Usage;

use crate::personalities::programs;
use crate::speech::say;
use crate::status::DONE;

/// Create links named ior, mdtest, ... to this program
#[derive(clap::Args)]
pub(crate) struct LinksArgs {
    /// The directory for the links; it must exist
    dir: PathBuf,
}

pub(crate) fn run(args: LinksArgs) -> anyhow::Result<u8> {
    let program = std::env::current_exe().context("cannot find the file of this program")?;
    if !args.dir.is_dir() {
        return Err(Usage(format!("{} is not a directory. Create it first.", args.dir.display())).into());
    }
    for (workload, name) in programs() {
        let link = args.dir.join(name);
        if std::fs::read_link(&link).is_ok_and(|target| target == program) {
            say(&format!("{} already exists\n", link.display()))?;
            continue;
        }
        if link.symlink_metadata().is_ok() {
            return Err(Usage(format!("{} already exists. Move it away.", link.display())).into());
        }
        symlink(&program, &link).with_context(|| format!("cannot create {}", link.display()))?;
        say(&format!("{} -> {}: {}\n", link.display(), program.display(), workload.about))?;
    }
    Ok(DONE)
}
