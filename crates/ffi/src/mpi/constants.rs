//! The constants of MPI in its three binary interfaces.
//!
//! Checked against `mpi.h` of MPICH 4.0.2 and 5.0.2, `mpi.h` of Open MPI 4.1.4, and `mpi_abi.h` of the
//! MPI 5 standard as MPICH 5.0.2 ships it.
//!
//! Invariant: whole numbers are the same in every release of an interface; Open MPI's handles are looked up.

use std::ffi::c_int;

use libloading::os::unix::Library as Loaded;

use super::files::{
    ErrorClasses, MPICH_ERRORS, Modes, OPEN_MPI_ERRORS, ROMIO_MODES, STANDARD_ERRORS, STANDARD_MODES,
};
use super::{Abi, Handle, Offset, address};

/// The constants that callers of [`Functions`](super::Functions) need.
#[derive(Clone, Debug)]
pub struct MpiConstants {
    /// `MPI_COMM_WORLD`: all ranks.
    pub comm_world: Handle,
    /// `MPI_COMM_SELF`: this rank alone.
    pub comm_self: Handle,
    /// `MPI_BYTE`.
    pub byte: Handle,
    /// `MPI_CHAR`.
    pub char: Handle,
    /// `MPI_INT16_T`.
    pub int16: Handle,
    /// `MPI_INT32_T`.
    pub int32: Handle,
    /// `MPI_INT64_T`.
    pub int64: Handle,
    /// `MPI_FLOAT`.
    pub float: Handle,
    /// `MPI_DOUBLE`.
    pub double: Handle,
    /// `MPI_LONG`, 8 bytes in memory and 4 in `external32`.
    pub long: Handle,
    /// `MPI_DATATYPE_NULL`.
    pub datatype_null: Handle,
    /// `MPI_SUM`.
    pub sum: Handle,
    /// `MPI_MIN`.
    pub min: Handle,
    /// `MPI_MAX`.
    pub max: Handle,
    /// `MPI_REQUEST_NULL`.
    pub request_null: Handle,
    /// `MPI_FILE_NULL`.
    pub file_null: Handle,
    /// `MPI_INFO_NULL`: no hints.
    pub info_null: Handle,
    /// `MPI_ERRORS_RETURN`: errors are return values.
    pub errors_return: Handle,
    /// `MPI_COMM_TYPE_SHARED`: split by node.
    pub comm_type_shared: c_int,
    /// `MPI_ANY_SOURCE`.
    pub any_source: c_int,
    /// `MPI_THREAD_FUNNELED`: one thread of many calls MPI.
    pub thread_funneled: c_int,
    /// `MPI_SEEK_SET`.
    pub seek_set: c_int,
    /// `MPI_SEEK_CUR`.
    pub seek_cur: c_int,
    /// `MPI_SEEK_END`.
    pub seek_end: c_int,
    /// `MPI_DISPLACEMENT_CURRENT`: a view that begins where the file of a sequence stands.
    pub displacement_current: Offset,
    /// `MPI_ORDER_C`: the last dimension of a subarray is contiguous.
    pub order_c: c_int,
    /// `MPI_ORDER_FORTRAN`: the first dimension is contiguous.
    pub order_fortran: c_int,
    /// `MPI_DISTRIBUTE_BLOCK`, in pieces that follow each other.
    pub distribute_block: c_int,
    /// `MPI_DISTRIBUTE_CYCLIC`, dealt out in turn.
    pub distribute_cyclic: c_int,
    /// `MPI_DISTRIBUTE_NONE`: a dimension that is not dealt out.
    pub distribute_none: c_int,
    /// `MPI_DISTRIBUTE_DFLT_DARG`.
    pub distribute_default: c_int,
    /// `MPI_COMBINER_NAMED`: a datatype that MPI has by name.
    pub combiner_named: c_int,
    /// `MPI_IDENT`: groups with the same members in the same order.
    pub ident: c_int,
    /// `MPI_MODE_…`, how to open a file.
    pub modes: Modes,
    /// `MPI_ERR_…`, as `error_class` gives them.
    pub errors: ErrorClasses,
}

impl MpiConstants {
    /// The constants of `abi`; for Open MPI the words name a symbol that `loaded` lacks.
    pub(super) fn find(abi: Abi, loaded: &Loaded) -> Result<Self, String> {
        match abi {
            Abi::OpenMpi => Self::open_mpi(|symbol| address(loaded, symbol)),
            Abi::Mpich => Ok(Self::mpich()),
            Abi::Standard => Ok(Self::standard()),
        }
    }

