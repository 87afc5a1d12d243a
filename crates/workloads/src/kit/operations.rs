//! A phase of metadata operations over all ranks: start together, do the items, end together.
//!
//! The loop is `drive`. An item takes the place of a transfer. A failed operation ends the phase on all
//! ranks, or it is counted by its reason while the run continues.
//!
//! Invariant: every rank calls the collectives of a phase in the same order, even a rank that has failed.
//! Never here: which operations there are.

pub(crate) mod failures;

use std::io;
use std::path::Path;

use measure::{Clock, Histogram, Meter, Tick};
use ranks::{FailureCause, Halt};
use results::record::{Counts, Phase, Spans};

use super::balance::{self, BalancePlaces, RankWork};
use super::current::CurrentPhase;
use super::drive::{LoopCourse, LoopStep, Stop, TransferTrouble, drive};
use super::each_rank::{self, RankReport};
use super::failed_call::{call_failed, direct_remedy};
use super::order::TransferOrder;
use super::pace::{Ending, Pace};
use super::parts::ReductionParts;
use super::rank::{FirstFailure, Rank};
use super::reduce::{self, MeasuredPlaces};
use super::tally::TransferTally;
use super::transfer_log::TransferLog;
use failures::Failures;

/// The operation on one item.
pub trait Operation {
    /// Prepares the paths and data of the item; not timed as latency.
    fn before(&mut self, item: u64);

    /// Does the operation; this is what is timed.
    fn operate(&mut self, item: u64) -> io::Result<()>;

    /// Checks the result; not timed as latency.
    fn after(&mut self, _item: u64) {}

    /// The call that just failed, such as `mkdir`, and its path.
    fn failed(&self) -> (&'static str, &Path);

    /// The size of the transfers with O_DIRECT that it makes, bytes; `None` if it makes none.
    fn direct_bytes(&self) -> Option<u64> {
        None
    }
}

/// The error of an operation that had nothing to do.
#[derive(Debug, PartialEq, Eq)]
pub enum NothingToDo {
    /// For this item, such as the removal of a missing file. The operation counts neither as done nor as
    /// failed, and its time is in no latency.
    Here,
    /// Also for all later items, where their number was not known before. The loop ends here, as after the
    /// last of a known number.
    Anymore,
}

impl NothingToDo {
    /// What the operation returns.
    pub fn error() -> io::Error {
        io::Error::other(Self::Here)
    }

    /// What the operation returns after the last item.
    pub fn after_last() -> io::Error {
        io::Error::other(Self::Anymore)
    }

    fn find(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl std::fmt::Display for NothingToDo {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("nothing to do")
    }
}

impl std::error::Error for NothingToDo {}

/// The fixed properties of a phase.
#[derive(Clone, Debug, Default)]
pub struct OperationSetting {
    /// The initial content of the phase's record: which phase it is, of which test, and in which directories.
    /// `transfer_bytes` is what one operation moves.
    pub known: Phase,
    /// Whether the run continues after a failed operation.
    pub keep_going: bool,
}

/// A running phase on one rank.
pub struct Operating {
    known: Phase,
    begun: Tick,
    /// Where the timeline begins.
    origin: Tick,
    tally: TransferTally,
    failures: Failures,
    /// The failures that are not operations of the phase.
    outside: u64,
    failed: Option<FirstFailure>,
    /// Until the records of the phase are made.
    _current: CurrentPhase,
}

/// What one rank did in a phase, and what all ranks did together.
#[derive(Clone, Debug)]
pub struct OperationsDone {
    /// Successful operations of this rank.
    pub operations: u64,
    /// Seconds of this rank from the common start to the end of its own work.
    pub own_seconds: f64,
    /// Seconds of this rank from the common start until all ranks had ended.
    pub seconds: f64,
    /// The record. Its sums and extremes are the same on all ranks. Only rank 0 has what was measured of all
    /// ranks (latencies, the timeline, columns, the slowest rank), and the listed failures.
    pub phase: Phase,
}

impl Operating {
    /// Starts a phase on all ranks together. If there is a `log`, every operation of this rank is logged.
    /// Until the end of the phase, nothing is allocated or printed. Collective.
    pub fn begin(
        rank: &mut Rank<'_>,
        setting: OperationSetting,
        log: Option<TransferLog>,
    ) -> Result<Self, Halt> {
        let OperationSetting { known, keep_going } = setting;
        let row = rank.row(known.test);
        rank.next_phase()?;
        // The timeline counts each operation as one byte.
        let mut tally = TransferTally::new(Meter::new(rank.clock.scale(), 1)).watched(row).logged(log);
        let failures = Failures::new(keep_going);
        let current = CurrentPhase::enter(&known.phase);
        let origin = rank.start_together()?;
        tally.start(origin, rank.clock.scale());
        let begun = rank.clock.now();
        tally.begin(begun, Tick(0));
        Ok(Self { known, begun, origin, tally, failures, outside: 0, failed: None, _current: current })
    }

    /// When this rank began.
    pub fn begun(&self) -> Tick {
        self.begun
    }

