//! Functions that are only counted: those of the C library on paths and directories, and those of MPI, HDF5
//! and PnetCDF on files. They have no injected fault.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

use crate::counts;
use crate::next::find;

/// Any function here: all its arguments are integers or addresses, and no function has more. It ignores what
/// it does not take.
type AnyFunction = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;

/// Defines functions of the C library that are counted and then called. `$how` counts by the first argument.
macro_rules! counted {
    ($how:path: $($name:ident)*) => { $(
        /// Counted.
        ///
        /// # Safety
        /// As the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> usize {
            static NEXT: OnceLock<AnyFunction> = OnceLock::new();
            $how(stringify!($name), a);
            let name = concat!(stringify!($name), "\0");
            let next = NEXT.get_or_init(|| find(CStr::from_bytes_with_nul(name.as_bytes()).unwrap()));
            // SAFETY: the arguments are passed on.
            unsafe { next(a, b, c, d, e, f) }
        }
    )* };
}

fn path(name: &'static str, path: usize) {
    counts::on_path(name, path as *const c_char);
}

fn descriptor(name: &'static str, descriptor: usize) {
    counts::on_descriptor(name, descriptor as c_int);
}

fn stream(name: &'static str, stream: usize) {
    // SAFETY: the caller passes an open stream of a directory.
    counts::on_descriptor(name, unsafe { libc::dirfd(stream as *mut libc::DIR) });
}

fn of_library(name: &'static str, _: usize) {
    counts::call(name);
}

counted! { path: stat lstat access mkdir rmdir mknod unlink rename link symlink opendir truncate statvfs }
counted! { descriptor: read lseek lseek64 fstat ftruncate64 }
counted! { stream: readdir closedir }
counted! { of_library:
    H5Fcreate H5Fopen H5Fclose H5Dwrite H5Dread
    ncmpi_create ncmpi_open ncmpi_close
    ncmpi_put_vara_schar ncmpi_put_vara_schar_all ncmpi_get_vara_schar ncmpi_get_vara_schar_all
    MPI_Init MPI_Init_thread MPI_File_open MPI_File_close MPI_File_delete MPI_File_sync MPI_File_set_view
    MPI_File_write_at MPI_File_write_at_all MPI_File_read_at MPI_File_read_at_all
    MPI_File_write MPI_File_write_all MPI_File_read MPI_File_read_all
}

/// `stat` of a program that was linked with a GNU C library before 2.33.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __xstat(version: c_int, path: *const c_char, into: *mut c_void) -> c_int {
    type Xstat = unsafe extern "C" fn(c_int, *const c_char, *mut c_void) -> c_int;
    counts::on_path("stat", path);
    // SAFETY: the arguments are passed on.
    unsafe { find::<Xstat>(c"__xstat")(version, path, into) }
}

/// `statx`, whose path is its second argument.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statx(
    dir: c_int,
    path: *const c_char,
    flags: c_int,
    mask: libc::c_uint,
    into: *mut c_void,
) -> c_int {
    type Statx = unsafe extern "C" fn(c_int, *const c_char, c_int, libc::c_uint, *mut c_void) -> c_int;
    counts::on_path("statx", path);
    // SAFETY: the arguments are passed on.
    unsafe { find::<Statx>(c"statx")(dir, path, flags, mask, into) }
}
