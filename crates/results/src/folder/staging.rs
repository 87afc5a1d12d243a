//! Files before they are complete: each is written under a hidden random name, and then renamed.
//!
//! Invariant: a name cannot be foreseen, so no link or file can be prepared there. The name shows which file
//! it will be, so a resumed campaign can find it again.
//! Never here: the chain.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::rand::{GetRandomFlags, getrandom};

use super::beneath;
use super::hash::{hexadecimal, sha256_of_any};
use super::json::named;

/// Random bytes in the name of an incomplete file.
const RANDOM_BYTES: usize = 8;
/// The end of the name of an incomplete file.
const PART: &str = ".part";

/// A new name for the incomplete file of `path`, in the same directory.
pub(super) fn staged(path: &Path) -> io::Result<PathBuf> {
    let mut random = [0; RANDOM_BYTES];
    getrandom(&mut random, GetRandomFlags::empty())?;
    let digits = hexadecimal(&random);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(path.with_file_name(format!(".{name}.{digits}{PART}")))
}

/// The final name of an incomplete file, such as `plan.toml` for `.plan.toml.0123456789abcdef.part`. Earlier
/// programs wrote `.plan.toml.part`.
pub(super) fn final_name(name: &str) -> Option<&str> {
    let name = name.strip_prefix('.')?.strip_suffix(PART)?;
    let is_random = |digits: &str| {
        digits.len() == 2 * RANDOM_BYTES && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    Some(match name.rsplit_once('.') {
        Some((before, digits)) if is_random(digits) => before,
        _ => name,
    })
}

/// Writes an incomplete file for `name` below `dir` and flushes it to storage. Returns its path below `dir`.
/// After a failure nothing is left.
pub(super) fn stage(dir: &Path, name: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let named = |error: io::Error| named(&dir.join(name), &error);
    stage_by(dir, name, |file| file.write_all(bytes)).map_err(named)
}

/// The same for bytes that `fill` writes.
pub(super) fn stage_by<E: From<io::Error>>(
    dir: &Path,
    name: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<PathBuf, E> {
    let part = staged(name)?;
    let mut file = beneath::create(dir, &part)?;
    let written = fill(&mut file).and_then(|()| Ok(file.sync_all()?));
    written.inspect_err(|_| drop(beneath::remove(dir, &part)))?;
    Ok(part)
}

/// Gives an incomplete file its final name.
pub(super) fn unstage(dir: &Path, part: &Path, name: &Path) -> io::Result<()> {
    beneath::rename(dir, part, name).map_err(|error| named(&dir.join(name), &error))
}

/// The incomplete files for `name` below `dir`, as paths below `dir`.
pub(super) fn parts(dir: &Path, name: &Path) -> Vec<PathBuf> {
    let here = name.parent().unwrap_or(Path::new(""));
    let mut names = beneath::names(dir, here).unwrap_or_default();
    names.retain(|part| {
        part.to_str().and_then(final_name).is_some_and(|own| Some(OsStr::new(own)) == name.file_name())
    });
    names.iter().map(|part| here.join(part)).collect()
}

/// The incomplete file for `name` below `dir` that has this hash, as a path below `dir`.
pub(super) fn complete_part(dir: &Path, name: &Path, hash: &str) -> Option<PathBuf> {
    parts(dir, name).into_iter().find(|part| sha256_of_any(dir, part).is_ok_and(|found| found == hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_incomplete_file_is_random_and_shows_its_final_name() {
        let (one, other) =
            (staged(Path::new("a/plan.toml")).unwrap(), staged(Path::new("a/plan.toml")).unwrap());
        assert_ne!(one, other);
        assert_eq!(one.parent(), Some(Path::new("a")));
        assert_eq!(final_name(one.file_name().unwrap().to_str().unwrap()), Some("plan.toml"));
        assert_eq!(final_name(".plan.toml.part"), Some("plan.toml"));
        assert_eq!(final_name(".a.0123456789abcdef.part"), Some("a"));
        assert_eq!(final_name(".a.0123456789abcdeg.part"), Some("a.0123456789abcdeg"));
        for other in ["plan.toml", ".plan.toml", "plan.toml.part"] {
            assert_eq!(final_name(other), None, "{other}");
        }
    }
}
