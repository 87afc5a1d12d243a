//! The constants of MPI in its three binary interfaces.
//!
//! Checked against `mpi.h` of MPICH 4.0.2 and 5.0.2, `mpi.h` of Open MPI 4.1.4, and `mpi_abi.h` of the MPI 5
//! standard as shipped with MPICH 5.0.2.
//!
//! Invariant: integers are the same in every release of an interface; Open MPI's handles are looked up by
//! symbol.

use std::ffi::c_int;

use super::files::{ErrorClasses, Modes};
use super::{Abi, Handle, Offset, SharedLibrary, address};

/// Makes the constants from their tables. A line has the name in the standard, and the handle or number in
/// each interface. The order is Open MPI (the symbol whose address is the handle), MPICH, and the MPI 5
/// standard.
macro_rules! constants {
    (
        handles {
            $($handle:ident = $c_name:literal: $symbol:literal, $in_mpich:literal, $in_standard:literal;)*
        }
        numbers {
            $($number:ident: $kind:ty = $name:literal: $open_mpi:literal, $mpich:literal, $standard:literal;)*
        }
    ) => {
        /// The constants that callers of [`Functions`](super::Functions) need.
        #[derive(Clone, Debug)]
        pub struct MpiConstants {
            $(#[doc = concat!("`", $c_name, "`")]
            pub $handle: Handle,)*
            $(#[doc = concat!("`", $name, "`")]
            pub $number: $kind,)*
            /// `MPI_MODE_…`
            pub modes: Modes,
            /// `MPI_ERR_…`
            pub errors: ErrorClasses,
        }

        impl MpiConstants {
            fn open_mpi(at: impl Fn(&str) -> Result<usize, String>) -> Result<Self, String> {
                let (modes, errors) = (Modes::OPEN_MPI, ErrorClasses::OPEN_MPI);
                Ok(Self { $($handle: at($symbol)?,)* $($number: $open_mpi,)* modes, errors })
            }

            fn mpich() -> Self {
                let (modes, errors) = (Modes::MPICH, ErrorClasses::MPICH);
                Self { $($handle: $in_mpich,)* $($number: $mpich,)* modes, errors }
            }

            fn standard() -> Self {
                let (modes, errors) = (Modes::STANDARD, ErrorClasses::STANDARD);
                Self { $($handle: $in_standard,)* $($number: $standard,)* modes, errors }
            }

            #[cfg(test)]
            fn handles(&self) -> Vec<(&'static str, i64)> {
                vec![$(($c_name, self.$handle as i64),)*]
            }

            #[cfg(test)]
            fn numbers(&self) -> Vec<(&'static str, i64)> {
                vec![$(($name, i64::from(self.$number)),)*]
            }
        }
    };
}

constants! {
    handles {
        comm_world = "MPI_COMM_WORLD": "ompi_mpi_comm_world", 0x4400_0000, 0x101;
        comm_self = "MPI_COMM_SELF": "ompi_mpi_comm_self", 0x4400_0001, 0x102;
        byte = "MPI_BYTE": "ompi_mpi_byte", 0x4c00_010d, 0x247;
        char = "MPI_CHAR": "ompi_mpi_char", 0x4c00_0101, 0x243;
        int16 = "MPI_INT16_T": "ompi_mpi_int16_t", 0x4c00_0238, 0x248;
        int32 = "MPI_INT32_T": "ompi_mpi_int32_t", 0x4c00_0439, 0x250;
        int64 = "MPI_INT64_T": "ompi_mpi_int64_t", 0x4c00_083a, 0x258;
        float = "MPI_FLOAT": "ompi_mpi_float", 0x4c00_040a, 0x210;
        double = "MPI_DOUBLE": "ompi_mpi_double", 0x4c00_080b, 0x214;
        // 8 bytes in memory and 4 in `external32`.
        long = "MPI_LONG": "ompi_mpi_long", 0x4c00_0807, 0x20a;
        datatype_null = "MPI_DATATYPE_NULL": "ompi_mpi_datatype_null", 0x0c00_0000, 0x200;
        sum = "MPI_SUM": "ompi_mpi_op_sum", 0x5800_0003, 0x21;
        min = "MPI_MIN": "ompi_mpi_op_min", 0x5800_0002, 0x22;
        max = "MPI_MAX": "ompi_mpi_op_max", 0x5800_0001, 0x23;
        request_null = "MPI_REQUEST_NULL": "ompi_request_null", 0x2c00_0000, 0x180;
        file_null = "MPI_FILE_NULL": "ompi_mpi_file_null", 0, 0x118;
        info_null = "MPI_INFO_NULL": "ompi_mpi_info_null", 0x1c00_0000, 0x130;
        // Errors are return values.
        errors_return = "MPI_ERRORS_RETURN": "ompi_mpi_errors_return", 0x5400_0001, 0x143;
    }
    numbers {
        // Splits a communicator by node.
        comm_type_shared: c_int = "MPI_COMM_TYPE_SHARED": 0, 1, 221;
        any_source: c_int = "MPI_ANY_SOURCE": -1, -2, -1;
        // The process has threads, but only one of them calls MPI.
        thread_funneled: c_int = "MPI_THREAD_FUNNELED": 1, 1, 1024;
        seek_set: c_int = "MPI_SEEK_SET": 600, 600, 403;
        seek_cur: c_int = "MPI_SEEK_CUR": 602, 602, 401;
        seek_end: c_int = "MPI_SEEK_END": 604, 604, 402;
        // A view that begins at the current position of a sequential file.
        displacement_current: Offset = "MPI_DISPLACEMENT_CURRENT": -54_278_278, -54_278_278, -1;
        // Whether the last or the first dimension of a subarray is contiguous.
        order_c: c_int = "MPI_ORDER_C": 0, 56, 12;
        order_fortran: c_int = "MPI_ORDER_FORTRAN": 1, 57, 15;
        // Distributes a dimension in contiguous blocks, in blocks in turn, or not at all.
        distribute_block: c_int = "MPI_DISTRIBUTE_BLOCK": 0, 121, 17;
        distribute_cyclic: c_int = "MPI_DISTRIBUTE_CYCLIC": 1, 122, 18;
        distribute_none: c_int = "MPI_DISTRIBUTE_NONE": 2, 123, 16;
        distribute_default: c_int = "MPI_DISTRIBUTE_DFLT_DARG": -1, -49767, 19;
        // A predefined datatype.
        combiner_named: c_int = "MPI_COMBINER_NAMED": 0, 1, 101;
        // Groups with the same members in the same order.
        ident: c_int = "MPI_IDENT": 0, 0, 201;
    }
}

