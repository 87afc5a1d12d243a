//! A call on a file that failed: its facts, and whom its error number concerns.
//!
//! Never here: whether the call was one that the plan may make, and the effect on a verdict.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A call on a file that failed, or that moved less than it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCall {
    /// The call, such as `write` or `mkdir`.
    pub call: String,
    /// The path of the file or directory.
    pub path: String,
    /// The offset in the file, bytes; absent if the call is about the path itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// The number of the system's error; absent if a library reports none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errno: Option<i32>,
    /// Whether the call succeeded but moved too few bytes, or listed too few entries.
    #[serde(default, skip_serializing_if = "super::is_false")]
    pub is_short: bool,
    /// When it failed by the clock of its node, milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// Whom the error of a call on a file concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCause {
    /// The storage system: it did not do what the call may expect.
    Storage,
    /// The name of the call: the storage system, if this campaign made the name; else the path is wrong.
    Name,
    /// The space or the quota that was used up.
    Full,
    /// The command line, the permissions, or the limits of the client.
    Request,
}

/// An error number of Linux.
struct ErrorRow {
    errno: i32,
    name: &'static str,
    cause: ErrorCause,
}

const fn row(errno: i32, name: &'static str, cause: ErrorCause) -> ErrorRow {
    ErrorRow { errno, name, cause }
}

const ENODATA: i32 = 61;

/// The error numbers that calls on files return. All others count as [`ErrorCause::Request`].
const ERRORS: &[ErrorRow] = &[
    row(1, "EPERM", ErrorCause::Request),
    row(2, "ENOENT", ErrorCause::Name),
    row(4, "EINTR", ErrorCause::Storage),
    row(5, "EIO", ErrorCause::Storage),
    row(6, "ENXIO", ErrorCause::Storage),
    row(11, "EAGAIN", ErrorCause::Storage),
    row(12, "ENOMEM", ErrorCause::Request),
    row(13, "EACCES", ErrorCause::Request),
    row(16, "EBUSY", ErrorCause::Storage),
    row(17, "EEXIST", ErrorCause::Name),
    row(19, "ENODEV", ErrorCause::Storage),
    row(20, "ENOTDIR", ErrorCause::Name),
    row(21, "EISDIR", ErrorCause::Request),
    row(22, "EINVAL", ErrorCause::Request),
    row(23, "ENFILE", ErrorCause::Request),
    row(24, "EMFILE", ErrorCause::Request),
    row(27, "EFBIG", ErrorCause::Request),
    row(28, "ENOSPC", ErrorCause::Full),
    row(30, "EROFS", ErrorCause::Storage),
    row(32, "EPIPE", ErrorCause::Storage),
    row(35, "EDEADLK", ErrorCause::Storage),
    row(36, "ENAMETOOLONG", ErrorCause::Request),
    row(37, "ENOLCK", ErrorCause::Storage),
    row(38, "ENOSYS", ErrorCause::Request),
    row(39, "ENOTEMPTY", ErrorCause::Name),
    row(40, "ELOOP", ErrorCause::Request),
    row(52, "EBADE", ErrorCause::Storage),
    row(ENODATA, "ENODATA", ErrorCause::Name),
    row(62, "ETIME", ErrorCause::Storage),
    row(67, "ENOLINK", ErrorCause::Storage),
    row(70, "ECOMM", ErrorCause::Storage),
    row(71, "EPROTO", ErrorCause::Storage),
    row(74, "EBADMSG", ErrorCause::Storage),
    row(77, "EBADFD", ErrorCause::Storage),
    row(84, "EILSEQ", ErrorCause::Storage),
    row(95, "EOPNOTSUPP", ErrorCause::Request),
    row(100, "ENETDOWN", ErrorCause::Storage),
    row(101, "ENETUNREACH", ErrorCause::Storage),
    row(102, "ENETRESET", ErrorCause::Storage),
    row(103, "ECONNABORTED", ErrorCause::Storage),
    row(104, "ECONNRESET", ErrorCause::Storage),
    row(107, "ENOTCONN", ErrorCause::Storage),
    row(108, "ESHUTDOWN", ErrorCause::Storage),
    row(110, "ETIMEDOUT", ErrorCause::Storage),
    row(111, "ECONNREFUSED", ErrorCause::Storage),
    row(112, "EHOSTDOWN", ErrorCause::Storage),
    row(113, "EHOSTUNREACH", ErrorCause::Storage),
    row(116, "ESTALE", ErrorCause::Storage),
    row(117, "EUCLEAN", ErrorCause::Storage),
    row(121, "EREMOTEIO", ErrorCause::Storage),
    row(122, "EDQUOT", ErrorCause::Full),
    row(123, "ENOMEDIUM", ErrorCause::Storage),
    row(125, "ECANCELED", ErrorCause::Storage),
];

