//! The hall in which threads meet: each brings its part, the last one finishes the round for all.
//!
//! Invariant: a round ends for all ranks or for none. Once a rank has left, no later round can end, so the
//! hall is broken and everyone who waits, or comes to wait, gets the same [`Halt`].
//! Each round has a cell of its own, which is filled once and then read without the lock: a thousand ranks
//! that wake up together would otherwise queue for it, and sleep again.
//! A rank that waits offers its processor to others for a moment and then sleeps: waking a sleeper takes
//! tens of microseconds, which would lie between the starts of ranks that begin a phase together. Where
//! ranks are more than processors they sleep at once.
//!
//! Never here: MPI.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

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

/// How a round ended, once it has.
type Cell = OnceLock<Result<Round, Halt>>;

/// A round that ended well.
#[derive(Debug)]
pub(super) struct Ended(Arc<Cell>);

impl Deref for Ended {
    type Target = Round;

    fn deref(&self) -> &Round {
        match self.0.get() {
            Some(Ok(round)) => round,
            _ => unreachable!("`ended` looked"),
        }
    }
}

/// What the ranks of a round get, which has ended.
fn ended(cell: Arc<Cell>) -> Result<Ended, Halt> {
    match cell.wait() {
        Ok(_) => Ok(Ended(cell)),
        Err(halt) => Err(halt.clone()),
    }
}

/// A place where a fixed number of ranks meet.
#[derive(Debug)]
pub(super) struct Hall {
    pub(super) size: u32,
    pub(super) node: Arc<str>,
    pub(super) alarm: AtomicBool,
    state: Mutex<State>,
    /// How often a waiting rank looks and yields before it sleeps.
    looks: u32,
}

/// Looks of a rank that has a processor to itself: about a millisecond.
const LOOKS: u32 = 2000;

#[derive(Debug, Default)]
struct State {
    /// How many ranks have joined the open round.
    joined: u32,
    /// The round that ranks join, and where they will find how it ended.
    open: Option<(Round, Arc<Cell>)>,
    /// Why no further round can end.
    broken: Option<Halt>,
}

impl State {
    /// Everyone who waits, or comes to wait, gets this halt or the one that was first.
    fn break_off(&mut self, why: Halt) -> Halt {
        let why = self.broken.get_or_insert(why).clone();
        if let Some((_, cell)) = self.open.take() {
            // Nobody else fills the cell of an open round.
            let _ = cell.set(Err(why.clone()));
        }
        why
    }
}

impl Hall {
    pub(super) fn new(size: u32, node: Arc<str>) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let looks = if size as usize <= processors { LOOKS } else { 0 };
        Self { size, node, alarm: AtomicBool::new(false), state: Mutex::default(), looks }
    }

    /// A halt of `rank` on this node.
    pub(super) fn halt(&self, step: &str, rank: u32, why: String) -> Halt {
        Halt { step: step.to_owned(), rank, node: self.node.to_string(), why }
    }

    /// Breaks the hall, unless it is broken already: no rank will meet here again.
    pub(super) fn leave(&self, why: Halt) {
        self.lock().break_off(why);
    }

    /// Brings `part` and waits until all ranks have; what the round leaves, or why it cannot end.
    pub(super) fn meet(&self, rank: u32, part: &Part<'_>) -> Result<Ended, Halt> {
        let mut state = self.lock();
        if let Some(halt) = &state.broken {
            return Err(halt.clone());
        }
        let open = || (Round::opened_by(part, self.size), Arc::default());
        let (round, cell) = state.open.get_or_insert_with(open);
        if !round.join(rank, part) {
            let why = format!("called {part} while others called another collective");
            return Err(state.break_off(self.halt("wait", rank, why)));
        }
        let cell = Arc::clone(cell);
        state.joined += 1;
        if state.joined == self.size {
            self.end_round(state);
            return ended(cell);
        }
        drop(state);
        for _ in 0..self.looks {
            if cell.get().is_some() {
                break;
            }
            std::thread::yield_now();
        }
        ended(cell)
    }

    /// Everyone has joined: what the round leaves is made once, and all may go.
    fn end_round(&self, mut state: MutexGuard<'_, State>) {
        if let Some((round, _)) = &mut state.open
            && let Round::Split(colors) = round
        {
            *round = Round::Seats(self.seats(colors));
        }
        let Some((round, cell)) = state.open.take() else { unreachable!("a rank has just joined a round") };
        state.joined = 0;
        // The ranks that wake up come for the lock soon: they shall not have to wait for it.
        drop(state);
        // From here to the end nothing can panic, which would leave the others waiting.
        if matches!(round, Round::Clear) {
            self.alarm.store(false, Ordering::Release);
        }
        // Nobody else fills the cell of a round that was taken out of the hall.
        let _ = cell.set(Ok(round));
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
