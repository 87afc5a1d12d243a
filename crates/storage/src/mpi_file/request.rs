//! Calls that move data and do not wait: a request owns its buffer until it has ended.
//!
//! ROMIO 3.2.1, which Open MPI 4.1 contains next to its own library (`--mca io romio321`), jumps to address 0
//! in the collective ones, in every program.

use std::ffi::c_int;
use std::mem::ManuallyDrop;

use ffi::mpi::{Handle, Status};

use super::access::{At, Participation};
use super::datatype::Datatype;
use super::done::CallStatus;
use super::error::MpiError;
use super::file::MpiFile;
use super::memory::{Elements, by_count};
use crate::Op;

/// A rejected call, with the buffer that it should have moved.
#[derive(Debug)]
pub struct RejectedCall {
    /// Why.
    pub error: MpiError,
    /// The buffer.
    pub buffer: Vec<u8>,
}

/// An outstanding call. If it is dropped it continues, and its buffer is never freed.
#[derive(Debug)]
#[must_use = "a request that is dropped keeps its buffer forever"]
pub struct MpiRequest<'f> {
    pub(super) file: &'f MpiFile,
    pub(super) handle: Handle,
    buffer: ManuallyDrop<Vec<u8>>,
    /// A datatype for this call alone.
    _absolute: Option<Datatype>,
}

/// The result of a test of a request.
#[derive(Debug)]
pub enum RequestProgress<'f> {
    /// It has ended: its result, and its buffer.
    Ended(Result<CallStatus, MpiError>, Vec<u8>),
    /// It is outstanding.
    Outstanding(MpiRequest<'f>),
}

/// The error for a call that MPI does not have.
const ORDERED: &str = "MPI has no collective call at the shared pointer that does not wait";

impl RejectedCall {
    /// The result, in the form of a call that was made.
    pub fn ended(self) -> (Result<CallStatus, MpiError>, Vec<u8>) {
        (Err(self.error), self.buffer)
    }
}

impl MpiFile {
    /// `MPI_File_iwrite` and `MPI_File_iread` in their five forms: begins to move these elements of `buffer`.
    pub fn start(
        &self,
        op: Op,
        at: At,
        way: Participation,
        mut buffer: Vec<u8>,
        elements: Elements<'_>,
    ) -> Result<MpiRequest<'_>, RejectedCall> {
        use At::{Individual, Offset, Shared};
        use Op::{Read, Write};
        use Participation::{Collective, Independent};
        let file = self.handle;
        let described = match elements.within(buffer.as_mut_ptr(), buffer.len()) {
            Ok(described) => described,
            Err(error) => return Err(RejectedCall { error, buffer }),
        };
        let (into, from, kind) = (described.place, described.place.cast_const(), described.kind);
        let mut handle = self.library.constants.request_null;
        let request = &raw mut handle;
        // SAFETY: the file is open and the datatype lives. The buffer holds the elements and is not accessed,
        // moved or freed before the request has ended.
        let code = by_count!(self, described, |f, count| unsafe {
            match (op, at, way) {
                (Write, Offset(at), Independent) => (f.file_iwrite_at)(file, at, from, count, kind, request),
                (Write, Offset(at), Collective) => {
                    (f.file_iwrite_at_all)(file, at, from, count, kind, request)
                }
                (Write, Individual, Independent) => (f.file_iwrite)(file, from, count, kind, request),
                (Write, Individual, Collective) => (f.file_iwrite_all)(file, from, count, kind, request),
                (Write, Shared, Independent) => (f.file_iwrite_shared)(file, from, count, kind, request),
                (Read, Offset(at), Independent) => (f.file_iread_at)(file, at, into, count, kind, request),
                (Read, Offset(at), Collective) => (f.file_iread_at_all)(file, at, into, count, kind, request),
                (Read, Individual, Independent) => (f.file_iread)(file, into, count, kind, request),
                (Read, Individual, Collective) => (f.file_iread_all)(file, into, count, kind, request),
                (Read, Shared, Independent) => (f.file_iread_shared)(file, into, count, kind, request),
                (_, Shared, Collective) => {
                    return Err(RejectedCall { error: MpiError::no_call(ORDERED), buffer });
                }
            }
        });
        if let Err(error) = self.check(code) {
            return Err(RejectedCall { error, buffer });
        }
        Ok(MpiRequest {
            file: self,
            handle,
            buffer: ManuallyDrop::new(buffer),
            _absolute: described.absolute,
        })
    }
}

impl<'f> MpiRequest<'f> {
    /// Waits for its end: returns its result, and its buffer.
    pub fn wait(mut self) -> (Result<CallStatus, MpiError>, Vec<u8>) {
        let mut status = self.file.status();
        let wait = self.file.functions().wait;
        // SAFETY: the request is live; MPI sets it to null.
        let code = unsafe { wait(&raw mut self.handle, &raw mut status) };
        let is_over = code == 0 || self.is_null();
        self.ended(code, status, is_over)
    }

    /// Tests whether it has ended, and lets the library make progress with it.
    pub fn test(mut self) -> RequestProgress<'f> {
        let (mut status, mut flag): (_, c_int) = (self.file.status(), 0);
        let test = self.file.functions().test;
        // SAFETY: the same.
        let code = unsafe { test(&raw mut self.handle, &raw mut flag, &raw mut status) };
        if code == 0 && flag == 0 {
            return RequestProgress::Outstanding(self);
        }
        // A test that failed may have ended nothing. Only the flag says that the call is over.
        let (done, buffer) = self.ended(code, status, flag != 0);
        RequestProgress::Ended(done, buffer)
    }

    /// Asks MPI to cancel it. The caller must still wait for it; the result reports whether it was cancelled.
    pub fn cancel(&mut self) -> Result<(), MpiError> {
        // SAFETY: the request is live.
        self.file.check(unsafe { (self.file.functions().cancel)(&raw mut self.handle) })
    }

    /// Lets MPI complete it without a result (`MPI_Request_free`); its buffer is never freed.
    pub fn free(mut self) -> Result<(), MpiError> {
        // SAFETY: the request is live and not used afterwards.
        self.file.check(unsafe { (self.file.functions().request_free)(&raw mut self.handle) })
    }

    fn is_null(&self) -> bool {
        self.handle == self.file.library.constants.request_null
    }

    /// The result of a call of MPI that returned `code`. If the request `is_over`, its buffer is returned.
    /// Otherwise MPI may still use the buffer, which is therefore kept forever.
    pub(super) fn ended(
        mut self,
        code: c_int,
        status: Status,
        is_over: bool,
    ) -> (Result<CallStatus, MpiError>, Vec<u8>) {
        let done = self.file.check(code).map(|()| CallStatus::new(self.file.library, status));
        if !is_over || (done.is_err() && !self.is_null()) {
            return (done, Vec::new());
        }
        // SAFETY: `self` ends here, and MPI has released the buffer.
        let buffer = unsafe { ManuallyDrop::take(&mut self.buffer) };
        (done, buffer)
    }
}