/// Whom an error concerns. A call that moved too few bytes concerns the storage system; an error without a
/// number does not show whom it concerns.
pub fn error_cause(errno: Option<i32>, is_short: bool) -> ErrorCause {
    let known = errno.and_then(known_error);
    known.map_or(if is_short { ErrorCause::Storage } else { ErrorCause::Request }, |row| row.cause)
}

fn known_error(errno: i32) -> Option<&'static ErrorRow> {
    ERRORS.iter().find(|row| row.errno == errno)
}

/// The name of an error number, such as `EIO`.
pub fn error_name(errno: i32) -> String {
    known_error(errno).map_or_else(|| format!("error {errno}"), |row| row.name.to_owned())
}

impl FailedCall {
    /// Whom its error concerns.
    ///
    /// ENODATA is a missing attribute, or a medium that lost the data of any other call.
    pub fn cause(&self) -> ErrorCause {
        match self.errno {
            Some(ENODATA) if !self.call.ends_with("xattr") => ErrorCause::Storage,
            errno => error_cause(errno, self.is_short),
        }
    }

    /// When it failed, in UTC.
    pub fn at(&self) -> Option<String> {
        let at = i64::try_from(self.at_unix_ms).ok().filter(|at| *at > 0)?;
        Some(Timestamp::from_millisecond(at).ok()?.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_ordered_and_agrees_with_the_system_about_a_full_file_system() {
        assert!(ERRORS.windows(2).all(|pair| pair[0].errno < pair[1].errno));
        use std::io::ErrorKind::{QuotaExceeded, StorageFull};
        for row in ERRORS {
            let kind = std::io::Error::from_raw_os_error(row.errno).kind();
            let is_full = matches!(kind, StorageFull | QuotaExceeded);
            assert_eq!(row.cause == ErrorCause::Full, is_full, "{}", row.name);
        }
    }

    #[test]
    fn errors_of_devices_and_connections_concern_the_storage_system() {
        for (call, errno, cause) in [
            ("read", 19, ErrorCause::Storage),
            ("write", 32, ErrorCause::Storage),
            ("write", 52, ErrorCause::Storage),
            ("fsync", 77, ErrorCause::Storage),
            ("read", 84, ErrorCause::Storage),
            ("read", 125, ErrorCause::Storage),
            // The medium lost the data, or the attribute does not exist.
            ("read", 61, ErrorCause::Storage),
            ("fsync", 61, ErrorCause::Storage),
            ("getxattr", 61, ErrorCause::Name),
            ("lgetxattr", 61, ErrorCause::Name),
        ] {
            let failed = FailedCall { call: call.to_owned(), errno: Some(errno), ..FailedCall::default() };
            assert_eq!(failed.cause(), cause, "{call} {}", error_name(errno));
        }
    }

    #[test]
    fn a_call_has_a_time_and_an_error_of_a_library_concerns_nothing_known() {
        let call = FailedCall { errno: Some(5), at_unix_ms: 1_764_385_200_250, ..FailedCall::default() };
        assert_eq!(
            (call.cause(), call.at().as_deref()),
            (ErrorCause::Storage, Some("2025-11-29T03:00:00.25Z"))
        );
        assert_eq!(FailedCall::default().at(), None);
        assert_eq!(error_cause(None, false), ErrorCause::Request);
        assert_eq!(error_cause(None, true), ErrorCause::Storage);
        assert_eq!((error_name(116).as_str(), error_name(4095).as_str()), ("ESTALE", "error 4095"));
    }
}
