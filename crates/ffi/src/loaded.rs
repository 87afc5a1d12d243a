//! What loading a library comes to, for every kind of it: the file, its functions and its variables.
//!
//! Never here: what a library needs before it is loaded, and what its functions mean.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library as Loaded, RTLD_LOCAL, RTLD_NOW};

/// Why a library is of no use, in words that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The library as it was asked for.
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

/// Loads the library at `path`, or of that name in the system's search path, for the rest of the program's
/// life; `scope` is `RTLD_GLOBAL` or `RTLD_LOCAL`. It is leaked on purpose, also when it turns out to be
/// useless: see the top of the crate.
///
/// # Safety
///
/// The constructors of the library run here, and ask nothing of the program.
pub(crate) unsafe fn open(path: &Path, scope: c_int) -> Result<&'static Loaded, LoadError> {
    // SAFETY: the caller's.
    let loaded = unsafe { Loaded::open(Some(path), RTLD_NOW | scope) };
    let reject = |error| LoadError { library: path.to_owned(), why: words(&error) };
    Ok(Box::leak(Box::new(loaded.map_err(reject)?)))
}

/// The loader's own words, without the name of our wrapper around it.
fn words(error: &libloading::Error) -> String {
    let inner = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    inner.lines().next().unwrap_or_default().to_owned()
}

/// The function `symbol` of `loaded`, as a pointer of type `F`, or words that name it.
///
/// # Safety
///
/// `F` is the type that the library gives to the function of this name.
pub(crate) unsafe fn function<F: Copy>(loaded: &Loaded, symbol: &str) -> Result<F, String> {
    // SAFETY: the caller's.
    let found = unsafe { loaded.get::<F>(symbol) };
    found.map(|function| *function).map_err(|_| format!("has no symbol {symbol}"))
}

/// The address of `symbol`, or words that name it.
pub(crate) fn address(loaded: &Loaded, symbol: &str) -> Result<usize, String> {
    // SAFETY: the address is only looked up, never read or called here; a pointer is a fit type for it.
    let found = unsafe { loaded.get::<*const std::ffi::c_void>(symbol) };
    match found {
        Ok(found) if !found.is_null() => Ok(*found as usize),
        _ => Err(format!("has no symbol {symbol}")),
    }
}

/// Makes a table of functions, and the search for them. Those of which no line says what they return give C's
/// `int`.
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
            /// Finds every function in `loaded`, or says which one is missing.
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
/// its text is never freed; the library is loaded for this question and stays loaded.
pub fn library_text(path: &Path, symbol: &str) -> Result<String, LoadError> {
    let reject = |why| LoadError { library: path.to_owned(), why };
    // SAFETY: the caller asks for a library whose constructors ask nothing of the program.
    let loaded = unsafe { open(path, RTLD_LOCAL) }?;
    // SAFETY: the caller names a function of this type.
    let ask: Result<unsafe extern "C" fn() -> *const c_char, _> = unsafe { function(loaded, symbol) };
    let ask = ask.map_err(reject)?;
    // SAFETY: it takes nothing, and needs no more than the loaded library.
    let answer = unsafe { ask() };
    if answer.is_null() {
        return Err(reject(format!("{symbol} tells nothing")));
    }
    // SAFETY: a text that ends in a zero byte and stays as long as the library does.
    Ok(unsafe { CStr::from_ptr(answer) }.to_string_lossy().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_says_its_version_or_why_not() {
        let version = library_text(Path::new("libc.so.6"), "gnu_get_libc_version").expect("glibc tells");
        assert!(version.starts_with("2."), "{version}");
        let error = library_text(Path::new("libc.so.6"), "ncmpi_inq_libvers").expect_err("libc has none");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol ncmpi_inq_libvers");
    }
}
