//! The constants of MPI that belong to files, in its three binary interfaces: how to open, and error classes.

use std::ffi::c_int;

/// `MPI_MODE_…`: how `file_open` opens; added together.
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    /// `MPI_MODE_RDONLY`.
    pub rdonly: c_int,
    /// `MPI_MODE_WRONLY`.
    pub wronly: c_int,
    /// `MPI_MODE_RDWR`.
    pub rdwr: c_int,
    /// `MPI_MODE_CREATE`.
    pub create: c_int,
    /// `MPI_MODE_EXCL`.
    pub excl: c_int,
    /// `MPI_MODE_APPEND`.
    pub append: c_int,
    /// `MPI_MODE_DELETE_ON_CLOSE`.
    pub delete_on_close: c_int,
    /// `MPI_MODE_UNIQUE_OPEN`.
    pub unique_open: c_int,
    /// `MPI_MODE_SEQUENTIAL`.
    pub sequential: c_int,
}

/// The error classes that a storage backend tells apart.
#[derive(Clone, Copy, Debug)]
pub struct ErrorClasses {
    /// `MPI_ERR_ACCESS`: permission denied.
    pub access: c_int,
    /// `MPI_ERR_AMODE`: modes of opening that do not go together.
    pub amode: c_int,
    /// `MPI_ERR_ARG`.
    pub arg: c_int,
    /// `MPI_ERR_BAD_FILE`: a name that none can have.
    pub bad_file: c_int,
    /// `MPI_ERR_CONVERSION`.
    pub conversion: c_int,
    /// `MPI_ERR_DUP_DATAREP`: a data representation that was registered before.
    pub dup_datarep: c_int,
    /// `MPI_ERR_FILE`: a handle of no file.
    pub file: c_int,
    /// `MPI_ERR_FILE_EXISTS`.
    pub file_exists: c_int,
    /// `MPI_ERR_FILE_IN_USE`.
    pub file_in_use: c_int,
    /// `MPI_ERR_IO`: any other input or output error.
    pub io: c_int,
    /// `MPI_ERR_NO_SPACE`.
    pub no_space: c_int,
    /// `MPI_ERR_NO_SUCH_FILE`.
    pub no_such_file: c_int,
    /// `MPI_ERR_NOT_SAME`: arguments of a collective call that differ between ranks.
    pub not_same: c_int,
    /// `MPI_ERR_QUOTA`.
    pub quota: c_int,
    /// `MPI_ERR_READ_ONLY`: the file system is read-only.
    pub read_only: c_int,
    /// `MPI_ERR_TYPE`.
    pub kind: c_int,
    /// `MPI_ERR_UNSUPPORTED_DATAREP`.
    pub unsupported_datarep: c_int,
    /// `MPI_ERR_UNSUPPORTED_OPERATION`, such as seeking in a sequential file.
    pub unsupported_operation: c_int,
}

/// MPICH and Open MPI inherited these from ROMIO.
pub(super) const ROMIO_MODES: Modes = Modes {
    create: 1,
    rdonly: 2,
    wronly: 4,
    rdwr: 8,
    delete_on_close: 16,
    unique_open: 32,
    excl: 64,
    append: 128,
    sequential: 256,
};

pub(super) const STANDARD_MODES: Modes = Modes {
    append: 1,
    create: 2,
    delete_on_close: 4,
    excl: 8,
    rdonly: 16,
    rdwr: 32,
    sequential: 64,
    unique_open: 128,
    wronly: 256,
};

pub(super) const MPICH_ERRORS: ErrorClasses = ErrorClasses {
    access: 20,
    amode: 21,
    arg: 12,
    bad_file: 22,
    conversion: 23,
    dup_datarep: 24,
    file: 27,
    file_exists: 25,
    file_in_use: 26,
    io: 32,
    kind: 3,
    no_space: 36,
    no_such_file: 37,
    not_same: 35,
    quota: 39,
    read_only: 40,
    unsupported_datarep: 43,
    unsupported_operation: 44,
};

pub(super) const OPEN_MPI_ERRORS: ErrorClasses = ErrorClasses {
    access: 20,
    amode: 21,
    arg: 13,
    bad_file: 23,
    conversion: 25,
    dup_datarep: 27,
    file: 30,
    file_exists: 28,
    file_in_use: 29,
    io: 35,
    kind: 3,
    no_space: 41,
    no_such_file: 42,
    not_same: 40,
    quota: 44,
    read_only: 45,
    unsupported_datarep: 51,
    unsupported_operation: 52,
};

/// The standard took Open MPI's numbers but for those that come after its one-sided communication.
pub(super) const STANDARD_ERRORS: ErrorClasses =
    ErrorClasses { unsupported_datarep: 54, unsupported_operation: 55, ..OPEN_MPI_ERRORS };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modes_of_an_interface_are_distinct_bits() {
        for m in [ROMIO_MODES, STANDARD_MODES] {
            let all = [m.rdonly, m.wronly, m.rdwr, m.create, m.excl, m.append];
            let more = [m.delete_on_close, m.unique_open, m.sequential];
            let sum: c_int = all.iter().chain(&more).sum();
            assert_eq!(sum, 511, "nine bits, each once: {m:?}");
        }
    }
}
