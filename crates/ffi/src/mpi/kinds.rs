//! Predefined MPI datatypes that only tests of `external32` use, in its three binary interfaces: those of the
//! standard's table of `external32`. A library may lack some, such as those of Fortran.

use super::{Abi, Handle};

/// A predefined datatype, with its handle in each interface.
#[derive(Clone, Copy, Debug)]
pub struct NamedKind {
    /// `MPI_…`.
    pub name: &'static str,
    mpich: Handle,
    open_mpi: &'static str,
    standard: Handle,
}

const fn kind(name: &'static str, mpich: Handle, open_mpi: &'static str, standard: Handle) -> NamedKind {
    NamedKind { name, mpich, open_mpi, standard }
}

impl NamedKind {
    /// Its handle; `address` returns the address of a symbol, if it exists.
    pub(super) fn handle(&self, abi: Abi, address: impl Fn(&str) -> Option<usize>) -> Option<Handle> {
        match abi {
            Abi::Mpich => Some(self.mpich),
            Abi::OpenMpi => address(self.open_mpi),
            Abi::Standard => Some(self.standard),
        }
    }
}

/// All of these datatypes.
pub const NAMED_KINDS: &[NamedKind] = &[
    kind("MPI_PACKED", 0x4c00_010f, "ompi_mpi_packed", 0x207),
    kind("MPI_SIGNED_CHAR", 0x4c00_0118, "ompi_mpi_signed_char", 0x244),
    kind("MPI_UNSIGNED_CHAR", 0x4c00_0102, "ompi_mpi_unsigned_char", 0x245),
    kind("MPI_WCHAR", 0x4c00_040e, "ompi_mpi_wchar", 0x23c),
    kind("MPI_SHORT", 0x4c00_0203, "ompi_mpi_short", 0x208),
    kind("MPI_UNSIGNED_SHORT", 0x4c00_0204, "ompi_mpi_unsigned_short", 0x20c),
    kind("MPI_INT", 0x4c00_0405, "ompi_mpi_int", 0x209),
    kind("MPI_UNSIGNED", 0x4c00_0406, "ompi_mpi_unsigned", 0x20d),
    kind("MPI_UNSIGNED_LONG", 0x4c00_0808, "ompi_mpi_unsigned_long", 0x20e),
    kind("MPI_LONG_LONG_INT", 0x4c00_0809, "ompi_mpi_long_long_int", 0x20b),
    kind("MPI_UNSIGNED_LONG_LONG", 0x4c00_0819, "ompi_mpi_unsigned_long_long", 0x20f),
    kind("MPI_LONG_DOUBLE", 0x4c00_100c, "ompi_mpi_long_double", 0x220),
    kind("MPI_C_BOOL", 0x4c00_013f, "ompi_mpi_c_bool", 0x238),
    kind("MPI_INT8_T", 0x4c00_0137, "ompi_mpi_int8_t", 0x240),
    kind("MPI_UINT8_T", 0x4c00_013b, "ompi_mpi_uint8_t", 0x241),
    kind("MPI_UINT16_T", 0x4c00_023c, "ompi_mpi_uint16_t", 0x249),
    kind("MPI_UINT32_T", 0x4c00_043d, "ompi_mpi_uint32_t", 0x251),
    kind("MPI_UINT64_T", 0x4c00_083e, "ompi_mpi_uint64_t", 0x259),
    kind("MPI_AINT", 0x4c00_0843, "ompi_mpi_aint", 0x201),
    kind("MPI_COUNT", 0x4c00_0845, "ompi_mpi_count", 0x202),
    kind("MPI_OFFSET", 0x4c00_0844, "ompi_mpi_offset", 0x203),
    kind("MPI_C_FLOAT_COMPLEX", 0x4c00_0840, "ompi_mpi_c_float_complex", 0x212),
    kind("MPI_C_DOUBLE_COMPLEX", 0x4c00_1041, "ompi_mpi_c_double_complex", 0x216),
    kind("MPI_C_LONG_DOUBLE_COMPLEX", 0x4c00_2042, "ompi_mpi_c_long_double_complex", 0x224),
    kind("MPI_CHARACTER", 0x4c00_011a, "ompi_mpi_character", 0x21e),
    kind("MPI_LOGICAL", 0x4c00_041d, "ompi_mpi_logical", 0x218),
    kind("MPI_INTEGER", 0x4c00_041b, "ompi_mpi_integer", 0x219),
    kind("MPI_REAL", 0x4c00_041c, "ompi_mpi_real", 0x21a),
    kind("MPI_DOUBLE_PRECISION", 0x4c00_081f, "ompi_mpi_dblprec", 0x21c),
    kind("MPI_COMPLEX", 0x4c00_081e, "ompi_mpi_cplex", 0x21b),
    kind("MPI_DOUBLE_COMPLEX", 0x4c00_1022, "ompi_mpi_dblcplex", 0x21d),
    kind("MPI_CXX_BOOL", 0x4c00_0133, "ompi_mpi_cxx_bool", 0x239),
    kind("MPI_CXX_FLOAT_COMPLEX", 0x4c00_0834, "ompi_mpi_cxx_cplex", 0x213),
    kind("MPI_CXX_DOUBLE_COMPLEX", 0x4c00_1035, "ompi_mpi_cxx_dblcplex", 0x217),
    kind("MPI_CXX_LONG_DOUBLE_COMPLEX", 0x4c00_2036, "ompi_mpi_cxx_ldblcplex", 0x225),
    kind("MPI_INTEGER1", 0x4c00_012d, "ompi_mpi_integer1", 0x2c1),
    kind("MPI_INTEGER2", 0x4c00_022f, "ompi_mpi_integer2", 0x2c9),
    kind("MPI_INTEGER4", 0x4c00_0430, "ompi_mpi_integer4", 0x2d1),
    kind("MPI_INTEGER8", 0x4c00_0831, "ompi_mpi_integer8", 0x2d9),
    kind("MPI_REAL4", 0x4c00_0427, "ompi_mpi_real4", 0x2d2),
    kind("MPI_REAL8", 0x4c00_0829, "ompi_mpi_real8", 0x2da),
    kind("MPI_REAL16", 0x4c00_102b, "ompi_mpi_real16", 0x2e2),
    kind("MPI_COMPLEX8", 0x4c00_0828, "ompi_mpi_complex8", 0x2db),
    kind("MPI_COMPLEX16", 0x4c00_102a, "ompi_mpi_complex16", 0x2e3),
    kind("MPI_COMPLEX32", 0x4c00_202c, "ompi_mpi_complex32", 0x2eb),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of `name` in a header.
    fn meaning<'h>(header: &'h str, name: &str) -> Option<&'h str> {
        let words =
            header.lines().filter_map(|line| line.strip_prefix("#define")?.trim_start().split_once(' '));
        words.filter(|(word, _)| *word == name).map(|(_, rest)| rest.trim()).next()
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn the_datatypes_equal_those_of_the_installed_headers() {
        let venv = std::env::var("ASSAY_TEST_MPICH_VENV")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mpich-venv").to_owned());
        let number = |digits: Handle| format!("((MPI_Datatype)0x{digits:08x})");
        type Ours<'a> = &'a dyn Fn(&NamedKind) -> String;
        let table: [(String, Ours<'_>); 4] = [
            ("/usr/include/x86_64-linux-gnu/mpich/mpi.h".to_owned(), &|kind| number(kind.mpich)),
            (format!("{venv}/include/mpi.h"), &|kind| number(kind.mpich)),
            (format!("{venv}/include/mpi_abi.h"), &|kind| number(kind.standard)),
            ("/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h".to_owned(), &|kind| {
                format!("OMPI_PREDEFINED_GLOBAL(MPI_Datatype, {})", kind.open_mpi)
            }),
        ];
        for (path, ours) in table {
            let Ok(header) = std::fs::read_to_string(&path) else {
                println!("SKIPPED: the header {path} does not exist");
                continue;
            };
            for kind in NAMED_KINDS {
                let defined = meaning(&header, kind.name);
                // A name may be defined by another name.
                let defined = defined
                    .filter(|defined| defined.starts_with("MPI_"))
                    .map_or(defined, |other| meaning(&header, other));
                assert_eq!(defined, Some(ours(kind).as_str()), "{} in {path}", kind.name);
            }
        }
    }
}
