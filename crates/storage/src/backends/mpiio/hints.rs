//! Hints for MPI-IO: from the environment (handed in as settings `hint.<key>`) and from a file, which wins.
//!
//! A file of hints has lines `IOR_HINT__MPI__key=value`; other lines that do not begin with `IOR_HINT` say
//! nothing. A line that begins so and is none is a mistake, and so is a file that is not there: a test
//! without its hints is another test.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_int};
use std::fs;
use std::io;

use ffi::mpi::{Handle, Library};
use units::Usage;

use super::check;
use crate::backends::Settings;

/// Beginnings of the names of hints, as IOR has them.
const PREFIXES: [&str; 2] = ["IOR_HINT__MPI__", "IOR_HINT__GPFS__"];
/// Room for a key: more than any library's `MPI_MAX_INFO_KEY` (at most 255).
const KEY_ROOM: usize = 1024;

/// Hints by key.
pub(super) type Asked = BTreeMap<String, String>;

/// The hints that the settings of `backend` ask for.
pub(super) fn asked(backend: &str, settings: &Settings) -> Result<Asked, Usage> {
    let given = settings.under("hint.");
    let mut hints: Asked = given.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    let option = format!("{backend}.hintsFileName");
    if let Some(path) = settings.text(&option) {
        let text = fs::read_to_string(path).map_err(|error| Usage(format!("--{option}={path}: {error}")))?;
        for (index, line) in text.lines().enumerate() {
            let wrong = |why| Usage(format!("--{option}={path}: line {}: {why}", index + 1));
            hints.extend(hint(line).map_err(wrong)?);
        }
    }
    match hints.iter().find(|(key, value)| key.is_empty() || value.is_empty() || has_zero(key, value)) {
        Some((key, _)) => Err(Usage(format!("the MPI hint `{key}` has no value or no name"))),
        None => Ok(hints),
    }
}

fn has_zero(key: &str, value: &str) -> bool {
    key.contains('\0') || value.contains('\0')
}

/// The hint of one line; none where the line is about something else.
fn hint(line: &str) -> Result<Option<(String, String)>, String> {
    let line = line.trim();
    if !line.starts_with("IOR_HINT") {
        return Ok(None);
    }
    let wrong = || format!("`{line}` is not of the form {}key=value", PREFIXES[0]);
    let rest = PREFIXES.iter().find_map(|prefix| line.strip_prefix(prefix)).ok_or_else(wrong)?;
    let (key, value) = rest.split_once('=').ok_or_else(wrong)?;
    let (key, value) = (key.trim(), value.trim());
    let (value, rest) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
    if key.is_empty() || value.is_empty() || !(rest.is_empty() || rest.trim_start().starts_with('#')) {
        return Err(wrong());
    }
    Ok(Some((key.to_owned(), value.to_owned())))
}

/// An `MPI_Info`, freed in the end.
pub(super) struct Info {
    library: &'static Library,
    /// For calls of MPI; `MPI_INFO_NULL` where there are no hints.
    pub(super) handle: Handle,
}

impl Info {
    /// The hints as MPI takes them.
    pub(super) fn new(library: &'static Library, hints: &Asked) -> io::Result<Self> {
        let mut info = Self { library, handle: library.constants.info_null };
        if hints.is_empty() {
            return Ok(info);
        }
        let mut handle = 0;
        // SAFETY: MPI runs, and the handle is ours.
        check(library, unsafe { (library.functions.info_create)(&raw mut handle) })?;
        info.handle = handle;
        for (key, value) in hints {
            let (key_text, value_text) = (CString::new(key.as_str())?, CString::new(value.as_str())?);
            // SAFETY: both texts end in a zero byte and outlive the call.
            let code =
                unsafe { (library.functions.info_set)(handle, key_text.as_ptr(), value_text.as_ptr()) };
            check(library, code).map_err(|error| io::Error::other(format!("hint {key}={value}: {error}")))?;
        }
        Ok(info)
    }

