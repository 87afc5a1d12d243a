//! The alarm: a rank that has failed informs the others, without a collective, that they may stop early.
//!
//! It sends one small message to rank 0, which forwards it down a binary tree. Ranks check for messages while
//! they wait, and when [`Alarm::raised`] is called, at most every [`CHECK_SECONDS`]. When all ranks have
//! agreed on the alarm, [`Alarm::clear`] receives every message that was sent. So no message is left for
//! later phases or for the end of MPI; the generation number in each message verifies this.
//!
//! Invariant: in one generation a rank sends rank 0 at most one message. If any rank raised the alarm, every
//! rank except 0 gets exactly one message from its parent in the tree.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ffi::mpi::Handle;

use super::calls::Mpi;
use super::comm::{MpiComm, rank};
use crate::comm::Halt;

/// From a rank that failed to rank 0.
const TAG_RAISE: i32 = 101;

/// From a rank to its children in the tree.
const TAG_FORWARD: i32 = 102;

/// The least time between two checks for messages.
const CHECK_SECONDS: f64 = 0.05;

/// Calls of [`Alarm::raised`] that are answered without reading the clock, when they follow each other fast.
const CALLS_MAX: u32 = 16;

/// The alarm of one communicator, as one rank knows it.
#[derive(Debug)]
pub(super) struct Alarm {
    rank: u32,
    size: u32,
    raised: AtomicBool,
    /// Whether this rank, on any thread, has raised it.
    mine: AtomicBool,
    /// Calls to answer before the clock is read again.
    calls_left: AtomicU32,
    state: Mutex<AlarmState>,
}

#[derive(Debug, Default)]
struct AlarmState {
    generation: u64,
    /// When this rank last checked for messages; the next field is when it last read the clock.
    news_at: f64,
    clock_at: f64,
    /// Calls between two readings of the clock.
    stride: u32,
    /// Whether this rank has informed rank 0.
    sent: bool,
    /// On rank 0: messages received. On other ranks: whether the parent's message has arrived.
    received: u64,
    /// Whether this rank has informed its children.
    forwarded: bool,
    /// Outstanding messages: the data must not move until MPI has sent it.
    outstanding: Vec<(Box<[u64; 2]>, Handle)>,
}

