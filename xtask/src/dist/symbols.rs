//! The check that the program runs with the oldest C library, by the symbols and libraries that it needs.

use std::process::Command;

use anyhow::{Context, Result};

use super::{GLIBC, Release, output, program};
use crate::step::Outcome;

/// The libraries that the program may need: the parts of the GNU C library, and its loader.
const LIBRARIES: &[&str] =
    &["ld-linux-", "libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0", "librt.so.1", "libutil.so.1"];

/// A version of the GNU C library.
type Version = (u32, u32);

pub(super) fn check(release: &Release) -> Result<Outcome> {
    let text = read(release)?;
    let wrong = wrong(&text, GLIBC);
    if !wrong.is_empty() {
        return Ok(Outcome::Failed(wrong.join("\n")));
    }
    let newest = needed(&text)?;
    Ok(Outcome::Done(format!("needs GLIBC_{}.{}", newest.0, newest.1)))
}

/// The newest version of the GNU C library that the program needs.
pub(super) fn needed_by(release: &Release) -> Result<Version> {
    needed(&read(release)?)
}

/// What readelf prints about the symbols and libraries of the program.
fn read(release: &Release) -> Result<String> {
    let mut readelf = release.with_epoch(Command::new("readelf"));
    output(readelf.args(["--wide", "--version-info", "--dynamic"]).arg(program::path(release)))
}

fn needed(text: &str) -> Result<Version> {
    names(text).filter_map(version).max().context("the program needs no symbol of the GNU C library")
}

/// What the program needs and an installation with this C library does not have.
fn wrong(text: &str, oldest: Version) -> Vec<String> {
    let (major, minor) = oldest;
    let symbols = names(text).filter(|name| version(name).is_none_or(|version| version > oldest));
    let mut wrong: Vec<String> = symbols
        .map(|name| format!("the program needs {name}, which GLIBC {major}.{minor} does not have"))
        .collect();
    let libraries = text.lines().filter(|line| line.contains("(NEEDED)"));
    for library in libraries.filter_map(|line| line.split_once('[')?.1.split(']').next()) {
        if !LIBRARIES.iter().any(|known| library.starts_with(known)) {
            wrong.push(format!("the program needs the library {library}, which a system may not have"));
        }
    }
    wrong.sort();
    wrong.dedup();
    wrong
}

/// The names of needed versions, such as `GLIBC_2.17`, in the output of readelf.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let needs = text.split_once("Version needs section").map_or("", |(_, needs)| needs);
    needs.split_whitespace().filter(|word| word.starts_with("GLIBC_"))
}

/// `None` for names without a number, such as `GLIBC_PRIVATE`.
fn version(name: &str) -> Option<Version> {
    let (major, rest) = name.strip_prefix("GLIBC_")?.split_once('.')?;
    Some((major.parse().ok()?, rest.split('.').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [ld-linux-x86-64.so.2]

Version symbols section '.gnu.version' contains 2 entries:
  000:   0 (*local*)       2 (GLIBC_2.34)

Version needs section '.gnu.version_r' contains 1 entry:
  000000: Version: 1  File: libc.so.6  Cnt: 3
  0x0010:   Name: GLIBC_2.2.5  Flags: none  Version: 3
  0x0020:   Name: GLIBC_2.28  Flags: none  Version: 2
  0x0030:   Name: GLIBC_2.3  Flags: none  Version: 4
";

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(needed(OUTPUT).unwrap(), (2, 28));
        assert!(wrong(OUTPUT, (2, 28)).is_empty());
        assert!(wrong(OUTPUT, (2, 100)).is_empty(), "2.28 is older than 2.100");
    }

    #[test]
    fn a_newer_symbol_is_named() {
        let wrong = wrong(OUTPUT, (2, 17));
        assert_eq!(wrong, ["the program needs GLIBC_2.28, which GLIBC 2.17 does not have"]);
    }

    #[test]
    fn a_private_symbol_and_another_library_are_wrong() {
        assert_eq!(wrong(&OUTPUT.replace("GLIBC_2.3 ", "GLIBC_PRIVATE "), (2, 28)).len(), 1);
        let text = OUTPUT.replace("libc.so.6]", "libgcc_s.so.1]");
        assert!(wrong(&text, (2, 28))[0].contains("libgcc_s.so.1"));
    }
}
