//! The alarm: a rank that has failed informs the others, without a collective, that they may stop early.
//!
//! The messages go along a tree ([`parent`]). A rank that has failed informs its parent, and each rank on the
//! way does so once, however many ranks have failed. Rank 0 then informs its children, and these inform
//! theirs. So no rank receives more messages than it has neighbors, also if all ranks fail at once. A rank
//! that already knows of the alarm sends none.
//!
//! Ranks check for messages while they wait, and when [`Alarm::raised`] is called, at most every
//! [`CHECK_SECONDS`]. When all ranks have agreed on the alarm, [`Alarm::clear`] completes the messages. Every
//! rank has then sent and received one on each edge of the tree. So no message is left for later phases or
//! for the end of MPI; the generation number in each message verifies this.
//!
//! Invariant: in one generation at most one message goes from a rank to its parent, and one back.
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ffi::mpi::Handle;

use super::calls::Mpi;
use super::tree::{children, parent};

/// From a rank to its parent in the tree.
const TAG_RAISE: c_int = 101;

/// From a rank to its children in the tree.
const TAG_FORWARD: c_int = 102;

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
    /// Whether this rank has informed its parent.
    sent: bool,
    /// Children that have informed this rank.
    raised_by: u64,
    /// Whether the parent has informed this rank.
    informed: bool,
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

    /// Raises the alarm here and informs the parent. On another thread than MPI's, that thread sends the
    /// message at its next check.
    pub(super) fn raise(&self, mpi: &Mpi, comm: Handle) {
        self.mine.store(true, Ordering::Release);
        self.raised.store(true, Ordering::Release);
        if self.size > 1 && mpi.is_home() {
            self.report(mpi, comm, &mut self.lock());
        }
    }

    /// Informs the parent, once, unless it has informed this rank. Rank 0 informs its children.
    fn report(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        if self.rank == 0 {
            self.forward(mpi, comm, state);
        } else if !state.informed {
            self.inform_parent(mpi, comm, state);
        }
    }

    fn inform_parent(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        if let Some(parent) = parent(self.rank.into()).filter(|_| !state.sent) {
            state.sent = self.send(mpi, comm, state, parent, TAG_RAISE);
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
        let any = mpi.constants().any_source;
        while let Some(generation) = Self::next(mpi, comm, any, TAG_RAISE) {
            if generation == state.generation {
                state.raised_by += 1;
                self.raised.store(true, Ordering::Release);
                self.report(mpi, comm, state);
            }
        }
        let Some(parent) = parent(self.rank.into()) else { return };
        while let Some(generation) = Self::next(mpi, comm, parent as c_int, TAG_FORWARD) {
            if generation == state.generation {
                state.informed = true;
                self.raised.store(true, Ordering::Release);
                self.forward(mpi, comm, state);
            }
        }
    }

    /// The generation of a message that has arrived, if there is one.
    fn next(mpi: &Mpi, comm: Handle, source: c_int, tag: c_int) -> Option<u64> {
        // The receive names the sender. In MPICH 5.0.2 over UCX, a receive from any source never ends for a
        // message that has already arrived.
        let source = mpi.waiting(comm, source, tag)?;
        let mut words = [0_u64; 2];
        let kind = mpi.constants().int64;
        let received = mpi.complete(
            |f, request| {
                // SAFETY: the message has two values; `words` outlives the request.
                unsafe { (f.irecv)(words.as_mut_ptr().cast(), 2, kind, source, tag, comm, request) }
            },
            || {},
        );
        received.is_ok().then_some(words[0])
    }

    /// Informs the children in the tree, once.
    fn forward(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        if !std::mem::replace(&mut state.forwarded, true) {
            for child in children(self.rank.into(), self.size.into()) {
                self.send(mpi, comm, state, child, TAG_FORWARD);
            }
        }
    }

    /// Sends a message without waiting; false if MPI rejected it.
    fn send(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState, to: u64, tag: c_int) -> bool {
        let words = Box::new([state.generation, u64::from(self.rank)]);
        let (kind, mut request) = (mpi.constants().int64, 0);
        let from = words.as_ptr().cast();
        // SAFETY: this is the home thread; the box keeps the data in place until the request has ended.
        let code = unsafe { (mpi.functions().isend)(from, 2, kind, to as c_int, tag, comm, &mut request) };
        if code == 0 {
            state.outstanding.push((words, request));
        }
        code == 0
    }

    /// Whether this rank has sent a message of this generation.
    pub(super) fn has_sent(&self) -> bool {
        let state = self.lock();
        state.sent || state.forwarded
    }

    /// Begins the next generation. No message of this one is on its way.
    pub(super) fn begin_next(&self) {
        let mut state = self.lock();
        let generation = state.generation + 1;
        let (news_at, clock_at) = (state.news_at, state.clock_at);
        *state = AlarmState { generation, news_at, clock_at, ..AlarmState::default() };
        self.mine.store(false, Ordering::Release);
        self.raised.store(false, Ordering::Release);
    }

    /// Sends the messages of this rank that are not sent yet. Waits until all are sent, and those for this
    /// rank are received. An error is the code of `MPI_Test`.
    pub(super) fn drain(&self, mpi: &Mpi, comm: Handle) -> Result<(), c_int> {
        let mut state = self.lock();
        self.inform_parent(mpi, comm, &mut state);
        self.forward(mpi, comm, &mut state);
        let raised_by = children(self.rank.into(), self.size.into()).count() as u64;
        let mut wait = mpi.new_wait();
        while state.raised_by < raised_by || (self.rank > 0 && !state.informed) {
            self.receive(mpi, comm, &mut state);
            wait.pause();
        }
        for (words, mut request) in std::mem::take(&mut state.outstanding) {
            while !mpi.has_ended(&mut request)? {
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
