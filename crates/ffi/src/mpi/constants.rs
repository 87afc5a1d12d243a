//! The constants of MPI in its three binary interfaces.
//!
//! Checked against `mpi.h` of MPICH 4.0.2 and 5.0.2, `mpi.h` of Open MPI 4.1.4, and `mpi_abi.h` of the
//! MPI 5 standard as MPICH 5.0.2 ships it.
//!
//! Invariant: whole numbers are the same in every release of an interface; Open MPI's handles are looked up.

use std::ffi::c_int;

use libloading::os::unix::Library as Loaded;

use super::{Abi, Handle, address};

/// The constants that callers of [`Functions`](super::Functions) need.
#[derive(Clone, Debug)]
pub struct Constants {
    /// `MPI_COMM_WORLD`: all ranks.
    pub comm_world: Handle,
    /// `MPI_COMM_SELF`: this rank alone.
    pub comm_self: Handle,
    /// `MPI_COMM_NULL`.
    pub comm_null: Handle,
    /// `MPI_BYTE`.
    pub byte: Handle,
    /// `MPI_INT64_T`.
    pub int64: Handle,
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
    /// `MPI_ANY_TAG`.
    pub any_tag: c_int,
    /// `MPI_UNDEFINED`: the colour of those who join no group.
    pub undefined: c_int,
    /// `MPI_THREAD_SINGLE`.
    pub thread_single: c_int,
    /// `MPI_THREAD_FUNNELED`: one thread of many calls MPI.
    pub thread_funneled: c_int,
    /// `MPI_THREAD_SERIALIZED`: any thread calls MPI, one at a time.
    pub thread_serialized: c_int,
    /// `MPI_THREAD_MULTIPLE`.
    pub thread_multiple: c_int,
    /// `MPI_SEEK_SET`.
    pub seek_set: c_int,
    /// `MPI_ORDER_C`: the last dimension of a subarray is contiguous.
    pub order_c: c_int,
    /// `MPI_MODE_…`, how to open a file.
    pub modes: Modes,
    /// `MPI_ERR_…`, as `error_class` gives them.
    pub errors: ErrorClasses,
}

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
    /// `MPI_ERR_FILE_EXISTS`.
    pub file_exists: c_int,
    /// `MPI_ERR_IO`: any other input or output error.
    pub io: c_int,
    /// `MPI_ERR_NO_SPACE`.
    pub no_space: c_int,
    /// `MPI_ERR_NO_SUCH_FILE`.
    pub no_such_file: c_int,
    /// `MPI_ERR_QUOTA`.
    pub quota: c_int,
    /// `MPI_ERR_READ_ONLY`: the file system is read-only.
    pub read_only: c_int,
}

