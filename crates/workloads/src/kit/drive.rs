//! The measuring loop for every workload that moves bytes by blocking calls.
//!
//! The loop takes offsets in batches and hands over time stamps in batches. Between two transfers of a batch
//! it reads the clock once: the end of one transfer is the beginning of the next. It reads the clock twice if
//! data must be made or compared in between. `queued` is the same loop for storage with many outstanding
//! transfers.
//!
//! Invariant: only the transfer itself lies between the two stamps of a transfer.
//! Never here: collectives, printing.

use std::fmt;
use std::io;
use std::path::Path;

use measure::{Clock, Tick};
use ranks::{CallFailure, FailureCause};

use super::failed_call::{failed_call, words};
use super::order::TransferOrder;
use super::pace::{Ending, Pace, TransferStart};
use super::tally::{TransferStamps, TransferTally};

/// Number of offsets made at once, outside the measured time.
pub(super) const BATCH: usize = 256;

/// What is done with one offset.
pub trait LoopStep {
    /// Whether [`LoopStep::before`] or [`LoopStep::after`] do anything.
    fn works_between(&self) -> bool;

    /// Makes the data of the next transfer; not timed as latency.
    fn before(&mut self, offset: u64);

    /// Moves one transfer; this is what the meter times.
    fn transfer(&mut self, offset: u64) -> Result<(), Box<TransferTrouble>>;

    /// Checks the data that was read; not timed as latency.
    fn after(&mut self, _offset: u64) {}

    /// The number of bytes that the last checked transfer moved, if the end of the file cut it short.
    fn cut_short(&self) -> Option<u64> {
        None
    }

    /// Whether the last transfer had nothing to do, so that it is in no count and no latency.
    fn left_out(&mut self) -> bool {
        false
    }

    /// For a step that both reads and writes: whether the last transfer was a read.
    fn was_read(&self) -> Option<bool> {
        None
    }
}

/// Why a transfer failed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferTrouble {
    /// The file.
    pub path: String,
    /// The offset in the file, bytes; `None` if the failure is about the path itself.
    pub offset: Option<u64>,
    /// What happened.
    pub why: String,
    /// The failed call.
    pub call: Option<Box<CallFailure>>,
}

impl TransferTrouble {
    /// A failed call, boxed so that the loop's results fit into registers. `offset` is `None` for a call on
    /// the path itself.
    #[cold]
    pub(crate) fn new(call: &str, path: &Path, offset: Option<u64>, error: &io::Error) -> Box<Self> {
        let call = failed_call(call, path, offset, error);
        Box::new(Self { path: call.path.clone(), offset, why: words(error), call: Some(Box::new(call)) })
    }

    /// The same with the name of the call before the reason.
    #[cold]
    pub(super) fn with_call(call: &str, path: &Path, offset: Option<u64>, error: &io::Error) -> Box<Self> {
        let trouble = Self::new(call, path, offset, error);
        Box::new(Self { why: format!("{call}: {}", trouble.why), ..*trouble })
    }
}

impl From<Box<TransferTrouble>> for FailureCause {
    fn from(trouble: Box<TransferTrouble>) -> Self {
        Self { text: trouble.to_string(), call: trouble.call }
    }
}

impl fmt::Display for TransferTrouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offset {
            Some(offset) => write!(out, "{} at {offset}: {}", self.path, self.why),
            None => write!(out, "{}: {}", self.path, self.why),
        }
    }
}

/// When a rank stops its loop.
///
/// A deadline (the stonewall) stops every rank after the first transfer that ends beyond it. Each rank uses
/// its own clock from its own start. In the wear-out every rank then continues to the transfer count of the
/// fastest rank, so that all ranks have moved the same amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The number of transfers after which it stops.
    pub transfers: u64,
    /// A rank stops after a transfer that ends beyond this moment; [`Stop::NEVER`] for no deadline.
    pub deadline: Tick,
}

impl Stop {
    /// A deadline that never passes.
    pub const NEVER: Tick = Tick(u64::MAX);

