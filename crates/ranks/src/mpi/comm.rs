//! A communicator of MPI processes: its state, and single calls.
//!
//! Never here: what all ranks do together (`collectives`, `gather`, `nodes`, `clock`).
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use ffi::mpi::{Functions, Handle, MpiLibrary};

use super::alarm::Alarm;
use super::calls::Mpi;
use super::messages::Messages;
use crate::comm::{ClockOffset, Comm, Halt};

/// A communicator of MPI processes; clones are the same communicator. It cannot leave its thread:
///
/// ```compile_fail,E0277
/// fn sends<T: Send>() {}
/// sends::<ranks::mpi::MpiComm>();
/// ```
#[derive(Clone, Debug)]
pub struct MpiComm {
    pub(super) mpi: Arc<Mpi>,
    pub(super) handle: Handle,
    pub(super) rank: u32,
    pub(super) size: u32,
    pub(super) node: Arc<str>,
    /// Only one thread may call MPI, so the group stays in its thread.
    pub(super) shared: Rc<SharedComm>,
}

/// State that the clones of a communicator share.
#[derive(Debug)]
pub(super) struct SharedComm {
    mpi: Arc<Mpi>,
    handle: Handle,
    pub(super) alarm: Alarm,
    pub(super) messages: Messages,
    /// Found at the first request, because creating a communicator is slow with many ranks.
    pub(super) nodes: OnceLock<NodesOfComm>,
    /// Whether the ranks of this node share a clock. Found at the first comparison of clocks.
    pub(super) one_clock: OnceLock<bool>,
    /// On the first rank of a node, from the last comparison of kernels.
    pub(super) kernel_offset: Cell<Option<KernelOffset>>,
}

/// The nodes of a communicator.
#[derive(Debug)]
pub(super) enum NodesOfComm {
    /// All ranks share one node.
    One,
    /// There are several.
    Many(Box<ManyNodes>),
}

/// Several nodes.
#[derive(Debug)]
pub(super) struct ManyNodes {
    /// The ranks of this node.
    pub(super) here: MpiComm,
    /// The first ranks of all nodes; `None` on other ranks.
    pub(super) leaders: Option<MpiComm>,
    /// Most ranks of a node.
    pub(super) most: usize,
    /// On rank 0: the ranks of each node, in the order of `leaders`.
    pub(super) ranks: Vec<Vec<u32>>,
}

/// The offset of this node's kernel from that of rank 0's node.
#[derive(Clone, Copy, Debug)]
pub(super) struct KernelOffset {
    pub(super) offset: ClockOffset,
    /// When it was measured, on this node's kernel.
    pub(super) at_ns: u64,
}

