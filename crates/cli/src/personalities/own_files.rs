//! The files of a run that are not data: records, results, counts. No two may be the same file, because the
//! second would destroy the first.
//!
//! Files that a run writes at its end are checked before its work.
//!
//! Invariant: nothing is read but metadata, and no file is changed.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf, absolute};

use units::Usage;

/// A file of the run that is not data.
pub(crate) struct OwnFile<'a> {
    /// The option of the file.
    pub(crate) option: &'static str,
    pub(crate) path: &'a str,
}

/// Two options, and the file that both name.
type SameFile<'a> = (&'static str, &'static str, &'a str);

/// The files of these options that are given.
pub(crate) fn given<'a>(
    options: impl IntoIterator<Item = (&'static str, Option<&'a str>)>,
) -> Vec<OwnFile<'a>> {
    options.into_iter().filter_map(|(option, path)| Some(OwnFile { option, path: path? })).collect()
}

/// Rejects two options with the same file.
pub(crate) fn check(files: &[OwnFile<'_>]) -> Result<(), Usage> {
    same(files).map_or(Ok(()), |clash| Err(rejection(clash)))
}

/// The first two options with the same file.
pub(crate) fn same<'a>(files: &[OwnFile<'a>]) -> Option<SameFile<'a>> {
    files.iter().enumerate().find_map(|(at, one)| {
        let place = FilePlace::from_path(Path::new(one.path))?;
        let other = files[at + 1..].iter().find(|other| place.is_at(Path::new(other.path)))?;
        Some((one.option, other.option, other.path))
    })
}

/// The message that rejects them.
pub(crate) fn rejection((one, other, path): SameFile<'_>) -> Usage {
    Usage(format!("{one} and {other} name the same file, {path}. Give each its own."))
}

/// The place of a file that exists or would be created.
pub(crate) struct FilePlace {
    /// The absolute path; its existing part has no links and dots.
    path: PathBuf,
    /// Its device and inode, if it exists.
    id: Option<(u64, u64)>,
}

impl FilePlace {
    /// `None` for a file that keeps no data: a terminal, a pipe, `/dev/null`.
    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        let there = fs::metadata(path).ok();
        let passes = |kind: fs::FileType| kind.is_char_device() || kind.is_fifo() || kind.is_socket();
        if there.as_ref().is_some_and(|there| passes(there.file_type())) {
            return None;
        }
        Some(Self { path: resolved(path), id: there.map(|there| (there.dev(), there.ino())) })
    }

    fn is(&self, other: &Self) -> bool {
        self.path == other.path || (self.id.is_some() && self.id == other.id)
    }

    pub(crate) fn is_at(&self, path: &Path) -> bool {
        Self::from_path(path).is_some_and(|other| self.is(&other))
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.path.file_name()?.to_str()
    }
}

/// The absolute path, without links and dots in its existing part.
fn resolved(path: &Path) -> PathBuf {
    let whole = absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = whole.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    match known {
        None => whole,
        Some((part, there)) => whole.strip_prefix(part).map_or(whole.clone(), |rest| there.join(rest)),
    }
}

/// Rejects the file of `option` if it cannot be written. An existing file is not changed, and a missing file
/// is missing afterwards. The file may lie in one of `new_dirs`, which the run makes before it writes the
/// file.
pub(crate) fn check_writable(option: &str, path: &str, new_dirs: &[&str]) -> Result<(), Usage> {
    let dir = absolute(path).ok();
    let dir = dir.as_deref().and_then(Path::parent).filter(|dir| !dir.exists());
    if dir.is_some() && new_dirs.iter().any(|new| absolute(new).ok().as_deref() == dir) {
        return Ok(());
    }
    let there = fs::metadata(path);
    // Opening a pipe would wait for its reader. What is not a regular file keeps no data that could be lost.
    if there.as_ref().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return Ok(());
    }
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| Usage(format!("{option} {path}: {error}. Choose a file that can be written.")))?;
    if there.is_err() {
        // An empty file that remained would be read as a result.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_changes_no_file_creates_none_and_rejects_unwritable_ones() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        fs::write(at("old"), "12\n").unwrap();
        for path in [at("old"), at("new"), "/dev/null".to_owned()] {
            assert_eq!(check_writable("-x", &path, &[]), Ok(()), "{path}");
        }
        assert_eq!(check_writable("-x", &at("no/where"), &["other", &at("no/")]), Ok(()));
        assert_eq!(fs::read_to_string(at("old")).unwrap(), "12\n");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        for (path, why) in [(at("no/where"), "No such file or directory"), (at(""), "Is a directory")] {
            let error = check_writable("-x", &path, &["other"]).unwrap_err().0;
            assert!(error.starts_with(&format!("-x {path}: {why}")), "{error}");
            assert!(error.ends_with(". Choose a file that can be written."), "{error}");
        }
    }
}
