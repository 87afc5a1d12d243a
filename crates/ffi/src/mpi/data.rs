//! The functions of MPI that move data of files. All but the second halves of split calls have a twin in
//! MPI 4 whose count is large (`_c`); a library of an earlier standard lacks the twins.

use std::ffi::{c_int, c_void};

use libloading::os::unix::Library as Loaded;

use super::{Handle, Offset, Status};
use crate::loaded::function;

/// `MPI_Count`, which is wide enough for an `MPI_Offset`.
pub type MpiCount = i64;

/// Memory that a call writes from.
type WriteBuffer = *const c_void;
/// Memory that a call reads into.
type ReadBuffer = *mut c_void;

/// A call at a pointer of the file, which fills a status, or a request where it does not wait.
type PointerCall<Buffer, Count, End> =
    unsafe extern "C" fn(file: Handle, buffer: Buffer, count: Count, kind: Handle, end: *mut End) -> c_int;

/// The same at an offset.
type OffsetCall<Buffer, Count, End> = unsafe extern "C" fn(
    file: Handle,
    offset: Offset,
    buffer: Buffer,
    count: Count,
    kind: Handle,
    end: *mut End,
) -> c_int;

/// The first half of a collective call at a pointer of the file.
type PointerBegin<Buffer, Count> =
    unsafe extern "C" fn(file: Handle, buffer: Buffer, count: Count, kind: Handle) -> c_int;

/// The same at an offset.
type OffsetBegin<Buffer, Count> =
    unsafe extern "C" fn(file: Handle, offset: Offset, buffer: Buffer, count: Count, kind: Handle) -> c_int;

/// Makes the table of functions, and the search for them.
macro_rules! data_functions {
    ($($field:ident = $symbol:literal: $call:ty;)*) => {
        /// The functions that move data, to be called as those of [`Functions`](super::Functions) are: with
        /// counts that are a C `int`, or with large ones.
        #[derive(Clone, Debug)]
        pub struct DataFunctions<Count> {
            $(#[doc = concat!("`", $symbol, "`")]
            pub $field: $call,)*
        }

        impl<Count> DataFunctions<Count> {
            /// Finds every function in `loaded`, or says which one is missing; their names end in `suffix`.
            ///
            /// # Safety
            /// `Count` is the type of the counts of the functions with this suffix.
            pub(super) unsafe fn find(loaded: &Loaded, suffix: &str) -> Result<Self, String> {
                Ok(Self {
                    $(
                        // SAFETY: a line of the table below gives the function its type but for the count,
                        // which the caller gives.
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

    // Those that do not wait.
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

    // First halves of collective calls.
    file_read_all_begin = "MPI_File_read_all_begin": PointerBegin<ReadBuffer, Count>;
    file_read_ordered_begin = "MPI_File_read_ordered_begin": PointerBegin<ReadBuffer, Count>;
    file_read_at_all_begin = "MPI_File_read_at_all_begin": OffsetBegin<ReadBuffer, Count>;
    file_write_all_begin = "MPI_File_write_all_begin": PointerBegin<WriteBuffer, Count>;
    file_write_ordered_begin = "MPI_File_write_ordered_begin": PointerBegin<WriteBuffer, Count>;
    file_write_at_all_begin = "MPI_File_write_at_all_begin": OffsetBegin<WriteBuffer, Count>;
}
