//! The alarm: a rank that has failed tells the others, without a collective, that they may stop early.
//!
//! It sends one small message to rank 0, which passes the news down a binary tree. Ranks look for news now
//! and then: while they wait, and when asked [`Alarm::raised`], at most every [`LOOK_SECONDS`]. When the
//! alarm has been agreed on, [`Alarm::clear`] receives every message that was sent, so none is left for
//! later phases or for the end of MPI; the generation in each message guards that.
//!
//! Invariant: in one generation a rank sends rank 0 at most one message, and, if any rank raised the alarm,
//! every rank but 0 gets exactly one from its parent in the tree.
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
const TAG_TELL: i32 = 102;

/// How often a rank looks for news.
const LOOK_SECONDS: f64 = 0.05;

/// Questions answered without a look at the clock, when they come thick.
const QUESTIONS_MAX: u32 = 16;

/// The alarm of one communicator, as one rank knows it.
#[derive(Debug)]
pub(super) struct Alarm {
    rank: u32,
    size: u32,
    raised: AtomicBool,
    /// This rank, on whichever thread, has raised it.
    mine: AtomicBool,
    /// Questions to answer before the next look at the clock.
    questions_left: AtomicU32,
    state: Mutex<AlarmState>,
}

#[derive(Debug, Default)]
struct AlarmState {
    generation: u64,
    /// When this rank looked for news, and when at the clock.
    news_at: f64,
    clock_at: f64,
    /// Questions between two looks at the clock.
    stride: u32,
    /// This rank has told rank 0.
    sent: bool,
    /// Rank 0: messages received. Others: the parent has told us.
    received: u64,
    /// This rank has told its children.
    told: bool,
    /// Messages under way: the words stay where they are until MPI has sent them.
    under_way: Vec<(Box<[u64; 2]>, Handle)>,
}

impl Alarm {
    pub(super) fn new(rank: u32, size: u32) -> Self {
        Self {
            rank,
            size,
            raised: AtomicBool::new(false),
            mine: AtomicBool::new(false),
            questions_left: AtomicU32::new(0),
            state: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, AlarmState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises the alarm here and tells rank 0; off MPI's thread, that thread tells it when it next looks.
    pub(super) fn raise(&self, mpi: &Mpi, comm: Handle) {
        self.mine.store(true, Ordering::Release);
        self.raised.store(true, Ordering::Release);
        if self.size > 1 && mpi.is_home() {
            self.report(mpi, comm, &mut self.lock());
        }
    }

    /// Tells rank 0, once, that this rank has raised the alarm.
    fn report(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        if self.rank == 0 {
            self.tell(mpi, comm, state);
        } else if !state.sent {
            state.sent = self.send(mpi, comm, state, 0, TAG_RAISE);
        }
    }

    /// Whether the alarm is known here; looks for news when it is time to.
    pub(super) fn raised(&self, mpi: &Mpi, comm: Handle) -> bool {
        if self.size > 1 && !self.raised.load(Ordering::Acquire) {
            let left = self.questions_left.load(Ordering::Relaxed);
            if left > 0 {
                self.questions_left.store(left - 1, Ordering::Relaxed);
            } else {
                self.look(mpi, comm);
            }
        }
        self.raised.load(Ordering::Acquire)
    }

    /// Looks for news, unless that was done a moment ago.
    pub(super) fn look(&self, mpi: &Mpi, comm: Handle) {
        if self.size == 1 || !mpi.is_home() {
            return;
        }
        let mut state = self.lock();
        let now = mpi.seconds();
        // Questions that come within a millisecond are many: the next ones go without the clock.
        let thick = now - state.clock_at < 1e-3;
        state.stride = if thick { (state.stride * 2).clamp(1, QUESTIONS_MAX) } else { 0 };
        state.clock_at = now;
        self.questions_left.store(state.stride, Ordering::Relaxed);
        if now - state.news_at >= LOOK_SECONDS {
            state.news_at = now;
            if self.mine.load(Ordering::Acquire) {
                self.report(mpi, comm, &mut state);
            }
            self.receive(mpi, comm, &mut state);
        }
    }

    /// Takes the news that has arrived, and passes it on.
    fn receive(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        let (source, tag) = match self.rank {
            0 => (mpi.constants().any_source, TAG_RAISE),
            child => (rank((child - 1) / 2), TAG_TELL),
        };
        // Received by its sender's number: in MPICH 5.0.2 over UCX, receiving from any source a message that
        // has already arrived never ends.
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
                self.tell(mpi, comm, state);
            }
        }
    }

    /// Tells the children in the tree, once.
    fn tell(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState) {
        if !std::mem::replace(&mut state.told, true) {
            let first = u64::from(self.rank) * 2 + 1;
            for child in (first..first + 2).filter(|child| *child < u64::from(self.size)) {
                self.send(mpi, comm, state, child as u32, TAG_TELL);
            }
        }
    }

    /// Sends a message without waiting; false when MPI rejected.
    fn send(&self, mpi: &Mpi, comm: Handle, state: &mut AlarmState, to: u32, tag: i32) -> bool {
        let words = Box::new([state.generation, u64::from(self.rank)]);
        let (kind, mut request) = (mpi.constants().int64, 0);
        let from = words.as_ptr().cast();
        // SAFETY: this is the home thread; the box keeps the words in place until the request has ended.
        let code = unsafe { (mpi.functions().isend)(from, 2, kind, rank(to), tag, comm, &mut request) };
        if code == 0 {
            state.under_way.push((words, request));
        }
        code == 0
    }

    /// Receives every message of this generation and begins the next; all ranks call it together.
    pub(super) fn clear(&self, comm: &MpiComm) -> Result<(), Halt> {
        if self.size > 1 {
            // Nobody looks for news while these run: a faster rank may already raise the next alarm.
            let mine = u64::from(self.lock().sent);
            let by_root = u64::from(self.rank == 0 && self.lock().told);
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

    /// Waits until this rank has got, and sent, all that it must.
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
        for (words, mut request) in std::mem::take(&mut state.under_way) {
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
        // A communicator given up before its alarm was cleared: MPI may still read these words.
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::forget(std::mem::take(&mut state.under_way));
    }
}
