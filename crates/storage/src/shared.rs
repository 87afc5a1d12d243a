//! Files that several ranks open together: a step succeeds on all of them, or fails on all of them.

use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ranks::{CallFailure, Comm, FailureCause, Reduce};

use crate::{call_error, files};

/// The common result of a step that all ranks of a shared file take: it fails on all of them or on none.
pub(crate) fn together<T, E: fmt::Display + Into<io::Error>>(
    comm: &dyn Comm,
    shared: bool,
    step: &str,
    mine: Result<T, E>,
) -> io::Result<T> {
    if !shared {
        return mine.map_err(Into::into);
    }
    let cause = |error: E| {
        let (text, error) = (error.to_string(), error.into());
        let (errno, is_short) = (call_error::errno(&error), call_error::is_short(&error));
        let call = CallFailure { errno, is_short, ..CallFailure::default() };
        FailureCause { text, call: Some(Box::new(call)) }
    };
    comm.agree(step, mine.map_err(cause)).map_err(|halt| {
        let text = match halt.rank == comm.rank() {
            true => halt.why,
            false => format!("{} (rank {})", halt.why, halt.rank),
        };
        call_error::numbered(halt.call.and_then(|call| call.errno), text)
    })
}

/// Whether the file does not exist or is empty. For a shared file rank 0 checks, and all ranks get its
/// answer.
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

/// What rank 0 sends if its check failed.
const FAILED: u64 = 2;

/// Drivers that MPI-IO libraries accept as a prefix of a path, followed by a colon.
const DRIVERS: &[&str] =
    &["bgl", "daos", "gpfs", "ime", "lustre", "nfs", "panfs", "pvfs2", "quobytefs", "testfs", "ufs", "xfs"];

/// The path without the name of a driver.
pub(crate) fn plain(path: &Path) -> &Path {
    match path.to_str().and_then(|text| text.split_once(':')) {
        Some((driver, rest)) if DRIVERS.contains(&driver) => Path::new(rest),
        _ => path,
    }
}

/// The error when a library could not open a file. It is the system's own error if the system rejects the
/// open: messages of libraries differ or are missing.
pub(crate) fn asked(path: &Path, writes: bool, error: impl Into<io::Error>) -> io::Error {
    files::rejection(path, writes).unwrap_or_else(|| error.into())
}

/// The path with a directory: Open MPI 4.1 cannot create a file whose path has none. With `drivers` a path
/// may begin with a driver and a colon; such a path is unchanged.
pub(crate) fn given(path: &Path, drivers: bool) -> PathBuf {
    let complete = path.as_os_str().as_bytes().contains(&b'/') || drivers && plain(path) != path;
    if complete { path.to_owned() } else { Path::new(".").join(path) }
}

/// The [`Storage`](crate::Storage) methods for files on a mounted file system: the system's path of a file is
/// queried.
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
    };
}
pub(crate) use files_of_system;

/// The same for files that a library moves through MPI.
macro_rules! files_by_library {
    () => {
        $crate::shared::files_of_system!();

        fn readable(&self, path: &Path) -> io::Result<()> {
            $crate::files::readable(self.system_path(path))
        }

        fn mounted(&self) -> Option<&dyn $crate::Names> {
            Some(&$crate::names::MountedNames)
        }

        fn library(&self) -> Option<&dyn $crate::StorageLibrary> {
            Some(self)
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
    fn only_a_path_without_a_directory_gets_one() {
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
    fn the_driver_before_a_path_is_removed() {
        assert_eq!(plain(Path::new("ufs:/scratch/f")), Path::new("/scratch/f"));
        for other in ["/scratch/a:b", "run:3", "a:b"] {
            assert_eq!(
                plain(Path::new(other)),
                Path::new(other),
                "a colon after another word is part of the path"
            );
        }
    }

    #[test]
    fn rank_0_checks_whether_a_file_is_empty_and_all_ranks_get_its_answer() {
        let dir = tempfile::tempdir().unwrap();
        let (full, blank, gone) =
            (dir.path().join("full"), dir.path().join("blank"), dir.path().join("gone"));
        std::fs::write(&full, "x").unwrap();
        std::fs::write(&blank, "").unwrap();
        let below = full.join("f");
        for (path, wanted) in
            [(&full, Some(false)), (&blank, Some(true)), (&gone, Some(true)), (&below, None)]
        {
            // The other ranks have a path that does not exist.
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
