//! The archive for any Linux system: unpack it anywhere, also without root.

use std::process::Command;

use anyhow::Result;

use super::Release;
use crate::step::{Outcome, logged};

/// Packs the files in a folder with the name and version. Order, owner and time of the files are fixed.
pub(super) fn write(release: &Release) -> Result<Outcome> {
    let name = release.full_name();
    let file = format!("{name}.tar.gz");
    let mut tar = release.with_epoch(Command::new("tar"));
    tar.args(["--create", "--use-compress-program=gzip -n -9", "--sort=name", "--format=ustar"])
        .args(["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"])
        .arg(format!("--mtime=@{}", release.epoch))
        .arg(format!("--transform=flags=rh;s,^\\./,{name}/,"))
        .arg(format!("--file={}", release.out().join(&file).display()))
        .arg(format!("--directory={}", release.tree().display()));
    // Not `.`: the entry of the top folder would have the name `./`.
    for top in super::names_in(&release.tree())? {
        tar.arg(format!("./{top}"));
    }
    Ok(match logged(&release.root, "dist-archive", vec![tar])? {
        Outcome::Done(_) => Outcome::Done(file),
        other => other,
    })
}