    fn open_mpi(at: impl Fn(&str) -> Result<usize, String>) -> Result<Self, String> {
        Ok(Self {
            comm_world: at("ompi_mpi_comm_world")?,
            comm_self: at("ompi_mpi_comm_self")?,
            byte: at("ompi_mpi_byte")?,
            char: at("ompi_mpi_char")?,
            int16: at("ompi_mpi_int16_t")?,
            int32: at("ompi_mpi_int32_t")?,
            int64: at("ompi_mpi_int64_t")?,
            float: at("ompi_mpi_float")?,
            double: at("ompi_mpi_double")?,
            long: at("ompi_mpi_long")?,
            datatype_null: at("ompi_mpi_datatype_null")?,
            sum: at("ompi_mpi_op_sum")?,
            min: at("ompi_mpi_op_min")?,
            max: at("ompi_mpi_op_max")?,
            request_null: at("ompi_request_null")?,
            file_null: at("ompi_mpi_file_null")?,
            info_null: at("ompi_mpi_info_null")?,
            errors_return: at("ompi_mpi_errors_return")?,
            comm_type_shared: 0,
            any_source: -1,
            thread_funneled: 1,
            seek_set: 600,
            seek_cur: 602,
            seek_end: 604,
            displacement_current: -54_278_278,
            order_c: 0,
            order_fortran: 1,
            distribute_block: 0,
            distribute_cyclic: 1,
            distribute_none: 2,
            distribute_default: -1,
            combiner_named: 0,
            ident: 0,
            modes: ROMIO_MODES,
            errors: OPEN_MPI_ERRORS,
        })
    }

    fn mpich() -> Self {
        Self {
            comm_world: 0x4400_0000,
            comm_self: 0x4400_0001,
            byte: 0x4c00_010d,
            char: 0x4c00_0101,
            int16: 0x4c00_0238,
            int32: 0x4c00_0439,
            int64: 0x4c00_083a,
            float: 0x4c00_040a,
            double: 0x4c00_080b,
            long: 0x4c00_0807,
            datatype_null: 0x0c00_0000,
            max: 0x5800_0001,
            min: 0x5800_0002,
            sum: 0x5800_0003,
            request_null: 0x2c00_0000,
            file_null: 0,
            info_null: 0x1c00_0000,
            errors_return: 0x5400_0001,
            comm_type_shared: 1,
            any_source: -2,
            thread_funneled: 1,
            seek_set: 600,
            seek_cur: 602,
            seek_end: 604,
            displacement_current: -54_278_278,
            order_c: 56,
            order_fortran: 57,
            distribute_block: 121,
            distribute_cyclic: 122,
            distribute_none: 123,
            distribute_default: -49767,
            combiner_named: 1,
            ident: 0,
            modes: ROMIO_MODES,
            errors: MPICH_ERRORS,
        }
    }

