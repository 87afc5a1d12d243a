//! The PnetCDF library: its functions and constants, checked against `pnetcdf.h` of 1.12.3 and 1.15.
//!
//! Its files are MPI files: communicators, hints and offsets are passed as in [`crate::mpi`]. A call is
//! allowed only while the MPI that the library is built on is running.
//!
//! Invariant: a [`PnetcdfLibrary`] is complete (every function was found) and lives forever.
//! Never here: the search for a library, errors of its calls.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int};
use std::path::Path;

use crate::loaded::{LoadError, SharedLibrary, function, functions, open_behind_preloaded};
use crate::mpi::{Handle, Offset};

/// A function that no preloaded library replaces.
const ANCHOR: &str = "ncmpi_inq_libvers";
/// `NC_NOERR`
pub const NO_ERROR: c_int = 0;
/// `NC_CLOBBER`: an existing file is replaced.
pub const CLOBBER: c_int = 0;
/// `NC_64BIT_DATA`: format CDF-5.
pub const CDF5: c_int = 0x20;
/// `NC_NOWRITE`: open for reading.
pub const READ_ONLY: c_int = 0;
/// `NC_WRITE`: open for reading and writing.
pub const WRITE: c_int = 1;
/// `NC_UNLIMITED`: the length of the unlimited dimension.
pub const UNLIMITED: Offset = 0;
/// `NC_GLOBAL`: attributes of the file.
pub const GLOBAL: c_int = -1;
/// `NC_BYTE`: 1 byte, signed.
pub const BYTE: c_int = 1;
/// `NC_INT`: 4 bytes, signed.
pub const INT: c_int = 4;
/// `NC_FLOAT`: 4 bytes.
pub const FLOAT: c_int = 5;
/// `NC_DOUBLE`: 8 bytes.
pub const DOUBLE: c_int = 6;
/// `NC_ENOTVAR`: the file has no variable of this name.
pub const ERROR_NO_VARIABLE: c_int = -49;
/// `NC_EACCESS`
pub const ERROR_ACCESS: c_int = -77;
/// `NC_ENOENT`: the file does not exist.
pub const ERROR_NO_FILE: c_int = -220;
/// `NC_ENO_SPACE`
pub const ERROR_NO_SPACE: c_int = -224;

functions! {
    /// The functions of a loaded PnetCDF library, except those that move data. Each returns 0 or a code,
    /// negative for its own errors.
    ///
    /// Calling one is `unsafe`: MPI must be initialized and not finalized, and pointers must be live and fit
    /// the counts.

    strerror = "ncmpi_strerror" (code: c_int) -> *const c_char;
    inq_libvers = "ncmpi_inq_libvers" () -> *const c_char;

    // Files.
    create = "ncmpi_create" (
        comm: Handle, path: *const c_char, mode: c_int, info: Handle, file: *mut c_int
    );
    open = "ncmpi_open" (comm: Handle, path: *const c_char, mode: c_int, info: Handle, file: *mut c_int);
    enddef = "ncmpi_enddef" (file: c_int);
    begin_indep_data = "ncmpi_begin_indep_data" (file: c_int);
    end_indep_data = "ncmpi_end_indep_data" (file: c_int);
    sync = "ncmpi_sync" (file: c_int);
    close = "ncmpi_close" (file: c_int);
    inq_file_info = "ncmpi_inq_file_info" (file: c_int, info: *mut Handle);
    inq_put_size = "ncmpi_inq_put_size" (file: c_int, bytes: *mut Offset);
    inq_malloc_size = "ncmpi_inq_malloc_size" (bytes: *mut Offset);
    inq_malloc_max_size = "ncmpi_inq_malloc_max_size" (bytes: *mut Offset);

    // Definition.
    def_dim = "ncmpi_def_dim" (file: c_int, name: *const c_char, length: Offset, dimension: *mut c_int);
    def_var = "ncmpi_def_var" (
        file: c_int, name: *const c_char, kind: c_int, count: c_int, dimensions: *const c_int,
        variable: *mut c_int
    );
    put_att_text = "ncmpi_put_att_text" (
        file: c_int, variable: c_int, name: *const c_char, length: Offset, text: *const c_char
    );
    put_att_int = "ncmpi_put_att_int" (
        file: c_int, variable: c_int, name: *const c_char, kind: c_int, count: Offset, from: *const c_int
    );
    put_att_double = "ncmpi_put_att_double" (
        file: c_int, variable: c_int, name: *const c_char, kind: c_int, count: Offset, from: *const f64
    );

    // Queries.
    inq_varid = "ncmpi_inq_varid" (file: c_int, name: *const c_char, variable: *mut c_int);
    inq_vartype = "ncmpi_inq_vartype" (file: c_int, variable: c_int, kind: *mut c_int);
    inq_varndims = "ncmpi_inq_varndims" (file: c_int, variable: c_int, count: *mut c_int);
    inq_vardimid = "ncmpi_inq_vardimid" (file: c_int, variable: c_int, dimensions: *mut c_int);
    inq_dimlen = "ncmpi_inq_dimlen" (file: c_int, dimension: c_int, length: *mut Offset);
    inq_varoffset = "ncmpi_inq_varoffset" (file: c_int, variable: c_int, offset: *mut Offset);

    // Waiting for requests.
    wait = "ncmpi_wait" (file: c_int, count: c_int, requests: *mut c_int, statuses: *mut c_int);
    wait_all = "ncmpi_wait_all" (file: c_int, count: c_int, requests: *mut c_int, statuses: *mut c_int);
    buffer_attach = "ncmpi_buffer_attach" (file: c_int, bytes: Offset);
    buffer_detach = "ncmpi_buffer_detach" (file: c_int);
}