    /// Whether this rank has failed and does nothing more in this phase.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Operations of this rank so far, including failed ones and those that had nothing to do.
    pub fn so_far(&self) -> u64 {
        self.tally.transfers() + self.failures.skipped
    }

    /// Does the items number `from` to `stop.transfers` of `order`. Returns the number reached and why it
    /// stopped. Not collective.
    pub fn run(
        &mut self,
        rank: &Rank<'_>,
        operation: &mut dyn Operation,
        order: &mut TransferOrder,
        from: u64,
        stop: Stop,
    ) -> (u64, Ending) {
        if self.has_failed() {
            return (from, Ending::Alarm);
        }
        let before = self.so_far();
        let alarm = &|| rank.comm.alarm_raised();
        let course = LoopCourse { from, stop, pace: Pace::FREE, alarm };
        let mut each = OperationStep::new(operation, &mut self.failures);
        match drive(&*rank.clock, &mut each, order, &course, &mut self.tally) {
            Ok(ended) => ended,
            Err(_) if each.ended => (from + self.so_far() - before, Ending::Complete),
            Err(trouble) => {
                self.fail(rank, trouble);
                (from + self.so_far() - before, Ending::Alarm)
            }
        }
    }

    /// The same, but the phase ends with the first failure, independent of its setting.
    pub fn run_until_failure(
        &mut self,
        rank: &Rank<'_>,
        operation: &mut dyn Operation,
        order: &mut TransferOrder,
        stop: Stop,
    ) -> u64 {
        let keep_going = std::mem::replace(&mut self.failures.keep_going, false);
        let (reached, _) = self.run(rank, operation, order, 0, stop);
        self.failures.keep_going = keep_going;
        reached
    }

    /// Does `count` items that belong to the phase's time but are not its operations. They are in no count
    /// and no latency. Their failures are handled like any other. Not collective.
    pub fn run_outside(&mut self, rank: &Rank<'_>, operation: &mut dyn Operation, count: u64) {
        if self.has_failed() {
            return;
        }
        let (alarm, before) = (&|| rank.comm.alarm_raised(), self.failures.count());
        let skipped = self.failures.skipped;
        let course = LoopCourse { from: 0, stop: Stop::after(count), pace: Pace::FREE, alarm };
        let mut uncounted = TransferTally::new(Meter::new(rank.clock.scale(), 1));
        let mut each = OperationStep::new(operation, &mut self.failures);
        let done = drive(&*rank.clock, &mut each, &mut TransferOrder::items(count), &course, &mut uncounted);
        self.outside += self.failures.count() - before;
        self.failures.skipped = skipped;
        if let Err(trouble) = done {
            self.fail(rank, trouble);
        }
    }

    /// Fails the phase for a reason that is not an operation. The first reason is kept.
    pub fn fail(&mut self, rank: &Rank<'_>, why: impl Into<FailureCause>) {
        if self.failed.is_none() {
            rank.comm.raise_alarm();
            self.failed = Some(FirstFailure { at: rank.clock.now(), why: why.into() });
        }
    }

    /// Handles a failed call that is not an operation of the phase, such as the open of a file that is then
    /// read. The call is counted, or it ends the phase.
    pub fn failed_outside(&mut self, rank: &Rank<'_>, call: &'static str, path: &Path, error: &io::Error) {
        if self.failures.take(call, path, error) {
            self.outside += 1;
        } else {
            self.fail(rank, call_failed(call, path, error));
        }
    }

    /// Ends the phase on all ranks together. `last` belongs to the phase's time but is not an operation. All
    /// ranks halt if one has failed. Collective.
    pub fn end(
        mut self,
        rank: &mut Rank<'_>,
        last: impl FnOnce() -> Result<(), FailureCause>,
    ) -> Result<OperationsDone, Halt> {
        let own_end = rank.clock.now();
        if let Err(why) = last() {
            self.fail(rank, why);
        }
        rank.comm.barrier()?;
        let end = rank.clock.now();
        if let Err(why) = self.tally.finish() {
            self.fail(rank, why);
        }
        rank.agree_on_first(&self.known.phase.replace('_', " "), self.failed.take())?;
        self.reduce(rank, own_end, end)
    }

