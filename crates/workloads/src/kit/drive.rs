//! The measuring loop for every workload that moves bytes by calls that block.
//!
//! Offsets come in batches and stamps go out in batches; between two transfers of a batch there is
//! one look at the clock when nothing else has to be done (the end of one transfer is the beginning
//! of the next), and two when data has to be made or compared in between. `queued` is the same loop
//! for storage that has many transfers under way at once.
//!
//! Invariant: nothing but the transfer itself lies between a transfer's two stamps.
//! Never here: collectives, printing.

use std::fmt;
use std::io;
use std::path::Path;

use measure::{Clock, Tick};

use super::order::TransferOrder;
use super::pace::{Pace, TransferStart};
use super::tally::{TransferStamps, TransferTally};

/// Offsets made at once, outside the measured time.
pub(super) const BATCH: usize = 256;

/// What is done with one offset.
pub trait LoopStep {
    /// Whether [`LoopStep::before`] or [`LoopStep::after`] do anything.
    fn works_between(&self) -> bool;

    /// Makes the data of the next transfer; not timed as latency.
    fn before(&mut self, offset: u64);

    /// Moves one transfer; this is what the meter times.
    fn transfer(&mut self, offset: u64) -> Result<(), Box<TransferTrouble>>;

    /// Looks at the data that came; not timed as latency.
    fn after(&mut self, _offset: u64) {}

    /// How many bytes came of the transfer that was just looked at, if the end of the file cut it short.
    fn cut_short(&self) -> Option<u64> {
        None
    }

    /// For a step that both reads and writes: whether the transfer that just ended was a read.
    fn was_read(&self) -> Option<bool> {
        None
    }
}

/// Why a transfer failed, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferTrouble {
    /// The file.
    pub path: String,
    /// Where in the file, bytes; `None` where the name itself is meant.
    pub offset: Option<u64>,
    /// What happened.
    pub why: String,
    /// The kind of the error; `None` where no call failed.
    pub kind: Option<io::ErrorKind>,
}

impl TransferTrouble {
    /// Boxed, so that the loop's results fit into registers.
    #[cold]
    pub(super) fn new(path: &Path, offset: u64, why: impl Into<String>) -> Box<Self> {
        Box::new(Self { path: path.display().to_string(), offset: Some(offset), why: why.into(), kind: None })
    }

    /// A call that failed.
    #[cold]
    pub(super) fn of_error(path: &Path, offset: u64, error: &io::Error) -> Box<Self> {
        let trouble = Self::new(path, offset, words(error));
        Box::new(Self { kind: Some(error.kind()), ..*trouble })
    }

    /// A sync that failed.
    #[cold]
    pub(super) fn of_sync(path: &Path, offset: u64, error: &io::Error) -> Box<Self> {
        let trouble = Self::of_error(path, offset, error);
        Box::new(Self { why: format!("fsync: {}", trouble.why), ..*trouble })
    }

    /// An operation on a name that failed.
    #[cold]
    pub(super) fn of_name(path: &Path, why: impl Into<String>) -> Box<Self> {
        Box::new(Self { path: path.display().to_string(), offset: None, why: why.into(), kind: None })
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

/// The system's words for an error, without the number that Rust appends.
pub fn words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}

/// The same behind the path that it is about.
pub(crate) fn named(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", path.display(), words(error))
}

/// How a rank's loop ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All transfers asked for are done.
    Complete,
    /// The deadline passed first.
    Deadline,
    /// Another rank failed and raised the alarm.
    Alarm,
}

/// When a rank stops its loop.
///
/// A deadline (the stonewall) cuts every rank off after the first transfer that ends beyond it, each by its
/// own clock from its own start. The wear-out then asks each rank to reach the transfer count of the fastest,
/// so that every rank has moved the same amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The number of transfers after which it stops.
    pub transfers: u64,
    /// A transfer ended beyond this moment; [`Stop::NEVER`] for no deadline.
    pub deadline: Tick,
}

impl Stop {
    /// The deadline that never comes.
    pub const NEVER: Tick = Tick(u64::MAX);

    /// Stops after this number of transfers and not before.
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
    /// After which, or when, to stop.
    pub stop: Stop,
    /// How fast at most.
    pub pace: Pace,
    /// Asked from time to time, between transfers: whether another rank has failed.
    pub alarm: &'a dyn Fn() -> bool,
}

impl LoopCourse<'_> {
    /// Why to stop, if there is a reason at `now`.
    pub(super) fn over(&self, now: Tick) -> Option<Ending> {
        if self.stop.passed(now) { Some(Ending::Deadline) } else { (self.alarm)().then_some(Ending::Alarm) }
    }
}

/// Runs transfers number `course.from..course.stop.transfers` of `order`; returns the number reached and
/// why.
pub fn drive<C: Clock, S: LoopStep>(
    clock: &C,
    step: &mut S,
    order: &mut TransferOrder,
    course: &LoopCourse<'_>,
    tally: &mut TransferTally,
) -> Result<(u64, Ending), Box<TransferTrouble>> {
    let between = step.works_between() || course.pace.holds();
    let mut offsets = [0; BATCH];
    // One more beginning than transfers: the end of each is noted as the beginning of the next.
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
                }
            }
            // The one thing looked at for every transfer; the rest only when it is time.
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
