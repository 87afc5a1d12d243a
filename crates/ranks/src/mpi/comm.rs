//! A communicator of MPI processes.
//!
//! Long buffers are sent in pieces, so that no MPI count (a C `int`) overflows. A communicator of one rank
//! never calls MPI.
//!
//! Never here: alarms, clocks, gathers, the search for nodes.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use ffi::mpi::{Functions, Handle, MpiLibrary};

use super::alarm::Alarm;
use super::calls::Mpi;
use super::clock::{self, KernelOffset};
use super::gather;
use super::nodes::NodesOfComm;
use crate::comm::{ClockOffset, Comm, Halt, Reduce};

/// The most values that one call reduces.
const REDUCE_VALUES: usize = 1 << 20;

/// The most bytes that one call broadcasts.
const BROADCAST_BYTES: usize = 1 << 25;

/// The bytes of a broadcast that are sent together with its length. Nearly all broadcasts are shorter, and
/// are one collective.
const BROADCAST_FIRST: usize = 1016;

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
    /// Found at the first request, because creating a communicator is slow with many ranks.
    pub(super) nodes: OnceLock<NodesOfComm>,
    /// Whether the ranks of this node share a clock. Found at the first comparison of clocks.
    pub(super) one_clock: OnceLock<bool>,
    /// On the first rank of a node, from the last comparison of kernels.
    pub(super) kernel_offset: Cell<Option<KernelOffset>>,
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

    /// Reduces `values` in pieces with `start`, which gets what this rank brings and where the result goes.
    fn reduce_pieces(
        &self,
        step: &str,
        values: &mut [u64],
        start: impl Fn(&Functions, *const c_void, *mut c_void, c_int, &mut Handle) -> c_int,
    ) -> Result<(), Halt> {
        if self.size == 1 {
            return Ok(());
        }
        for chunk in values.chunks_mut(REDUCE_VALUES) {
            debug_assert!(chunk.iter().all(|value| *value < 1 << 63), "values stay below 2^63");
            let mine = chunk.to_vec();
            self.complete(step, |f, request| {
                start(f, start_of(&mine), start_of_mut(chunk), int(mine.len()), request)
            })?;
        }
        Ok(())
    }

    /// The MPI operation of a reduction.
    fn op(&self, how: Reduce) -> Handle {
        let constants = self.mpi.constants();
        match how {
            Reduce::Sum => constants.sum,
            Reduce::Min => constants.min,
            Reduce::Max => constants.max,
        }
    }
}

impl Comm for MpiComm {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn node_name(&self) -> &str {
        &self.node
    }

    fn barrier(&self) -> Result<(), Halt> {
        if self.size == 1 {
            return Ok(());
        }
        self.complete("MPI_Ibarrier", |f, request| {
            // SAFETY: the handle is live.
            unsafe { (f.ibarrier)(self.handle, request) }
        })
    }

    fn all_reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        let (kind, op) = (self.mpi.constants().int64, self.op(how));
        self.reduce_pieces("MPI_Iallreduce", values, |f, from, into, count, request| {
            // SAFETY: `reduce_pieces` gives two buffers of `count` values that outlive the request.
            unsafe { (f.iallreduce)(from, into, count, kind, op, self.handle, request) }
        })
    }

    fn reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        let (kind, op) = (self.mpi.constants().int64, self.op(how));
        self.reduce_pieces("MPI_Ireduce", values, |f, from, into, count, request| {
            // SAFETY: as above.
            unsafe { (f.ireduce)(from, into, count, kind, op, 0, self.handle, request) }
        })
    }

    fn broadcast(&self, root: u32, data: &mut Vec<u8>) -> Result<(), Halt> {
        assert!(root < self.size, "the root of a broadcast is one of the ranks");
        if self.size == 1 {
            return Ok(());
        }
        let mut first = [0_u8; 8 + BROADCAST_FIRST];
        if self.rank == root {
            let inside = data.len().min(BROADCAST_FIRST);
            first[..8].copy_from_slice(&(data.len() as u64).to_ne_bytes());
            first[8..8 + inside].copy_from_slice(&data[..inside]);
        }
        self.broadcast_piece(root, &mut first)?;
        let (length, inside) = first.split_at(8);
        let length = length.try_into().map_or(0, u64::from_ne_bytes);
        let length = usize::try_from(length).expect("what the root holds in memory");
        data.resize(length, 0);
        let (begin, rest) = data.split_at_mut(length.min(BROADCAST_FIRST));
        begin.copy_from_slice(&inside[..begin.len()]);
        rest.chunks_mut(BROADCAST_BYTES).try_for_each(|piece| self.broadcast_piece(root, piece))
    }

    fn gather(&self, mine: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Halt> {
        if self.size == 1 {
            return Ok(Some(vec![mine.to_vec()]));
        }
        gather::all(self, mine)
    }

    fn split(&self, color: u32) -> Result<Box<dyn Comm>, Halt> {
        Ok(Box::new(self.split_as(color)?))
    }

    fn split_by_node(&self) -> Result<Box<dyn Comm>, Halt> {
        Ok(Box::new(self.node_ranks()?.clone()))
    }

    fn clock_offset(&self, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
        clock::offset(self, now)
    }

    fn raise_alarm(&self) {
        self.shared.alarm.raise(&self.mpi, self.handle);
    }

    fn alarm_raised(&self) -> bool {
        self.shared.alarm.raised(&self.mpi, self.handle)
    }

    fn clear_alarm(&self) -> Result<(), Halt> {
        self.shared.alarm.clear(self)
    }

    fn mpi(&self) -> Option<&MpiComm> {
        Some(self)
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