    fn reduce(mut self, rank: &mut Rank<'_>, own_end: Tick, end: Tick) -> Result<OperationsDone, Halt> {
        let (comm, scale) = (rank.comm, rank.clock.scale());
        let [own_ns, ns] = [own_end, end].map(|end| scale.ns(end.0 - self.begun.0));
        let operations = self.tally.meter.transfers() - (self.failures.count() - self.outside);
        let work = RankWork { amount: operations, ns: own_ns, given: self.so_far() > 0 };
        let [begun_ns, ended_ns] = [self.begun, own_end].map(|tick| rank.since_start_ns(tick));
        let Meter { latency, timeline, .. } = &mut self.tally.meter;
        let percentiles_ns = each_rank::percentiles(latency);
        let mut parts = ReductionParts::default();
        let measured = MeasuredPlaces::add(&mut parts, latency, Some(timeline));
        let balance = BalancePlaces::add(&mut parts, work);
        let sums = parts.sums([operations, self.failures.count()]);
        let first = parts.min(begun_ns);
        let last = [ended_ns, ns, rank.uncertainty_ns()].map(|value| parts.max(value));
        let kernel = rank.add_kernel(&mut parts);
        let reduced = parts.reduce(comm)?;
        measured.to_rank_0(comm, &reduced, latency, Some(timeline))?;

        let ([ops, failed], first) = (reduced.all(sums), reduced.of(first));
        let [ended, longest_ns, uncertainty_ns] = reduced.all(last);
        let mut balance = balance.extremes(&reduced);
        let report = RankReport { work, ended_ns, percentiles_ns, ..RankReport::default() };
        let each_rank = each_rank::collect(comm, &rank.node, &report, &mut balance)?;
        let since_zero = [first, ended].map(|ns| ns + rank.began_ns());
        let (kernel, pace) = rank.kernel(kernel, &reduced);
        let bytes = ops * self.known.transfer_bytes;
        let phase = Phase {
            ranks: comm.size(),
            expected_bytes: bytes,
            bytes,
            ops,
            began_s: first as f64 * 1e-9,
            spans: Spans {
                transfer_s: ended.saturating_sub(first) as f64 * 1e-9,
                total_s: longest_ns as f64 * 1e-9,
                ..Spans::default()
            },
            balance,
            latency: reduce::latency_on_rank_0(comm, &self.tally.meter.latency),
            timeline: reduce::intervals_on_rank_0(comm, &self.tally.meter.timeline),
            depth: 1,
            counts: Counts::Operations,
            failed: self.failures.over_ranks(comm, failed)?,
            each_rank,
            moments: rank.moments(since_zero, self.origin, uncertainty_ns),
            kernel,
            pace,
            ..self.known
        };
        Ok(OperationsDone { operations, own_seconds: own_ns as f64 * 1e-9, seconds: ns as f64 * 1e-9, phase })
    }
}

/// The record of other calls that the ranks made in the phase `main`, with their own name and latencies.
/// `work` is what this rank did. Collective.
pub(crate) fn beside(
    rank: &Rank<'_>,
    main: &Phase,
    name: &str,
    work: RankWork,
    mut latencies: Histogram,
    failures: Failures,
) -> Result<Phase, Halt> {
    let (comm, mut parts) = (rank.comm, ReductionParts::default());
    let measured = MeasuredPlaces::add(&mut parts, &mut latencies, None);
    let balance = BalancePlaces::add(&mut parts, work);
    let sums = parts.sums([work.amount, failures.count()]);
    let reduced = parts.reduce(comm)?;
    measured.to_rank_0(comm, &reduced, &mut latencies, None)?;
    let mut balance = balance.extremes(&reduced);
    balance::gather_slowest(comm, &rank.node, work, &mut balance)?;
    let [ops, failed] = reduced.all(sums);
    Ok(Phase {
        phase: name.to_owned(),
        ops,
        latency: reduce::latency_on_rank_0(comm, &latencies),
        balance,
        timeline: None,
        each_rank: None,
        failed: failures.over_ranks(comm, failed)?,
        window: None,
        matched: None,
        ..main.clone()
    })
}

/// An operation as a step of the measuring loop.
struct OperationStep<'e> {
    operation: &'e mut dyn Operation,
    failures: &'e mut Failures,
    /// Whether the last operation had nothing to do.
    nothing: bool,
    /// Whether no item is left.
    ended: bool,
}

impl<'e> OperationStep<'e> {
    fn new(operation: &'e mut dyn Operation, failures: &'e mut Failures) -> Self {
        Self { operation, failures, nothing: false, ended: false }
    }
}

impl LoopStep for OperationStep<'_> {
    fn works_between(&self) -> bool {
        true
    }

    #[inline]
    fn before(&mut self, item: u64) {
        self.operation.before(item);
    }

    #[inline]
    fn transfer(&mut self, item: u64) -> Result<(), Box<TransferTrouble>> {
        match self.operation.operate(item) {
            Ok(()) => Ok(()),
            Err(error) => {
                let (call, path) = self.operation.failed();
                match NothingToDo::find(&error) {
                    Some(NothingToDo::Here) => {
                        self.failures.skipped += 1;
                        self.nothing = true;
                        return Ok(());
                    }
                    Some(NothingToDo::Anymore) => {
                        self.ended = true;
                        return Err(TransferTrouble::with_call(call, path, None, &error));
                    }
                    None => {}
                }
                if self.failures.take(call, path, &error) {
                    return Ok(());
                }
                let mut trouble = TransferTrouble::with_call(call, path, None, &error);
                if let Some(call) = &trouble.call {
                    let remedy = direct_remedy(self.operation.direct_bytes(), call, "the sizes of files");
                    trouble.why.push_str(&remedy);
                }
                Err(trouble)
            }
        }
    }

    #[inline]
    fn after(&mut self, item: u64) {
        self.operation.after(item);
    }

    #[inline]
    fn left_out(&mut self) -> bool {
        std::mem::take(&mut self.nothing)
    }
}

#[cfg(test)]
mod tests;
