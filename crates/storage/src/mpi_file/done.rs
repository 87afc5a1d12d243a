//! The result of a call that has ended.

use std::ffi::c_int;
use std::fmt;

use ffi::mpi::{Handle, MpiLibrary, Offset, Status};

use super::datatype::Datatype;
use super::error::{MpiError, check};

/// What MPI reports of a call that has ended.
#[derive(Clone)]
pub struct CallStatus {
    library: &'static MpiLibrary,
    status: Status,
}

impl fmt::Debug for CallStatus {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = (self.bytes(), self.cancelled());
        out.debug_struct("Done").field("bytes", &facts.0).field("cancelled", &facts.1).finish()
    }
}

impl CallStatus {
    pub(super) fn new(library: &'static MpiLibrary, status: Status) -> Self {
        Self { library, status }
    }

    /// How many bytes of memory were moved.
    pub fn bytes(&self) -> Result<u64, MpiError> {
        let byte = self.library.constants.byte;
        let get = self.library.functions.get_elements_x;
        let mut count: Offset = 0;
        // SAFETY: the status is that of a call that ended.
        check(self.library, unsafe { get(&raw const self.status, byte, &raw mut count) })?;
        u64::try_from(count)
            .map_err(|_| MpiError::no_call(format!("the library reports {count} bytes moved")))
    }

    /// How many whole elements of `kind`, the call's datatype, were moved; `None` where the last one is
    /// incomplete.
    pub fn count(&self, kind: &Datatype) -> Result<Option<u64>, MpiError> {
        self.count_by(self.library.functions.get_count, kind)
    }

    /// How many basic elements of `kind`, the call's datatype, were moved; `None` where the last one is
    /// incomplete.
    pub fn elements(&self, kind: &Datatype) -> Result<Option<u64>, MpiError> {
        self.count_by(self.library.functions.get_elements_x, kind)
    }

    /// The same by `MPI_Get_elements`, which counts in a C `int`.
    pub fn few_elements(&self, kind: &Datatype) -> Result<Option<u64>, MpiError> {
        self.count_by(self.library.functions.get_elements, kind)
    }

    /// The number that `get` reports of the call.
    fn count_by<T: Default + TryInto<u64>>(
        &self,
        get: unsafe extern "C" fn(*const Status, Handle, *mut T) -> c_int,
        kind: &Datatype,
    ) -> Result<Option<u64>, MpiError> {
        let mut count = T::default();
        // SAFETY: the status is that of a call that ended, and the datatype is live.
        check(self.library, unsafe { get(&raw const self.status, kind.handle, &raw mut count) })?;
        Ok(count.try_into().ok())
    }

    /// Whether a request was cancelled before it moved anything. For calls that waited, Open MPI 4.1 reports
    /// random values.
    pub fn cancelled(&self) -> Result<bool, MpiError> {
        let test = self.library.functions.test_cancelled;
        let mut flag: c_int = 0;
        // SAFETY: the same.
        check(self.library, unsafe { test(&raw const self.status, &raw mut flag) })?;
        Ok(flag != 0)
    }
}
