//! The position of a call's elements in its buffer, and the ways to describe them to MPI.

use std::ffi::{c_int, c_void};
use std::ptr;

use ffi::mpi::{DataFunctions, Handle, MpiCount, MpiLibrary};

use super::datatype::Datatype;
use super::error::{Class, MpiError};

/// How the elements of a call are described to MPI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ElementCalls {
    /// By the buffer's address, in the calls that every library has.
    #[default]
    Plain,
    /// By `MPI_BOTTOM` and a datatype made from the buffer's address.
    Absolute,
    /// In the calls of MPI 4 with a large count (`_c`), which older libraries lack.
    Large,
}

/// A number of elements of a datatype, with the position of the first in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'t> {
    /// Their type.
    pub kind: &'t Datatype,
    /// How many; more than 2^31 - 1 only with the large calls.
    pub count: i64,
    /// The byte of the buffer at which MPI is to begin. Data of a type with a negative bound is before it.
    pub origin: usize,
    /// How the elements are described to MPI.
    pub calls: ElementCalls,
}

/// The elements of one call in the form that MPI takes.
pub(super) struct DescribedElements<'l> {
    /// The address of the buffer.
    pub(super) place: *mut c_void,
    pub(super) count: MpiCount,
    pub(super) kind: Handle,
    /// The functions to call if they are not the usual ones.
    pub(super) large: Option<&'l DataFunctions<MpiCount>>,
    /// A datatype for this call alone, which lives until the call has ended.
    pub(super) absolute: Option<Datatype>,
}

/// A call by the usual functions or by the large ones, with the matching type of count.
macro_rules! by_count {
    ($file:expr, $elements:expr, |$f:ident, $count:ident| $call:expr) => {
        match $elements.large {
            None => {
                let ($f, $count) = (&$file.library.data, $elements.int());
                $call
            }
            Some($f) => {
                let $count = $elements.count;
                $call
            }
        }
    };
}
pub(super) use by_count;

impl<'t> Elements<'t> {
    /// This many elements from the beginning of the buffer.
    pub fn new(kind: &'t Datatype, count: i32) -> Self {
        Self { kind, count: count.into(), origin: 0, calls: ElementCalls::Plain }
    }

    /// The same elements, described in another way.
    pub fn by(self, calls: ElementCalls) -> Self {
        Self { calls, ..self }
    }

    /// The range that the call accesses, in bytes from the beginning of the buffer: first byte, and end.
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

    /// The description of these elements in this buffer.
    ///
    /// Panics if the call would reach beyond a buffer of `length` bytes.
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

    /// One element of a datatype that contains the absolute address.
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

/// The count for a call without a large form.
fn int(count: i64) -> c_int {
    c_int::try_from(count).expect("a count that C's int holds, unless calls are large")
}

/// The calls with a large count, or an error that the library has none.
fn large(library: &'static MpiLibrary) -> Result<&'static DataFunctions<MpiCount>, MpiError> {
    library.large.as_ref().map_err(|why| MpiError {
        class: Class::UnsupportedOperation,
        code: 0,
        words: format!("no calls with a large count: the library {why}"),
    })
}
