//! The program of a release, for the oldest C library that is supported.
//!
//! Zig links against the symbols of that library, so the one of this machine may be newer. The program has no
//! names and lines of functions: they are most of its size, and the ranks of a job read it from a parallel
//! file system. A file beside the packages has them for a debugger.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::{GLIBC, Release, output};
use crate::step::{Outcome, cargo, logged};

/// The path of the program without symbols.
pub(super) fn path(release: &Release) -> PathBuf {
    release.stage().join("assay")
}

/// The target, as Rust spells it.
pub(super) fn target(release: &Release) -> String {
    format!("{}-unknown-linux-gnu", release.arch())
}

pub(super) fn build(release: &Release) -> Result<Outcome> {
    let target = format!("{}.{}.{}", target(release), GLIBC.0, GLIBC.1);
    let words =
        ["zigbuild", "--profile=packaged", "--locked", "-p", "cli", "--bin", "assay", "--target", &target];
    let mut command = release.with_epoch(cargo(&release.root, &words));
    command
        .env("PATH", with_tools(release))
        .env("RUSTFLAGS", flags(&release.root))
        .env("CARGO_TARGET_DIR", release.root.join("target"));
    let built = logged(&release.root, "dist-program", vec![command])?;
    let Outcome::Done(_) = built else { return Ok(built) };
    separate_symbols(release)?;
    Ok(Outcome::Done(output(Command::new(path(release)).arg("--version"))?.trim().to_owned()))
}

/// Puts the symbols of the built program into a file of their own.
fn separate_symbols(release: &Release) -> Result<()> {
    let built = release.root.join("target").join(target(release)).join("packaged/assay");
    let symbols = release.out().join(format!("{}.debug", release.full_name()));
    output(Command::new("objcopy").arg("--only-keep-debug").arg(&built).arg(&symbols))?;
    let mut link = OsString::from("--add-gnu-debuglink=");
    link.push(&symbols);
    output(Command::new("objcopy").arg("--strip-all").arg(link).arg(&built).arg(path(release)))?;
    Ok(())
}

/// The search path with the tools before everything else.
fn with_tools(release: &Release) -> OsString {
    let mut path = release.tools.folder.join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

/// The flags of the compiler: paths of this machine get names that are the same everywhere.
fn flags(root: &Path) -> String {
    let home = std::env::var("CARGO_HOME").unwrap_or_else(|_| {
        let user = std::env::var("HOME").unwrap_or_default();
        format!("{user}/.cargo")
    });
    let own = std::env::var("RUSTFLAGS").unwrap_or_default();
    let remap = format!("--remap-path-prefix={home}=/cargo --remap-path-prefix={}=/assay", root.display());
    format!("{own} {remap}").trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_names_no_path_of_this_checkout() {
        let flags = flags(Path::new("/home/a/assay"));
        assert!(flags.ends_with("--remap-path-prefix=/home/a/assay=/assay"), "{flags}");
        assert!(!flags.starts_with(' '), "{flags}");
    }
}
