//! Hints as MPI takes and returns them.

use std::ffi::{CStr, CString, c_int};

use ffi::mpi::{Handle, MpiLibrary};
use ranks::mpi::MpiComm;

use super::error::{MpiError, check};

/// Space for a key: more than any library's `MPI_MAX_INFO_KEY` (at most 255).
const KEY_BYTES_MAX: usize = 1024;

/// An `MPI_Info`, freed when dropped.
pub struct Info {
    library: &'static MpiLibrary,
    handle: Handle,
}

impl Info {
    /// No hints: `MPI_INFO_NULL`.
    pub fn none(comm: &MpiComm) -> Self {
        let library = comm.library();
        Self { library, handle: library.constants.info_null }
    }

    /// These hints; `MPI_INFO_NULL` for an empty list.
    pub fn of<'h>(
        comm: &MpiComm,
        hints: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> Result<Self, MpiError> {
        let mut hints = hints.into_iter().peekable();
        if hints.peek().is_none() { Ok(Self::none(comm)) } else { Self::new(comm, hints) }
    }

    /// These hints; an error names the key and value that MPI rejects.
    pub fn new<'h>(
        comm: &MpiComm,
        hints: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> Result<Self, MpiError> {
        let library = comm.library();
        let mut handle = 0;
        // SAFETY: MPI runs, and the handle is a local variable.
        check(library, unsafe { (library.functions.info_create)(&raw mut handle) })?;
        let info = Self { library, handle };
        for (key, value) in hints {
            info.set(key, value)?;
        }
        Ok(info)
    }

    fn set(&self, key: &str, value: &str) -> Result<(), MpiError> {
        let wrong = |why: &str| MpiError::no_call(format!("hint {key}={value}: {why}"));
        let texts = (CString::new(key), CString::new(value));
        let (Ok(key_text), Ok(value_text)) = texts else { return Err(wrong("a zero byte")) };
        let set = self.library.functions.info_set;
        // SAFETY: this value owns the handle; both texts end in a zero byte and outlive the call.
        let code = unsafe { set(self.handle, key_text.as_ptr(), value_text.as_ptr()) };
        check(self.library, code).map_err(|error| MpiError { words: wrong(&error.words).words, ..error })
    }

    /// Takes over a handle that MPI returned.
    pub(crate) fn own(library: &'static MpiLibrary, handle: Handle) -> Self {
        Self { library, handle }
    }

    /// The handle, for calls of MPI.
    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }

    /// All keys with their values, in the library's order.
    pub fn pairs(&self) -> Result<Vec<(String, String)>, MpiError> {
        if self.handle == self.library.constants.info_null {
            return Ok(Vec::new());
        }
        let mut count: c_int = 0;
        let nkeys = self.library.functions.info_get_nkeys;
        // SAFETY: the handle is live.
        check(self.library, unsafe { nkeys(self.handle, &raw mut count) })?;
        (0..count).map(|index| self.pair(index)).collect()
    }

    fn pair(&self, index: c_int) -> Result<(String, String), MpiError> {
        let (functions, mut key) = (&self.library.functions, [0_u8; KEY_BYTES_MAX]);
        let key_at = key.as_mut_ptr().cast();
        // SAFETY: the handle is live, and there is space for any library's longest key.
        check(self.library, unsafe { (functions.info_get_nthkey)(self.handle, index, key_at) })?;
        let (mut length, mut is_there): (c_int, c_int) = (0, 0);
        // SAFETY: the library wrote the key, with its zero byte.
        let code =
            unsafe { (functions.info_get_valuelen)(self.handle, key_at, &raw mut length, &raw mut is_there) };
        check(self.library, code)?;
        // No call accepts a length of 0, and some libraries write the zero byte after the given length.
        let length = length.max(1);
        let mut value = vec![0_u8; length as usize + 1];
        let value_at = value.as_mut_ptr().cast();
        // SAFETY: there is space for the given length and a zero byte after it.
        let code = unsafe { (functions.info_get)(self.handle, key_at, length, value_at, &raw mut is_there) };
        check(self.library, code)?;
        Ok((text(&key), text(&value)))
    }
}

/// The text up to its zero byte.
fn text(bytes: &[u8]) -> String {
    CStr::from_bytes_until_nul(bytes).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

impl Drop for Info {
    fn drop(&mut self) {
        if self.handle != self.library.constants.info_null {
            // SAFETY: this value owns the handle, which is not used afterwards.
            unsafe { (self.library.functions.info_free)(&raw mut self.handle) };
        }
    }
}
