//! The functions of HDF5 as C declares them, one line each: name, arguments, and the return type if it is not
//! C's `int`.
//!
//! To add a function, add its line. A library that lacks one is rejected when it is loaded.
//!
//! Never here: constants, calls.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::{Address, Id, Length, Visit};
use crate::loaded::functions;
use crate::mpi::Handle;

functions! {
    /// The functions of a loaded HDF5 library. Those that return an [`Id`] or a C number return a negative
    /// one on failure, and leave the reason on the library's error stack.
    ///
    /// Calling one is `unsafe`. Identifiers and pointers must be live and fit the counts. MPI must run as
    /// long as a file is open. All ranks of a shared file must make the calls that change it.

    // The library.
    dont_atexit = "H5dont_atexit" ();
    open = "H5open" ();
    get_libversion = "H5get_libversion" (major: *mut c_uint, minor: *mut c_uint, release: *mut c_uint);

    // Errors.
    eset_auto = "H5Eset_auto2" (stack: Id, print: *const c_void, with: *mut c_void);
    ewalk = "H5Ewalk2" (stack: Id, direction: c_int, visit: Visit, with: *mut c_void);

    // Property lists.
    pcreate = "H5Pcreate" (class: Id) -> Id;
    pclose = "H5Pclose" (list: Id);
    pset_fapl_mpio = "H5Pset_fapl_mpio" (list: Id, comm: Handle, info: Handle);
    pset_alignment = "H5Pset_alignment" (list: Id, threshold: Length, alignment: Length);
    pset_all_coll_metadata_ops = "H5Pset_all_coll_metadata_ops" (list: Id, on: bool);
    pset_coll_metadata_write = "H5Pset_coll_metadata_write" (list: Id, on: bool);
    pset_chunk = "H5Pset_chunk" (list: Id, dimensions: c_int, sizes: *const Length);
    pset_fill_time = "H5Pset_fill_time" (list: Id, when: c_int);
    pset_dxpl_mpio = "H5Pset_dxpl_mpio" (list: Id, mode: c_int);
    pget_mpio_actual_io_mode = "H5Pget_mpio_actual_io_mode" (list: Id, mode: *mut c_int);

    // Files.
    fcreate = "H5Fcreate" (path: *const c_char, flags: c_uint, creation: Id, access: Id) -> Id;
    fopen = "H5Fopen" (path: *const c_char, flags: c_uint, access: Id) -> Id;
    fflush = "H5Fflush" (object: Id, scope: c_int);
    fget_vfd_handle = "H5Fget_vfd_handle" (file: Id, access: Id, handle: *mut *mut c_void);
    fget_filesize = "H5Fget_filesize" (file: Id, size: *mut Length);
    fclose = "H5Fclose" (file: Id);

    // Links.
    lexists = "H5Lexists" (place: Id, name: *const c_char, access: Id);

    // Dataspaces.
    screate_simple = "H5Screate_simple" (dimensions: c_int, sizes: *const Length, most: *const Length) -> Id;
    sselect_hyperslab = "H5Sselect_hyperslab" (
        space: Id, how: c_int, start: *const Length, stride: *const Length, count: *const Length,
        block: *const Length
    );
    sget_simple_extent_ndims = "H5Sget_simple_extent_ndims" (space: Id);
    sget_simple_extent_dims = "H5Sget_simple_extent_dims" (space: Id, sizes: *mut Length, most: *mut Length);
    sclose = "H5Sclose" (space: Id);

    // Types.
    tcopy = "H5Tcopy" (kind: Id) -> Id;
    tset_size = "H5Tset_size" (kind: Id, bytes: usize);
    tcreate = "H5Tcreate" (class: c_int, bytes: usize) -> Id;
    tinsert = "H5Tinsert" (kind: Id, name: *const c_char, offset: usize, member: Id);
    tequal = "H5Tequal" (one: Id, other: Id);
    tclose = "H5Tclose" (kind: Id);

    // Datasets.
    dcreate = "H5Dcreate2" (
        place: Id, name: *const c_char, kind: Id, space: Id, links: Id, creation: Id, access: Id
    ) -> Id;
    dopen = "H5Dopen2" (place: Id, name: *const c_char, access: Id) -> Id;
    dget_space = "H5Dget_space" (set: Id) -> Id;
    dget_type = "H5Dget_type" (set: Id) -> Id;
    dget_offset = "H5Dget_offset" (set: Id) -> Address;
    dwrite = "H5Dwrite" (set: Id, kind: Id, memory: Id, file: Id, transfer: Id, from: *const c_void);
    dread = "H5Dread" (set: Id, kind: Id, memory: Id, file: Id, transfer: Id, into: *mut c_void);
    dclose = "H5Dclose" (set: Id);
}
