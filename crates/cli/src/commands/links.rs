//! `assay links DIR`: the classic names, as links to this program.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use anyhow::Context;
use units::Usage;

use crate::personalities::PERSONALITIES;
use crate::speech::say;
use crate::status::DONE;

/// Create links named ior, mdtest, ... to this program
#[derive(clap::Args)]
pub(crate) struct LinksArgs {
    /// The directory for the links; it must exist
    dir: PathBuf,
}

pub(crate) fn run(args: LinksArgs) -> anyhow::Result<u8> {
    let program = std::env::current_exe().context("cannot tell where this program is")?;
    if !args.dir.is_dir() {
        return Err(Usage(format!("{}: not a directory; make it first", args.dir.display())).into());
    }
    for personality in PERSONALITIES {
        let link = args.dir.join(personality.name);
        if std::fs::read_link(&link).is_ok_and(|target| target == program) {
            say(&format!("{} is there already\n", link.display()))?;
            continue;
        }
        if link.symlink_metadata().is_ok() {
            return Err(
                Usage(format!("{}: something else has this name; move it away", link.display())).into()
            );
        }
        symlink(&program, &link).with_context(|| format!("cannot make {}", link.display()))?;
        say(&format!("{} -> {}: {}\n", link.display(), program.display(), personality.about))?;
    }
    Ok(DONE)
}
