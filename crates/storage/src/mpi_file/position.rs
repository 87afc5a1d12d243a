//! Where the pointers of a file stand. Positions count elements of the view, from its beginning.

use std::ffi::c_int;

use ffi::mpi::Offset;

use super::error::MpiError;
use super::file::MpiFile;

/// The two pointers of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pointer {
    /// Each rank's own.
    Individual,
    /// The one that all ranks share; moving it is collective.
    Shared,
}

/// What a seek counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    /// The beginning of the view.
    Start,
    /// Where the pointer stands.
    Here,
    /// The end of the file.
    End,
}

impl MpiFile {
    /// Moves a pointer. Collective for the shared one.
    pub fn seek(&self, pointer: Pointer, offset: i64, whence: Whence) -> Result<(), MpiError> {
        let (f, c) = (self.functions(), &self.library.constants);
        let whence: c_int = match whence {
            Whence::Start => c.seek_set,
            Whence::Here => c.seek_cur,
            Whence::End => c.seek_end,
        };
        let seek = if pointer == Pointer::Shared { f.file_seek_shared } else { f.file_seek };
        // SAFETY: the file is open.
        self.check(unsafe { seek(self.handle, offset, whence) })
    }

    /// Where a pointer stands.
    pub fn position(&self, pointer: Pointer) -> Result<i64, MpiError> {
        let (f, mut at): (_, Offset) = (self.functions(), 0);
        let get = match pointer {
            Pointer::Individual => f.file_get_position,
            Pointer::Shared => f.file_get_position_shared,
        };
        // SAFETY: the file is open; MPI writes one number.
        self.check(unsafe { get(self.handle, &raw mut at) })?;
        Ok(at)
    }

    /// The byte of the file at a position of the view.
    pub fn byte_offset(&self, position: i64) -> Result<i64, MpiError> {
        let mut byte: Offset = 0;
        // SAFETY: the file is open; MPI writes one number.
        self.check(unsafe { (self.functions().file_get_byte_offset)(self.handle, position, &raw mut byte) })?;
        Ok(byte)
    }
}
