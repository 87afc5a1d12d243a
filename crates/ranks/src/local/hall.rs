//! The hall in which threads meet: each brings its part, the last one finishes the round for all.
//!
//! Invariant: a round ends for all ranks or for none. Once a rank has left, no later round can end, so the
//! hall is broken and everyone who waits, or comes to wait, gets the same [`Halt`].
//! A rank that waits offers its processor to others for a moment and then sleeps: waking a sleeper takes
//! tens of microseconds, which would lie between the starts of ranks that begin a phase together. Where
//! ranks are more than processors they sleep at once.
//!
//! Never here: MPI.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::comm::{Halt, Reduce};

/// What one rank brings to a round.
#[derive(Clone, Copy)]
pub(super) enum Part<'a> {
    Barrier,
    Reduce(Reduce, &'a [u64]),
    /// The root, and its bytes when this rank is the root.
    Broadcast(u32, Option<&'a [u8]>),
    Gather(&'a [u8]),
    Split(u32),
    Clear,
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Barrier => write!(out, "barrier"),
            Self::Reduce(how, values) => write!(out, "all_reduce ({how:?} of {})", values.len()),
            Self::Broadcast(root, _) => write!(out, "broadcast (from {root})"),
            Self::Gather(_) => write!(out, "gather"),
            Self::Split(_) => write!(out, "split"),
            Self::Clear => write!(out, "clear_alarm"),
        }
    }
}

/// A round while ranks join it, and what it leaves for them.
#[derive(Debug)]
pub(super) enum Round {
    Barrier,
    Reduce(Reduce, Vec<u64>),
    Broadcast(u32, Vec<u8>),
    Gather(Vec<Vec<u8>>),
    Split(Vec<u32>),
    /// The end of a split: each rank's new hall and its number there.
    Seats(Vec<(Arc<Hall>, u32)>),
    Clear,
}

impl Round {
    /// The round that `part` opens.
    fn opened_by(part: &Part<'_>, size: u32) -> Self {
        match part {
            Part::Barrier => Self::Barrier,
            Part::Reduce(how, values) => Self::Reduce(*how, Self::neutral(*how, values.len())),
            Part::Broadcast(root, _) => Self::Broadcast(*root, Vec::new()),
            Part::Gather(_) => Self::Gather(vec![Vec::new(); size as usize]),
            Part::Split(_) => Self::Split(vec![0; size as usize]),
            Part::Clear => Self::Clear,
        }
    }

    /// Values that change nothing when folded.
    fn neutral(how: Reduce, len: usize) -> Vec<u64> {
        vec![if how == Reduce::Min { u64::MAX } else { 0 }; len]
    }

    /// Adds the part of `rank`; false when it belongs to another collective.
    fn join(&mut self, rank: u32, part: &Part<'_>) -> bool {
        match (self, part) {
            (Self::Barrier, Part::Barrier) | (Self::Clear, Part::Clear) => {}
            (Self::Reduce(how, all), Part::Reduce(mine, values))
                if how == mine && all.len() == values.len() =>
            {
                how.fold(all, values);
            }
            (Self::Broadcast(root, all), Part::Broadcast(mine, bytes)) if root == mine => {
                if let Some(bytes) = bytes {
                    *all = bytes.to_vec();
                }
            }
            (Self::Gather(all), Part::Gather(bytes)) => all[rank as usize] = bytes.to_vec(),
            (Self::Split(colors), Part::Split(color)) => colors[rank as usize] = *color,
            _ => return false,
        }
        true
    }
}

/// A place where a fixed number of ranks meet.
#[derive(Debug)]
pub(super) struct Hall {
    pub(super) size: u32,
    pub(super) node: Arc<str>,
    pub(super) alarm: AtomicBool,
    state: Mutex<State>,
    ended: Condvar,
    /// The state's `turn`, to be looked at without the lock.
    turn: AtomicU64,
    /// How often a waiting rank looks and yields before it sleeps.
    looks: u32,
}

