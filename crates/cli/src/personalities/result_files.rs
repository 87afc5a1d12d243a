//! Files that a run writes at its end. They are checked before its work.

use std::fs::{self, OpenOptions};
use std::path::{Path, absolute};

use units::Usage;

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
