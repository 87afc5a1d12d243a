//! A group of threads that are ranks. Each contributes its part to a collective, and the last one ends it for
//! all.
//!
//! Invariant: a collective ends for all ranks or for none. Once a rank has left, no later collective can end.
//! The group is then broken, and every rank that waits, now or later, gets the same [`Halt`].
//!
//! Each collective has its own cell, which is filled once and then read without the lock. Otherwise a
//! thousand ranks that wake up together would queue for the lock, and sleep again.
//!
//! A waiting rank yields for about a millisecond and then sleeps. To wake a sleeping rank takes tens of
//! microseconds, a delay between ranks that begin a phase together. With more ranks than processors the ranks
//! sleep at once, and the last one wakes them all.
//!
//! Never here: MPI.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::comm::{Halt, Reduce};

/// What one rank contributes to a collective.
#[derive(Clone, Copy)]
pub(super) enum Contribution<'a> {
    Barrier,
    Reduce(Reduce, &'a [u64]),
    /// The root, and its bytes when this rank is the root.
    Broadcast(u32, Option<&'a [u8]>),
    Gather(&'a [u8]),
    Split(u32),
    Clear,
}

impl fmt::Display for Contribution<'_> {
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

/// A collective while ranks join it, and then its result for them.
#[derive(Debug)]
pub(super) enum Collective {
    Barrier,
    Reduce(Reduce, Vec<u64>),
    Broadcast(u32, Vec<u8>),
    Gather(Vec<Vec<u8>>),
    Split(Vec<u32>),
    /// The result of a split: each rank's new group and its number in it.
    Groups(Vec<(Arc<RankGroup>, u32)>),
    Clear,
}

impl Collective {
    /// The collective that the first contribution opens.
    fn opened_by(part: &Contribution<'_>, size: u32) -> Self {
        match part {
            Contribution::Barrier => Self::Barrier,
            Contribution::Reduce(how, values) => Self::Reduce(*how, Self::neutral(*how, values.len())),
            Contribution::Broadcast(root, _) => Self::Broadcast(*root, Vec::new()),
            Contribution::Gather(_) => Self::Gather(vec![Vec::new(); size as usize]),
            Contribution::Split(_) => Self::Split(vec![0; size as usize]),
            Contribution::Clear => Self::Clear,
        }
    }

    /// Values that are neutral in the reduction.
    fn neutral(how: Reduce, len: usize) -> Vec<u64> {
        vec![if how == Reduce::Min { u64::MAX } else { 0 }; len]
    }

    /// Adds the contribution of `rank`; false if it belongs to another collective.
    fn join(&mut self, rank: u32, part: &Contribution<'_>) -> bool {
        match (self, part) {
            (Self::Barrier, Contribution::Barrier) | (Self::Clear, Contribution::Clear) => {}
            (Self::Reduce(how, all), Contribution::Reduce(mine, values))
                if how == mine && all.len() == values.len() =>
            {
                how.fold(all, values);
            }
            (Self::Broadcast(root, all), Contribution::Broadcast(mine, bytes)) if root == mine => {
                if let Some(bytes) = bytes {
                    *all = bytes.to_vec();
                }
            }
            (Self::Gather(all), Contribution::Gather(bytes)) => all[rank as usize] = bytes.to_vec(),
            (Self::Split(colors), Contribution::Split(color)) => colors[rank as usize] = *color,
            _ => return false,
        }
        true
    }
}

/// The result of a collective, once it has ended.
type CollectiveSlot = OnceLock<Result<Collective, Halt>>;

/// A collective that ended successfully.
#[derive(Debug)]
pub(super) struct CollectiveEnd(Arc<CollectiveSlot>);

impl Deref for CollectiveEnd {
    type Target = Collective;

    fn deref(&self) -> &Collective {
        match self.0.get() {
            Some(Ok(collective)) => collective,
            _ => unreachable!("`ended` checked this"),
        }
    }
}

/// Waits for the end of a collective.
fn ended(cell: Arc<CollectiveSlot>) -> Result<CollectiveEnd, Halt> {
    match cell.wait() {
        Ok(_) => Ok(CollectiveEnd(cell)),
        Err(halt) => Err(halt.clone()),
    }
}

/// A fixed number of ranks that call collectives together.
#[derive(Debug)]
pub(super) struct RankGroup {
    pub(super) size: u32,
    pub(super) node: Arc<str>,
    pub(super) alarm: AtomicBool,
    state: Mutex<GroupState>,
    /// How often a waiting rank yields before it sleeps.
    yields: u32,
}

/// Yields of a rank with its own processor: about a millisecond.
const YIELDS: u32 = 2000;

#[derive(Debug, Default)]
struct GroupState {
    /// How many ranks have joined the open collective.
    joined: u32,
    /// The collective that ranks are joining, and the cell for its result.
    open: Option<(Collective, Arc<CollectiveSlot>)>,
    /// Why no further collective can end.
    broken: Option<Halt>,
}

impl GroupState {
    /// Breaks the group: every rank that waits, now or later, gets this halt, or an earlier one.
    fn break_off(&mut self, why: Halt) -> Halt {
        let why = self.broken.get_or_insert(why).clone();
        if let Some((_, cell)) = self.open.take() {
            // No other call fills the cell of an open collective.
            let _ = cell.set(Err(why.clone()));
        }
        why
    }
}

impl RankGroup {
    pub(super) fn new(size: u32, node: Arc<str>) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let yields = if size as usize <= processors { YIELDS } else { 0 };
        Self { size, node, alarm: AtomicBool::new(false), state: Mutex::default(), yields }
    }

    /// A halt of `rank` on this node.
    pub(super) fn halt(&self, step: &str, rank: u32, why: String) -> Halt {
        Halt { step: step.to_owned(), rank, node: self.node.to_string(), why }
    }

    /// Breaks the group if it is not broken yet; `why` names the rank that has left.
    pub(super) fn leave(&self, why: Halt) {
        self.lock().break_off(why);
    }

    /// Contributes `part` and waits until all ranks have; returns the result, or why there is none.
    pub(super) fn join(&self, rank: u32, part: &Contribution<'_>) -> Result<CollectiveEnd, Halt> {
        let mut state = self.lock();
        if let Some(halt) = &state.broken {
            return Err(halt.clone());
        }
        let open = || (Collective::opened_by(part, self.size), Arc::default());
        let (collective, cell) = state.open.get_or_insert_with(open);
        if !collective.join(rank, part) {
            let why = format!("called {part} while others called another collective");
            return Err(state.break_off(self.halt("wait", rank, why)));
        }
        let cell = Arc::clone(cell);
        state.joined += 1;
        if state.joined == self.size {
            self.end_collective(state);
            return ended(cell);
        }
        drop(state);
        for _ in 0..self.yields {
            if cell.get().is_some() {
                break;
            }
            std::thread::yield_now();
        }
        ended(cell)
    }

    /// All have joined: the result is made once, and all ranks may continue.
    fn end_collective(&self, mut state: MutexGuard<'_, GroupState>) {
        if let Some((collective, _)) = &mut state.open
            && let Collective::Split(colors) = collective
        {
            *collective = Collective::Groups(self.split(colors));
        }
        let Some((collective, cell)) = state.open.take() else {
            unreachable!("a rank has just joined a collective")
        };
        state.joined = 0;
        // The ranks that wake up will soon take the lock for their next collective.
        drop(state);
        // From here on nothing can panic; a panic would leave the others waiting.
        if matches!(collective, Collective::Clear) {
            self.alarm.store(false, Ordering::Release);
        }
        // No other call fills the cell of a collective that is no longer open.
        let _ = cell.set(Ok(collective));
    }

    /// A new group for each color; its ranks keep their order.
    fn split(&self, colors: &[u32]) -> Vec<(Arc<Self>, u32)> {
        let mut sizes = BTreeMap::new();
        for color in colors {
            *sizes.entry(*color).or_insert(0) += 1;
        }
        let open = |(color, size)| (color, (Arc::new(Self::new(size, Arc::clone(&self.node))), 0));
        let mut groups: BTreeMap<_, _> = sizes.into_iter().map(open).collect();
        let place = |color| {
            let (group, next) = groups.get_mut(color).expect("each color was counted above");
            *next += 1;
            (Arc::clone(group), *next - 1)
        };
        colors.iter().map(place).collect()
    }

    fn lock(&self) -> MutexGuard<'_, GroupState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
