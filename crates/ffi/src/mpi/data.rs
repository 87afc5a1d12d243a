//! The MPI functions that move data of files. All except the second halves of split calls have a variant with
//! a large count (`_c`) in MPI 4; libraries of older standards lack the variants.

use std::ffi::{c_int, c_void};

use super::{Handle, Offset, Status};
use crate::loaded::{SharedLibrary, function};

/// `MPI_Count`, which is large enough for an `MPI_Offset`.
pub type MpiCount = i64;

/// Memory that a call writes from.
type WriteBuffer = *const c_void;
/// Memory that a call reads into.
type ReadBuffer = *mut c_void;

/// A call at a file pointer; it fills a status, or a request if it does not wait.
type PointerCall<Buffer, Count, End> =
    unsafe extern "C" fn(file: Handle, buffer: Buffer, count: Count, kind: Handle, end: *mut End) -> c_int;

/// The same at an explicit offset.
type OffsetCall<Buffer, Count, End> = unsafe extern "C" fn(
    file: Handle,
    offset: Offset,
    buffer: Buffer,
    count: Count,
    kind: Handle,
    end: *mut End,
) -> c_int;

/// The first half of a split collective call at a file pointer.
type PointerBegin<Buffer, Count> =
    unsafe extern "C" fn(file: Handle, buffer: Buffer, count: Count, kind: Handle) -> c_int;

/// The same at an explicit offset.
type OffsetBegin<Buffer, Count> =
    unsafe extern "C" fn(file: Handle, offset: Offset, buffer: Buffer, count: Count, kind: Handle) -> c_int;

/// Makes the table of functions, and the search for them.
macro_rules! data_functions {
    ($($field:ident = $symbol:literal: $call:ty;)*) => {
        /// The functions that move data, with counts of C's `int` or with large ones. The rules for calls are
        /// those of [`Functions`](super::Functions).
        #[derive(Clone, Debug)]
        pub struct DataFunctions<Count> {
            $(#[doc = concat!("`", $symbol, "`")]
            pub $field: $call,)*
        }

        impl<Count> DataFunctions<Count> {
            /// Finds every function in `loaded`, or returns the missing one; their names end in `suffix`.
            ///
            /// # Safety
            /// `Count` is the type of the counts of the functions with this suffix.
            pub(super) unsafe fn find(loaded: &SharedLibrary, suffix: &str) -> Result<Self, String> {
                Ok(Self {
                    $(
                        // SAFETY: a line of the table below gives the function its type, except for the
                        // count, whose type the caller gives.
                        $field: unsafe { function(loaded, &[$symbol, suffix].concat()) }?,
                    )*
                })
            }
        }
    };
}

data_functions! {
    file_read = "MPI_File_read": PointerCall<ReadBuffer, Count, Status>;
    file_read_all = "MPI_File_read_all": PointerCall<ReadBuffer, Count, Status>;
    file_read_shared = "MPI_File_read_shared": PointerCall<ReadBuffer, Count, Status>;
    file_read_ordered = "MPI_File_read_ordered": PointerCall<ReadBuffer, Count, Status>;
    file_read_at = "MPI_File_read_at": OffsetCall<ReadBuffer, Count, Status>;
    file_read_at_all = "MPI_File_read_at_all": OffsetCall<ReadBuffer, Count, Status>;
    file_write = "MPI_File_write": PointerCall<WriteBuffer, Count, Status>;
    file_write_all = "MPI_File_write_all": PointerCall<WriteBuffer, Count, Status>;
    file_write_shared = "MPI_File_write_shared": PointerCall<WriteBuffer, Count, Status>;
    file_write_ordered = "MPI_File_write_ordered": PointerCall<WriteBuffer, Count, Status>;
    file_write_at = "MPI_File_write_at": OffsetCall<WriteBuffer, Count, Status>;
    file_write_at_all = "MPI_File_write_at_all": OffsetCall<WriteBuffer, Count, Status>;

    // Nonblocking calls.
    file_iread = "MPI_File_iread": PointerCall<ReadBuffer, Count, Handle>;
    file_iread_all = "MPI_File_iread_all": PointerCall<ReadBuffer, Count, Handle>;
    file_iread_shared = "MPI_File_iread_shared": PointerCall<ReadBuffer, Count, Handle>;
    file_iread_at = "MPI_File_iread_at": OffsetCall<ReadBuffer, Count, Handle>;
    file_iread_at_all = "MPI_File_iread_at_all": OffsetCall<ReadBuffer, Count, Handle>;
    file_iwrite = "MPI_File_iwrite": PointerCall<WriteBuffer, Count, Handle>;
    file_iwrite_all = "MPI_File_iwrite_all": PointerCall<WriteBuffer, Count, Handle>;
    file_iwrite_shared = "MPI_File_iwrite_shared": PointerCall<WriteBuffer, Count, Handle>;
    file_iwrite_at = "MPI_File_iwrite_at": OffsetCall<WriteBuffer, Count, Handle>;
    file_iwrite_at_all = "MPI_File_iwrite_at_all": OffsetCall<WriteBuffer, Count, Handle>;

    // First halves of split collective calls.
    file_read_all_begin = "MPI_File_read_all_begin": PointerBegin<ReadBuffer, Count>;
    file_read_ordered_begin = "MPI_File_read_ordered_begin": PointerBegin<ReadBuffer, Count>;
    file_read_at_all_begin = "MPI_File_read_at_all_begin": OffsetBegin<ReadBuffer, Count>;
    file_write_all_begin = "MPI_File_write_all_begin": PointerBegin<WriteBuffer, Count>;
    file_write_ordered_begin = "MPI_File_write_ordered_begin": PointerBegin<WriteBuffer, Count>;
    file_write_at_all_begin = "MPI_File_write_at_all_begin": OffsetBegin<WriteBuffer, Count>;
}
