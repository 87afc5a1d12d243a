//! The table: each row was observed on the release that it names, on ext4.

use super::{Effect, KnownFailure, VersionRange};

const OPEN_MPI_4: VersionRange = VersionRange([4, 1, 4], [4, 1, 4]);
const MPICH_4: VersionRange = VersionRange([4, 0, 2], [4, 0, 2]);
const MPICH_5: VersionRange = VersionRange([5, 0, 2], [5, 0, 2]);

const fn row(
    (library, versions, io_component): (&'static str, VersionRange, &'static str),
    case: &'static str,
    message_part: &'static str,
    why: &'static str,
) -> KnownFailure {
    KnownFailure { library, versions, io_component, case, message_part, effect: Effect::Fails, why }
}

const fn ends(
    on: (&'static str, VersionRange, &'static str),
    case: &'static str,
    why: &'static str,
) -> KnownFailure {
    KnownFailure { effect: Effect::EndsJob, ..row(on, case, "", why) }
}

const fn hangs(
    on: (&'static str, VersionRange, &'static str),
    case: &'static str,
    why: &'static str,
) -> KnownFailure {
    KnownFailure { effect: Effect::HangsJob, ..row(on, case, "", why) }
}

const OMPIO: (&str, VersionRange, &str) = ("Open MPI", OPEN_MPI_4, "ompio");
const ROMIO_3: (&str, VersionRange, &str) = ("Open MPI", OPEN_MPI_4, "romio");
const ROMIO_4: (&str, VersionRange, &str) = ("MPICH", MPICH_4, "romio");
const ROMIO_5: (&str, VersionRange, &str) = ("MPICH", MPICH_5, "romio");

const COUNTS_ALL: &str =
    "the status of a collective read past the end of the file reports all requested bytes";
const LONG: &str = "MPI_LONG has 8 bytes in external32, where the standard's table has 4";
const NATIVE: &str = "a representation called `native` can be registered";
const NO_LOCKS: &str = "atomic mode locks nothing, so that calls which overlap may be torn";
const COUNTED: &str = "bytes in the status";
const COUNTS_PARTS: &str = "the status of a read into memory with gaps reports all requested bytes";
const NEVER_ENDS: &str = "a read that does not wait never ends at the end of the file";
const OVERLAPS: &str =
    "a filetype that overlaps itself is rejected also if the file is open for reading only";
const WCHAR: &str = "MPI_WCHAR has 4 bytes in external32, where the standard's table has 2";
const NO_WCHAR: &str = "external32 of MPI_WCHAR ends the job by an assertion";
const LONG_DOUBLE: &str = "numbers of 16 bytes come back from external32 as others";
const SWAPPED: &str = "a complex number is turned around as a whole, its parts with it";
const EXTENDED: &str = "C++'s complex long doubles have x86's 80 bits in external32, not IEEE's 128";
const FULL: &str = "a full file system is reported as MPI_ERR_IO";
const LOWER: &str = "a lower bound of a filetype is taken for the place of its data";
const FREED: &str = "a collective call that does not wait uses the datatype after it was freed";

