//! A communicator of MPI processes.
//!
//! Different lengths and large counts are handled here. Lengths are sent first, and long buffers in pieces,
//! so that no MPI count (a C `int`) overflows. A communicator of one rank never calls MPI.
//!
//! Never here: alarms, clocks.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

use ffi::mpi::{Functions, Handle, MpiLibrary};

use super::alarm::Alarm;
use super::calls::Mpi;
use super::clock::{self, ClockPeers};
use crate::comm::{ClockOffset, Comm, Halt, Reduce};

/// The most values that one call reduces.
const REDUCE_VALUES: usize = 1 << 20;

/// The most bytes that one call broadcasts.
const BROADCAST_BYTES: usize = 1 << 25;

/// The most bytes that rank 0 receives in one round of a gather.
const GATHER_BYTES: usize = 1 << 26;

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
    node_ranks: OnceLock<NodeRanks>,
    /// Found at the first comparison of clocks.
    pub(super) clock_peers: OnceLock<ClockPeers>,
}

/// The ranks of a communicator that share this rank's node.
#[derive(Debug)]
enum NodeRanks {
    /// All of them.
    All,
    /// The ranks of this communicator.
    Some(MpiComm),
}

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
            node_ranks: OnceLock::new(),
            clock_peers: OnceLock::new(),
        });
        Ok(Self { mpi, handle, rank, size, node, shared })
    }

    /// Notes that all ranks share one node.
    pub(super) fn note_one_node(&self) {
        self.shared.node_ranks.get_or_init(|| NodeRanks::All);
    }

    /// Whether all ranks are known to share one node; the same on all of them.
    pub(super) fn is_on_one_node(&self) -> bool {
        self.size == 1 || matches!(self.shared.node_ranks.get(), Some(NodeRanks::All))
    }

    /// The raw `MPI_Comm`, for MPI files and for libraries that use MPI.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// The library: functions, constants, interface and path.
    pub fn library(&self) -> &'static MpiLibrary {
        self.mpi.library
    }

    /// Converts an error code into the halt of this rank in `step`.
    pub(super) fn halt(&self, step: &str, code: c_int) -> Halt {
        let (rank, node, why) = (self.rank, self.node.to_string(), self.mpi.error_text(code));
        Halt { step: step.to_owned(), rank, node, why }
    }

    /// Starts an MPI operation and waits for it; forwards alarms meanwhile.
    fn complete(&self, step: &str, start: impl FnOnce(&Functions, &mut Handle) -> c_int) -> Result<(), Halt> {
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

    /// Sums `values` over all ranks without handling alarms, which `clear_alarm` needs.
    pub(super) fn quiet_sum(&self, values: [u64; 2]) -> Result<[u64; 2], Halt> {
        let mut all = [0_u64; 2];
        let (kind, op) = (self.mpi.constants().int64, self.mpi.constants().sum);
        let start = |f: &Functions, request: &mut Handle| {
            let (from, into) = (start_of(&values), start_of_mut(&mut all));
            // SAFETY: both arrays have two values and outlive the request.
            unsafe { (f.iallreduce)(from, into, 2, kind, op, self.handle, request) }
        };
        self.mpi.complete(start, || {}).map_err(|code| self.halt("MPI_Iallreduce", code))?;
        Ok(all)
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

    /// Sends one value of each rank to rank 0; the others get an empty vector.
    fn gather_one(&self, mine: u64) -> Result<Vec<u64>, Halt> {
        let kind = self.mpi.constants().int64;
        let mut all = vec![0_u64; if self.rank == 0 { self.size as usize } else { 0 }];
        self.complete("MPI_Igather", |f, request| {
            let (from, into) = (start_of(std::slice::from_ref(&mine)), start_of_mut(&mut all));
            // SAFETY: `mine` and `all` outlive the request; at the root `all` has one entry for each rank.
            unsafe { (f.igather)(from, 1, kind, into, 1, kind, 0, self.handle, request) }
        })?;
        Ok(all)
    }

    /// Sends a piece of each rank to rank 0, which knows their lengths; the pieces are in rank order without
    /// gaps.
    fn gather_round(&self, piece: &[u8], lengths: &[c_int]) -> Result<Vec<u8>, Halt> {
        let kind = self.mpi.constants().byte;
        let mut total = 0;
        let starts: Vec<c_int> = lengths.iter().map(|length| (total, total += length).0).collect();
        let mut all = vec![0_u8; usize::try_from(total).expect("a round is bounded by GATHER_BYTES")];
        self.complete("MPI_Igatherv", |f, request| {
            let (from, count, into) = (start_of(piece), int(piece.len()), start_of_mut(&mut all));
            let (counts, starts) = (lengths.as_ptr(), starts.as_ptr());
            // SAFETY: all buffers outlive the request, and `all` holds the sum of the lengths.
            unsafe { (f.igatherv)(from, count, kind, into, counts, starts, kind, 0, self.handle, request) }
        })?;
        Ok(all)
    }

    /// Gathers in rounds of at most `cap` bytes per rank; `longest` is the greatest length of all.
    fn gather_in_rounds(
        &self,
        mine: &[u8],
        longest: usize,
        cap: usize,
    ) -> Result<Option<Vec<Vec<u8>>>, Halt> {
        let lengths = self.gather_one(mine.len() as u64)?;
        let mut all: Vec<Vec<u8>> = lengths.iter().map(|len| Vec::with_capacity(*len as usize)).collect();
        for start in (0..longest).step_by(cap) {
            let part = |len: usize| start.min(len)..(start + cap).min(len);
            let parts: Vec<c_int> = lengths.iter().map(|len| int(part(*len as usize).len())).collect();
            let round = self.gather_round(&mine[part(mine.len())], &parts)?;
            let mut rest = round.as_slice();
            for (bytes, length) in all.iter_mut().zip(parts) {
                let (head, tail) = rest.split_at(length as usize);
                bytes.extend_from_slice(head);
                rest = tail;
            }
        }
        Ok((self.rank == 0).then_some(all))
    }

    /// The communicator that `make` creates when all ranks call it.
    fn make(&self, step: &str, make: impl FnOnce(&Functions, &mut Handle) -> c_int) -> Result<Self, Halt> {
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

    /// As [`Comm::split_by_node`], without the box.
    pub(super) fn node_ranks(&self) -> Result<Self, Halt> {
        if self.is_on_one_node() {
            return Ok(self.clone());
        }
        if let Some(NodeRanks::Some(known)) = self.shared.node_ranks.get() {
            return Ok(known.clone());
        }
        let (kind, hints) = (self.mpi.constants().comm_type_shared, self.mpi.constants().info_null);
        let found = self.make("MPI_Comm_split_type", |f, new| {
            // SAFETY: the handle is live, there are no hints; MPI writes the new handle.
            unsafe { (f.comm_split_type)(self.handle, kind, rank(self.rank), hints, new) }
        })?;
        found.note_one_node();
        self.shared.node_ranks.get_or_init(|| NodeRanks::Some(found.clone()));
        Ok(found)
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
        // Ranks that waited long have slept: a second barrier, of ranks that are awake, lets all leave
        // together.
        let barriers = if self.mpi.is_oversubscribed() { 1 } else { 2 };
        (0..barriers).try_for_each(|_| {
            self.complete("MPI_Ibarrier", |f, request| {
                // SAFETY: the handle is live.
                unsafe { (f.ibarrier)(self.handle, request) }
            })
        })
    }

    fn all_reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        if self.size == 1 {
            return Ok(());
        }
        let constants = self.mpi.constants();
        let op = match how {
            Reduce::Sum => constants.sum,
            Reduce::Min => constants.min,
            Reduce::Max => constants.max,
        };
        let kind = constants.int64;
        for chunk in values.chunks_mut(REDUCE_VALUES) {
            debug_assert!(chunk.iter().all(|value| *value < 1 << 63), "values stay below 2^63");
            let mine = chunk.to_vec();
            self.complete("MPI_Iallreduce", |f, request| {
                let (from, into) = (start_of(&mine), start_of_mut(chunk));
                // SAFETY: both buffers have the same length and outlive the request.
                unsafe { (f.iallreduce)(from, into, int(mine.len()), kind, op, self.handle, request) }
            })?;
        }
        Ok(())
    }

    fn broadcast(&self, root: u32, data: &mut Vec<u8>) -> Result<(), Halt> {
        assert!(root < self.size, "the root of a broadcast is one of the ranks");
        if self.size == 1 {
            return Ok(());
        }
        let mut length = (data.len() as u64).to_ne_bytes();
        self.broadcast_piece(root, &mut length)?;
        let length = usize::try_from(u64::from_ne_bytes(length)).expect("what the root holds in memory");
        data.resize(length, 0);
        data.chunks_mut(BROADCAST_BYTES).try_for_each(|piece| self.broadcast_piece(root, piece))
    }

    fn gather(&self, mine: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Halt> {
        if self.size == 1 {
            return Ok(Some(vec![mine.to_vec()]));
        }
        let mut longest = [mine.len() as u64];
        self.all_reduce(&mut longest, Reduce::Max)?;
        let cap = (GATHER_BYTES / self.size as usize).max(1);
        self.gather_in_rounds(mine, longest[0] as usize, cap)
    }

    fn split(&self, color: u32) -> Result<Box<dyn Comm>, Halt> {
        Ok(Box::new(self.split_as(color)?))
    }

    fn split_by_node(&self) -> Result<Box<dyn Comm>, Halt> {
        Ok(Box::new(self.node_ranks()?))
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
fn start_of<T>(buffer: &[T]) -> *const c_void {
    if buffer.is_empty() { ptr::null() } else { buffer.as_ptr().cast() }
}

/// As [`start_of`], for a buffer that MPI fills.
fn start_of_mut<T>(buffer: &mut [T]) -> *mut c_void {
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