impl MpiConstants {
    /// The constants of `abi`; for Open MPI an error names a symbol that `loaded` lacks.
    pub(super) fn find(abi: Abi, loaded: &SharedLibrary) -> Result<Self, String> {
        match abi {
            Abi::OpenMpi => Self::open_mpi(|symbol| address(loaded, symbol)),
            Abi::Mpich => Ok(Self::mpich()),
            Abi::Standard => Ok(Self::standard()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_that_open_mpi_lacks_is_named() {
        let at = |symbol: &str| match symbol {
            "ompi_mpi_int64_t" => Err(format!("has no symbol {symbol}")),
            _ => Ok(1),
        };
        let error = MpiConstants::open_mpi(at).expect_err("one is missing");
        assert_eq!(error, "has no symbol ompi_mpi_int64_t");
    }

    /// The number that a header defines for `name`, as `#define NAME ((Type)0x1)`, `NAME = 1,` or `#define
    /// NAME 1`.
    fn defined(header: &str, name: &str) -> Option<i64> {
        let rest = header.lines().find_map(|line| {
            let line = line.trim_start();
            let line = line.strip_prefix("#define").unwrap_or(line).trim_start();
            line.strip_prefix(name).filter(|rest| rest.starts_with([' ', '\t', '=']))
        })?;
        let rest = rest.split("/*").next().unwrap_or_default();
        let word = rest.rsplit(')').find(|part| part.contains(|c: char| c.is_ascii_digit()))?;
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        match word.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16).ok(),
            None => word.parse().ok(),
        }
    }

    /// Constants that Open MPI lists in an `enum` without numbers.
    const ENUMERATED: [&str; 4] =
        ["MPI_COMM_TYPE_SHARED", "MPI_COMBINER_NAMED", "MPI_IDENT", "MPI_THREAD_FUNNELED"];

    #[test]
    #[allow(clippy::print_stdout)]
    fn the_constants_equal_those_of_the_installed_headers() {
        let (mpich, standard) = (MpiConstants::mpich(), MpiConstants::standard());
        let open_mpi = MpiConstants::open_mpi(|_| Ok(0)).expect("every symbol exists");
        let venv = std::env::var("ASSAY_TEST_MPICH_VENV")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mpich-venv").to_owned());
        let debian = "/usr/include/x86_64-linux-gnu/mpich";
        let open_mpi_header = "/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h".to_owned();
        let all = |c: &MpiConstants| [c.handles(), c.numbers(), c.modes.named(), c.errors.named()].concat();
        let numbers = [open_mpi.numbers(), open_mpi.modes.named(), open_mpi.errors.named()].concat();
        let counted = numbers.into_iter().filter(|(name, _)| !ENUMERATED.contains(name)).collect();
        let table = [
            (vec![format!("{debian}/mpi.h"), format!("{debian}/mpio.h")], all(&mpich)),
            (vec![format!("{venv}/include/mpi.h")], all(&mpich)),
            (vec![format!("{venv}/include/mpi_abi.h")], all(&standard)),
            (vec![open_mpi_header], counted),
        ];
        for (paths, constants) in table {
            let read: Result<String, _> = paths.iter().map(std::fs::read_to_string).collect();
            let Ok(header) = read else {
                println!("SKIPPED: missing header: {}", paths.join(", "));
                continue;
            };
            for (name, ours) in constants {
                assert_eq!(defined(&header, name), Some(ours), "{name} in {paths:?}");
            }
        }
    }
}