/// While it exists, [`MpiWorld::finish`](super::MpiWorld::finish) fails.
#[derive(Clone, Debug)]
pub struct MpiInUse(#[expect(dead_code, reason = "its existence counts")] Arc<Mpi>);

impl Drop for SharedComm {
    fn drop(&mut self) {
        if self.mpi.is_home() && !std::thread::panicking() {
            self.mpi.free(self.handle);
        }
    }
}

impl MpiComm {
    /// Takes over a communicator that MPI has created for this value alone.
    pub(super) fn own(mpi: Arc<Mpi>, handle: Handle, node: Arc<str>) -> Result<Self, c_int> {
        let (rank, size) = mpi.place(handle)?;
        let shared = Rc::new(SharedComm {
            mpi: Arc::clone(&mpi),
            handle,
            alarm: Alarm::new(rank, size),
            messages: Messages::default(),
            nodes: OnceLock::new(),
            one_clock: OnceLock::new(),
            kernel_offset: Cell::new(None),
        });
        Ok(Self { mpi, handle, rank, size, node, shared })
    }

    /// The raw `MPI_Comm`, for MPI files and for libraries that use MPI.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// Keeps MPI from being ended, for a value that calls MPI later.
    pub fn in_use(&self) -> MpiInUse {
        MpiInUse(Arc::clone(&self.mpi))
    }

    /// The library: functions, constants, interface and path.
    pub fn library(&self) -> &'static MpiLibrary {
        self.mpi.library
    }

    /// Converts an error code into the halt of this rank in `step`.
    pub(super) fn halt(&self, step: &str, code: c_int) -> Halt {
        let (rank, node, why) = (self.rank, self.node.to_string(), self.mpi.error_text(code));
        Halt { step: step.to_owned(), rank, node, why, call: None }
    }

    /// Starts an MPI operation and waits for it; forwards alarms meanwhile.
    pub(super) fn complete(
        &self,
        step: &str,
        start: impl FnOnce(&Functions, &mut Handle) -> c_int,
    ) -> Result<(), Halt> {
        let done = self.mpi.complete(start, || self.shared.alarm.check(&self.mpi, self.handle));
        done.map_err(|code| self.halt(step, code))
    }

    /// Sends `words` to rank `to`.
    pub(super) fn send(&self, to: u32, tag: c_int, words: &[u64]) -> Result<(), Halt> {
        let kind = self.mpi.constants().int64;
        self.complete("MPI_Isend", |f, request| {
            // SAFETY: `words` is borrowed until the request has ended.
            unsafe { (f.isend)(start_of(words), int(words.len()), kind, rank(to), tag, self.handle, request) }
        })
    }

    /// Fills `words` with a message from rank `from`.
    pub(super) fn receive(&self, from: u32, tag: c_int, words: &mut [u64]) -> Result<(), Halt> {
        let kind = self.mpi.constants().int64;
        self.complete("MPI_Irecv", |f, request| {
            let into = start_of_mut(words);
            // SAFETY: `words` is borrowed until the request has ended.
            unsafe { (f.irecv)(into, int(words.len()), kind, rank(from), tag, self.handle, request) }
        })
    }

    /// Waits for all ranks without handling alarms, which `clear_alarm` needs.
    pub(super) fn quiet_barrier(&self) -> Result<(), Halt> {
        // SAFETY: the handle is live.
        let start = |f: &Functions, request: &mut Handle| unsafe { (f.ibarrier)(self.handle, request) };
        self.mpi.complete(start, || {}).map_err(|code| self.halt("MPI_Ibarrier", code))
    }

    /// Whether `mine` is true on any rank, without handling alarms, which `clear_alarm` needs.
    pub(super) fn quiet_any(&self, mine: bool) -> Result<bool, Halt> {
        let (mine, mut all) = ([u64::from(mine)], [0_u64]);
        let (kind, op) = (self.mpi.constants().int64, self.mpi.constants().max);
        let start = |f: &Functions, request: &mut Handle| {
            let (from, into) = (start_of(&mine), start_of_mut(&mut all));
            // SAFETY: both arrays have one value and outlive the request.
            unsafe { (f.iallreduce)(from, into, 1, kind, op, self.handle, request) }
        };
        self.mpi.complete(start, || {}).map_err(|code| self.halt("MPI_Iallreduce", code))?;
        Ok(all[0] > 0)
    }

    /// Replaces `piece` on every rank by that of `root`; all ranks know its length.
    pub(super) fn broadcast_piece(&self, root: u32, piece: &mut [u8]) -> Result<(), Halt> {
        let kind = self.mpi.constants().byte;
        self.complete("MPI_Ibcast", |f, request| {
            let buffer = start_of_mut(piece);
            // SAFETY: `piece` is borrowed until the request has ended.
            unsafe { (f.ibcast)(buffer, int(piece.len()), kind, rank(root), self.handle, request) }
        })
    }

    /// The communicator that `make` creates when all ranks call it.
    pub(super) fn make(
        &self,
        step: &str,
        make: impl FnOnce(&Functions, &mut Handle) -> c_int,
    ) -> Result<Self, Halt> {
        // MPI has no nonblocking split, and ranks that block occupy their processors. So all ranks first meet
        // in a barrier, in which they sleep.
        self.barrier()?;
        let made = self.mpi.new_comm(make);
        let own = |handle| Self::own(Arc::clone(&self.mpi), handle, Arc::clone(&self.node));
        let made = made.and_then(own).map_err(|code| self.halt(step, code))?;
        if self.is_on_one_node() {
            made.note_one_node();
        }
        Ok(made)
    }

    /// As [`Comm::split`], without the box.
    pub(super) fn split_as(&self, color: u32) -> Result<Self, Halt> {
        let color = c_int::try_from(color).expect("colors stay below 2^31");
        self.make("MPI_Comm_split", |f, new| {
            // SAFETY: the handle is live; MPI writes the new one.
            unsafe { (f.comm_split)(self.handle, color, rank(self.rank), new) }
        })
    }

    /// The same ranks in the opposite order. Collective.
    pub fn reversed(&self) -> Result<Self, Halt> {
        self.make("MPI_Comm_split", |f, new| {
            // SAFETY: the handle is live; MPI writes the new one.
            unsafe { (f.comm_split)(self.handle, 0, rank(self.size - self.rank), new) }
        })
    }
}

impl dyn Comm + '_ {
    /// The MPI communicator, if the ranks are MPI ranks.
    pub fn mpi(&self) -> Option<&MpiComm> {
        self.as_any()?.downcast_ref()
    }
}

/// The start of a buffer; null when it is empty.
///
/// An empty slice of bytes begins at address 1, which is `MPI_IN_PLACE` of Open MPI and of the standard.
pub(super) fn start_of<T>(buffer: &[T]) -> *const c_void {
    if buffer.is_empty() { ptr::null() } else { buffer.as_ptr().cast() }
}

/// As [`start_of`], for a buffer that MPI fills.
pub(super) fn start_of_mut<T>(buffer: &mut [T]) -> *mut c_void {
    if buffer.is_empty() { ptr::null_mut() } else { buffer.as_mut_ptr().cast() }
}

/// A count as a C `int`; callers keep their pieces far below the limit.
pub(super) fn int(count: usize) -> c_int {
    c_int::try_from(count).expect("long buffers are split into pieces")
}

/// A rank's number as a C `int`.
pub(super) fn rank(number: u32) -> c_int {
    c_int::try_from(number).expect("MPI counted it with an int")
}
