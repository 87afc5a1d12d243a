//! The functions of MPI 4 that move data by a large count: twins of those of the same names. The second
//! halves of split calls have none.
//!
//! A library of an earlier standard lacks them.

use std::ffi::{c_int, c_void};

use libloading::os::unix::Library as Loaded;

use super::{Handle, Offset, Status};
use crate::loaded::function;

/// `MPI_Count`, which is wide enough for an `MPI_Offset`.
pub type MpiCount = i64;

/// Makes the table of functions, and the search for them.
macro_rules! large {
    ($($field:ident = $symbol:literal ($($name:ident: $kind:ty),* $(,)?);)*) => {
        /// The functions with a large count of a loaded MPI library, to be called as those of
        /// [`Functions`](super::Functions) are.
        #[derive(Clone, Debug)]
        pub struct LargeFunctions {
            $(#[doc = concat!("`", $symbol, "`")]
            pub $field: unsafe extern "C" fn($($name: $kind),*) -> c_int,)*
        }

        impl LargeFunctions {
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

large! {
    file_read = "MPI_File_read_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_read_all = "MPI_File_read_all_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_read_shared = "MPI_File_read_shared_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_read_ordered = "MPI_File_read_ordered_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_read_at = "MPI_File_read_at_c" (
        file: Handle, offset: Offset, into: *mut c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_read_at_all = "MPI_File_read_at_all_c" (
        file: Handle, offset: Offset, into: *mut c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_iread = "MPI_File_iread_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_iread_all = "MPI_File_iread_all_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_iread_shared = "MPI_File_iread_shared_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_iread_at = "MPI_File_iread_at_c" (
        file: Handle, offset: Offset, into: *mut c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_iread_at_all = "MPI_File_iread_at_all_c" (
        file: Handle, offset: Offset, into: *mut c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_read_all_begin = "MPI_File_read_all_begin_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle
    );
    file_read_ordered_begin = "MPI_File_read_ordered_begin_c" (
        file: Handle, into: *mut c_void, count: MpiCount, kind: Handle
    );
    file_read_at_all_begin = "MPI_File_read_at_all_begin_c" (
        file: Handle, offset: Offset, into: *mut c_void, count: MpiCount, kind: Handle
    );
    file_write = "MPI_File_write_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_write_all = "MPI_File_write_all_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_write_shared = "MPI_File_write_shared_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_write_ordered = "MPI_File_write_ordered_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_write_at = "MPI_File_write_at_c" (
        file: Handle, offset: Offset, from: *const c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_write_at_all = "MPI_File_write_at_all_c" (
        file: Handle, offset: Offset, from: *const c_void, count: MpiCount, kind: Handle, status: *mut Status
    );
    file_iwrite = "MPI_File_iwrite_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_iwrite_all = "MPI_File_iwrite_all_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_iwrite_shared = "MPI_File_iwrite_shared_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_iwrite_at = "MPI_File_iwrite_at_c" (
        file: Handle, offset: Offset, from: *const c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_iwrite_at_all = "MPI_File_iwrite_at_all_c" (
        file: Handle, offset: Offset, from: *const c_void, count: MpiCount, kind: Handle, request: *mut Handle
    );
    file_write_all_begin = "MPI_File_write_all_begin_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle
    );
    file_write_ordered_begin = "MPI_File_write_ordered_begin_c" (
        file: Handle, from: *const c_void, count: MpiCount, kind: Handle
    );
    file_write_at_all_begin = "MPI_File_write_at_all_begin_c" (
        file: Handle, offset: Offset, from: *const c_void, count: MpiCount, kind: Handle
    );
}
