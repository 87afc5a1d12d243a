//! Questions to a library that nobody works with: they load it, and it stays loaded.
//!
//! Never here: a search, the process of its own in which one asks.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char};
use std::path::Path;

use libloading::os::unix::RTLD_LOCAL;

use crate::loaded::{LoadError, function, open};

/// What the function `symbol` of the library at `path` answers, which takes nothing and gives a text that
/// stays.
pub fn text(path: &Path, symbol: &str) -> Result<String, LoadError> {
    let refuse = |why| LoadError { library: path.to_owned(), why };
    // SAFETY: the caller asks for a library whose constructors ask nothing of the program.
    let loaded = unsafe { open(path, RTLD_LOCAL) }?;
    // SAFETY: the caller names a function of this type.
    let ask: Result<unsafe extern "C" fn() -> *const c_char, _> = unsafe { function(loaded, symbol) };
    let ask = ask.map_err(refuse)?;
    // SAFETY: it takes nothing, and needs no more than the loaded library.
    let answer = unsafe { ask() };
    if answer.is_null() {
        return Err(refuse(format!("{symbol} tells nothing")));
    }
    // SAFETY: a text that ends in a zero byte and stays as long as the library does.
    Ok(unsafe { CStr::from_ptr(answer) }.to_string_lossy().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_says_its_version_or_why_not() {
        let version = text(Path::new("libc.so.6"), "gnu_get_libc_version").expect("glibc tells");
        assert!(version.starts_with("2."), "{version}");
        let error = text(Path::new("libc.so.6"), "ncmpi_inq_libvers").expect_err("libc has none");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol ncmpi_inq_libvers");
    }
}
