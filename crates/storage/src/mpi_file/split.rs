//! Collective calls in two halves: between them a file has one outstanding call, which owns its buffer.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr;

use super::access::At;
use super::datatype::Datatype;
use super::done::CallStatus;
use super::error::MpiError;
use super::file::MpiFile;
use super::memory::{Elements, by_count};
use super::request::RejectedCall;
use crate::Op;

/// The first half of a collective call. If it is dropped it never ends, and its buffer is never freed.
#[derive(Debug)]
#[must_use = "a collective call that is not ended keeps its buffer forever"]
pub struct Split<'f> {
    file: &'f MpiFile,
    op: Op,
    at: At,
    /// The byte of the buffer that MPI received; `None`: its absolute address.
    origin: Option<usize>,
    buffer: ManuallyDrop<Vec<u8>>,
    /// A datatype for this call alone.
    _absolute: Option<Datatype>,
}

impl MpiFile {
    /// `MPI_File_write_…_begin` and `MPI_File_read_…_begin` in their three forms. Collective.
    pub fn begin(
        &self,
        op: Op,
        at: At,
        mut buffer: Vec<u8>,
        elements: Elements<'_>,
    ) -> Result<Split<'_>, RejectedCall> {
        use Op::{Read, Write};
        let file = self.handle;
        let described = match elements.within(buffer.as_mut_ptr(), buffer.len()) {
            Ok(described) => described,
            Err(error) => return Err(RejectedCall { error, buffer }),
        };
        let (into, from, kind) = (described.place, described.place.cast_const(), described.kind);
        // SAFETY: the file is open and the datatype lives. The buffer holds the elements and is not accessed,
        // moved or freed before the second half has ended.
        let code = by_count!(self, described, |f, count| unsafe {
            match (op, at) {
                (Write, At::Offset(at)) => (f.file_write_at_all_begin)(file, at, from, count, kind),
                (Write, At::Individual) => (f.file_write_all_begin)(file, from, count, kind),
                (Write, At::Shared) => (f.file_write_ordered_begin)(file, from, count, kind),
                (Read, At::Offset(at)) => (f.file_read_at_all_begin)(file, at, into, count, kind),
                (Read, At::Individual) => (f.file_read_all_begin)(file, into, count, kind),
                (Read, At::Shared) => (f.file_read_ordered_begin)(file, into, count, kind),
            }
        });
        if let Err(error) = self.check(code) {
            return Err(RejectedCall { error, buffer });
        }
        let origin = described.absolute.is_none().then_some(elements.origin);
        let buffer = ManuallyDrop::new(buffer);
        Ok(Split { file: self, op, at, origin, buffer, _absolute: described.absolute })
    }
}

impl Split<'_> {
    /// The second half: waits, and returns the buffer. After an error the buffer may still be in use, so it
    /// is not returned. Collective.
    pub fn end(mut self) -> (Result<CallStatus, MpiError>, Vec<u8>) {
        let (f, file) = (self.file.functions(), self.file.handle);
        let there = |origin| self.buffer.as_mut_ptr().wrapping_add(origin).cast();
        let into: *mut c_void = self.origin.map_or(ptr::null_mut(), there);
        let from = into.cast_const();
        let mut done = self.file.status();
        let status = &raw mut done;
        // SAFETY: the file is open, since it is borrowed; this is the buffer of the first half.
        let code = unsafe {
            match (self.at, self.op) {
                (At::Offset(_), Op::Write) => (f.file_write_at_all_end)(file, from, status),
                (At::Offset(_), Op::Read) => (f.file_read_at_all_end)(file, into, status),
                (At::Individual, Op::Write) => (f.file_write_all_end)(file, from, status),
                (At::Individual, Op::Read) => (f.file_read_all_end)(file, into, status),
                (At::Shared, Op::Write) => (f.file_write_ordered_end)(file, from, status),
                (At::Shared, Op::Read) => (f.file_read_ordered_end)(file, into, status),
            }
        };
        if let Err(error) = self.file.check(code) {
            return (Err(error), Vec::new());
        }
        // SAFETY: `self` ends here, and MPI has released the buffer.
        let buffer = unsafe { ManuallyDrop::take(&mut self.buffer) };
        (Ok(CallStatus::new(self.file.library, done)), buffer)
    }
}