/// MPICH and Open MPI inherited these from ROMIO.
const ROMIO_MODES: Modes = Modes {
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

const STANDARD_MODES: Modes = Modes {
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

const MPICH_ERRORS: ErrorClasses = ErrorClasses {
    access: 20,
    file_exists: 25,
    io: 32,
    no_space: 36,
    no_such_file: 37,
    quota: 39,
    read_only: 40,
};

/// The standard took Open MPI's numbers.
const STANDARD_ERRORS: ErrorClasses = ErrorClasses {
    access: 20,
    file_exists: 28,
    io: 35,
    no_space: 41,
    no_such_file: 42,
    quota: 44,
    read_only: 45,
};

impl Constants {
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
            comm_null: at("ompi_mpi_comm_null")?,
            byte: at("ompi_mpi_byte")?,
            int64: at("ompi_mpi_int64_t")?,
            sum: at("ompi_mpi_op_sum")?,
            min: at("ompi_mpi_op_min")?,
            max: at("ompi_mpi_op_max")?,
            request_null: at("ompi_request_null")?,
            file_null: at("ompi_mpi_file_null")?,
            info_null: at("ompi_mpi_info_null")?,
            errors_return: at("ompi_mpi_errors_return")?,
            comm_type_shared: 0,
            any_source: -1,
            any_tag: -1,
            undefined: -32766,
            thread_single: 0,
            thread_funneled: 1,
            thread_serialized: 2,
            thread_multiple: 3,
            seek_set: 600,
            order_c: 0,
            modes: ROMIO_MODES,
            errors: STANDARD_ERRORS,
        })
    }

    fn mpich() -> Self {
        Self {
            comm_world: 0x4400_0000,
            comm_self: 0x4400_0001,
            comm_null: 0x0400_0000,
            byte: 0x4c00_010d,
            int64: 0x4c00_083a,
            max: 0x5800_0001,
            min: 0x5800_0002,
            sum: 0x5800_0003,
            request_null: 0x2c00_0000,
            file_null: 0,
            info_null: 0x1c00_0000,
            errors_return: 0x5400_0001,
            comm_type_shared: 1,
            any_source: -2,
            any_tag: -1,
            undefined: -32766,
            thread_single: 0,
            thread_funneled: 1,
            thread_serialized: 2,
            thread_multiple: 3,
            seek_set: 600,
            order_c: 56,
            modes: ROMIO_MODES,
            errors: MPICH_ERRORS,
        }
    }

    fn standard() -> Self {
        Self {
            sum: 0x21,
            min: 0x22,
            max: 0x23,
            comm_null: 0x100,
            comm_world: 0x101,
            comm_self: 0x102,
            file_null: 0x118,
            info_null: 0x130,
            errors_return: 0x143,
            request_null: 0x180,
            byte: 0x247,
            int64: 0x258,
            comm_type_shared: 221,
            any_source: -1,
            any_tag: -2,
            undefined: -32766,
            thread_single: 0,
            thread_funneled: 1024,
            thread_serialized: 2048,
            thread_multiple: 4096,
            seek_set: 403,
            order_c: 12,
            modes: STANDARD_MODES,
            errors: STANDARD_ERRORS,
        }
    }
}

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

    #[test]
    fn a_symbol_that_open_mpi_lacks_is_named() {
        let at = |symbol: &str| match symbol {
            "ompi_mpi_int64_t" => Err(format!("has no symbol {symbol}")),
            _ => Ok(1),
        };
        let error = Constants::open_mpi(at).expect_err("one is missing");
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

    fn handles(c: &Constants) -> Vec<(&'static str, i64)> {
        let all = [
            ("MPI_COMM_WORLD", c.comm_world),
            ("MPI_COMM_SELF", c.comm_self),
            ("MPI_COMM_NULL", c.comm_null),
            ("MPI_BYTE", c.byte),
            ("MPI_INT64_T", c.int64),
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

    fn numbers(c: &Constants) -> Vec<(&'static str, i64)> {
        let (m, e) = (&c.modes, &c.errors);
        let all = [
            ("MPI_ANY_SOURCE", c.any_source),
            ("MPI_ANY_TAG", c.any_tag),
            ("MPI_UNDEFINED", c.undefined),
            ("MPI_SEEK_SET", c.seek_set),
            ("MPI_ORDER_C", c.order_c),
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
    fn enumerated(c: &Constants) -> Vec<(&'static str, i64)> {
        let all = [
            ("MPI_COMM_TYPE_SHARED", c.comm_type_shared),
            ("MPI_THREAD_SINGLE", c.thread_single),
            ("MPI_THREAD_FUNNELED", c.thread_funneled),
            ("MPI_THREAD_SERIALIZED", c.thread_serialized),
            ("MPI_THREAD_MULTIPLE", c.thread_multiple),
        ];
        all.map(|(name, number)| (name, number.into())).to_vec()
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn the_constants_are_those_of_the_headers_on_this_machine() {
        let (mpich, standard) = (Constants::mpich(), Constants::standard());
        let open_mpi = Constants::open_mpi(|_| Ok(0)).expect("every symbol is there");
        let venv = std::env::var("ASSAY_TEST_MPICH_VENV")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mpich-venv").to_owned());
        let debian = "/usr/include/x86_64-linux-gnu/mpich";
        let open_mpi_header = "/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h".to_owned();
        let all = |c: &Constants| [handles(c), numbers(c), enumerated(c)].concat();
        let table = [
            (vec![format!("{debian}/mpi.h"), format!("{debian}/mpio.h")], all(&mpich)),
            (vec![format!("{venv}/include/mpi.h")], all(&mpich)),
            (vec![format!("{venv}/include/mpi_abi.h")], all(&standard)),
            (vec![open_mpi_header], numbers(&open_mpi)),
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
