//! The MPI library: its functions and constants, with any of the three binary interfaces.
//!
//! Handles are passed as `usize`. Handles of Open MPI are addresses. Those of the MPICH family are 32-bit
//! integers; a little-endian machine passes and writes them in the low half of a zeroed `usize`. Those of the
//! MPI 5 standard interface are addresses or small numbers. A status is an opaque buffer.
//!
//! Invariant: an [`MpiLibrary`] is complete (every function and constant was found) and lives forever. Never
//! here: the search for a library, waiting, errors of MPI calls.
#![allow(unsafe_code)]

mod constants;
mod data;
mod files;
mod functions;
mod kinds;

use std::ffi::c_int;
use std::path::{Path, PathBuf};

pub use crate::loaded::LoadError;
use crate::loaded::{SharedLibrary, address, open_behind_preloaded};
pub use constants::MpiConstants;
pub use data::{DataFunctions, MpiCount};
pub use files::{ErrorClasses, Modes};
pub use functions::Functions;
pub use kinds::{NAMED_KINDS, NamedKind};

#[cfg(target_endian = "big")]
compile_error!("MPI handles are passed in the low half of a usize, which needs a little-endian machine");

/// A handle of MPI (communicator, datatype, request, file, hints, …); set it to 0 before MPI writes into it.
pub type Handle = usize;

/// `MPI_Offset`, a position in a file.
pub type Offset = i64;

/// `MPI_Status`, large enough for every library (the largest known has 32 bytes).
#[repr(C, align(16))]
#[derive(Clone, Debug)]
pub struct Status([u8; 128]);

impl Status {
    /// An empty status for MPI to fill.
    pub fn new() -> Self {
        Self([0; 128])
    }

    /// A status in which every bit is set; a call that fills it changes it.
    pub fn unfilled() -> Self {
        Self([0xff; 128])
    }

    /// The status `number` in an array that MPI wrote, in which a status has no more bytes than it needs.
    pub fn of_row(row: &[Self], abi: Abi, number: usize) -> Self {
        let (bytes, mut found) = (abi.status_bytes(), Self::new());
        for (at, byte) in found.0.iter_mut().enumerate().take(bytes) {
            let place = number * bytes + at;
            *byte = row[place / 128].0[place % 128];
        }
        found
    }

    /// The rank that sent the message: the third field of MPICH's layout, the first of the others.
    pub fn source(&self, abi: Abi) -> i32 {
        let at = if abi == Abi::Mpich { 8 } else { 0 };
        let bytes = [self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]];
        i32::from_ne_bytes(bytes)
    }
}

impl Default for Status {
    fn default() -> Self {
        Self::new()
    }
}

/// The binary interface of an MPI library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abi {
    /// Open MPI and its descendants: handles are addresses of symbols.
    OpenMpi,
    /// MPICH and its descendants (Intel, Cray, MVAPICH): handles are 32-bit integers.
    Mpich,
    /// The interface of the MPI 5 standard (`libmpi_abi.so`).
    Standard,
}

impl Abi {
    /// Bytes of an `MPI_Status`.
    pub fn status_bytes(self) -> usize {
        match self {
            Self::OpenMpi => 24,
            Self::Mpich => 20,
            Self::Standard => 32,
        }
    }
}

/// A loaded MPI library.
#[derive(Debug)]
pub struct MpiLibrary {
    /// The path or name it was loaded by.
    pub path: PathBuf,
    /// Its binary interface.
    pub abi: Abi,
    /// Its functions.
    pub functions: Functions,
    /// The functions that move data.
    pub data: DataFunctions<c_int>,
    /// The same functions with a large count, or the name of the first one that it lacks.
    pub large: Result<DataFunctions<MpiCount>, String>,
    /// Its constants.
    pub constants: MpiConstants,
    /// The handles of [`NAMED_KINDS`], in their order; `None` if the library has no such datatype.
    kinds: Vec<Option<Handle>>,
}

impl MpiLibrary {
    /// What the library calls itself, with all its lines.
    pub fn version_text(&self) -> String {
        version_text(&self.functions)
    }

    /// Loads the library at `path`, or of that name in the system's search path, until the program ends.
    ///
    /// Fails if there is no such library, or if it lacks a function or constant of MPI.
    pub fn load(path: impl AsRef<Path>) -> Result<&'static Self, LoadError> {
        let path = path.as_ref();
        let reject = |why| LoadError { library: path.to_owned(), why };
        // SAFETY: the caller requests an MPI library, whose constructors require nothing from the program.
        let loaded = unsafe { open_behind_preloaded(path, ANCHOR) }?;
        let functions = Functions::find(loaded).map_err(reject)?;
        let abi = abi_of(loaded, path, &functions).map_err(reject)?;
        let constants = MpiConstants::find(abi, loaded).map_err(reject)?;
        let at = |symbol: &str| address(loaded, symbol).ok();
        let kinds = NAMED_KINDS.iter().map(|kind| kind.handle(abi, at)).collect();
        // SAFETY: the functions without a suffix take C's `int`.
        let data = unsafe { DataFunctions::find(loaded, "") }.map_err(reject)?;
        // SAFETY: the functions with this suffix take an `MPI_Count`.
        let large = unsafe { DataFunctions::find(loaded, "_c") };
        let path = path.to_owned();
        Ok(Box::leak(Box::new(Self { path, abi, functions, data, large, constants, kinds })))
    }

    /// The handle of a datatype by its MPI name, one of [`NAMED_KINDS`].
    pub fn kind(&self, name: &str) -> Option<Handle> {
        let at = NAMED_KINDS.iter().position(|kind| kind.name == name)?;
        self.kinds[at]
    }
}

