//! Datatypes with known bounds.

use std::ffi::c_int;

use ffi::mpi::{Functions, Handle, MpiLibrary, Offset};
use ranks::mpi::MpiComm;

use super::error::{MpiError, check};

/// Predefined datatypes of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedDatatype {
    /// `MPI_BYTE`.
    Byte,
    /// `MPI_CHAR`.
    Char,
    /// `MPI_INT16_T`.
    Int16,
    /// `MPI_INT32_T`.
    Int32,
    /// `MPI_INT64_T`.
    Int64,
    /// `MPI_FLOAT`.
    Float,
    /// `MPI_DOUBLE`.
    Double,
    /// `MPI_LONG`, 8 bytes in memory and 4 in `external32`.
    Long,
}

/// The names that [`Datatype::listed`] accepts.
pub fn listed_names() -> impl Iterator<Item = &'static str> {
    ffi::mpi::NAMED_KINDS.iter().map(|kind| kind.name)
}

/// A committed datatype; a datatype that was made here is freed when dropped. All numbers are bytes.
#[derive(Debug)]
pub struct Datatype {
    pub(super) library: &'static MpiLibrary,
    pub(super) handle: Handle,
    is_ours: bool,
    size: u64,
    extent: i64,
    true_lower: i64,
    true_extent: i64,
}

impl Datatype {
    /// A predefined datatype.
    pub fn named(comm: &MpiComm, name: NamedDatatype) -> Self {
        let library = comm.library();
        let c = &library.constants;
        let handle = match name {
            NamedDatatype::Byte => c.byte,
            NamedDatatype::Char => c.char,
            NamedDatatype::Int16 => c.int16,
            NamedDatatype::Int32 => c.int32,
            NamedDatatype::Int64 => c.int64,
            NamedDatatype::Float => c.float,
            NamedDatatype::Double => c.double,
            NamedDatatype::Long => c.long,
        };
        let named = Self::without_bounds(library, handle, false);
        named.with_bounds().expect("MPI knows the bounds of its own datatypes")
    }

    /// A predefined datatype that [`NamedDatatype`] lacks, by its name (`MPI_WCHAR`). `None` where the
    /// library has none, such as a Fortran type in a build without Fortran.
    pub fn listed(comm: &MpiComm, name: &str) -> Option<Self> {
        let library = comm.library();
        let handle = library.kind(name).filter(|handle| *handle != library.constants.datatype_null)?;
        Self::without_bounds(library, handle, false).with_bounds().ok().filter(|kind| kind.size > 0)
    }

    /// `MPI_DATATYPE_NULL`, which no call may accept: for tests of the error.
    pub fn null(comm: &MpiComm) -> Self {
        let library = comm.library();
        Self::without_bounds(library, library.constants.datatype_null, false)
    }

    fn without_bounds(library: &'static MpiLibrary, handle: Handle, is_ours: bool) -> Self {
        Self { library, handle, is_ours, size: 0, extent: 0, true_lower: 0, true_extent: 0 }
    }

    /// Reads the bounds from MPI.
    pub(super) fn with_bounds(mut self) -> Result<Self, MpiError> {
        let (f, mut size, mut lower): (_, Offset, Offset) = (&self.library.functions, 0, 0);
        // SAFETY: the handle is a datatype; MPI writes one number.
        check(self.library, unsafe { (f.type_size_x)(self.handle, &raw mut size) })?;
        // SAFETY: the same, with two numbers.
        let code = unsafe { (f.type_get_extent_x)(self.handle, &raw mut lower, &raw mut self.extent) };
        check(self.library, code)?;
        let (lower, extent) = (&raw mut self.true_lower, &raw mut self.true_extent);
        // SAFETY: the same.
        check(self.library, unsafe { (f.type_get_true_extent_x)(self.handle, lower, extent) })?;
        self.size = u64::try_from(size)
            .map_err(|_| MpiError::no_call("the library does not know the size of this datatype"))?;
        Ok(self)
    }

    /// Takes over a handle that MPI returned; `is_ours` is false for a predefined datatype, which is not
    /// freed.
    pub(super) fn own(library: &'static MpiLibrary, handle: Handle, is_ours: bool) -> Result<Self, MpiError> {
        Self::without_bounds(library, handle, is_ours).with_bounds()
    }

    /// The datatype that `make` creates, committed.
    pub(super) fn make(
        library: &'static MpiLibrary,
        make: impl FnOnce(&Functions, *mut Handle) -> c_int,
    ) -> Result<Self, MpiError> {
        let mut handle = 0;
        check(library, make(&library.functions, &raw mut handle))?;
        let mut made = Self::without_bounds(library, handle, true);
        let commit = library.functions.type_commit;
        // SAFETY: this function owns the datatype, which was just created.
        check(library, unsafe { commit(&raw mut made.handle) })?;
        made.with_bounds()
    }

    /// Bytes of data.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The distance from one element to the next.
    pub fn extent(&self) -> i64 {
        self.extent
    }

    /// The position of the first byte of data.
    pub fn true_lower(&self) -> i64 {
        self.true_lower
    }

    /// The distance from the first byte of data to the end of the last.
    pub fn true_extent(&self) -> i64 {
        self.true_extent
    }
}

impl Drop for Datatype {
    fn drop(&mut self) {
        if self.is_ours {
            // SAFETY: this value owns the handle, which is not used afterwards; outstanding calls keep their
            // own reference.
            unsafe { (self.library.functions.type_free)(&raw mut self.handle) };
        }
    }
}
