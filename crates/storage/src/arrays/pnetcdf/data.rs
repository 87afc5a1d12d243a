//! Data that is moved when the call returns.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io;

use super::super::{Access, ArrayValues, Element, Slab, Variable, wrong};
use super::file::{DIMENSIONS_MAX, KnownArray, NcFile};

/// A part of an array as the library takes it.
pub(super) struct ArrayPart {
    pub(super) array: c_int,
    start: [i64; DIMENSIONS_MAX],
    count: [i64; DIMENSIONS_MAX],
}

impl ArrayPart {
    /// Beginnings and lengths, of which there is one for each dimension of the array.
    pub(super) fn arrays(&self) -> (*const i64, *const i64) {
        (self.start.as_ptr(), self.count.as_ptr())
    }
}

impl NcFile {
    /// The part `slab` of an array, for the first of so many values; one that does not fit is refused here.
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

    /// Writes bytes, which the library leaves as they are.
    pub(crate) fn put_bytes(&mut self, variable: Variable, slab: Slab<'_>, bytes: &[u8]) -> io::Result<()> {
        let part = self.part(variable, slab, Element::Byte, bytes.len())?;
        let (f, (start, count)) = (self.functions(), part.arrays());
        let put = if self.access == Access::Collective { f.put_vara_schar_all } else { f.put_vara_schar };
        // SAFETY: the file is open, and there are at least as many bytes as the part has elements.
        self.check(unsafe { put(self.id, part.array, start, count, bytes.as_ptr().cast()) })
    }

    /// Reads bytes.
    pub(crate) fn get_bytes(
        &mut self,
        variable: Variable,
        slab: Slab<'_>,
        bytes: &mut [u8],
    ) -> io::Result<()> {
        let part = self.part(variable, slab, Element::Byte, bytes.len())?;
        let (f, (start, count)) = (self.functions(), part.arrays());
        let get = if self.access == Access::Collective { f.get_vara_schar_all } else { f.get_vara_schar };
        // SAFETY: the file is open, and there is room for at least as many bytes as the part has elements.
        self.check(unsafe { get(self.id, part.array, start, count, bytes.as_mut_ptr().cast()) })
    }

    pub(super) fn put_values(
        &mut self,
        variable: Variable,
        slab: Slab<'_>,
        values: &mut ArrayValues,
    ) -> io::Result<()> {
        let part = self.part(variable, slab, values.element(), values.len())?;
        let (f, id, array, (start, count)) = (self.functions(), self.id, part.array, part.arrays());
        let all = self.access == Access::Collective;
        // SAFETY: the file is open, and there are at least as many values as the part has elements. They are
        // ours alone while the call lasts, for the library may swap their bytes in place and back.
        let code = unsafe {
            match values {
                ArrayValues::Bytes(from) => {
                    let put = if all { f.put_vara_schar_all } else { f.put_vara_schar };
                    put(id, array, start, count, from.as_mut_ptr())
                }
                ArrayValues::Ints(from) => {
                    let put = if all { f.put_vara_int_all } else { f.put_vara_int };
                    put(id, array, start, count, from.as_mut_ptr())
                }
                ArrayValues::Floats(from) => {
                    let put = if all { f.put_vara_float_all } else { f.put_vara_float };
                    put(id, array, start, count, from.as_mut_ptr())
                }
                ArrayValues::Doubles(from) => {
                    let put = if all { f.put_vara_double_all } else { f.put_vara_double };
                    put(id, array, start, count, from.as_mut_ptr())
                }
            }
        };
        self.check(code)
    }

    pub(super) fn get_values(
        &mut self,
        variable: Variable,
        slab: Slab<'_>,
        values: &mut ArrayValues,
    ) -> io::Result<()> {
        let part = self.part(variable, slab, values.element(), values.len())?;
        let (f, id, array, (start, count)) = (self.functions(), self.id, part.array, part.arrays());
        let all = self.access == Access::Collective;
        // SAFETY: the file is open, and there is room for at least as many values as the part has elements.
        let code = unsafe {
            match values {
                ArrayValues::Bytes(into) => {
                    let get = if all { f.get_vara_schar_all } else { f.get_vara_schar };
                    get(id, array, start, count, into.as_mut_ptr())
                }
                ArrayValues::Ints(into) => {
                    let get = if all { f.get_vara_int_all } else { f.get_vara_int };
                    get(id, array, start, count, into.as_mut_ptr())
                }
                ArrayValues::Floats(into) => {
                    let get = if all { f.get_vara_float_all } else { f.get_vara_float };
                    get(id, array, start, count, into.as_mut_ptr())
                }
                ArrayValues::Doubles(into) => {
                    let get = if all { f.get_vara_double_all } else { f.get_vara_double };
                    get(id, array, start, count, into.as_mut_ptr())
                }
            }
        };
        self.check(code)
    }
}
