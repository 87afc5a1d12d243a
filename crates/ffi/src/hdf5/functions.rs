//! The functions of HDF5, as C declares them: one line each, name, arguments and what comes back.
//!
//! Adding one is adding its line. A library that lacks one is refused when it is loaded.
//!
//! Never here: constants, calls.

use std::ffi::{c_char, c_int, c_uint, c_void};

use libloading::os::unix::Library as Loaded;

use super::{Address, Id, Length, Visit};
use crate::loaded::function;
use crate::mpi::Handle;

/// Makes the table of functions, and the search for them.
macro_rules! functions {
    ($($field:ident = $symbol:literal ($($name:ident: $kind:ty),* $(,)?) -> $answer:ty;)*) => {
        /// The functions of a loaded HDF5 library. Those that answer with an [`Id`] or a number of C give
        /// a negative one where they failed, and leave the reason on the library's stack of errors.
        ///
        /// Calling one is `unsafe`: identifiers and pointers must be live and fit the counts, MPI must run
        /// as long as a file is open, and calls that change a shared file are made by all of its ranks.
        #[derive(Clone, Debug)]
        pub struct Functions {
            $(#[doc = concat!("`", $symbol, "`")]
            pub $field: unsafe extern "C" fn($($name: $kind),*) -> $answer,)*
        }

        impl Functions {
            /// Finds every function in `loaded`, or says which one is missing.
            pub(super) fn find(loaded: &Loaded) -> Result<Self, String> {
                Ok(Self {
                    $(
                        // SAFETY: a line of the table below gives the function its type.
                        $field: unsafe { function(loaded, $symbol) }?,
                    )*
                })
            }
        }
    };
}

functions! {
    // The library.
    dont_atexit = "H5dont_atexit" () -> c_int;
    open = "H5open" () -> c_int;
    get_libversion = "H5get_libversion" (
        major: *mut c_uint, minor: *mut c_uint, release: *mut c_uint
    ) -> c_int;

    // Errors.
    eset_auto = "H5Eset_auto2" (stack: Id, print: *const c_void, with: *mut c_void) -> c_int;
    ewalk = "H5Ewalk2" (stack: Id, direction: c_int, visit: Visit, with: *mut c_void) -> c_int;

    // Property lists.
    pcreate = "H5Pcreate" (class: Id) -> Id;
    pclose = "H5Pclose" (list: Id) -> c_int;
    pset_fapl_mpio = "H5Pset_fapl_mpio" (list: Id, comm: Handle, info: Handle) -> c_int;
    pset_alignment = "H5Pset_alignment" (list: Id, threshold: Length, alignment: Length) -> c_int;
    pset_all_coll_metadata_ops = "H5Pset_all_coll_metadata_ops" (list: Id, on: bool) -> c_int;
    pset_coll_metadata_write = "H5Pset_coll_metadata_write" (list: Id, on: bool) -> c_int;
    pset_chunk = "H5Pset_chunk" (list: Id, dimensions: c_int, sizes: *const Length) -> c_int;
    pset_fill_time = "H5Pset_fill_time" (list: Id, when: c_int) -> c_int;
    pset_dxpl_mpio = "H5Pset_dxpl_mpio" (list: Id, mode: c_int) -> c_int;
    pget_mpio_actual_io_mode = "H5Pget_mpio_actual_io_mode" (list: Id, mode: *mut c_int) -> c_int;

    // Files.
    fcreate = "H5Fcreate" (path: *const c_char, flags: c_uint, creation: Id, access: Id) -> Id;
    fopen = "H5Fopen" (path: *const c_char, flags: c_uint, access: Id) -> Id;
    fflush = "H5Fflush" (object: Id, scope: c_int) -> c_int;
    fget_vfd_handle = "H5Fget_vfd_handle" (file: Id, access: Id, handle: *mut *mut c_void) -> c_int;
    fget_filesize = "H5Fget_filesize" (file: Id, size: *mut Length) -> c_int;
    fclose = "H5Fclose" (file: Id) -> c_int;

    // Names.
    lexists = "H5Lexists" (place: Id, name: *const c_char, access: Id) -> c_int;

    // Spaces.
    screate_simple = "H5Screate_simple" (dimensions: c_int, sizes: *const Length, most: *const Length) -> Id;
    sselect_hyperslab = "H5Sselect_hyperslab" (
        space: Id, how: c_int, start: *const Length, stride: *const Length, count: *const Length,
        block: *const Length
    ) -> c_int;
    sget_simple_extent_ndims = "H5Sget_simple_extent_ndims" (space: Id) -> c_int;
    sget_simple_extent_dims = "H5Sget_simple_extent_dims" (
        space: Id, sizes: *mut Length, most: *mut Length
    ) -> c_int;
    sclose = "H5Sclose" (space: Id) -> c_int;

    // Types.
    tcopy = "H5Tcopy" (kind: Id) -> Id;
    tset_size = "H5Tset_size" (kind: Id, bytes: usize) -> c_int;
    tcreate = "H5Tcreate" (class: c_int, bytes: usize) -> Id;
    tinsert = "H5Tinsert" (kind: Id, name: *const c_char, offset: usize, member: Id) -> c_int;
    tequal = "H5Tequal" (one: Id, other: Id) -> c_int;
    tclose = "H5Tclose" (kind: Id) -> c_int;

    // Datasets.
    dcreate = "H5Dcreate2" (
        place: Id, name: *const c_char, kind: Id, space: Id, links: Id, creation: Id, access: Id
    ) -> Id;
    dopen = "H5Dopen2" (place: Id, name: *const c_char, access: Id) -> Id;
    dget_space = "H5Dget_space" (set: Id) -> Id;
    dget_type = "H5Dget_type" (set: Id) -> Id;
    dget_offset = "H5Dget_offset" (set: Id) -> Address;
    dwrite = "H5Dwrite" (
        set: Id, kind: Id, memory: Id, file: Id, transfer: Id, from: *const c_void
    ) -> c_int;
    dread = "H5Dread" (set: Id, kind: Id, memory: Id, file: Id, transfer: Id, into: *mut c_void) -> c_int;
    dclose = "H5Dclose" (set: Id) -> c_int;
}
