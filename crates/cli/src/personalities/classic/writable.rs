//! Files that are written at the end of hours of work: whether they can be, before anything is done.
//!
//! Invariant: what is there stays as it is, and what was not there is not there afterwards.

use std::fs::{self, OpenOptions};

use units::Usage;

/// Says no to the file that `option` names where nobody could write it.
pub(crate) fn check(option: &str, path: &str) -> Result<(), Usage> {
    let there = fs::metadata(path);
    // Opening a pipe would wait for its reader, and what is no file keeps nothing that could be lost.
    if there.as_ref().is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        return Ok(());
    }
    let opened = OpenOptions::new().append(true).create(true).open(path);
    opened.map_err(|error| Usage(format!("{option} {path}: {error}; name a file that can be written")))?;
    if there.is_err() {
        // Left behind empty it would be read as a result.
        let _ = fs::remove_file(path);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays_what_is_not_there_is_not_made_and_what_cannot_be_written_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name).display().to_string();
        fs::write(at("old"), "12\n").unwrap();
        assert_eq!((check("-x", &at("old")), check("-x", &at("new"))), (Ok(()), Ok(())));
        assert_eq!(check("-x", "/dev/null"), Ok(()));
        assert_eq!(fs::read_to_string(at("old")).unwrap(), "12\n");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        for (path, why) in [(at("no/where"), "No such file or directory"), (at(""), "Is a directory")] {
            let told = check("-x", &path).unwrap_err().0;
            assert!(told.starts_with(&format!("-x {path}: {why}")), "{told}");
            assert!(told.ends_with("; name a file that can be written"), "{told}");
        }
    }
}
