//! On which file system the file of each rank is, after links are followed and mounts on files are seen.
//!
//! A file should be on the file system of its directory, which the nodes reported at the start. If a link
//! leads elsewhere, or something is mounted on the file, another file system is measured.
//!
//! Invariant: a few reductions for each phase, for any number of ranks. Nothing is changed.
//! Never here: what follows from a file that is elsewhere.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ranks::{Comm, Halt};
use results::mounts::{Mount, mount_of};
use results::record::{OpenedFiles, StrayFile};
use storage::{Storage, directory_of};

use super::few;
use super::parts::{PartPlace, ReducedParts, ReductionParts};

/// Where one file is.
struct FoundFile {
    opened: OpenedFiles,
    /// Set if it is not where its name is.
    stray: Option<StrayFile>,
    is_elsewhere: bool,
}

/// The file of this rank, and where the numbers of files at other places are.
pub struct OpenedPlaces {
    mine: Option<FoundFile>,
    counts: [PartPlace; 2],
}

impl OpenedPlaces {
    /// Finds the file of this rank, which has this path.
    pub fn add(parts: &mut ReductionParts, comm: &dyn Comm, storage: &dyn Storage, path: &Path) -> Self {
        let is_file = storage.mounted().is_some();
        let mine = is_file.then(|| found(comm.rank(), storage.system_path(path))).flatten();
        let stray = mine.as_ref().filter(|mine| mine.stray.is_some());
        let elsewhere = stray.is_some_and(|mine| mine.is_elsewhere);
        let counts = parts.sums([elsewhere.into(), (stray.is_some() && !elsewhere).into()]);
        Self { mine, counts }
    }

    /// The files of all ranks, on rank 0; `None` if rank 0's file cannot be found. Collective.
    pub fn files(self, comm: &dyn Comm, reduced: &ReducedParts) -> Result<Option<OpenedFiles>, Halt> {
        let [stray, linked] = reduced.all(self.counts);
        let own = self.mine.as_ref().and_then(|mine| mine.stray.as_ref());
        let words = own.and_then(|stray| serde_json::to_string(stray).ok());
        let collected = few::collect_known(comm, stray + linked, words.as_deref(), few::BYTES)?;
        let Some(mine) = self.mine.filter(|_| comm.rank() == 0) else { return Ok(None) };
        let first = collected.parcels.iter().filter_map(|(_, words)| serde_json::from_str(words).ok());
        let first = first.take(OpenedFiles::CAP).collect();
        let [stray, linked] = [stray, linked].map(|count| count as u32);
        Ok(Some(OpenedFiles { stray, linked, first, ..mine.opened }))
    }
}

/// The files of all ranks, on rank 0. `path` is that of this rank. Collective.
pub fn find(comm: &dyn Comm, storage: &dyn Storage, path: &Path) -> Result<Option<OpenedFiles>, Halt> {
    let mut parts = ReductionParts::default();
    let places = OpenedPlaces::add(&mut parts, comm, storage, path);
    let reduced = parts.reduce(comm)?;
    places.files(comm, &reduced)
}

fn found(rank: u32, path: &Path) -> Option<FoundFile> {
    let (dir, name) = (directory_of(path).join(".").canonicalize().ok()?, path.file_name()?);
    let place = path.canonicalize().ok()?;
    let table = std::fs::read("/proc/self/mountinfo").ok()?;
    let table = String::from_utf8_lossy(&table);
    let [here, expected] = [&place, &dir].map(|path| mount_of(&table, path));
    let is_elsewhere = here.number != expected.number;
    let words = |mount: &Mount| format!("{} {}", mount.kind, mount.device);
    let stray = (is_elsewhere || place != dir.join(name)).then(|| StrayFile {
        rank,
        path: path.display().to_string(),
        place: place.display().to_string(),
        found: words(&here),
        expected: words(&expected),
    });
    let inode = place.metadata().ok()?.ino();
    let Mount { kind, device, number, .. } = here;
    let opened = OpenedFiles { kind, device, number, inode, ..OpenedFiles::default() };
    Some(FoundFile { opened, stray, is_elsewhere })
}

#[cfg(test)]
mod tests {
    use super::*;
    use command::Settings;
    use ranks::local;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn find_in(dir: &Path) -> OpenedFiles {
        let posix = (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap();
        let all = local::run(2, |comm| find(comm, &*posix, &dir.join(format!("f.{}", comm.rank()))));
        let first = all.into_iter().next().expect("rank 0").expect("no panic").expect("no halt");
        first.expect("rank 0 has a file")
    }

    #[test]
    fn a_file_that_is_a_link_to_another_file_system_is_stray() {
        let (dir, memory) = (tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap());
        fs::write(dir.path().join("f.0"), "x").unwrap();
        fs::write(memory.path().join("g"), "x").unwrap();
        symlink(memory.path().join("g"), dir.path().join("f.1")).unwrap();
        let found = find_in(dir.path());
        assert_eq!((found.stray, found.linked, found.first.len()), (1, 0, 1), "{found:?}");
        let stray = &found.first[0];
        assert!(
            stray.rank == 1 && stray.found.starts_with("tmpfs ") && stray.path.ends_with("/f.1"),
            "{stray:?}"
        );
        assert!(stray.place.starts_with("/dev/shm/") && stray.found != stray.expected, "{stray:?}");
    }

    #[test]
    fn a_link_to_the_same_file_system_is_named_and_a_plain_file_is_not() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f.0"), "x").unwrap();
        symlink("f.0", dir.path().join("f.1")).unwrap();
        let found = find_in(dir.path());
        assert_eq!((found.stray, found.linked, found.first.len()), (0, 1, 1), "{found:?}");
        assert!(!found.kind.is_empty() && found.number.contains(':') && found.inode > 0, "{found:?}");
        fs::remove_file(dir.path().join("f.1")).unwrap();
        fs::write(dir.path().join("f.1"), "x").unwrap();
        assert_eq!(find_in(dir.path()), OpenedFiles { linked: 0, first: Vec::new(), ..found });
    }
}
