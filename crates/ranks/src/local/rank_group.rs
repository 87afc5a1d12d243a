//! A group of threads that are ranks. Each contributes its part to a collective, and the last one ends it for
//! all.
//!
//! Invariant: a collective that all ranks have joined ends successfully for every rank that waits for it. One
//! that a rank has left without joining it never ends. The group is then broken, and every rank that waits
//! for it or a later one gets a [`Halt`]. If several ranks have left, it may name any of them.
//!
//! Only rank 0 waits for a reduction to rank 0 and for a gather. The other ranks continue, so several
//! collectives can be open, and they end in their order. Sleeping and waking is most of what a collective
//! of a thousand threads costs. How many are open has no limit here: a rank may run ahead of the others until
//! it calls a collective for which it waits.
//!
//! Each collective has its own slot, which is filled once and then read without the lock. Otherwise a
//! thousand ranks that wake up together would queue for the lock, and sleep again.
//!
//! A waiting rank yields for about a millisecond and then sleeps. To wake a sleeping rank takes tens of
//! microseconds, a delay between ranks that begin a phase together. With more ranks than processors the ranks
//! sleep at once, and the last one wakes them all.
//!
//! Never here: MPI.

use std::collections::{BTreeMap, VecDeque};
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
    /// A reduction to rank 0.
    ReduceToRoot(Reduce, &'a [u64]),
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
            Self::ReduceToRoot(how, values) => write!(out, "reduce ({how:?} of {})", values.len()),
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
    ReduceToRoot(Reduce, Vec<u64>),
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
            Contribution::ReduceToRoot(how, values) => {
                Self::ReduceToRoot(*how, Self::neutral(*how, values.len()))
            }
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
            | (Self::ReduceToRoot(how, all), Contribution::ReduceToRoot(mine, values))
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
pub(super) type CollectiveSlot = OnceLock<Result<Collective, Halt>>;

/// A collective that ended successfully.
#[derive(Debug)]
pub(super) struct CollectiveEnd(Arc<CollectiveSlot>);

impl Deref for CollectiveEnd {
    type Target = Collective;

    fn deref(&self) -> &Collective {
        match self.0.get() {
            Some(Ok(collective)) => collective,
            _ => unreachable!("`wait` checked this"),
        }
    }
}

/// Messages in their order, with their senders.
type ArrivedMessages = VecDeque<(u32, Vec<u8>)>;

/// A fixed number of ranks that call collectives together.
#[derive(Debug)]
pub(super) struct RankGroup {
    pub(super) size: u32,
    pub(super) node: Arc<str>,
    pub(super) alarm: AtomicBool,
    state: Mutex<GroupState>,
    /// For each rank the messages that have arrived.
    mail: Vec<Mutex<ArrivedMessages>>,
    /// How often a waiting rank yields before it sleeps.
    yields: u32,
}

/// Yields of a rank with its own processor: about a millisecond.
const YIELDS: u32 = 2000;

/// A collective that ranks are joining.
#[derive(Debug)]
struct OpenCollective {
    collective: Collective,
    joined: u32,
    slot: Arc<CollectiveSlot>,
}

#[derive(Debug)]
struct GroupState {
    /// How many collectives each rank has joined.
    calls: Vec<u64>,
    /// The number of the first open collective, which is also how many have ended.
    ended: u64,
    /// The collectives that some ranks have joined, in their order.
    open: VecDeque<OpenCollective>,
    /// From which number on no collective can end, and why.
    broken: Option<(u64, Halt)>,
}

impl GroupState {
    /// Breaks the group from the collective `number` on. Every rank that waits for one of these, now or
    /// later, gets this halt. If the group is already broken there, they get that halt.
    fn break_off(&mut self, number: u64, why: Halt) -> Halt {
        let (from, why) = match self.broken.take() {
            Some(earlier) if earlier.0 <= number => earlier,
            _ => (number, why),
        };
        self.broken = Some((from, why.clone()));
        while self.ended + self.open.len() as u64 > from {
            let last = self.open.pop_back().expect("collectives are open");
            // No other call fills the slot of an open collective.
            let _ = last.slot.set(Err(why.clone()));
        }
        why
    }

    /// The halt, if the collective `number` cannot end.
    fn broken_at(&self, number: u64) -> Option<&Halt> {
        self.broken.as_ref().filter(|(from, _)| *from <= number).map(|(_, why)| why)
    }
}

impl RankGroup {
    pub(super) fn new(size: u32, node: Arc<str>) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let yields = if size as usize <= processors { YIELDS } else { 0 };
        let state =
            GroupState { calls: vec![0; size as usize], ended: 0, open: VecDeque::new(), broken: None };
        let mail = (0..size).map(|_| Mutex::default()).collect();
        Self { size, node, alarm: AtomicBool::new(false), state: Mutex::new(state), mail, yields }
    }

    /// A halt of `rank` on this node.
    pub(super) fn halt(&self, step: &str, rank: u32, why: String) -> Halt {
        Halt { step: step.to_owned(), rank, node: self.node.to_string(), why, call: None }
    }

    /// Breaks the group from the first collective on that `rank` has not joined: it has left.
    pub(super) fn leave(&self, rank: u32, why: Halt) {
        let mut state = self.lock();
        let number = state.calls[rank as usize];
        state.break_off(number, why);
    }

    /// Sends a message from one rank to another.
    pub(super) fn post(&self, from: u32, to: u32, message: Vec<u8>) {
        self.mail_of(to).push_back((from, message));
    }

    /// The next message for `rank`. If there is none, and a rank has left, then none may come.
    pub(super) fn poll(&self, rank: u32) -> Result<Option<(u32, Vec<u8>)>, Halt> {
        let first = self.mail_of(rank).pop_front();
        if first.is_some() {
            return Ok(first);
        }
        self.lock().broken.as_ref().map_or(Ok(None), |(_, why)| Err(why.clone()))
    }

    fn mail_of(&self, rank: u32) -> MutexGuard<'_, ArrivedMessages> {
        self.mail[rank as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Contributes `part` to the next collective of `rank`, and returns the place of its result.
    pub(super) fn contribute(&self, rank: u32, part: &Contribution<'_>) -> Result<Arc<CollectiveSlot>, Halt> {
        let mut state = self.lock();
        let number = state.calls[rank as usize];
        if let Some(halt) = state.broken_at(number) {
            return Err(halt.clone());
        }
        state.calls[rank as usize] += 1;
        let place = usize::try_from(number - state.ended).expect("a place in memory");
        if place == state.open.len() {
            let collective = Collective::opened_by(part, self.size);
            state.open.push_back(OpenCollective { collective, joined: 0, slot: Arc::default() });
        }
        let open = &mut state.open[place];
        if !open.collective.join(rank, part) {
            let why = format!("called {part} while others called another collective");
            return Err(state.break_off(number, self.halt("wait", rank, why)));
        }
        open.joined += 1;
        let slot = Arc::clone(&open.slot);
        if open.joined == self.size {
            self.end_first(state);
        }
        Ok(slot)
    }

    /// Waits until all ranks have joined the collective. Returns its result, or why there is none.
    pub(super) fn wait(&self, slot: Arc<CollectiveSlot>) -> Result<CollectiveEnd, Halt> {
        for _ in 0..self.yields {
            if slot.get().is_some() {
                break;
            }
            std::thread::yield_now();
        }
        match slot.wait() {
            Ok(_) => Ok(CollectiveEnd(slot)),
            Err(halt) => Err(halt.clone()),
        }
    }

    /// All have joined the first open collective. Its result is made once, and all ranks may continue.
    fn end_first(&self, mut state: MutexGuard<'_, GroupState>) {
        if let Some(OpenCollective { collective, .. }) = state.open.front_mut()
            && let Collective::Split(colors) = collective
        {
            *collective = Collective::Groups(self.split(colors));
        }
        let Some(OpenCollective { collective, slot, .. }) = state.open.pop_front() else {
            unreachable!("a rank has just joined a collective")
        };
        state.ended += 1;
        // The ranks that wake up will soon take the lock for their next collective.
        drop(state);
        // From here on nothing can panic; a panic would leave the others waiting.
        if matches!(collective, Collective::Clear) {
            self.alarm.store(false, Ordering::Release);
        }
        // No other call fills the slot of a collective that is no longer open.
        let _ = slot.set(Ok(collective));
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
