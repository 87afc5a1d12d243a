//! The parallel HDF5 library: its functions, and the identifiers of classes and types that it creates at
//! initialization. The declarations used here are the same in releases 1.10 to 1.14 and 2.x.
//!
//! Invariant: an [`Hdf5Library`] is complete and initialized, and prints no errors itself. It lives forever,
//! because HDF5 leaves a callback inside MPI.
//! Never here: the search for a library, the check whether it fits the running MPI, calls on files.
#![allow(unsafe_code)]

mod functions;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::path::Path;

use crate::loaded::{LoadError, SharedLibrary, address, function, open, open_behind_preloaded};
pub use functions::Functions;

/// `hid_t`, an identifier; negative if a call failed.
pub type Id = i64;

/// `hsize_t`, a size or position in elements, or in bytes of a file.
pub type Length = u64;

/// `haddr_t`, a position in a file, bytes.
pub type Address = u64;

/// `HADDR_UNDEF`: no position.
pub const NOWHERE: Address = Address::MAX;

/// The function that [`Functions::ewalk`] calls for each error.
pub type Visit = unsafe extern "C" fn(depth: c_uint, error: *const ErrorEntry, with: *mut c_void) -> c_int;

/// `H5P_DEFAULT`, `H5S_ALL` and `H5E_DEFAULT`, which are all zero.
pub const DEFAULT: Id = 0;
/// `H5F_ACC_RDONLY`
pub const READ_ONLY: c_uint = 0;
/// `H5F_ACC_RDWR`
pub const READ_WRITE: c_uint = 1;
/// `H5F_ACC_TRUNC`
pub const TRUNCATE: c_uint = 2;
/// `H5F_SCOPE_LOCAL`
pub const SCOPE_LOCAL: c_int = 0;
/// `H5S_SELECT_SET`
pub const SELECT_SET: c_int = 0;
/// `H5T_COMPOUND`: a type with several members.
pub const COMPOUND: c_int = 6;
/// `H5D_FILL_TIME_NEVER`
pub const FILL_NEVER: c_int = 1;
/// `H5FD_MPIO_INDEPENDENT`
pub const INDEPENDENT: c_int = 0;
/// `H5FD_MPIO_COLLECTIVE`
pub const COLLECTIVE: c_int = 1;
/// `H5D_MPIO_NO_COLLECTIVE`, an actual mode of a transfer.
pub const NO_COLLECTIVE: c_int = 0;
/// `H5D_MPIO_CHUNK_COLLECTIVE`, an actual mode: all ranks moved the chunks together.
pub const CHUNK_COLLECTIVE: c_int = 2;
/// `H5D_MPIO_CONTIGUOUS_COLLECTIVE`, an actual mode: the same for a contiguous dataset.
pub const CONTIGUOUS_COLLECTIVE: c_int = 4;
/// `H5E_WALK_UPWARD`: the innermost error first.
pub const WALK_UPWARD: c_int = 0;

/// The oldest release with 64-bit identifiers.
const OLDEST: (u32, u32) = (1, 10);
/// A variable that no preloaded library replaces.
const ANCHOR: &str = "H5T_NATIVE_INT_g";

/// One entry of the error stack (`H5E_error2_t`).
#[repr(C)]
#[derive(Debug)]
pub struct ErrorEntry {
    class: Id,
    major: Id,
    minor: Id,
    line: c_uint,
    function: *const c_char,
    file: *const c_char,
    words: *const c_char,
}

impl ErrorEntry {
    /// The library's message.
    ///
    /// # Safety
    /// The entry is one that HDF5 passed to a callback, and that callback has not ended.
    pub unsafe fn words(&self) -> String {
        if self.words.is_null() {
            return String::new();
        }
        // SAFETY: the text belongs to the library, ends in a zero byte and lives as long as the entry.
        unsafe { CStr::from_ptr(self.words) }.to_string_lossy().into_owned()
    }
}

/// The number of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 1 in 1.10.8.
    pub major: u32,
    /// 10 in 1.10.8.
    pub minor: u32,
    /// 8 in 1.10.8.
    pub release: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}.{}", self.major, self.minor, self.release)
    }
}

/// Identifiers that the library creates at initialization.
#[derive(Clone, Debug)]
pub struct Hdf5Constants {
    /// `H5P_FILE_ACCESS`
    pub file_access: Id,
    /// `H5P_DATASET_CREATE`
    pub dataset_create: Id,
    /// `H5P_DATASET_XFER`
    pub dataset_transfer: Id,
    /// `H5T_NATIVE_SCHAR`
    pub native_schar: Id,
    /// `H5T_NATIVE_INT`
    pub native_int: Id,
    /// `H5T_NATIVE_LLONG`
    pub native_llong: Id,
    /// `H5T_NATIVE_FLOAT`
    pub native_float: Id,
    /// `H5T_NATIVE_DOUBLE`
    pub native_double: Id,
    /// `H5T_C_S1`: a C text, of one byte unless a copy of it is made longer.
    pub text: Id,
}