/// Looks of a rank that has a processor to itself: about a millisecond.
const LOOKS: u32 = 2000;

#[derive(Debug)]
struct State {
    /// How many ranks have joined the open round.
    joined: u32,
    open: Option<Round>,
    /// How many rounds have ended.
    turn: u64,
    /// What the last round left.
    last: Arc<Round>,
    /// Why no further round can end.
    broken: Option<Halt>,
}

impl Hall {
    pub(super) fn new(size: u32, node: Arc<str>) -> Self {
        let last = Arc::new(Round::Barrier);
        let state = State { joined: 0, open: None, turn: 0, last, broken: None };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let looks = if size as usize <= processors { LOOKS } else { 0 };
        let (alarm, turn) = (AtomicBool::new(false), AtomicU64::new(0));
        Self { size, node, alarm, state: Mutex::new(state), ended: Condvar::new(), turn, looks }
    }

    /// A halt of `rank` on this node.
    pub(super) fn halt(&self, step: &str, rank: u32, why: String) -> Halt {
        Halt { step: step.to_owned(), rank, node: self.node.to_string(), why }
    }

    /// Breaks the hall, unless it is broken already: no rank will meet here again.
    pub(super) fn leave(&self, why: Halt) {
        self.lock().broken.get_or_insert(why);
        self.ended.notify_all();
    }

    /// Brings `part` and waits until all ranks have; what the round leaves, or why it cannot end.
    pub(super) fn meet(&self, rank: u32, part: &Part<'_>) -> Result<Arc<Round>, Halt> {
        let mut state = self.lock();
        if let Some(halt) = &state.broken {
            return Err(halt.clone());
        }
        let round = state.open.get_or_insert_with(|| Round::opened_by(part, self.size));
        if !round.join(rank, part) {
            let why = format!("called {part} while others called another collective");
            let halt = state.broken.insert(self.halt("wait", rank, why)).clone();
            self.ended.notify_all();
            return Err(halt);
        }
        state.joined += 1;
        if state.joined == self.size {
            self.end_round(&mut state);
            return Ok(Arc::clone(&state.last));
        }
        let turn = state.turn;
        drop(state);
        for _ in 0..self.looks {
            if self.turn.load(Ordering::Acquire) != turn {
                break;
            }
            std::thread::yield_now();
        }
        state = self.lock();
        loop {
            if state.turn != turn {
                return Ok(Arc::clone(&state.last));
            }
            if let Some(halt) = &state.broken {
                return Err(halt.clone());
            }
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Everyone has joined: what the round leaves is made once, and all may go.
    fn end_round(&self, state: &mut State) {
        let round = match state.open.take() {
            Some(Round::Split(colors)) => Round::Seats(self.seats(&colors)),
            Some(round) => round,
            None => unreachable!("a rank has just joined a round"),
        };
        if matches!(round, Round::Clear) {
            self.alarm.store(false, Ordering::Release);
        }
        state.last = Arc::new(round);
        state.joined = 0;
        state.turn += 1;
        self.turn.store(state.turn, Ordering::Release);
        self.ended.notify_all();
    }

    /// A new hall for each color, its ranks in today's order.
    fn seats(&self, colors: &[u32]) -> Vec<(Arc<Self>, u32)> {
        let mut sizes = BTreeMap::new();
        for color in colors {
            *sizes.entry(*color).or_insert(0) += 1;
        }
        let open = |(color, size)| (color, (Arc::new(Self::new(size, Arc::clone(&self.node))), 0));
        let mut halls: BTreeMap<_, _> = sizes.into_iter().map(open).collect();
        let mut sit = |color| {
            let (hall, next) = halls.get_mut(color).expect("each color was counted above");
            *next += 1;
            (Arc::clone(hall), *next - 1)
        };
        colors.iter().map(&mut sit).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
