//! Messages between single ranks. The sender does not wait: it keeps the bytes until MPI has sent them.
//!
//! A message is a frame of fixed length, and a second one with the bytes that do not fit. So a receiver knows
//! the length of what it receives.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::c_int;

use ffi::mpi::Handle;

use super::calls::{Mpi, checked};

/// Tag of a frame.
const TAG_FRAME: c_int = 105;

/// Tag of the bytes that do not fit into a frame.
const TAG_REST: c_int = 106;

/// The length before the bytes.
const HEAD: usize = 8;

/// Bytes of a frame.
const FRAME: usize = 256;

/// The messages of one communicator that MPI has not sent yet. Their bytes must not move until then.
#[derive(Debug, Default)]
pub(super) struct Messages(RefCell<Vec<(Vec<u8>, Handle)>>);

impl Messages {
    /// Sends `message` to rank `to`. An error is the code of MPI.
    pub(super) fn post(&self, mpi: &Mpi, comm: Handle, to: u32, message: &[u8]) -> Result<(), c_int> {
        self.has_unsent(mpi)?;
        let (first, rest) = message.split_at(message.len().min(FRAME - HEAD));
        let mut frame = vec![0; FRAME];
        frame[..HEAD].copy_from_slice(&(message.len() as u64).to_ne_bytes());
        frame[HEAD..HEAD + first.len()].copy_from_slice(first);
        self.start(mpi, comm, to, TAG_FRAME, frame)?;
        if rest.is_empty() { Ok(()) } else { self.start(mpi, comm, to, TAG_REST, rest.to_vec()) }
    }

    /// Starts to send `bytes`, and keeps them.
    fn start(&self, mpi: &Mpi, comm: Handle, to: u32, tag: c_int, bytes: Vec<u8>) -> Result<(), c_int> {
        let (kind, mut request) = (mpi.constants().byte, 0);
        let (from, count) = (bytes.as_ptr().cast(), length(bytes.len()));
        // SAFETY: `has_unsent` has checked the thread. The bytes stay in place until the request has ended.
        checked(unsafe { (mpi.functions().isend)(from, count, kind, to as c_int, tag, comm, &mut request) })?;
        self.0.borrow_mut().push((bytes, request));
        Ok(())
    }

    /// Frees the messages that MPI has sent. Whether others are left.
    pub(super) fn has_unsent(&self, mpi: &Mpi) -> Result<bool, c_int> {
        assert!(mpi.is_home(), "only the thread that started MPI may call it, and not after its end");
        let mut outgoing = self.0.borrow_mut();
        let mut at = 0;
        while at < outgoing.len() {
            if mpi.has_ended(&mut outgoing[at].1)? {
                outgoing.swap_remove(at);
            } else {
                at += 1;
            }
        }
        Ok(!outgoing.is_empty())
    }

    /// The next message that has arrived, and its sender. `meanwhile` is called in waits for the rest of a
    /// long one. An error is the code of MPI.
    pub(super) fn poll(
        &self,
        mpi: &Mpi,
        comm: Handle,
        meanwhile: impl Fn(),
    ) -> Result<Option<(u32, Vec<u8>)>, c_int> {
        self.has_unsent(mpi)?;
        // The receive names the sender, for the reason that `alarm` has.
        let Some(source) = mpi.waiting(comm, mpi.constants().any_source, TAG_FRAME) else { return Ok(None) };
        let mut frame = [0; FRAME];
        receive(mpi, comm, (source, TAG_FRAME), &mut frame, &meanwhile)?;
        let (head, first) = frame.split_at(HEAD);
        let total = head.try_into().map_or(0, u64::from_ne_bytes);
        let mut message = vec![0; usize::try_from(total).expect("what the sender held in memory")];
        let (begin, rest) = message.split_at_mut((total as usize).min(first.len()));
        begin.copy_from_slice(&first[..begin.len()]);
        if !rest.is_empty() {
            receive(mpi, comm, (source, TAG_REST), rest, &meanwhile)?;
        }
        Ok(Some((u32::try_from(source).expect("a rank's number"), message)))
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        // The communicator is dropped before all messages were received: MPI may still read these.
        std::mem::forget(std::mem::take(self.0.get_mut()));
    }
}

fn receive(
    mpi: &Mpi,
    comm: Handle,
    (source, tag): (c_int, c_int),
    into: &mut [u8],
    meanwhile: &dyn Fn(),
) -> Result<(), c_int> {
    let kind = mpi.constants().byte;
    mpi.complete(
        |f, request| {
            let (bytes, count) = (into.as_mut_ptr().cast(), length(into.len()));
            // SAFETY: `into` is borrowed until the request has ended.
            unsafe { (f.irecv)(bytes, count, kind, source, tag, comm, request) }
        },
        meanwhile,
    )
}

/// A length as a C `int`.
fn length(bytes: usize) -> c_int {
    c_int::try_from(bytes).expect("messages are far below the limit of MPI")
}
