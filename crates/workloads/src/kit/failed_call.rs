//! A failed call on a file: a text for people, and the facts for the record.
//!
//! Never here: what the failure means for a run or a verdict.

use std::io;
use std::path::Path;

use measure::unix_ms;
use ranks::{CallFailure, FailureCause};
use results::record;
use rustix::io::Errno;
use storage::call_error;

/// The system's text for an error, without the number that Rust appends.
pub fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// The facts of a failed call; `offset` is `None` for a call on the path itself, and where the error has it.
#[cold]
pub fn failed_call(call: &str, path: &Path, offset: Option<u64>, error: &io::Error) -> CallFailure {
    CallFailure {
        call: call.to_owned(),
        path: path.display().to_string(),
        offset: offset.or_else(|| call_error::reached(error)),
        errno: call_error::errno(error),
        is_short: call_error::is_short(error),
        at_unix_ms: unix_ms(),
    }
}

/// A failed call on a path as the cause of a rank, with this text.
#[cold]
pub fn cause(call: &str, path: &Path, error: &io::Error, text: String) -> FailureCause {
    FailureCause { text, call: Some(Box::new(failed_call(call, path, None, error))) }
}

/// The same, with the path and the error as text.
pub fn named(call: &str, path: &Path, error: &io::Error) -> FailureCause {
    cause(call, path, error, path_and_words(path, error))
}

/// The same, with the path, the call and the error as text.
pub fn call_failed(call: &str, path: &Path, error: &io::Error) -> FailureCause {
    cause(call, path, error, format!("{}: {call}: {}", path.display(), words(error)))
}

/// The error of a listing that returned `found` entries instead of `wanted`. Only a listing with fewer is a
/// short call, because other programs can create more.
pub(crate) fn wrong_count(found: u64, wanted: u64, text: String) -> io::Error {
    if found < wanted { call_error::short(text) } else { io::Error::other(text) }
}

/// The facts of a failed call as a record.
pub fn recorded(call: CallFailure) -> record::FailedCall {
    let CallFailure { call, path, offset, errno, is_short, at_unix_ms } = call;
    record::FailedCall { call, path, offset, errno, is_short, at_unix_ms }
}

/// The path of a failed call and the error.
pub(crate) fn path_and_words(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", path.display(), words(error))
}

/// Bytes of the largest common sector size.
const SECTORS: u64 = 4096;

/// What follows the text of a failed call if O_DIRECT may be its reason; empty if not.
///
/// `direct_bytes` is the size of the transfers with O_DIRECT, and `options` set it.
#[cold]
pub(crate) fn direct_remedy(direct_bytes: Option<u64>, call: &CallFailure, options: &str) -> String {
    let fits = direct_bytes.is_none_or(|bytes| bytes.is_multiple_of(SECTORS));
    if fits || call.errno != Some(Errno::INVAL.raw_os_error()) {
        return String::new();
    }
    format!(". O_DIRECT moves whole sectors. Choose {options} as multiples of 4k")
}