impl Alarm {
    pub(super) fn new(rank: u32, size: u32) -> Self {
        Self {
            rank,
            size,
            raised: AtomicBool::new(false),
            mine: AtomicBool::new(false),
            calls_left: AtomicU32::new(0),
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, AlarmState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises the alarm here and informs rank 0. On another thread than MPI's, that thread sends the message
    /// at its next check.
    pub(super) fn raise(&self, mpi: &Mpi, comm: Handle) {
        self.mine.store(true, Ordering::Release);
        self.raised.store(true, Ordering::Release);
        if self.size > 1 && mpi.is_home() {
            self.report(mpi, comm, &mut self.lock());
        }
    }

    /// Informs rank 0, once, that this rank has raised the alarm.
    fn report(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        if self.rank == 0 {
            self.forward(mpi, comm, state);
        } else if !state.sent {
            state.sent = self.send(mpi, comm, state, 0, TAG_RAISE);
        }
    }

    /// Whether the alarm is known here; checks for messages when the last check is old enough.
    pub(super) fn raised(&self, mpi: &Mpi, comm: Handle) -> bool {
        if self.size > 1 && !self.raised.load(Ordering::Acquire) {
            let left = self.calls_left.load(Ordering::Relaxed);
            if left > 0 {
                self.calls_left.store(left - 1, Ordering::Relaxed);
            } else {
                self.check(mpi, comm);
            }
        }
        self.raised.load(Ordering::Acquire)
    }

    /// Checks for messages, unless the last check was a moment ago.
    pub(super) fn check(&self, mpi: &Mpi, comm: Handle) {
        if self.size == 1 || !mpi.is_home() {
            return;
        }
        let mut state = self.lock();
        let now = mpi.seconds();
        // Calls less than a millisecond apart are many: the next ones do not read the clock.
        let frequent = now - state.clock_at < 1e-3;
        state.stride = if frequent { (state.stride * 2).clamp(1, CALLS_MAX) } else { 0 };
        state.clock_at = now;
        self.calls_left.store(state.stride, Ordering::Relaxed);
        if now - state.news_at >= CHECK_SECONDS {
            state.news_at = now;
            if self.mine.load(Ordering::Acquire) {
                self.report(mpi, comm, &mut state);
            }
            self.receive(mpi, comm, &mut state);
        }
    }

    /// Receives the messages that have arrived, and forwards them.
    fn receive(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        let (source, tag) = match self.rank {
            0 => (mpi.constants().any_source, TAG_RAISE),
            child => (rank((child - 1) / 2), TAG_FORWARD),
        };
        // The receive names the sender. In MPICH 5.0.2 over UCX, a receive from any source never ends for a
        // message that has already arrived.
        while let Some(source) = mpi.waiting(comm, source, tag) {
            let mut words = [0_u64; 2];
            let kind = mpi.constants().int64;
            let received = mpi.complete(
                |f, request| {
                    // SAFETY: the message has two values; `words` outlives the request.
                    unsafe { (f.irecv)(words.as_mut_ptr().cast(), 2, kind, source, tag, comm, request) }
                },
                || {},
            );
            if received.is_err() {
                return;
            }
            if words[0] == state.generation {
                state.received += 1;
                self.raised.store(true, Ordering::Release);
                self.forward(mpi, comm, state);
            }
        }
    }

    /// Informs the children in the tree, once.
    fn forward(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        if !std::mem::replace(&mut state.forwarded, true) {
            let first = u64::from(self.rank) * 2 + 1;
            for child in (first..first + 2).filter(|child| *child < u64::from(self.size)) {
                self.send(mpi, comm, state, child as u32, TAG_FORWARD);
            }
        }
    }

    /// Sends a message without waiting; false if MPI rejected it.
    fn send(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState, to: u32, tag: i32) -> bool {
        let words = Box::new([state.generation, u64::from(self.rank)]);
        let (kind, mut request) = (mpi.constants().int64, 0);
        let from = words.as_ptr().cast();
        // SAFETY: this is the home thread; the box keeps the data in place until the request has ended.
        let code = unsafe { (mpi.functions().isend)(from, 2, kind, rank(to), tag, comm, &mut request) };
        if code == 0 {
            state.outstanding.push((words, request));
        }
        code == 0
    }

    /// Receives every message of this generation and begins the next; all ranks call it together.
    pub(super) fn clear(&self, comm: &MpiComm) -> Result<(), Halt> {
        if self.size > 1 {
            // No rank checks for messages during these calls: a faster rank may already raise the next alarm.
            let mine = u64::from(self.lock().sent);
            let by_root = u64::from(self.rank == 0 && self.lock().forwarded);
            let [senders, by_root] = comm.quiet_sum([mine, by_root])?;
            if senders + by_root > 0 {
                self.drain(comm, senders)?;
                comm.quiet_barrier()?;
            }
        }
        let mut state = self.lock();
        let generation = state.generation + 1;
        let (news_at, clock_at) = (state.news_at, state.clock_at);
        *state = AlarmState { generation, news_at, clock_at, ..AlarmState::default() };
        self.mine.store(false, Ordering::Release);
        self.raised.store(false, Ordering::Release);
        Ok(())
    }

    /// Waits until this rank has received and sent all its messages.
    fn drain(&self, comm: &MpiComm, senders: u64) -> Result<(), Halt> {
        let wanted = if self.rank == 0 { senders } else { 1 };
        let mut state = self.lock();
        let mut wait = comm.mpi.new_wait();
        while state.received < wanted {
            self.receive(&comm.mpi, comm.handle, &mut state);
            if state.received < wanted {
                wait.pause();
            }
        }
        for (words, mut request) in std::mem::take(&mut state.outstanding) {
            while !comm.mpi.has_ended(&mut request).map_err(|code| comm.halt("MPI_Test", code))? {
                wait.pause();
            }
            drop(words);
        }
        Ok(())
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        // The communicator is dropped before its alarm was cleared: MPI may still read these messages.
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(std::mem::take(&mut state.outstanding));
    }
}