    /// Stops after exactly this number of transfers.
    pub fn after(transfers: u64) -> Self {
        Self { transfers, deadline: Self::NEVER }
    }

    /// Whether the deadline has passed at `now`.
    #[inline]
    pub fn passed(&self, now: Tick) -> bool {
        now > self.deadline
    }
}

/// Which transfers a loop runs, how fast, and what makes it stop.
pub struct LoopCourse<'a> {
    /// Number of the first transfer.
    pub from: u64,
    /// The number of transfers or the time at which to stop.
    pub stop: Stop,
    /// The rate limit and the pauses.
    pub pace: Pace,
    /// Returns whether another rank has failed. Called from time to time, between transfers.
    pub alarm: &'a dyn Fn() -> bool,
}

impl LoopCourse<'_> {
    /// The reason to stop at `now`, if there is one.
    pub(super) fn over(&self, now: Tick) -> Option<Ending> {
        if self.stop.passed(now) { Some(Ending::Deadline) } else { (self.alarm)().then_some(Ending::Alarm) }
    }
}

/// Runs transfers number `course.from..course.stop.transfers` of `order`. Returns the number reached and why
/// the loop ended.
pub fn drive<C: Clock, S: LoopStep>(
    clock: &C,
    step: &mut S,
    order: &mut TransferOrder,
    course: &LoopCourse<'_>,
    tally: &mut TransferTally,
) -> Result<(u64, Ending), Box<TransferTrouble>> {
    let between = step.works_between() || course.pace.holds();
    let mut offsets = [0; BATCH];
    // One more beginning than transfers, because the end of each is stored as the beginning of the next.
    let (mut begins, mut ends, mut reads) = ([Tick(0); BATCH + 1], [Tick(0); BATCH], [false; BATCH]);
    let mixed = step.was_read().is_some();
    let mut reached = course.from;
    let mut wake = Tick(0);
    while reached < course.stop.transfers {
        let batch = BATCH.min((course.stop.transfers - reached).try_into().unwrap_or(BATCH));
        order.fill(reached, &mut offsets[..batch]);
        let mut taken = 0;
        begins[0] = clock.now();
        for (index, &offset) in offsets[..batch].iter().enumerate() {
            if between {
                step.before(offset);
                let (number, deadline) = (reached + index as u64, course.stop.deadline);
                begins[index] = match course.pace.wait(clock, number, deadline, &|now| course.over(now)) {
                    TransferStart::At(begin) => begin,
                    TransferStart::Never(ending) => {
                        tally.take(&TransferStamps::of(&begins, &ends, &reads, taken..index, mixed));
                        return Ok((reached + index as u64, ending));
                    }
                };
            }
            if let Err(trouble) = step.transfer(offset) {
                tally.take(&TransferStamps::of(&begins, &ends, &reads, taken..index, mixed));
                return Err(trouble);
            }
            let end = clock.now();
            ends[index] = end;
            begins[index + 1] = end;
            if between {
                reads[index] = step.was_read().unwrap_or(false);
                step.after(offset);
                if let Some(bytes) = step.cut_short() {
                    tally.take(&TransferStamps::of(&begins, &ends, &reads, taken..index, mixed));
                    tally.cut_short(end, bytes);
                    taken = index + 1;
                } else if step.left_out() {
                    tally.take(&TransferStamps::of(&begins, &ends, &reads, taken..index, mixed));
                    taken = index + 1;
                }
            }
            // The only check after every transfer. The others are made only when they are due.
            if end >= wake {
                tally.take(&TransferStamps::of(&begins, &ends, &reads, taken..index + 1, mixed));
                taken = index + 1;
                if let Some(ending) = course.over(end) {
                    return Ok((reached + taken as u64, ending));
                }
                wake = tally.due(end).min(course.stop.deadline);
                begins[taken] = clock.now();
            }
        }
        tally.take(&TransferStamps::of(&begins, &ends, &reads, taken..batch, mixed));
        reached += batch as u64;
    }
    Ok((reached, Ending::Complete))
}
