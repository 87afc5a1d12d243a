//! The error number of a failed call, also where a layer between added words to the error or has numbers of
//! its own.
//!
//! Invariant: an error keeps its number on the way to the record, because verdicts are decided from it.
//! Never here: what a number means for a verdict.

use std::fmt;
use std::io::{self, ErrorKind};

use rustix::io::Errno;

/// An error in other words, or of a library, with the system's number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NumberedError {
    text: String,
    errno: Option<i32>,
    /// The offset that a short transfer reached.
    reached: Option<u64>,
}

impl fmt::Display for NumberedError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl std::error::Error for NumberedError {}

/// `error` in other words. Its kind and its number stay.
pub fn reworded(error: &io::Error, text: impl Into<String>) -> io::Error {
    let (errno, reached) = (errno(error), reached(error));
    io::Error::new(error.kind(), NumberedError { text: text.into(), errno, reached })
}

/// An error with a number of the system, if its source has one, and a text of its own.
pub fn numbered(errno: Option<i32>, text: impl Into<String>) -> io::Error {
    let kind = errno.map_or(ErrorKind::Other, |errno| io::Error::from_raw_os_error(errno).kind());
    io::Error::new(kind, NumberedError { text: text.into(), errno, reached: None })
}

/// A call that succeeded but moved too few bytes, or listed too few entries.
pub fn short(text: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::UnexpectedEof, text.into())
}

/// The same for a transfer that ended at this offset of the file.
pub fn short_at(reached: u64, text: impl Into<String>) -> io::Error {
    let error = NumberedError { text: text.into(), errno: None, reached: Some(reached) };
    io::Error::new(ErrorKind::UnexpectedEof, error)
}

/// The offset at which a short transfer ended, if it is known.
pub fn reached(error: &io::Error) -> Option<u64> {
    error.get_ref()?.downcast_ref::<NumberedError>()?.reached
}

/// Whether the call succeeded but moved too few bytes.
pub fn is_short(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::WriteZero) && errno(error).is_none()
}

/// The system's number of an error; `None` if it has none.
pub fn errno(error: &io::Error) -> Option<i32> {
    let of_source = || error.get_ref()?.downcast_ref::<NumberedError>()?.errno;
    let of_kind = || {
        let errno = match error.kind() {
            ErrorKind::NotFound => Errno::NOENT,
            ErrorKind::PermissionDenied => Errno::ACCESS,
            ErrorKind::AlreadyExists => Errno::EXIST,
            ErrorKind::StorageFull => Errno::NOSPC,
            ErrorKind::QuotaExceeded => Errno::DQUOT,
            ErrorKind::ReadOnlyFilesystem => Errno::ROFS,
            ErrorKind::StaleNetworkFileHandle => Errno::STALE,
            ErrorKind::TimedOut => Errno::TIMEDOUT,
            ErrorKind::InvalidInput => Errno::INVAL,
            ErrorKind::Unsupported => Errno::OPNOTSUPP,
            ErrorKind::OutOfMemory => Errno::NOMEM,
            _ => return None,
        };
        Some(errno.raw_os_error())
    };
    error.raw_os_error().or_else(of_source).or_else(of_kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_number_in_other_words() {
        let stale = io::Error::from_raw_os_error(Errno::STALE.raw_os_error());
        let again = reworded(&reworded(&stale, "lock of a range"), "fsync: lock of a range");
        assert_eq!(errno(&again), Some(Errno::STALE.raw_os_error()));
        assert_eq!((again.kind(), again.to_string()), (stale.kind(), "fsync: lock of a range".to_owned()));
        assert_eq!(errno(&numbered(Some(5), "MPI_ERR_IO")), Some(5));
        assert_eq!(errno(&io::Error::from(ErrorKind::StorageFull)), Some(Errno::NOSPC.raw_os_error()));
        assert_eq!(errno(&io::Error::other("a library")), None);
    }

    #[test]
    fn a_short_transfer_has_no_number() {
        let error = short("moved 1 of 2 bytes");
        assert!(is_short(&error) && errno(&error).is_none());
        assert!(is_short(&reworded(&error, "other words")));
        assert!(!is_short(&io::Error::from_raw_os_error(5)));
        let placed = reworded(&short_at(4096, "moved 4096 of 8192 bytes"), "other words");
        assert!(is_short(&placed) && errno(&placed).is_none());
        assert_eq!((reached(&placed), reached(&error)), (Some(4096), None));
    }
}
