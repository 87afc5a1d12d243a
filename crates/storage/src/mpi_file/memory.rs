//! Where the elements of a call lie in its buffer.

use std::ffi::c_int;

use super::datatype::Datatype;

/// So many elements of a datatype, the first at a byte of the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'t> {
    /// Their type.
    pub kind: &'t Datatype,
    /// How many.
    pub count: i32,
    /// The byte of the buffer at which MPI is told that they begin. Data of a type with a negative bound lies
    /// before it.
    pub origin: usize,
}

impl<'t> Elements<'t> {
    /// So many elements from the beginning of the buffer.
    pub fn new(kind: &'t Datatype, count: i32) -> Self {
        Self { kind, count, origin: 0 }
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

    /// The count for MPI.
    ///
    /// Panics where the call would reach beyond a buffer of `length` bytes.
    #[inline]
    pub(super) fn within(&self, length: usize) -> c_int {
        let (from, to) = self.reach();
        assert!(
            from >= 0 && to <= length as i128 && self.origin <= length,
            "{} elements reach from {from} to {to} in a buffer of {length} bytes",
            self.count
        );
        self.count
    }
}