/// All known failures.
pub const KNOWN_FAILURES: &[KnownFailure] = &[
    row(OMPIO, "pointers.seek_view", "from End", "a seek from the end of a view with gaps leads elsewhere"),
    row(OMPIO, "pointers.seek_shared", "from End", "a seek from the end of a view with gaps leads elsewhere"),
    row(OMPIO, "datarep.duplicate", "known error not in list", "no representation can be registered"),
    row(OMPIO, "datarep.extent", "bytes 4 8", LONG),
    row(OMPIO, "atomic.readers*", "whole", NO_LOCKS),
    row(OMPIO, "atomic.writers", "whole", NO_LOCKS),
    hangs(OMPIO, "end.iread*", "a read that does not wait never ends at the end of the file"),
    hangs(OMPIO, "end.*_begin", "a split read never ends at the end of the file"),
    row(OMPIO, "end.read_*", COUNTED, COUNTS_ALL),
    row(
        OMPIO,
        "requests.cancel",
        "cancelled, so not written",
        "a request that was done is said to be cancelled",
    ),
    row(OMPIO, "requests.free", "freed request", "what a freed request was to write may be lost"),
    hangs(OMPIO, "partial.iread*", NEVER_ENDS),
    hangs(OMPIO, "partial.*_begin", NEVER_ENDS),
    row(OMPIO, "partial.*read_at_all", COUNTED, COUNTS_ALL),
    row(OMPIO, "views.overlap_read", "invalid datatype", OVERLAPS),
    row(OMPIO, "datarep.external32_wchar", "the file", WCHAR),
    row(OMPIO, "datarep.external32_wchar", "read back", WCHAR),
    row(OMPIO, "datarep.external32_*long_double*", "read back", LONG_DOUBLE),
    row(OMPIO, "datarep.external32_real16", "read back", LONG_DOUBLE),
    row(OMPIO, "datarep.external32_complex32", "read back", LONG_DOUBLE),
    ends(OMPIO, "errors.bad_name", "a long name overflows a buffer of the shared pointer's"),
    row(
        OMPIO,
        "errors.no_space",
        "a full file system is reported to any rank",
        "a write into a full file system reports success",
    ),
    ends(ROMIO_3, "*.iwrite_*all*", "collective calls that do not wait jump to address 0"),
    ends(ROMIO_3, "end.iread_*all", "collective calls that do not wait jump to address 0"),
    row(ROMIO_3, "end.*read_*", COUNTED, COUNTS_ALL),
    row(
        ROMIO_3,
        "end.iread",
        COUNTED,
        "the status of a request that reads past the end reports all requested bytes",
    ),
    row(ROMIO_3, "datarep.duplicate", "success", NATIVE),
    row(ROMIO_3, "datarep.extent", "bytes 4 8", LONG),
    row(ROMIO_3, "datarep.external32_long", "the file", LONG),
    row(ROMIO_3, "datarep.external32_long", "read back", LONG),
    row(ROMIO_3, "datarep.external32_unsigned_long", "the file", LONG),
    row(ROMIO_3, "datarep.external32_unsigned_long", "read back", LONG),
    row(ROMIO_3, "datarep.external32_wchar", "the file", WCHAR),
    row(ROMIO_3, "datarep.external32_wchar", "read back", WCHAR),
    row(ROMIO_3, "datarep.external32_*long_double*", "read back", LONG_DOUBLE),
    row(ROMIO_3, "datarep.external32_real16", "read back", LONG_DOUBLE),
    row(ROMIO_3, "datarep.external32_complex32", "read back", LONG_DOUBLE),
    hangs(ROMIO_3, "access.*write.resized_lower-view", LOWER),
    hangs(ROMIO_3, "access.*write_all*.resized_lower-view", LOWER),
    row(ROMIO_3, "access.*write_a*.resized_lower-view", "own pointer", LOWER),
    row(
        ROMIO_3,
        "access.*.nothing*",
        "-32766 bytes",
        "a call that moves nothing may leave its status as it was",
    ),
    row(ROMIO_3, "views.overlap_read", "invalid datatype", OVERLAPS),
    row(ROMIO_3, "errors.no_space", "[NoSpace] Io", FULL),
    row(ROMIO_3, "partial.*", COUNTED, COUNTS_PARTS),
    ends(ROMIO_3, "requests.type_freed_together", "collective calls that do not wait jump to address 0"),
    row(ROMIO_4, "end.*_all*", COUNTED, COUNTS_ALL),
    row(ROMIO_4, "requests.free", "freed request", "what a freed request was to write may be lost"),
    row(ROMIO_4, "datarep.duplicate", "success", NATIVE),
    row(ROMIO_4, "datarep.extent", "bytes 4 8", LONG),
    row(ROMIO_4, "datarep.external32_long", "the file", LONG),
    row(ROMIO_4, "datarep.external32_long", "read back", LONG),
    row(ROMIO_4, "datarep.external32_unsigned_long", "the file", LONG),
    row(ROMIO_4, "datarep.external32_unsigned_long", "read back", LONG),
    ends(ROMIO_4, "datarep.external32_wchar", NO_WCHAR),
    row(ROMIO_4, "datarep.external32_complex", "the file", SWAPPED),
    row(ROMIO_4, "datarep.external32_double_complex", "the file", SWAPPED),
    row(ROMIO_4, "datarep.external32_cxx_long_double_complex", "the file", EXTENDED),
    row(ROMIO_4, "access.*write.resized_lower-view", "own pointer", LOWER),
    row(ROMIO_4, "access.*write_a*.resized_lower-view", "own pointer", LOWER),
    row(ROMIO_4, "errors.no_space", "[NoSpace] Io", FULL),
    row(ROMIO_4, "partial.*", COUNTED, COUNTS_PARTS),
    ends(
        ROMIO_4,
        "requests.test_all",
        "MPI_Testall of requests of files now and then ends the job by an assertion",
    ),
    ends(ROMIO_4, "requests.type_freed_together", FREED),
    ends(ROMIO_4, "large.count_*", "a count beyond 2^31 ends the job by an assertion"),
    row(
        ROMIO_5,
        "open.exclusive",
        "Other MPI error",
        "ranks but 0 get MPI_ERR_OTHER for MPI_ERR_FILE_EXISTS",
    ),
    row(ROMIO_5, "end.iread_*all", COUNTED, COUNTS_ALL),
    row(ROMIO_5, "datarep.duplicate", "success", NATIVE),
    row(ROMIO_5, "datarep.extent", "bytes 4 8", LONG),
    row(ROMIO_5, "datarep.external32_long", "the file", LONG),
    row(ROMIO_5, "datarep.external32_long", "read back", LONG),
    row(ROMIO_5, "datarep.external32_unsigned_long", "the file", LONG),
    row(ROMIO_5, "datarep.external32_unsigned_long", "read back", LONG),
    ends(ROMIO_5, "datarep.external32_wchar", NO_WCHAR),
    row(ROMIO_5, "datarep.external32_cxx_long_double_complex", "the file", EXTENDED),
    row(ROMIO_5, "errors.no_space", "[NoSpace] Io", FULL),
    row(ROMIO_5, "partial.*", COUNTED, COUNTS_PARTS),
    ends(ROMIO_5, "errors.no_file", "by the standard's interface a call on MPI_FILE_NULL ends the job"),
    row(
        ROMIO_5,
        "requests.test_all",
        "MPI_Testall: See the MPI_ERROR field",
        "MPI_Testall of requests of files fails now and then",
    ),
    row(
        ROMIO_5,
        "requests.test_all",
        "MPI_Testall: Invalid MPI_Request",
        "by the standard's interface MPI_Testall of requests of files fails now and then",
    ),
    ends(ROMIO_5, "requests.type_freed_together", FREED),
    row(
        ROMIO_5,
        "errors.bad_name",
        "Other MPI error",
        "ranks but 0 may get MPI_ERR_OTHER for MPI_ERR_BAD_FILE",
    ),
];