/// A loaded and initialized HDF5 library.
#[derive(Debug)]
pub struct Hdf5Library {
    /// Its release.
    pub version: Version,
    /// Its functions.
    pub functions: Functions,
    /// Its identifiers.
    pub constants: Hdf5Constants,
}

impl Hdf5Library {
    /// Loads the library at `path` until the program ends. MPI must be running, and the library must be built
    /// on it.
    ///
    /// Fails if there is no such library, if it was built without MPI, or if it lacks a function.
    pub fn load(path: impl AsRef<Path>) -> Result<&'static Self, LoadError> {
        let path = path.as_ref();
        let reject = |why| LoadError { library: path.to_owned(), why };
        // SAFETY: the caller requests HDF5, whose constructors require nothing from the program.
        let loaded = unsafe { open_behind_preloaded(path, ANCHOR) }?;
        if address(loaded, "H5get_libversion").is_ok() && !is_parallel(loaded) {
            return Err(reject("is a serial build. Install a parallel build of HDF5".into()));
        }
        let functions = Functions::find(loaded).map_err(reject)?;
        let version = version_by(functions.get_libversion).map_err(reject)?;
        if (version.major, version.minor) < OLDEST {
            return Err(reject(format!("is HDF5 {version}. Install HDF5 1.10 or newer")));
        }
        let nothing = std::ptr::null();
        // SAFETY: these calls need only the loaded library. It ends with MPI, and not again at the end of the
        // program, when MPI may be gone. Its own printing of errors is switched off.
        let begun = unsafe {
            (functions.dont_atexit)();
            (functions.open)() >= 0 && (functions.eset_auto)(DEFAULT, nothing, nothing.cast_mut()) >= 0
        };
        if !begun {
            return Err(reject("could not be initialized".into()));
        }
        let constants = Hdf5Constants::find(loaded).map_err(reject)?;
        Ok(Box::leak(Box::new(Self { version, functions, constants })))
    }
}

/// The release of the library at `path`, and whether it was built with MPI. It stays loaded.
pub fn probe(path: &Path) -> Result<(Version, bool), LoadError> {
    let reject = |why| LoadError { library: path.to_owned(), why };
    // SAFETY: the caller requests HDF5, whose constructors require nothing from the program.
    let loaded = unsafe { open(path) }?;
    // SAFETY: HDF5 declares the function with the type that `version_by` takes.
    let ask = unsafe { function(loaded, "H5get_libversion") }.map_err(reject)?;
    let version = version_by(ask).map_err(reject)?;
    Ok((version, is_parallel(loaded)))
}

/// Whether the library was built with MPI.
fn is_parallel(loaded: &SharedLibrary) -> bool {
    address(loaded, "H5Pset_fapl_mpio").is_ok()
}

/// The release of the library that this function belongs to.
fn version_by(
    ask: unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint) -> c_int,
) -> Result<Version, String> {
    let [mut major, mut minor, mut release] = [0; 3];
    // SAFETY: the call writes into three local numbers.
    match unsafe { ask(&raw mut major, &raw mut minor, &raw mut release) } {
        0.. => Ok(Version { major, minor, release }),
        _ => Err("does not report its version".into()),
    }
}

impl Hdf5Constants {
    /// Reads every identifier, after the library is initialized.
    fn find(loaded: &SharedLibrary) -> Result<Self, String> {
        let id = |symbol: &str| {
            let at = address(loaded, symbol)? as *const Id;
            // SAFETY: HDF5 declares each of these as a variable of type `hid_t`, and has set it.
            Ok::<_, String>(unsafe { *at })
        };
        Ok(Self {
            file_access: id("H5P_CLS_FILE_ACCESS_ID_g")?,
            dataset_create: id("H5P_CLS_DATASET_CREATE_ID_g")?,
            dataset_transfer: id("H5P_CLS_DATASET_XFER_ID_g")?,
            native_schar: id("H5T_NATIVE_SCHAR_g")?,
            native_int: id("H5T_NATIVE_INT_g")?,
            native_llong: id("H5T_NATIVE_LLONG_g")?,
            native_float: id("H5T_NATIVE_FLOAT_g")?,
            native_double: id("H5T_NATIVE_DOUBLE_g")?,
            text: id("H5T_C_S1_g")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_a_library_that_is_missing_or_not_hdf5() {
        let error = Hdf5Library::load("/nowhere/libhdf5.so").expect_err("the file does not exist");
        assert!(error.to_string().starts_with("/nowhere/libhdf5.so: "), "{error}");
        let error = Hdf5Library::load("libc.so.6").expect_err("libc is not HDF5");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol H5dont_atexit");
        let error = probe(Path::new("libc.so.6")).expect_err("libc is not HDF5");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol H5get_libversion");
    }

    #[test]
    fn a_release_is_printed_with_dots_and_compared_by_its_numbers() {
        let version = |major, minor, release| Version { major, minor, release };
        assert_eq!(version(1, 10, 8).to_string(), "1.10.8");
        assert!(version(1, 8, 20) < version(1, 10, 0) && version(1, 14, 5) < version(2, 0, 0));
    }
}
