//! System errors with the path that they are about.
//!
//! Invariant: the kind of the error stays the same, because callers decide by it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A system error with its path.
#[derive(Debug)]
struct PathError {
    path: PathBuf,
    /// The text of the system error.
    text: String,
}

impl fmt::Display for PathError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.text)
    }
}

impl std::error::Error for PathError {}

/// The error with the path that it is about.
pub(crate) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), PathError { path: path.to_owned(), text: error.to_string() })
}

/// The result of a removal, with its path. A missing file or directory is not an error.
pub(crate) fn gone(removed: io::Result<()>, path: &Path) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(named(path, &error)),
        _ => Ok(()),
    }
}

/// Whether an error contains the path that it is about.
pub(crate) fn names_a_path(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|inner| inner.is::<PathError>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_with_its_path_keeps_kind_and_text() {
        let bare = io::Error::from_raw_os_error(28);
        let error = named(Path::new("/s/f"), &bare);
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(error.to_string(), format!("/s/f: {bare}"));
        assert_eq!((names_a_path(&bare), names_a_path(&error)), (false, true));
        assert!(!names_a_path(&io::Error::other("a/b")), "only the type counts, not the text");
    }
}
