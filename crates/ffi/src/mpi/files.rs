//! The constants of MPI for files, in its three binary interfaces: open modes and error classes.

use std::ffi::c_int;

/// Makes a structure of constants from a table. A line has the name in the standard and the number in Open
/// MPI, MPICH and the MPI 5 standard interface.
macro_rules! numbers {
    (
        $(#[$about:meta])*
        $structure:ident:
        $($field:ident = $name:literal: $open_mpi:literal, $mpich:literal, $standard:literal;)*
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug)]
        pub struct $structure {
            $(#[doc = concat!("`", $name, "`")]
            pub $field: c_int,)*
        }

        impl $structure {
            pub(super) const OPEN_MPI: Self = Self { $($field: $open_mpi,)* };
            pub(super) const MPICH: Self = Self { $($field: $mpich,)* };
            pub(super) const STANDARD: Self = Self { $($field: $standard,)* };

            #[cfg(test)]
            pub(super) fn named(&self) -> Vec<(&'static str, i64)> {
                vec![$(($name, self.$field.into()),)*]
            }
        }
    };
}

// MPICH and Open MPI inherited their numbers from ROMIO.
numbers! {
    /// The open modes of `file_open`; they can be added.
    Modes:
    rdonly = "MPI_MODE_RDONLY": 2, 2, 16;
    wronly = "MPI_MODE_WRONLY": 4, 4, 256;
    rdwr = "MPI_MODE_RDWR": 8, 8, 32;
    create = "MPI_MODE_CREATE": 1, 1, 2;
    excl = "MPI_MODE_EXCL": 64, 64, 8;
    append = "MPI_MODE_APPEND": 128, 128, 1;
    delete_on_close = "MPI_MODE_DELETE_ON_CLOSE": 16, 16, 4;
    unique_open = "MPI_MODE_UNIQUE_OPEN": 32, 32, 128;
    sequential = "MPI_MODE_SEQUENTIAL": 256, 256, 64;
}

// The standard took over Open MPI's numbers, except those after its one-sided communication.
numbers! {
    /// The error classes of files, as `error_class` returns them.
    ErrorClasses:
    access = "MPI_ERR_ACCESS": 20, 20, 20;
    amode = "MPI_ERR_AMODE": 21, 21, 21;
    arg = "MPI_ERR_ARG": 13, 12, 13;
    bad_file = "MPI_ERR_BAD_FILE": 23, 22, 23;
    conversion = "MPI_ERR_CONVERSION": 25, 23, 25;
    dup_datarep = "MPI_ERR_DUP_DATAREP": 27, 24, 27;
    file = "MPI_ERR_FILE": 30, 27, 30;
    file_exists = "MPI_ERR_FILE_EXISTS": 28, 25, 28;
    file_in_use = "MPI_ERR_FILE_IN_USE": 29, 26, 29;
    io = "MPI_ERR_IO": 35, 32, 35;
    no_space = "MPI_ERR_NO_SPACE": 41, 36, 41;
    no_such_file = "MPI_ERR_NO_SUCH_FILE": 42, 37, 42;
    // Arguments of a collective call that differ between ranks.
    not_same = "MPI_ERR_NOT_SAME": 40, 35, 40;
    quota = "MPI_ERR_QUOTA": 44, 39, 44;
    read_only = "MPI_ERR_READ_ONLY": 45, 40, 45;
    kind = "MPI_ERR_TYPE": 3, 3, 3;
    unsupported_datarep = "MPI_ERR_UNSUPPORTED_DATAREP": 51, 43, 54;
    unsupported_operation = "MPI_ERR_UNSUPPORTED_OPERATION": 52, 44, 55;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modes_of_an_interface_are_distinct_bits() {
        for modes in [Modes::OPEN_MPI, Modes::MPICH, Modes::STANDARD] {
            let sum: i64 = modes.named().iter().map(|(_, bit)| bit).sum();
            assert_eq!(sum, 511, "nine bits, each once: {modes:?}");
        }
    }
}