/// Moves a part of an array.
type MoveVara<Buffer> = unsafe extern "C" fn(
    file: c_int,
    variable: c_int,
    start: *const Offset,
    count: *const Offset,
    buffer: Buffer,
) -> c_int;

/// Accepts a part of an array, which a later wait moves.
type PostVara<T> = unsafe extern "C" fn(
    file: c_int,
    variable: c_int,
    start: *const Offset,
    count: *const Offset,
    from: *const T,
    request: *mut c_int,
) -> c_int;

/// The functions that move data of one type. The rules for calls are those of [`Functions`]. A buffer given
/// to `iput` belongs to the library until its request has been waited for.
#[derive(Clone, Debug)]
pub struct VaraFunctions<T> {
    /// `ncmpi_put_vara_TYPE`
    pub put: MoveVara<*const T>,
    /// `ncmpi_put_vara_TYPE_all`
    pub put_all: MoveVara<*const T>,
    /// `ncmpi_get_vara_TYPE`
    pub get: MoveVara<*mut T>,
    /// `ncmpi_get_vara_TYPE_all`
    pub get_all: MoveVara<*mut T>,
    /// `ncmpi_iput_vara_TYPE`: from the caller's memory.
    pub iput: PostVara<T>,
    /// `ncmpi_bput_vara_TYPE`: from a copy.
    pub bput: PostVara<T>,
}

impl<T> VaraFunctions<T> {
    /// Finds every function in `loaded`, or returns the missing one.
    ///
    /// # Safety
    /// `kind` is PnetCDF's name of the C type `T`.
    unsafe fn find(loaded: &SharedLibrary, kind: &str) -> Result<Self, String> {
        // SAFETY: PnetCDF declares the functions with these types for each of its data types.
        unsafe {
            Ok(Self {
                put: function(loaded, &format!("ncmpi_put_vara_{kind}"))?,
                put_all: function(loaded, &format!("ncmpi_put_vara_{kind}_all"))?,
                get: function(loaded, &format!("ncmpi_get_vara_{kind}"))?,
                get_all: function(loaded, &format!("ncmpi_get_vara_{kind}_all"))?,
                iput: function(loaded, &format!("ncmpi_iput_vara_{kind}"))?,
                bput: function(loaded, &format!("ncmpi_bput_vara_{kind}"))?,
            })
        }
    }
}

/// A loaded PnetCDF library.
#[derive(Debug)]
pub struct PnetcdfLibrary {
    /// Its functions.
    pub functions: Functions,
    /// The functions that move bytes.
    pub schar: VaraFunctions<i8>,
    /// The functions that move integers.
    pub int: VaraFunctions<c_int>,
    /// The functions that move numbers in single precision.
    pub float: VaraFunctions<f32>,
    /// The functions that move numbers in double precision.
    pub double: VaraFunctions<f64>,
}

impl PnetcdfLibrary {
    /// Loads the library at `path`, or of that name in the system's search path, until the program ends. The
    /// MPI library that it is built on must be loaded already.
    ///
    /// Fails if there is no such library, or if it lacks a function.
    pub fn load(path: impl AsRef<Path>) -> Result<&'static Self, LoadError> {
        let path = path.as_ref();
        let reject = |why| LoadError { library: path.to_owned(), why };
        // SAFETY: the caller requests PnetCDF. Its constructors, and those of the MPI and Fortran libraries
        // that it uses, require nothing from the program.
        let loaded = unsafe { open_behind_preloaded(path, ANCHOR) }?;
        // SAFETY: each function is looked up by the name of its type.
        let found = || unsafe {
            Ok(Self {
                functions: Functions::find(loaded)?,
                schar: VaraFunctions::find(loaded, "schar")?,
                int: VaraFunctions::find(loaded, "int")?,
                float: VaraFunctions::find(loaded, "float")?,
                double: VaraFunctions::find(loaded, "double")?,
            })
        };
        Ok(Box::leak(Box::new(found().map_err(reject)?)))
    }

    /// The library's own version text, such as `1.12.3 of 21 Feb 2022`.
    pub fn version(&self) -> String {
        // SAFETY: the call needs no MPI and returns a text of the library.
        unsafe { text((self.functions.inq_libvers)()) }
    }

    /// The library's message for an error code.
    pub fn error_text(&self, code: c_int) -> String {
        // SAFETY: every code has a text of the library.
        unsafe { text((self.functions.strerror)(code)) }
    }
}

/// The text at `at`.
///
/// # Safety
/// `at` is null or a text that ends in a zero byte.
unsafe fn text(at: *const c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: the caller guarantees it.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_pnetcdf_is_rejected_with_the_missing_symbol() {
        let error = PnetcdfLibrary::load("libc.so.6").expect_err("libc is not PnetCDF");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol ncmpi_strerror");
    }
}