    /// The hints in effect of an open file.
    pub(super) fn of(library: &'static Library, file: Handle) -> io::Result<Self> {
        let mut handle = 0;
        // SAFETY: the file is open; the new handle is ours.
        check(library, unsafe { (library.functions.file_get_info)(file, &raw mut handle) })?;
        Ok(Self { library, handle })
    }

    /// All keys with their values, as the library orders them.
    pub(super) fn pairs(&self) -> io::Result<Vec<(String, String)>> {
        let functions = &self.library.functions;
        if self.handle == self.library.constants.info_null {
            return Ok(Vec::new());
        }
        let mut count: c_int = 0;
        // SAFETY: the handle is live.
        check(self.library, unsafe { (functions.info_get_nkeys)(self.handle, &raw mut count) })?;
        (0..count).map(|index| self.pair(index)).collect()
    }

    fn pair(&self, index: c_int) -> io::Result<(String, String)> {
        let (functions, mut key) = (&self.library.functions, [0_u8; KEY_ROOM]);
        let key_at = key.as_mut_ptr().cast();
        // SAFETY: the handle is live, and there is room for any library's longest key.
        check(self.library, unsafe { (functions.info_get_nthkey)(self.handle, index, key_at) })?;
        let (mut length, mut is_there): (c_int, c_int) = (0, 0);
        // SAFETY: the key was written by the library, with its zero byte.
        let code =
            unsafe { (functions.info_get_valuelen)(self.handle, key_at, &raw mut length, &raw mut is_there) };
        check(self.library, code)?;
        let mut value = vec![0_u8; length.max(0) as usize + 1];
        let value_at = value.as_mut_ptr().cast();
        // SAFETY: there is room for the value's length and its zero byte; a length of 0 is no call's.
        let code =
            unsafe { (functions.info_get)(self.handle, key_at, length.max(1), value_at, &raw mut is_there) };
        check(self.library, code)?;
        Ok((text(&key), text(&value)))
    }
}

/// The text up to its zero byte.
fn text(bytes: &[u8]) -> String {
    CStr::from_bytes_until_nul(bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

impl Drop for Info {
    fn drop(&mut self) {
        if self.handle != self.library.constants.info_null {
            // SAFETY: the handle is ours and not used afterwards.
            unsafe { (self.library.functions.info_free)(&raw mut self.handle) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn from_file(text: &str, given: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mut settings = Settings::default();
        given.iter().for_each(|(key, value)| settings.set(&format!("hint.{key}"), *value));
        settings.set("mpiio.hintsFileName", file.path().to_str().unwrap());
        asked("mpiio", &settings).map(|hints| hints.into_iter().collect()).map_err(|usage| usage.0)
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn the_file_wins_over_the_environment() {
        let text = "# a comment\nIOR_HINT__MPI__cb_nodes=4\n  IOR_HINT__GPFS__hint = x=1 # why\nother=1\n";
        let found = from_file(text, &[("cb_nodes", "2"), ("direct_io", "true")]).unwrap();
        assert_eq!(found, [pair("cb_nodes", "4"), pair("direct_io", "true"), pair("hint", "x=1")]);
    }

    #[test]
    fn a_line_that_means_a_hint_and_is_none_is_named_with_its_number() {
        for line in [
            "IOR_HINT__MPI__cb_nodes",
            "IOR_HINT__MPI__=4",
            "IOR_HINT__MPI__a=",
            "IOR_HINT_MPI_a=1",
            "IOR_HINT__MPI__a=1 2",
        ] {
            let error = from_file(&format!("# hints\n{line}\n"), &[]).unwrap_err();
            let what = format!("line 2: `{line}` is not of the form IOR_HINT__MPI__key=value");
            assert!(error.ends_with(&what), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_and_a_hint_without_a_value_are_refused() {
        let mut settings = Settings::default();
        settings.set("mpiio.hintsFileName", "/nowhere/hints");
        let error = asked("mpiio", &settings).unwrap_err().0;
        assert!(error.starts_with("--mpiio.hintsFileName=/nowhere/hints: No such file"), "{error}");
        assert!(from_file("", &[("cb_nodes", "")]).unwrap_err().contains("cb_nodes"));
    }
}
