//! A value that changes with every change of a campaign folder. So a page about it can be kept until then.
//!
//! It has the name, kind, size and times of each entry. The kernel itself sets the time of a change. So a
//! file that was modified and got its old time again is found, too.
//!
//! Invariant: no file is opened, and no link is followed.
//! Never here: the contents of files.

use std::io;
use std::path::Path;

use rustix::fs::FileType;
use sha2::{Digest, Sha256};

use super::hash::hexadecimal;
use super::json::optional;
use super::{beneath, limits};

/// The most entries of a folder.
const ENTRIES_MAX: usize = 4_000_000;

/// The stamp of the folder `dir`, hexadecimal. An entry that vanishes meanwhile is left out.
pub fn stamp(dir: &Path) -> io::Result<String> {
    let mut digest = Sha256::new();
    add(dir, Path::new(""), &mut digest, &mut 0)?;
    Ok(hexadecimal(&digest.finalize()))
}

/// Adds the entries of the directory `within` below `dir`.
fn add(dir: &Path, within: &Path, digest: &mut Sha256, count: &mut usize) -> io::Result<()> {
    limits::depth(within)?;
    let names = beneath::names(dir, within);
    // The folder itself must be there.
    let names = if within == Path::new("") { names? } else { optional(names)?.unwrap_or_default() };
    for name in names {
        *count += 1;
        if *count > ENTRIES_MAX {
            return Err(io::Error::other(format!("the folder has more than {ENTRIES_MAX} entries")));
        }
        let at = within.join(&name);
        let Some((kind, numbers)) = optional(beneath::numbers(dir, &at))? else { continue };
        // A name has no zero byte, so two different lists of names never give the same bytes.
        digest.update(at.as_os_str().as_encoded_bytes());
        digest.update([0]);
        numbers.iter().for_each(|number| digest.update(number.to_be_bytes()));
        if kind == FileType::Directory {
            add(dir, &at, digest, count)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, FileTimes};
    use std::os::unix::fs::symlink;

    use super::stamp;

    #[test]
    fn every_change_of_a_folder_changes_its_stamp_also_with_the_time_of_before() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path();
        fs::create_dir(dir.join("jobs")).unwrap();
        let file = dir.join("jobs/records");
        fs::write(&file, "one").unwrap();
        let before = stamp(dir).unwrap();
        assert_eq!(stamp(dir).unwrap(), before);
        let time = file.metadata().unwrap().modified().unwrap();
        // The kernel's clock of files advances in steps of some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(30));
        fs::write(&file, "two").unwrap();
        let opened = File::options().write(true).open(&file).unwrap();
        opened.set_times(FileTimes::new().set_modified(time)).unwrap();
        let modified = stamp(dir).unwrap();
        assert_ne!(modified, before);
        fs::rename(&file, dir.join("jobs/other")).unwrap();
        let renamed = stamp(dir).unwrap();
        assert_ne!(renamed, modified);
        fs::write(dir.join("new"), "").unwrap();
        assert_ne!(stamp(dir).unwrap(), renamed);
    }

    #[test]
    fn what_is_outside_the_folder_does_not_change_its_stamp() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("c");
        fs::create_dir(&dir).unwrap();
        fs::create_dir(place.path().join("other")).unwrap();
        symlink("../other", dir.join("link")).unwrap();
        let before = stamp(&dir).unwrap();
        fs::write(place.path().join("other/file"), "").unwrap();
        assert_eq!(stamp(&dir).unwrap(), before);
        assert!(stamp(&place.path().join("none")).is_err());
    }
}