    fn standard() -> Self {
        Self {
            sum: 0x21,
            min: 0x22,
            max: 0x23,
            comm_world: 0x101,
            comm_self: 0x102,
            file_null: 0x118,
            info_null: 0x130,
            errors_return: 0x143,
            request_null: 0x180,
            byte: 0x247,
            char: 0x243,
            int16: 0x248,
            int32: 0x250,
            int64: 0x258,
            float: 0x210,
            double: 0x214,
            long: 0x20a,
            datatype_null: 0x200,
            comm_type_shared: 221,
            any_source: -1,
            thread_funneled: 1024,
            seek_set: 403,
            seek_cur: 401,
            seek_end: 402,
            displacement_current: -1,
            order_c: 12,
            order_fortran: 15,
            distribute_block: 17,
            distribute_cyclic: 18,
            distribute_none: 16,
            distribute_default: 19,
            combiner_named: 101,
            ident: 201,
            modes: STANDARD_MODES,
            errors: STANDARD_ERRORS,
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

    /// The number that a header gives to `name`, as `#define NAME ((Type)0x1)`, `NAME = 1,` or `#define
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

    fn handles(c: &MpiConstants) -> Vec<(&'static str, i64)> {
        let all = [
            ("MPI_COMM_WORLD", c.comm_world),
            ("MPI_COMM_SELF", c.comm_self),
            ("MPI_BYTE", c.byte),
            ("MPI_CHAR", c.char),
            ("MPI_INT16_T", c.int16),
            ("MPI_INT32_T", c.int32),
            ("MPI_INT64_T", c.int64),
            ("MPI_FLOAT", c.float),
            ("MPI_DOUBLE", c.double),
            ("MPI_LONG", c.long),
            ("MPI_DATATYPE_NULL", c.datatype_null),
            ("MPI_SUM", c.sum),
            ("MPI_MIN", c.min),
            ("MPI_MAX", c.max),
            ("MPI_REQUEST_NULL", c.request_null),
            ("MPI_FILE_NULL", c.file_null),
            ("MPI_INFO_NULL", c.info_null),
            ("MPI_ERRORS_RETURN", c.errors_return),
        ];
        all.map(|(name, handle)| (name, handle as i64)).to_vec()
    }

    fn numbers(c: &MpiConstants) -> Vec<(&'static str, i64)> {
        let (m, e) = (&c.modes, &c.errors);
        let all = [
            ("MPI_ANY_SOURCE", c.any_source),
            ("MPI_SEEK_SET", c.seek_set),
            ("MPI_SEEK_CUR", c.seek_cur),
            ("MPI_SEEK_END", c.seek_end),
            ("MPI_ORDER_C", c.order_c),
            ("MPI_ORDER_FORTRAN", c.order_fortran),
            ("MPI_DISTRIBUTE_BLOCK", c.distribute_block),
            ("MPI_DISTRIBUTE_CYCLIC", c.distribute_cyclic),
            ("MPI_DISTRIBUTE_NONE", c.distribute_none),
            ("MPI_DISTRIBUTE_DFLT_DARG", c.distribute_default),
            ("MPI_MODE_RDONLY", m.rdonly),
            ("MPI_MODE_WRONLY", m.wronly),
            ("MPI_MODE_RDWR", m.rdwr),
            ("MPI_MODE_CREATE", m.create),
            ("MPI_MODE_EXCL", m.excl),
            ("MPI_MODE_APPEND", m.append),
            ("MPI_MODE_DELETE_ON_CLOSE", m.delete_on_close),
            ("MPI_MODE_UNIQUE_OPEN", m.unique_open),
            ("MPI_MODE_SEQUENTIAL", m.sequential),
            ("MPI_ERR_ACCESS", e.access),
            ("MPI_ERR_AMODE", e.amode),
            ("MPI_ERR_ARG", e.arg),
            ("MPI_ERR_BAD_FILE", e.bad_file),
            ("MPI_ERR_CONVERSION", e.conversion),
            ("MPI_ERR_DUP_DATAREP", e.dup_datarep),
            ("MPI_ERR_FILE", e.file),
            ("MPI_ERR_FILE_IN_USE", e.file_in_use),
            ("MPI_ERR_NOT_SAME", e.not_same),
            ("MPI_ERR_TYPE", e.kind),
            ("MPI_ERR_UNSUPPORTED_DATAREP", e.unsupported_datarep),
            ("MPI_ERR_UNSUPPORTED_OPERATION", e.unsupported_operation),
            ("MPI_ERR_FILE_EXISTS", e.file_exists),
            ("MPI_ERR_IO", e.io),
            ("MPI_ERR_NO_SPACE", e.no_space),
            ("MPI_ERR_NO_SUCH_FILE", e.no_such_file),
            ("MPI_ERR_QUOTA", e.quota),
            ("MPI_ERR_READ_ONLY", e.read_only),
        ];
        all.map(|(name, number)| (name, number.into())).to_vec()
    }

    /// Those that Open MPI counts out in an `enum` without numbers.
    fn enumerated(c: &MpiConstants) -> Vec<(&'static str, i64)> {
        let all = [
            ("MPI_COMM_TYPE_SHARED", c.comm_type_shared),
            ("MPI_COMBINER_NAMED", c.combiner_named),
            ("MPI_IDENT", c.ident),
            ("MPI_THREAD_FUNNELED", c.thread_funneled),
        ];
        all.map(|(name, number)| (name, number.into())).to_vec()
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn the_constants_are_those_of_the_headers_on_this_machine() {
        let (mpich, standard) = (MpiConstants::mpich(), MpiConstants::standard());
        let open_mpi = MpiConstants::open_mpi(|_| Ok(0)).expect("every symbol is there");
        let venv = std::env::var("ASSAY_TEST_MPICH_VENV")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mpich-venv").to_owned());
        let debian = "/usr/include/x86_64-linux-gnu/mpich";
        let open_mpi_header = "/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h".to_owned();
        let displacement = |c: &MpiConstants| vec![("MPI_DISPLACEMENT_CURRENT", c.displacement_current)];
        let all = |c: &MpiConstants| [handles(c), numbers(c), enumerated(c), displacement(c)].concat();
        let table = [
            (vec![format!("{debian}/mpi.h"), format!("{debian}/mpio.h")], all(&mpich)),
            (vec![format!("{venv}/include/mpi.h")], all(&mpich)),
            (vec![format!("{venv}/include/mpi_abi.h")], all(&standard)),
            (vec![open_mpi_header], [numbers(&open_mpi), displacement(&open_mpi)].concat()),
        ];
        for (paths, constants) in table {
            let read: Result<String, _> = paths.iter().map(std::fs::read_to_string).collect();
            let Ok(header) = read else {
                println!("SKIPPED: no header {}", paths.join(", "));
                continue;
            };
            for (name, ours) in constants {
                assert_eq!(defined(&header, name), Some(ours), "{name} in {paths:?}");
            }
        }
    }
}
