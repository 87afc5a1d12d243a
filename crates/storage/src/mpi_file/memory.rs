//! Where the elements of a call lie in its buffer, and how MPI is told of them.

use std::ffi::{c_int, c_void};
use std::ptr;

use ffi::mpi::{DataFunctions, Handle, MpiCount, MpiLibrary};

use super::datatype::Datatype;
use super::error::{Class, MpiError};

/// How MPI is told of the elements of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ElementCalls {
    /// By the buffer's address, in the calls that every library has.
    #[default]
    Plain,
    /// By `MPI_BOTTOM` and a datatype made of the buffer's address.
    Absolute,
    /// In the calls of MPI 4 whose count is large (`_c`), which older libraries lack.
    Large,
}

/// So many elements of a datatype, the first at a byte of the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'t> {
    /// Their type.
    pub kind: &'t Datatype,
    /// How many; more than 2^31 - 1 only where calls are large.
    pub count: i64,
    /// The byte of the buffer at which MPI is told that they begin. Data of a type with a negative bound lies
    /// before it.
    pub origin: usize,
    /// How MPI is told of them.
    pub calls: ElementCalls,
}

/// The elements of one call as it tells MPI of them.
pub(super) struct DescribedElements<'l> {
    /// The address of the buffer.
    pub(super) place: *mut c_void,
    pub(super) count: MpiCount,
    pub(super) kind: Handle,
    /// The functions to call, unless they are the plain ones.
    pub(super) large: Option<&'l DataFunctions<MpiCount>>,
    /// A datatype of this call alone, which lives until it has ended.
    pub(super) absolute: Option<Datatype>,
}

/// A call by the plain functions or by their twins, with the count as wide as theirs.
macro_rules! by_count {
    ($file:expr, $told:expr, |$f:ident, $count:ident| $call:expr) => {
        match $told.large {
            None => {
                let ($f, $count) = (&$file.library.data, $told.int());
                $call
            }
            Some($f) => {
                let $count = $told.count;
                $call
            }
        }
    };
}
pub(super) use by_count;

impl<'t> Elements<'t> {
    /// So many elements from the beginning of the buffer.
    pub fn new(kind: &'t Datatype, count: i32) -> Self {
        Self { kind, count: count.into(), origin: 0, calls: ElementCalls::Plain }
    }

    /// The same, told in another way.
    pub fn by(self, calls: ElementCalls) -> Self {
        Self { calls, ..self }
    }

    /// How far the call reaches, in bytes from the beginning of the buffer: first byte, and end.
    pub fn reach(&self) -> (i128, i128) {
        if self.count <= 0 || self.kind.size() == 0 {
            return (0, 0);
        }
        let origin = self.origin as i128;
        let last = i128::from(self.count - 1) * i128::from(self.kind.extent());
        let from = origin + last.min(0) + i128::from(self.kind.true_lower());
        let to = i128::from(self.kind.true_lower()) + i128::from(self.kind.true_extent());
        (from, origin + last.max(0) + to)
    }

    /// What MPI is told of them in this buffer.
    ///
    /// Panics where the call would reach beyond a buffer of `length` bytes.
    #[inline]
    pub(super) fn within(
        &self,
        buffer: *mut u8,
        length: usize,
    ) -> Result<DescribedElements<'static>, MpiError> {
        let (from, to) = self.reach();
        assert!(
            from >= 0 && to <= length as i128 && self.origin <= length,
            "{} elements reach from {from} to {to} in a buffer of {length} bytes",
            self.count
        );
        let (library, place) = (self.kind.library, buffer.wrapping_add(self.origin).cast());
        let plain = DescribedElements {
            place,
            count: self.count,
            kind: self.kind.handle,
            large: None,
            absolute: None,
        };
        match self.calls {
            ElementCalls::Plain => Ok(plain),
            ElementCalls::Absolute => self.absolute(place),
            ElementCalls::Large => Ok(DescribedElements { large: Some(large(library)?), ..plain }),
        }
    }

    /// One element of a datatype whose only place is an address.
    fn absolute(&self, place: *mut c_void) -> Result<DescribedElements<'static>, MpiError> {
        let kind = self.kind.hindexed(&[int(self.count)], &[place.expose_provenance().cast_signed()])?;
        // `MPI_BOTTOM` is 0 in all three interfaces.
        let (place, handle) = (ptr::null_mut(), kind.handle);
        Ok(DescribedElements { place, count: 1, kind: handle, large: None, absolute: Some(kind) })
    }
}

impl DescribedElements<'_> {
    pub(super) fn int(&self) -> c_int {
        int(self.count)
    }
}

/// A count for a call that has no large one.
fn int(count: i64) -> c_int {
    c_int::try_from(count).expect("a count that C's int holds, unless calls are large")
}

/// The calls with a large count, or words that say that there are none.
fn large(library: &'static MpiLibrary) -> Result<&'static DataFunctions<MpiCount>, MpiError> {
    library.large.as_ref().map_err(|why| MpiError {
        class: Class::UnsupportedOperation,
        code: 0,
        words: format!("no calls with a large count: the library {why}"),
    })
}
