//! libgpfs: the function that passes hints to GPFS (IBM Storage Scale) on an open file, and its arguments.
//!
//! An argument is a header and a hint after it. Structures and numbers are those of `gpfs_fcntl.h`. IBM
//! describes them under "GPFS programming interfaces" of Storage Scale 5.2: `gpfs_fcntl() subroutine`,
//! `gpfsFcntlHeader_t structure`, `gpfsAccessRange_t structure` and those of the other hints. All have
//! lengths that are multiples of 8 bytes.
//!
//! Invariant: a [`GpfsLibrary`] lives forever.
//! Never here: the search for the library, and when a hint is given.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_longlong, c_void};
use std::path::Path;

use crate::loaded::{LoadError, functions, open};

/// A hint without its length, which [`HintArgument`] has in front of it.
///
/// # Safety
///
/// It is what `gpfs_fcntl.h` declares behind `structLen` and `structType` for the hint of this number.
pub unsafe trait GpfsHint: Copy {
    /// `structType`.
    const NUMBER: c_int;
}

/// `gpfsAccessRange_t`: the program will access this range, and nothing outside.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AccessRange {
    /// `start`: the first byte.
    pub start: c_longlong,
    /// `length`: bytes; 0 reaches to the end of the file.
    pub length: c_longlong,
    /// `isWrite`: 1 for writing, 0 for reading.
    pub is_write: c_int,
    /// `padding`.
    pub padding: [u8; 4],
}

/// `gpfsFreeRange_t`: the program will no longer access this range.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FreeRange {
    /// `start`: the first byte.
    pub start: c_longlong,
    /// `length`: bytes; 0 reaches to the end of the file.
    pub length: c_longlong,
}

/// `gpfsFineGrainWriteSharing_t`: many nodes write small records of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FineGrainWriteSharing {
    /// `fineGrainWriteSharing`: 1 switches it on.
    pub enable: c_int,
    /// `taskId`, or -1.
    pub task: c_int,
    /// `totalTasks`, or -1.
    pub tasks: c_int,
    /// `recordSize` in bytes, or -1.
    pub record: c_int,
}

/// `gpfsFineGrainReadSharing_t`: many nodes read small records of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FineGrainReadSharing {
    /// `fineGrainReadSharing`: 1 switches it on.
    pub enable: c_int,
    /// `padding`.
    pub padding: [u8; 4],
}

// SAFETY: `GPFS_ACCESS_RANGE`.
unsafe impl GpfsHint for AccessRange {
    const NUMBER: c_int = 1001;
}

// SAFETY: `GPFS_FREE_RANGE`.
unsafe impl GpfsHint for FreeRange {
    const NUMBER: c_int = 1002;
}

// SAFETY: `GPFS_FINE_GRAIN_WRITE_SHARING`.
unsafe impl GpfsHint for FineGrainWriteSharing {
    const NUMBER: c_int = 1005;
}

// SAFETY: `GPFS_FINE_GRAIN_READ_SHARING`.
unsafe impl GpfsHint for FineGrainReadSharing {
    const NUMBER: c_int = 1007;
}

/// The argument of `gpfs_fcntl`: `gpfsFcntlHeader_t`, and a hint with its length and number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HintArgument<H> {
    total_length: c_int,
    version: c_int,
    error_offset: c_int,
    reserved: c_int,
    hint_length: c_int,
    hint_number: c_int,
    hint: H,
}

impl<H: GpfsHint> HintArgument<H> {
    /// The argument with this hint.
    pub fn new(hint: H) -> Self {
        let bytes = |size: usize| size as c_int;
        Self {
            total_length: bytes(size_of::<Self>()),
            // `GPFS_FCNTL_CURRENT_VERSION`.
            version: 1,
            error_offset: 0,
            reserved: 0,
            hint_length: bytes(2 * size_of::<c_int>() + size_of::<H>()),
            hint_number: H::NUMBER,
            hint,
        }
    }
}

functions! {
    /// The functions of a loaded libgpfs.
    ///
    /// Calling one is `unsafe`: the argument must be a live [`HintArgument`].

    fcntl = "gpfs_fcntl" (file: c_int, argument: *mut c_void);
}

/// A loaded libgpfs.
#[derive(Debug)]
pub struct GpfsLibrary {
    /// The table of its C functions.
    pub functions: Functions,
}

impl GpfsLibrary {
    /// Loads the library at `path`, or of that name in the system's search path, until the program ends.
    ///
    /// Fails if there is no such library, or if it lacks the function.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        // SAFETY: the caller requests libgpfs, whose constructors require nothing from the program.
        let loaded = unsafe { open(path) }?;
        let functions = Functions::find(loaded).map_err(|why| LoadError { library: path.to_owned(), why })?;
        Ok(Self { functions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lengths that a C compiler computes from the header: of the whole argument, and of the hint in it.
    #[test]
    fn arguments_have_the_lengths_of_the_header() {
        fn lengths<H: GpfsHint>(hint: H) -> [c_int; 2] {
            let argument = HintArgument::new(hint);
            assert_eq!(argument.total_length as usize, size_of::<HintArgument<H>>());
            [argument.total_length, argument.hint_length]
        }
        assert_eq!(lengths(AccessRange { start: 0, length: 0, is_write: 0, padding: [0; 4] }), [48, 32]);
        assert_eq!(lengths(FreeRange { start: 0, length: 0 }), [40, 24]);
        let writes = FineGrainWriteSharing { enable: 1, task: -1, tasks: -1, record: -1 };
        assert_eq!(lengths(writes), [40, 24]);
        assert_eq!(lengths(FineGrainReadSharing { enable: 1, padding: [0; 4] }), [32, 16]);
    }

    #[test]
    fn a_library_that_is_not_libgpfs_is_rejected_with_the_missing_symbol() {
        let error = GpfsLibrary::load("libc.so.6").expect_err("libc is not libgpfs");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol gpfs_fcntl");
    }
}
