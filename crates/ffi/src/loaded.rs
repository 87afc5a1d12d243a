//! Loading of any library: the file, its functions and its variables.
//!
//! Never here: what a library needs before it is loaded, and the meaning of its functions.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};

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

/// A library that stays loaded until the program ends.
#[derive(Debug)]
pub(crate) struct SharedLibrary {
    library: Library,
    /// All libraries in the order in which the loader searches them for a linked program. Preloaded ones come
    /// first. `None` if functions are taken from the library alone.
    in_order: Option<Library>,
}

/// Loads the library at `path`, or of that name in the system's search path, for this program alone. It is
/// leaked on purpose, also if it proves unusable: see the top of the crate.
///
/// # Safety
///
/// The constructors of the library run here, and must require nothing from the program.
pub(crate) unsafe fn open(path: &Path) -> Result<&'static SharedLibrary, LoadError> {
    // SAFETY: the caller guarantees it.
    let library = unsafe { load(path, RTLD_LOCAL) }?;
    Ok(Box::leak(Box::new(SharedLibrary { library, in_order: None })))
}

/// As [`open`], but for all libraries. A function that a preloaded library replaces is that of the preloaded
/// library, as in a program that is linked with the library at `path`. The preloaded library finds the
/// function that it replaces (`RTLD_NEXT`).
///
/// `anchor` is a symbol that no preloaded library replaces. If another library with this symbol comes first,
/// the preloaded ones belong to that library, and none of their functions is used. Handles of one library
/// must not reach the other.
///
/// # Safety
///
/// As for [`open`].
pub(crate) unsafe fn open_behind_preloaded(
    path: &Path,
    anchor: &str,
) -> Result<&'static SharedLibrary, LoadError> {
    // SAFETY: the caller guarantees it.
    let library = unsafe { load(path, RTLD_GLOBAL) }?;
    let in_order = Library::this();
    let first = symbol_address(&in_order, anchor);
    let in_order =
        first.is_some_and(|first| symbol_address(&library, anchor) == Some(first)).then_some(in_order);
    Ok(Box::leak(Box::new(SharedLibrary { library, in_order })))
}

unsafe fn load(path: &Path, scope: c_int) -> Result<Library, LoadError> {
    // SAFETY: the caller guarantees it.
    let loaded = unsafe { Library::open(Some(path), RTLD_NOW | scope) };
    loaded.map_err(|error| LoadError { library: path.to_owned(), why: words(&error) })
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
pub(crate) unsafe fn function<F: Copy>(loaded: &SharedLibrary, symbol: &str) -> Result<F, String> {
    // SAFETY: the caller guarantees it.
    let found = unsafe { loaded.library.get::<F>(symbol) };
    let found = found.map(|function| *function).map_err(|_| format!("has no symbol {symbol}"))?;
    // SAFETY: a library that replaces a function declares it in the same way.
    let replaced = loaded.in_order.as_ref().and_then(|all| unsafe { all.get::<F>(symbol) }.ok());
    Ok(replaced.map_or(found, |function| *function))
}

/// The address of `symbol` in the library itself; an error names the symbol.
pub(crate) fn address(loaded: &SharedLibrary, symbol: &str) -> Result<usize, String> {
    symbol_address(&loaded.library, symbol).ok_or_else(|| format!("has no symbol {symbol}"))
}

fn symbol_address(library: &Library, symbol: &str) -> Option<usize> {
    // SAFETY: the address is only looked up, never read or called here; a pointer is a suitable type for it.
    let found = unsafe { library.get::<*const std::ffi::c_void>(symbol) }.ok()?;
    (!found.is_null()).then(|| *found as usize)
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
            pub(super) fn find(loaded: &$crate::loaded::SharedLibrary) -> Result<Self, String> {
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

/// The version of the PnetCDF at `path`, as it names it. The call loads the library, which stays loaded.
pub fn pnetcdf_version(path: &Path) -> Result<String, LoadError> {
    // SAFETY: PnetCDF declares the function so (`pnetcdf.h`); its text is a constant.
    unsafe { library_text(path, "ncmpi_inq_libvers") }
}

/// The text that the function `symbol` of the library at `path` returns.
///
/// # Safety
///
/// The constructors of the library require nothing from the program. The function takes no arguments, and
/// its text is never freed.
unsafe fn library_text(path: &Path, symbol: &str) -> Result<String, LoadError> {
    let reject = |why| LoadError { library: path.to_owned(), why };
    // SAFETY: the caller guarantees it.
    let loaded = unsafe { open(path) }?;
    // SAFETY: the caller guarantees that the function is of this type.
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
        let libc = Path::new("libc.so.6");
        // SAFETY: the C library is loaded, and declares the function so (`gnu/libc-version.h`).
        let version = unsafe { library_text(libc, "gnu_get_libc_version") }.expect("glibc reports it");
        assert!(version.starts_with("2."), "{version}");
        let error = pnetcdf_version(libc).expect_err("libc has no such function");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol ncmpi_inq_libvers");
    }

    #[test]
    fn functions_of_libraries_that_come_first_replace_those_of_the_library_but_not_if_it_is_another() {
        let place = std::env::temp_dir().join(format!("assay-ffi-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        let (source, path) = (place.join("replaced.c"), place.join("libreplaced.so"));
        std::fs::write(&source, "int getppid(void) { return -7; }\nint only_here(void) { return 0; }\n")
            .unwrap();
        let built = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-o"])
            .args([&path, &source])
            .status()
            .expect("a C compiler links this program");
        assert!(built.success());
        let parent = |anchor| {
            // SAFETY: the library has no constructors.
            let loaded = unsafe { open_behind_preloaded(&path, anchor) }.unwrap();
            // SAFETY: it has this type in the C library and in the source above.
            let function: unsafe extern "C" fn() -> c_int = unsafe { function(loaded, "getppid") }.unwrap();
            // SAFETY: it takes no arguments.
            unsafe { function() }
        };
        assert_eq!(parent("getppid"), -7, "the C library comes first, and is another library");
        let real = std::os::unix::process::parent_id() as c_int;
        assert_eq!(parent("only_here"), real, "the C library comes first, and nothing before has the anchor");
        std::fs::remove_dir_all(&place).unwrap();
    }
}