/// The binary interface of the library, or what it calls itself if it has none of the three.
///
/// The file name is checked first: MPICH 5 has the standard's functions in both of its libraries, and a
/// standard library of Open MPI may also contain Open MPI's own symbols. With a wrong interface every call
/// would pass handles of another size, so a library is never guessed to be MPICH.
fn abi_of(loaded: &SharedLibrary, path: &Path, functions: &Functions) -> Result<Abi, String> {
    if path.file_name().is_some_and(|name| name.to_string_lossy().contains("mpi_abi")) {
        return Ok(Abi::Standard);
    }
    if address(loaded, "ompi_mpi_comm_world").is_ok() {
        return Ok(Abi::OpenMpi);
    }
    let name = version_text(functions);
    if MPICH_FAMILY.iter().any(|member| name.contains(member)) {
        return Ok(Abi::Mpich);
    }
    let name = name.lines().next().unwrap_or_default();
    Err(format!("is not Open MPI, of the MPICH family, or built for the MPI ABI; it calls itself `{name}`"))
}

/// A function that no preloaded library replaces. They replace names that begin with `MPI_`, and some also
/// the start and files of those that begin with `PMPI_`.
const ANCHOR: &str = "PMPI_Get_library_version";

/// What the libraries with MPICH's binary interface call themselves (<https://www.mpich.org/abi/>).
const MPICH_FAMILY: [&str; 4] = ["MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation"];

/// What the library calls itself. MPI allows this call before its start.
fn version_text(functions: &Functions) -> String {
    let (mut text, mut length) = (vec![0_u8; VERSION_BYTES], 0);
    // SAFETY: no library writes a longer text, and both places live through the call.
    let code = unsafe { (functions.get_library_version)(text.as_mut_ptr().cast(), &raw mut length) };
    let length = if code == 0 { usize::try_from(length).unwrap_or(0).min(VERSION_BYTES) } else { 0 };
    String::from_utf8_lossy(&text[..length]).into_owned()
}

/// The longest text of a version, `MPI_MAX_LIBRARY_VERSION_STRING` of MPICH and of the MPI ABI, and more.
const VERSION_BYTES: usize = 16384;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_a_missing_library() {
        let error = MpiLibrary::load("/nowhere/libmpi.so.40").expect_err("the file does not exist");
        assert!(error.to_string().starts_with("/nowhere/libmpi.so.40: "), "{error}");
        assert!(error.why.contains("No such file"), "{error}");
    }

    #[test]
    fn a_library_that_is_not_mpi_is_rejected_with_the_missing_symbol() {
        let error = MpiLibrary::load("libc.so.6").expect_err("libc is not MPI");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol MPI_Init_thread");
    }

    /// Bytes of the structure that begins after `start` in a header, with members of C's `int` and `size_t`.
    fn bytes_of(header: &str, start: &str) -> Option<usize> {
        let (_, body) = header.split_once(start)?;
        let rows = body.split('}').next()?.lines().map(str::trim).filter(|row| row.ends_with(';'));
        let each = rows.map(|row| {
            let many = row.split_once('[').and_then(|(_, rest)| rest.split(']').next()?.parse().ok());
            if row.starts_with("size_t ") { 8 } else { 4 * many.unwrap_or(1) }
        });
        Some(each.sum())
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn a_status_has_as_many_bytes_as_in_the_headers_on_this_machine() {
        let venv = std::env::var("ASSAY_TEST_MPICH_VENV")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mpich-venv").to_owned());
        let (plain, open) = ("typedef struct MPI_Status {", "struct ompi_status_public_t {");
        for (path, start, abi) in [
            ("/usr/include/x86_64-linux-gnu/mpich/mpi.h".to_owned(), plain, Abi::Mpich),
            (format!("{venv}/include/mpi.h"), plain, Abi::Mpich),
            (format!("{venv}/include/mpi_abi.h"), "typedef struct {", Abi::Standard),
            ("/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h".to_owned(), open, Abi::OpenMpi),
        ] {
            let Ok(header) = std::fs::read_to_string(&path) else {
                println!("SKIPPED: the header {path} does not exist");
                continue;
            };
            assert_eq!(bytes_of(&header, start), Some(abi.status_bytes()), "{path}");
        }
    }

    #[test]
    fn statuses_of_an_array_are_contiguous() {
        let mut row = vec![Status::new(), Status::new()];
        // The source of the eighth is the third number of 20 bytes each.
        row[1].0[7 * 20 + 8 - 128] = 5;
        assert_eq!(Status::of_row(&row, Abi::Mpich, 7).source(Abi::Mpich), 5);
        assert_eq!(Status::of_row(&row, Abi::Mpich, 6).source(Abi::Mpich), 0);
    }

    #[test]
    fn a_status_holds_every_known_layout() {
        assert!(size_of::<Status>() >= 64, "MPI 5 needs 32 bytes, Open MPI 24, MPICH 20");
    }
}
