//! JSON files of a folder, and errors that name the file.
//!
//! Never here: what the files mean.

use std::io::{self, ErrorKind};
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::beneath;
use super::limits::JSON_BYTES_MAX;

/// A value as JSON for its file.
pub(super) fn to_json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
}

/// The value in the JSON file `name` below `dir`. The error names the file.
pub(super) fn json<T: DeserializeOwned>(dir: &Path, name: &str) -> io::Result<T> {
    let path = dir.join(name);
    let text = beneath::bytes(dir, Path::new(name), JSON_BYTES_MAX).map_err(|error| named(&path, &error))?;
    serde_json::from_slice(&text)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, format!("{}: {error}", path.display())))
}

/// The error with its file.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// `None` for a file that does not exist.
pub(super) fn optional<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
