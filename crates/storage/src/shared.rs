//! Files that several ranks open together: a step goes well on all of them, or on none.

use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ranks::Comm;

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
    let mut said = vec![u8::from(together(comm, shared, "open", size)?.unwrap_or(0) == 0)];
    comm.broadcast(0, &mut said).map_err(|halt| io::Error::other(halt.why))?;
    Ok(said == [1])
}

/// The path with a directory: Open MPI 4.1 cannot create a file whose name has none. With `drivers` the name
/// of one may stand before a colon, and such a path is left as it is.
pub(crate) fn given(path: &Path, drivers: bool) -> PathBuf {
    let bytes = path.as_os_str().as_bytes();
    let complete = bytes.contains(&b'/') || drivers && bytes.contains(&b':');
    if complete { path.to_owned() } else { Path::new(".").join(path) }
}

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
            ("a:f", false, "./a:f"),
        ] {
            assert_eq!(given(Path::new(path), drivers), Path::new(wanted));
        }
    }
}
