//! Loading of any library: the file, its functions and its variables.
//!
//! Never here: what a library needs before it is loaded, and the meaning of its functions.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library as Loaded, RTLD_LOCAL, RTLD_NOW};

/// Why a library cannot be used, with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The library as it was requested.
    pub library: PathBuf,
    /// What went wrong, such as the missing symbol.
    pub why: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.library.display(), self.why)
    }
}

impl std::error::Error for LoadError {}

/// Loads the library at `path`, or of that name in the system's search path, until the program ends; `scope`
/// is `RTLD_GLOBAL` or `RTLD_LOCAL`. It is leaked on purpose, also if it proves unusable: see the top of the
/// crate.
///
/// # Safety
///
/// The constructors of the library run here, and must require nothing from the program.
pub(crate) unsafe fn open(path: &Path, scope: c_int) -> Result<&'static Loaded, LoadError> {
    // SAFETY: the caller guarantees it.
    let loaded = unsafe { Loaded::open(Some(path), RTLD_NOW | scope) };
    let reject = |error| LoadError { library: path.to_owned(), why: words(&error) };
    Ok(Box::leak(Box::new(loaded.map_err(reject)?)))
}

/// The loader's own message, without the name of the wrapper crate.
fn words(error: &libloading::Error) -> String {
    let inner = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    inner.lines().next().unwrap_or_default().to_owned()
}

/// The function `symbol` of `loaded`, as a pointer of type `F`; an error names the symbol.
///
/// # Safety
///
/// `F` is the type that the library declares for the function of this name.
pub(crate) unsafe fn function<F: Copy>(loaded: &Loaded, symbol: &str) -> Result<F, String> {
    // SAFETY: the caller guarantees it.
    let found = unsafe { loaded.get::<F>(symbol) };
    found.map(|function| *function).map_err(|_| format!("has no symbol {symbol}"))
}

/// The address of `symbol`; an error names the symbol.
pub(crate) fn address(loaded: &Loaded, symbol: &str) -> Result<usize, String> {
    // SAFETY: the address is only looked up, never read or called here; a pointer is a suitable type for it.
    let found = unsafe { loaded.get::<*const std::ffi::c_void>(symbol) };
    match found {
        Ok(found) if !found.is_null() => Ok(*found as usize),
        _ => Err(format!("has no symbol {symbol}")),
    }
}

/// Makes a table of functions, and the search for them. A line without a return type declares C's `int`.
macro_rules! functions {
    (@) => { ::std::ffi::c_int };
    (@ $gives:ty) => { $gives };
    (
        $(#[$about:meta])*
        $($field:ident = $symbol:literal ($($name:ident: $kind:ty),* $(,)?) $(-> $gives:ty)?;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct Functions {
            $(#[doc = concat!("`", $symbol, "`")]
            pub $field: unsafe extern "C" fn($($name: $kind),*) -> functions!(@ $($gives)?),)*
        }

        impl Functions {
            /// Finds every function in `loaded`, or returns the missing one.
            pub(super) fn find(loaded: &libloading::os::unix::Library) -> Result<Self, String> {
                Ok(Self {
                    $(
                        // SAFETY: a line of the table gives the function its type.
                        $field: unsafe { $crate::loaded::function(loaded, $symbol) }?,
                    )*
                })
            }
        }
    };
}
pub(crate) use functions;

/// The text that the function `symbol` of the library at `path` returns. The function takes no arguments, and
/// its text is never freed. The call loads the library, which stays loaded.
pub fn library_text(path: &Path, symbol: &str) -> Result<String, LoadError> {
    let reject = |why| LoadError { library: path.to_owned(), why };
    // SAFETY: the caller requests a library whose constructors require nothing from the program.
    let loaded = unsafe { open(path, RTLD_LOCAL) }?;
    // SAFETY: the caller names a function of this type.
    let ask: Result<unsafe extern "C" fn() -> *const c_char, _> = unsafe { function(loaded, symbol) };
    let ask = ask.map_err(reject)?;
    // SAFETY: it takes no arguments, and needs only the loaded library.
    let answer = unsafe { ask() };
    if answer.is_null() {
        return Err(reject(format!("{symbol} returns no text")));
    }
    // SAFETY: the text ends in a zero byte and stays as long as the library does.
    Ok(unsafe { CStr::from_ptr(answer) }.to_string_lossy().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_reports_its_version_or_an_error() {
        let version =
            library_text(Path::new("libc.so.6"), "gnu_get_libc_version").expect("glibc reports its version");
        assert!(version.starts_with("2."), "{version}");
        let error =
            library_text(Path::new("libc.so.6"), "ncmpi_inq_libvers").expect_err("libc has no such function");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol ncmpi_inq_libvers");
    }
}
