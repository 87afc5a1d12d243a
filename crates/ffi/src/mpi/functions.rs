//! The functions of MPI as C declares them, one line each: name and arguments. A line without a return type
//! returns a code.
//!
//! To add a function, add its line. A library that lacks one is rejected when it is loaded.
//!
//! Never here: constants, calls, the functions that move data of files (`data`).

use std::ffi::{c_char, c_int, c_void};

use super::{Handle, Offset, Status};
use crate::loaded::functions;

functions! {
    /// The functions of a loaded MPI library; each except `MPI_Wtime` returns 0 or an error code.
    ///
    /// Calling one is `unsafe`. MPI must be initialized and not finalized, and handles and pointers must be
    /// live and fit the counts. A buffer of a nonblocking call must stay valid until its request has ended.

    // Start and end.
    init_thread = "MPI_Init_thread" (
        argc: *mut c_int, argv: *mut *mut *mut c_char, wanted: c_int, given: *mut c_int
    );
    initialized = "MPI_Initialized" (flag: *mut c_int);
    finalize = "MPI_Finalize" ();
    abort = "MPI_Abort" (comm: Handle, code: c_int);
    error_string = "MPI_Error_string" (code: c_int, text: *mut c_char, length: *mut c_int);
    error_class = "MPI_Error_class" (code: c_int, class: *mut c_int);
    get_version = "MPI_Get_version" (version: *mut c_int, subversion: *mut c_int);
    get_library_version = "MPI_Get_library_version" (text: *mut c_char, length: *mut c_int);
    get_processor_name = "MPI_Get_processor_name" (name: *mut c_char, length: *mut c_int);
    // Seconds since an arbitrary time in the past.
    wtime = "MPI_Wtime" () -> f64;

    // Communicators.
    comm_rank = "MPI_Comm_rank" (comm: Handle, rank: *mut c_int);
    comm_size = "MPI_Comm_size" (comm: Handle, size: *mut c_int);
    comm_idup = "MPI_Comm_idup" (comm: Handle, new: *mut Handle, request: *mut Handle);
    comm_split = "MPI_Comm_split" (comm: Handle, color: c_int, key: c_int, new: *mut Handle);
    comm_split_type = "MPI_Comm_split_type" (
        comm: Handle, kind: c_int, key: c_int, info: Handle, new: *mut Handle
    );
    comm_free = "MPI_Comm_free" (comm: *mut Handle);
    comm_set_errhandler = "MPI_Comm_set_errhandler" (comm: Handle, handler: Handle);
    comm_group = "MPI_Comm_group" (comm: Handle, group: *mut Handle);
    group_compare = "MPI_Group_compare" (one: Handle, other: Handle, result: *mut c_int);
    group_free = "MPI_Group_free" (group: *mut Handle);

    // Messages.
    isend = "MPI_Isend" (
        from: *const c_void, count: c_int, kind: Handle, to: c_int, tag: c_int, comm: Handle,
        request: *mut Handle
    );
    irecv = "MPI_Irecv" (
        into: *mut c_void, count: c_int, kind: Handle, from: c_int, tag: c_int, comm: Handle,
        request: *mut Handle
    );
    iprobe = "MPI_Iprobe" (from: c_int, tag: c_int, comm: Handle, flag: *mut c_int, status: *mut Status);
    test = "MPI_Test" (request: *mut Handle, flag: *mut c_int, status: *mut Status);
    wait = "MPI_Wait" (request: *mut Handle, status: *mut Status);
    waitall = "MPI_Waitall" (count: c_int, requests: *mut Handle, statuses: *mut Status);
    waitany = "MPI_Waitany" (count: c_int, requests: *mut Handle, index: *mut c_int, status: *mut Status);
    waitsome = "MPI_Waitsome" (
        count: c_int, requests: *mut Handle, ended: *mut c_int, indices: *mut c_int, statuses: *mut Status
    );
    testall = "MPI_Testall" (count: c_int, requests: *mut Handle, flag: *mut c_int, statuses: *mut Status);
    testany = "MPI_Testany" (
        count: c_int, requests: *mut Handle, index: *mut c_int, flag: *mut c_int, status: *mut Status
    );
    testsome = "MPI_Testsome" (
        count: c_int, requests: *mut Handle, ended: *mut c_int, indices: *mut c_int, statuses: *mut Status
    );
    get_count = "MPI_Get_count" (status: *const Status, kind: Handle, count: *mut c_int);
    get_elements = "MPI_Get_elements" (status: *const Status, kind: Handle, count: *mut c_int);
    get_elements_x = "MPI_Get_elements_x" (status: *const Status, kind: Handle, count: *mut Offset);
    cancel = "MPI_Cancel" (request: *mut Handle);
    test_cancelled = "MPI_Test_cancelled" (status: *const Status, flag: *mut c_int);
    request_free = "MPI_Request_free" (request: *mut Handle);

    // Nonblocking collectives.
    ibarrier = "MPI_Ibarrier" (comm: Handle, request: *mut Handle);
    iallreduce = "MPI_Iallreduce" (
        from: *const c_void, into: *mut c_void, count: c_int, kind: Handle, op: Handle, comm: Handle,
        request: *mut Handle
    );
    ireduce = "MPI_Ireduce" (
        from: *const c_void, into: *mut c_void, count: c_int, kind: Handle, op: Handle, root: c_int,
        comm: Handle, request: *mut Handle
    );
    ibcast = "MPI_Ibcast" (
        buffer: *mut c_void, count: c_int, kind: Handle, root: c_int, comm: Handle, request: *mut Handle
    );
    igather = "MPI_Igather" (
        from: *const c_void, count: c_int, kind: Handle, into: *mut c_void, each: c_int, into_kind: Handle,
        root: c_int, comm: Handle, request: *mut Handle
    );

    // Datatypes.
    type_contiguous = "MPI_Type_contiguous" (count: c_int, old: Handle, new: *mut Handle);
    type_vector = "MPI_Type_vector" (
        count: c_int, length: c_int, stride: c_int, old: Handle, new: *mut Handle
    );
    type_create_subarray = "MPI_Type_create_subarray" (
        dimensions: c_int, sizes: *const c_int, subsizes: *const c_int, starts: *const c_int, order: c_int,
        old: Handle, new: *mut Handle
    );
    type_create_resized = "MPI_Type_create_resized" (
        old: Handle, lower: isize, extent: isize, new: *mut Handle
    );
    type_indexed = "MPI_Type_indexed" (
        count: c_int, lengths: *const c_int, starts: *const c_int, old: Handle, new: *mut Handle
    );
    type_create_hvector = "MPI_Type_create_hvector" (
        count: c_int, length: c_int, stride: isize, old: Handle, new: *mut Handle
    );
    type_create_hindexed = "MPI_Type_create_hindexed" (
        count: c_int, lengths: *const c_int, starts: *const isize, old: Handle, new: *mut Handle
    );
    type_create_indexed_block = "MPI_Type_create_indexed_block" (
        count: c_int, length: c_int, starts: *const c_int, old: Handle, new: *mut Handle
    );
    type_create_hindexed_block = "MPI_Type_create_hindexed_block" (
        count: c_int, length: c_int, starts: *const isize, old: Handle, new: *mut Handle
    );
    type_create_struct = "MPI_Type_create_struct" (
        count: c_int, lengths: *const c_int, starts: *const isize, olds: *const Handle, new: *mut Handle
    );
    type_create_darray = "MPI_Type_create_darray" (
        size: c_int, rank: c_int, dimensions: c_int, sizes: *const c_int, distributions: *const c_int,
        arguments: *const c_int, ranks: *const c_int, order: c_int, old: Handle, new: *mut Handle
    );
    type_size_x = "MPI_Type_size_x" (kind: Handle, size: *mut Offset);
    type_get_extent_x = "MPI_Type_get_extent_x" (kind: Handle, lower: *mut Offset, extent: *mut Offset);
    type_get_true_extent_x = "MPI_Type_get_true_extent_x" (
        kind: Handle, lower: *mut Offset, extent: *mut Offset
    );
    type_get_envelope = "MPI_Type_get_envelope" (
        kind: Handle, integers: *mut c_int, addresses: *mut c_int, kinds: *mut c_int, combiner: *mut c_int
    );
    type_commit = "MPI_Type_commit" (kind: *mut Handle);
    type_free = "MPI_Type_free" (kind: *mut Handle);

    // Hints.
    info_create = "MPI_Info_create" (info: *mut Handle);
    info_set = "MPI_Info_set" (info: Handle, key: *const c_char, value: *const c_char);
    info_get = "MPI_Info_get" (
        info: Handle, key: *const c_char, room: c_int, value: *mut c_char, flag: *mut c_int
    );
    info_get_valuelen = "MPI_Info_get_valuelen" (
        info: Handle, key: *const c_char, length: *mut c_int, flag: *mut c_int
    );
    info_get_nkeys = "MPI_Info_get_nkeys" (info: Handle, count: *mut c_int);
    info_get_nthkey = "MPI_Info_get_nthkey" (info: Handle, index: c_int, key: *mut c_char);
    info_free = "MPI_Info_free" (info: *mut Handle);

    // Files.
    file_open = "MPI_File_open" (
        comm: Handle, path: *const c_char, mode: c_int, info: Handle, file: *mut Handle
    );
    file_close = "MPI_File_close" (file: *mut Handle);
    file_delete = "MPI_File_delete" (path: *const c_char, info: Handle);
    file_set_errhandler = "MPI_File_set_errhandler" (file: Handle, handler: Handle);
    file_get_info = "MPI_File_get_info" (file: Handle, info: *mut Handle);
    file_set_info = "MPI_File_set_info" (file: Handle, info: Handle);
    file_get_amode = "MPI_File_get_amode" (file: Handle, mode: *mut c_int);
    file_get_group = "MPI_File_get_group" (file: Handle, group: *mut Handle);
    file_create_errhandler = "MPI_File_create_errhandler" (handler: *const c_void, new: *mut Handle);
    file_get_errhandler = "MPI_File_get_errhandler" (file: Handle, handler: *mut Handle);
    file_call_errhandler = "MPI_File_call_errhandler" (file: Handle, code: c_int);
    errhandler_free = "MPI_Errhandler_free" (handler: *mut Handle);
    register_datarep = "MPI_Register_datarep" (
        name: *const c_char, read: *const c_void, write: *const c_void, extent: *const c_void,
        state: *mut c_void
    );
    file_set_view = "MPI_File_set_view" (
        file: Handle, start: Offset, kind: Handle, view: Handle, form: *const c_char, info: Handle
    );
    file_get_view = "MPI_File_get_view" (
        file: Handle, start: *mut Offset, kind: *mut Handle, view: *mut Handle, form: *mut c_char
    );
    file_get_type_extent = "MPI_File_get_type_extent" (file: Handle, kind: Handle, extent: *mut isize);
    file_get_atomicity = "MPI_File_get_atomicity" (file: Handle, flag: *mut c_int);
    file_set_atomicity = "MPI_File_set_atomicity" (file: Handle, flag: c_int);
    file_sync = "MPI_File_sync" (file: Handle);
    file_set_size = "MPI_File_set_size" (file: Handle, size: Offset);
    file_preallocate = "MPI_File_preallocate" (file: Handle, size: Offset);
    file_get_size = "MPI_File_get_size" (file: Handle, size: *mut Offset);
    file_seek = "MPI_File_seek" (file: Handle, offset: Offset, whence: c_int);
    file_seek_shared = "MPI_File_seek_shared" (file: Handle, offset: Offset, whence: c_int);
    file_get_position = "MPI_File_get_position" (file: Handle, offset: *mut Offset);
    file_get_position_shared = "MPI_File_get_position_shared" (file: Handle, offset: *mut Offset);
    file_get_byte_offset = "MPI_File_get_byte_offset" (file: Handle, offset: Offset, byte: *mut Offset);

    // Second halves of split collective calls.
    file_read_all_end = "MPI_File_read_all_end" (file: Handle, into: *mut c_void, status: *mut Status);
    file_read_ordered_end = "MPI_File_read_ordered_end" (
        file: Handle, into: *mut c_void, status: *mut Status
    );
    file_read_at_all_end = "MPI_File_read_at_all_end" (
        file: Handle, into: *mut c_void, status: *mut Status
    );
    file_write_all_end = "MPI_File_write_all_end" (file: Handle, from: *const c_void, status: *mut Status);
    file_write_ordered_end = "MPI_File_write_ordered_end" (
        file: Handle, from: *const c_void, status: *mut Status
    );
    file_write_at_all_end = "MPI_File_write_at_all_end" (
        file: Handle, from: *const c_void, status: *mut Status
    );
}
