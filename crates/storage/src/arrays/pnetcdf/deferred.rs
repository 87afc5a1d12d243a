//! Data that is accepted now and moved by a later wait.
//!
//! Invariant: accepted values stay at their address until the library has finished with them. They stay there
//! forever if that is unknown.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io;
use std::mem;

use super::super::{Access, ArrayValues, Deferred, Slab, Variable};
use super::file::{DeferredRequest, NcFile};

impl Deferred for NcFile {
    fn post(&mut self, variable: Variable, slab: Slab<'_>, mut values: ArrayValues) -> io::Result<()> {
        let part = self.part(variable, slab, values.element(), values.len())?;
        let (library, id, array, (start, count)) = (self.library, self.id, part.array, part.arrays());
        let mut request = 0;
        let made = &raw mut request;
        // SAFETY: the file is open, and there are at least as many values as the part has elements. They stay
        // unchanged on the heap until the request has been waited for.
        let code = unsafe {
            match &mut values {
                ArrayValues::Bytes(from) => {
                    (library.schar.iput)(id, array, start, count, from.as_mut_ptr(), made)
                }
                ArrayValues::Ints(from) => {
                    (library.int.iput)(id, array, start, count, from.as_mut_ptr(), made)
                }
                ArrayValues::Floats(from) => {
                    (library.float.iput)(id, array, start, count, from.as_mut_ptr(), made)
                }
                ArrayValues::Doubles(from) => {
                    (library.double.iput)(id, array, start, count, from.as_mut_ptr(), made)
                }
            }
        };
        self.check(code)?;
        self.taken.push(DeferredRequest { request, values: Some(values) });
        Ok(())
    }

    fn attach(&mut self, bytes: u64) -> io::Result<()> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().buffer_attach)(self.id, bytes) })
    }

    fn detach(&mut self) -> io::Result<()> {
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().buffer_detach)(self.id) })
    }

    fn post_copy(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()> {
        let part = self.part(variable, slab, values.element(), values.len())?;
        let (library, id, array, (start, count)) = (self.library, self.id, part.array, part.arrays());
        let mut request = 0;
        let made = &raw mut request;
        // SAFETY: the file is open, and there are at least as many values as the part has elements. The
        // library copies them before it returns.
        let code = unsafe {
            match values {
                ArrayValues::Bytes(from) => {
                    (library.schar.bput)(id, array, start, count, from.as_mut_ptr(), made)
                }
                ArrayValues::Ints(from) => {
                    (library.int.bput)(id, array, start, count, from.as_mut_ptr(), made)
                }
                ArrayValues::Floats(from) => {
                    (library.float.bput)(id, array, start, count, from.as_mut_ptr(), made)
                }
                ArrayValues::Doubles(from) => {
                    (library.double.bput)(id, array, start, count, from.as_mut_ptr(), made)
                }
            }
        };
        self.check(code)?;
        self.taken.push(DeferredRequest { request, values: None });
        Ok(())
    }

    fn wait(&mut self) -> io::Result<Vec<ArrayValues>> {
        let taken = mem::take(&mut self.taken);
        let mut requests: Vec<c_int> = taken.iter().map(|taken| taken.request).collect();
        let mut statuses: Vec<c_int> = vec![0; requests.len()];
        let f = self.functions();
        let wait = if self.access == Access::Collective { f.wait_all } else { f.wait };
        let (count, requests) = (requests.len() as c_int, requests.as_mut_ptr());
        // SAFETY: the file is open, and both arrays have one entry for each request.
        let waited = self.check(unsafe { wait(self.id, count, requests, statuses.as_mut_ptr()) });
        let done = waited.and_then(|()| statuses.iter().try_for_each(|status| self.check(*status)));
        if let Err(error) = done {
            // The library may still read them.
            mem::forget(taken);
            return Err(error);
        }
        Ok(taken.into_iter().filter_map(|taken| taken.values).collect())
    }
}

impl Drop for NcFile {
    fn drop(&mut self) {
        // As above: no wait has finished for them.
        mem::forget(mem::take(&mut self.taken));
    }
}
