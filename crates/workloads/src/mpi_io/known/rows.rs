//! The table: each row was seen on the release that it names, on ext4.

use super::{Known, Versions};

const OPEN_MPI_4: Versions = Versions([4, 1, 4], [4, 1, 4]);
const MPICH_4: Versions = Versions([4, 0, 2], [4, 0, 2]);
const MPICH_5: Versions = Versions([5, 0, 2], [5, 0, 2]);

const fn row(
    (library, versions, files): (&'static str, Versions, &'static str),
    case: &'static str,
    says: &'static str,
    why: &'static str,
) -> Known {
    Known { library, versions, files, case, says, is_fatal: false, why }
}

const fn fatal(on: (&'static str, Versions, &'static str), case: &'static str, why: &'static str) -> Known {
    Known { is_fatal: true, ..row(on, case, "", why) }
}

const OMPIO: (&str, Versions, &str) = ("Open MPI", OPEN_MPI_4, "ompio");
const ROMIO_3: (&str, Versions, &str) = ("Open MPI", OPEN_MPI_4, "romio");
const ROMIO_4: (&str, Versions, &str) = ("MPICH", MPICH_4, "romio");
const ROMIO_5: (&str, Versions, &str) = ("MPICH", MPICH_5, "romio");

const COUNTS_ALL: &str =
    "of a collective read past the end of the file the status tells all that was asked for";
const LONG: &str = "MPI_LONG has 8 bytes in external32, where the standard's table has 4";
const NATIVE: &str = "a representation called `native` can be registered";
const NO_LOCKS: &str = "atomic mode locks nothing, so that calls which overlap may be torn";
const COUNTED: &str = "bytes that the status tells";

/// All that are known.
pub const KNOWN: &[Known] = &[
    row(OMPIO, "pointers.seek_view", "from End", "a seek from the end of a view with gaps leads elsewhere"),
    row(OMPIO, "pointers.seek_shared", "from End", "a seek from the end of a view with gaps leads elsewhere"),
    row(OMPIO, "datarep.duplicate", "known error not in list", "no representation can be registered"),
    row(OMPIO, "datarep.extent", "bytes 4 8", LONG),
    row(OMPIO, "atomic.readers*", "whole", NO_LOCKS),
    row(OMPIO, "atomic.writers", "whole", NO_LOCKS),
    fatal(OMPIO, "end.iread*", "a read that does not wait never ends where it meets the end of the file"),
    fatal(OMPIO, "end.*_begin", "a split read never ends where it meets the end of the file"),
    row(OMPIO, "end.read_*", COUNTED, COUNTS_ALL),
    row(
        OMPIO,
        "requests.cancel",
        "cancelled, so not written",
        "a request that was done is said to be cancelled",
    ),
    row(OMPIO, "requests.free", "freed request", "what a freed request was to write may be lost"),
    fatal(ROMIO_3, "*.iwrite_*all*", "collective calls that do not wait jump to address 0"),
    fatal(ROMIO_3, "end.iread_*all", "collective calls that do not wait jump to address 0"),
    row(ROMIO_3, "end.*read_*", COUNTED, COUNTS_ALL),
    row(
        ROMIO_3,
        "end.iread",
        COUNTED,
        "of a request that reads past the end the status tells all that was asked for",
    ),
    row(ROMIO_3, "datarep.duplicate", "success", NATIVE),
    row(ROMIO_3, "datarep.extent", "bytes 4 8", LONG),
    row(ROMIO_3, "datarep.external32_long", "the file", LONG),
    row(ROMIO_3, "datarep.external32_long", "read back", LONG),
    row(ROMIO_4, "end.*_all*", COUNTED, COUNTS_ALL),
    row(ROMIO_4, "datarep.duplicate", "success", NATIVE),
    row(ROMIO_4, "datarep.extent", "bytes 4 8", LONG),
    row(ROMIO_4, "datarep.external32_long", "the file", LONG),
    row(ROMIO_4, "datarep.external32_long", "read back", LONG),
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
];
