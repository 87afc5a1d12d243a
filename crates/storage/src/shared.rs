//! Files that several ranks open together: a step goes well on all of them, or on none.

use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ranks::{Comm, Reduce};

use crate::files;

/// What came of a step that all ranks of a shared file take: it fails on all of them or on none.
pub(crate) fn together<T, E: fmt::Display + Into<io::Error>>(
    comm: &dyn Comm,
    shared: bool,
    step: &str,
    mine: Result<T, E>,
) -> io::Result<T> {
    if !shared {
        return mine.map_err(Into::into);
    }
    comm.agree(step, mine).map_err(|halt| match halt.rank == comm.rank() {
        true => io::Error::other(halt.why),
        false => io::Error::other(format!("{} (rank {})", halt.why, halt.rank)),
    })
}

/// Whether there is nothing yet, or nothing in it; as rank 0 sees it, where all have to do the same.
pub(crate) fn is_empty(comm: &dyn Comm, path: &Path, shared: bool) -> io::Result<bool> {
    if !shared {
        return Ok(files::size(path)?.unwrap_or(0) == 0);
    }
    let size = if comm.rank() == 0 { files::size(path) } else { Ok(None) };
    let said = match &size {
        Ok(size) => u64::from(size.unwrap_or(0) > 0),
        Err(_) => FAILED,
    };
    let said = comm.reduce_one(said, Reduce::Max).map_err(|halt| io::Error::other(halt.why))?;
    if said == FAILED {
        together(comm, shared, "open", size)?;
    }
    Ok(said == 0)
}

/// What rank 0 says instead of whether a file holds something.
const FAILED: u64 = 2;

/// Names that MPI-IO libraries let stand before a path, with a colon, to choose a driver.
const DRIVERS: &[&str] =
    &["bgl", "daos", "gpfs", "ime", "lustre", "nfs", "panfs", "pvfs2", "quobytefs", "testfs", "ufs", "xfs"];

/// The path without the name of a driver.
pub(crate) fn plain(path: &Path) -> &Path {
    match path.to_str().and_then(|text| text.split_once(':')) {
        Some((driver, rest)) if DRIVERS.contains(&driver) => Path::new(rest),
        _ => path,
    }
}

/// Why a library could not open a file: in the system's words where the system rejects it, for libraries have
/// words of their own, or none.
pub(crate) fn asked(path: &Path, writes: bool, error: impl Into<io::Error>) -> io::Error {
    files::rejection(path, writes).unwrap_or_else(|| error.into())
}

/// The path with a directory: Open MPI 4.1 cannot create a file whose name has none. With `drivers` the name
/// of one may stand before a colon, and such a path is left as it is.
pub(crate) fn given(path: &Path, drivers: bool) -> PathBuf {
    let complete = path.as_os_str().as_bytes().contains(&b'/') || drivers && plain(path) != path;
    if complete { path.to_owned() } else { Path::new(".").join(path) }
}

/// What a [`Storage`](crate::Storage) answers whose files lie on a mounted file system: what the system
/// knows of a file is asked where the system has it.
macro_rules! files_of_system {
    () => {
        fn remove(&self, path: &Path) -> io::Result<()> {
            $crate::files::remove(self.system_path(path))
        }

        fn size(&self, path: &Path) -> io::Result<Option<u64>> {
            $crate::files::size(self.system_path(path))
        }

        fn space(&self, path: &Path) -> io::Result<Option<$crate::Space>> {
            $crate::files::space(self.system_path(path))
        }

        fn hole(&self, path: &Path) -> io::Result<Option<u64>> {
            $crate::files::hole(self.system_path(path))
        }

        fn is_device(&self, path: &Path) -> bool {
            $crate::files::is_device(self.system_path(path))
        }

        fn page_cache(&self, path: &Path) -> io::Result<Option<Box<dyn $crate::PageCache>>> {
            $crate::residency::of(self.system_path(path))
        }

        fn keeps_data(&self) -> bool {
            true
        }
    };
}
pub(crate) use files_of_system;

/// The same of one whose files are moved by a library of MPI; its field `inside` knows of calls that all
/// ranks make together.
macro_rules! files_by_library {
    () => {
        $crate::shared::files_of_system!();

        fn readable(&self, path: &Path) -> io::Result<()> {
            $crate::files::readable(self.system_path(path))
        }

        fn mounted(&self) -> Option<&dyn $crate::Names> {
            Some(&$crate::names::MountedNames)
        }

        fn is_collective(&self) -> bool {
            true
        }

        fn inside(&self) -> Option<(u64, &'static str)> {
            self.inside.call()
        }

        fn direct(&self) -> bool {
            false
        }
    };
}
pub(crate) use files_by_library;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_alone_gets_a_directory() {
        for (path, drivers, wanted) in [
            ("f", true, "./f"),
            ("f", false, "./f"),
            ("/scratch/f", true, "/scratch/f"),
            ("a/f", false, "a/f"),
            ("ufs:f", true, "ufs:f"),
            ("ufs:f", false, "./ufs:f"),
            ("a:f", false, "./a:f"),
            ("a:f", true, "./a:f"),
        ] {
            assert_eq!(given(Path::new(path), drivers), Path::new(wanted));
        }
    }

    #[test]
    fn a_drivers_name_before_a_path_is_left_out() {
        assert_eq!(plain(Path::new("ufs:/scratch/f")), Path::new("/scratch/f"));
        for other in ["/scratch/a:b", "run:3", "a:b"] {
            assert_eq!(plain(Path::new(other)), Path::new(other), "a colon is a letter like others");
        }
    }

    #[test]
    fn whether_a_file_is_empty_is_said_by_rank_0_to_all() {
        let dir = tempfile::tempdir().unwrap();
        let (full, blank, gone) =
            (dir.path().join("full"), dir.path().join("blank"), dir.path().join("gone"));
        std::fs::write(&full, "x").unwrap();
        std::fs::write(&blank, "").unwrap();
        let below = full.join("f");
        for (path, wanted) in
            [(&full, Some(false)), (&blank, Some(true)), (&gone, Some(true)), (&below, None)]
        {
            // The others look at nothing.
            let each = ranks::local::run(3, |comm| {
                let path = if comm.rank() == 0 { path.clone() } else { dir.path().join("other") };
                is_empty(comm, &path, true).map_err(|error| error.to_string())
            });
            for (rank, said) in each.into_iter().enumerate() {
                let said = said.unwrap();
                assert_eq!(said.as_ref().ok().copied(), wanted, "rank {rank}: {said:?}");
                assert!(said.is_ok() || rank == 0 || said.unwrap_err().ends_with("(rank 0)"));
            }
        }
    }
}
