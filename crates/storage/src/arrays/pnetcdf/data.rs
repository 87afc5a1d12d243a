//! Calls that move their data before they return.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io;

use ffi::netcdf::VaraFunctions;

use super::super::{Access, ArrayValues, Element, Slab, Variable, wrong};
use super::file::{DIMENSIONS_MAX, KnownArray, NcFile};

/// A part of an array in the form that the library takes.
pub(super) struct ArrayPart {
    pub(super) array: c_int,
    start: [i64; DIMENSIONS_MAX],
    count: [i64; DIMENSIONS_MAX],
}

impl ArrayPart {
    /// Starts and counts: one of each for each dimension of the array.
    pub(super) fn arrays(&self) -> (*const i64, *const i64) {
        (self.start.as_ptr(), self.count.as_ptr())
    }
}

impl NcFile {
    /// The part `slab` of an array, for the first of the given values; a part that does not fit is rejected
    /// here.
    pub(super) fn part(
        &self,
        variable: Variable,
        slab: Slab<'_>,
        element: Element,
        values: usize,
    ) -> io::Result<ArrayPart> {
        let KnownArray { id, element: own, dimensions } = self.arrays[variable.0];
        slab.check((dimensions, own), (values, element))?;
        let mut part = ArrayPart { array: id, start: [0; DIMENSIONS_MAX], count: [0; DIMENSIONS_MAX] };
        let whole =
            |number: u64| i64::try_from(number).map_err(|_| wrong(format!("{number} is beyond 2^63")));
        for (at, (start, count)) in slab.start.iter().zip(slab.count).enumerate() {
            (part.start[at], part.count[at]) = (whole(*start)?, whole(*count)?);
        }
        Ok(part)
    }

    /// Writes bytes; the library does not convert them.
    pub(crate) fn put_bytes(&mut self, variable: Variable, slab: Slab<'_>, bytes: &[u8]) -> io::Result<()> {
        let part = self.part(variable, slab, Element::Byte, bytes.len())?;
        // SAFETY: there are at least as many bytes as the part has elements.
        unsafe { self.put_part(&self.library.schar, &part, bytes.as_ptr().cast()) }
    }

    /// Reads bytes.
    pub(crate) fn get_bytes(
        &mut self,
        variable: Variable,
        slab: Slab<'_>,
        bytes: &mut [u8],
    ) -> io::Result<()> {
        let part = self.part(variable, slab, Element::Byte, bytes.len())?;
        // SAFETY: there is space for at least as many bytes as the part has elements.
        unsafe { self.get_part(&self.library.schar, &part, bytes.as_mut_ptr().cast()) }
    }

    pub(super) fn put_values(
        &mut self,
        variable: Variable,
        slab: Slab<'_>,
        values: &mut ArrayValues,
    ) -> io::Result<()> {
        let part = self.part(variable, slab, values.element(), values.len())?;
        // SAFETY: there are at least as many values as the part has elements. No other reference to them
        // exists during the call, in which the library may swap their bytes in place and back.
        unsafe {
            match values {
                ArrayValues::Bytes(from) => self.put_part(&self.library.schar, &part, from.as_mut_ptr()),
                ArrayValues::Ints(from) => self.put_part(&self.library.int, &part, from.as_mut_ptr()),
                ArrayValues::Floats(from) => self.put_part(&self.library.float, &part, from.as_mut_ptr()),
                ArrayValues::Doubles(from) => self.put_part(&self.library.double, &part, from.as_mut_ptr()),
            }
        }
    }

    pub(super) fn get_values(
        &mut self,
        variable: Variable,
        slab: Slab<'_>,
        values: &mut ArrayValues,
    ) -> io::Result<()> {
        let part = self.part(variable, slab, values.element(), values.len())?;
        // SAFETY: there is space for at least as many values as the part has elements.
        unsafe {
            match values {
                ArrayValues::Bytes(into) => self.get_part(&self.library.schar, &part, into.as_mut_ptr()),
                ArrayValues::Ints(into) => self.get_part(&self.library.int, &part, into.as_mut_ptr()),
                ArrayValues::Floats(into) => self.get_part(&self.library.float, &part, into.as_mut_ptr()),
                ArrayValues::Doubles(into) => self.get_part(&self.library.double, &part, into.as_mut_ptr()),
            }
        }
    }

    /// Writes a part by the functions of its type.
    ///
    /// # Safety `from` has at least as many values as the part has elements while the call lasts. Values of
    /// more than one byte have no other reference: the library may swap their bytes in place and back.
    unsafe fn put_part<T>(&self, f: &VaraFunctions<T>, part: &ArrayPart, from: *const T) -> io::Result<()> {
        let put = if self.access == Access::Collective { f.put_all } else { f.put };
        let (start, count) = part.arrays();
        // SAFETY: the file is open; the caller guarantees the rest.
        self.check(unsafe { put(self.id, part.array, start, count, from) })
    }

    /// Reads a part by the functions of its type.
    ///
    /// # Safety
    /// `into` has space for at least as many values as the part has elements, while the call lasts.
    unsafe fn get_part<T>(&self, f: &VaraFunctions<T>, part: &ArrayPart, into: *mut T) -> io::Result<()> {
        let get = if self.access == Access::Collective { f.get_all } else { f.get };
        let (start, count) = part.arrays();
        // SAFETY: the file is open; the caller guarantees the rest.
        self.check(unsafe { get(self.id, part.array, start, count, into) })
    }
}
