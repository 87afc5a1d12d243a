//! One rank's part of a phase: open, transfer, sync, close, with its own stamps.
//!
//! A failed rank still calls every collective of the phase. It raises the alarm, so that the others stop
//! early, and it reports the failure at the end. So all ranks leave the phase together.

mod in_step;

use command::ior::{RateLimit, Request};
use measure::{Clock, Tick};
use ranks::FailureCause;
use ranks::{Comm, Halt, Reduce};
use rustix::io::Errno;
use storage::{Buffer, File, Hints, Mode, Open, Parts, Queue, Storage, StorageLibrary};

use super::layout::open;
use crate::kit::checker::Checker;
use crate::kit::drive::{LoopCourse, Stop, TransferTrouble, drive};
use crate::kit::end::FileEnd;
use crate::kit::failed_call::{cause, direct_remedy, named, words};
use crate::kit::mix::Mix;
use crate::kit::order::TransferOrder;
use crate::kit::pace::{Ending, Pace};
use crate::kit::payload::Payload;
use crate::kit::queued::{Direction, QueueWork, drive_queue};
use crate::kit::rank::FirstFailure;
use crate::kit::stamps::PhaseStamps;
use crate::kit::steps::{Mixed, Reader, TransferTarget, Writer};
use crate::kit::tally::TransferTally;

const SECOND_NS: u64 = 1_000_000_000;

/// The counts at the deadline, before the wear-out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AtDeadline {
    /// All transfers, including those within the ramp. In a mixed phase, the writes that count.
    pub(super) transfers: u64,
    /// Bytes that count. In a mixed phase, the bytes written.
    pub(super) bytes: u64,
    /// Reads of a mixed phase that count, and their bytes.
    pub(super) reads: Option<(u64, u64)>,
    pub(super) elapsed_ns: u64,
    pub(super) ran_dry: bool,
}

/// The direction of the transfers.
#[derive(Clone, Debug)]
pub(super) enum TransferMode {
    Write,
    Read,
    Mix(Mix),
}

/// The memory for the data of outstanding transfers.
pub(super) enum Memory {
    /// One transfer at a time: the buffer that is moved, and in a mixed phase the buffer for reads.
    Buffers(Buffer, Option<Buffer>),
    /// Many at a time, each with its own buffer.
    Queue(Box<dyn Queue>),
}

/// The work of a rank in a phase.
pub(super) struct RankJob<'a> {
    pub(super) parameters: &'a Request,
    pub(super) storage: &'a dyn Storage,
    pub(super) comm: &'a dyn Comm,
    pub(super) path: &'a std::path::Path,
    pub(super) mode: TransferMode,
    pub(super) payload: Payload,
    pub(super) order: TransferOrder,
    /// The part of the file that the order covers, for backends that need it at the open.
    pub(super) parts: Parts,
    pub(super) transfers: u64,
    pub(super) call_bytes: u64,
    pub(super) memory: Memory,
    pub(super) checker: Option<Checker>,
    pub(super) end: FileEnd,
    pub(super) tally: TransferTally,
}

/// The result of a rank in a phase.
pub(super) struct RankDone {
    pub(super) stamps: PhaseStamps,
    /// All transfers, including those within the ramp.
    pub(super) transfers: u64,
    pub(super) at_deadline: AtDeadline,
    /// How long the fsync after the last write took.
    pub(super) sync_ns: Option<u64>,
    pub(super) short: u64,
    pub(super) tally: TransferTally,
    pub(super) checker: Option<Checker>,
    /// On rank 0, if there are any or the settings ask for them.
    pub(super) hints: Option<Hints>,
    /// Collective transfers that were moved by calls of single ranks.
    pub(super) uncollective: u64,
    pub(super) failed: Option<FirstFailure>,
}

/// The changing state of a phase on one rank.
struct PhaseBody<'j, 'a, C> {
    clock: &'j C,
    job: RankJob<'a>,
    pace: Pace,
    reached: u64,
    short: u64,
    failed: Option<FirstFailure>,
}

/// Performs one rank's part of a phase.
pub(super) fn perform<C: Clock>(clock: &C, job: RankJob<'_>) -> Result<RankDone, Halt> {
    let mut body = PhaseBody { clock, job, pace: Pace::FREE, reached: 0, short: 0, failed: None };
    let mut stamps = PhaseStamps::default();

    stamps.open.0 = clock.now();
    let mut file = body.open();
    stamps.open.1 = clock.now();
    let hints = body.hints(file.as_deref());
    if body.job.parameters.barriers {
        body.job.comm.barrier()?;
    }
    if body.in_step() {
        // If one rank had no file, the others would wait for it in their first collective transfer.
        let missing = body.job.comm.reduce_one(body.failed.is_some().into(), Reduce::Max)?;
        file = file.filter(|_| missing == 0);
    }

    let begin = clock.now();
    stamps.transfer.0 = body.begin(begin);
    let at_deadline = body.until_deadline(&mut file, stamps.transfer.0)?;
    if body.job.parameters.wear_out && body.job.parameters.deadline > 0 {
        body.wear_out(&mut file)?;
    }
    let synced_from = clock.now();
    let syncs = body.sync(&mut file)?;
    stamps.transfer.1 = clock.now().max(stamps.transfer.0);
    let synced = stamps.transfer.1.0.saturating_sub(synced_from.0.max(stamps.transfer.0.0));
    let sync_ns = syncs.then(|| clock.scale().ns(synced));
    let uncollective = ask(file.as_deref(), body.job.checker.as_mut());

    if body.job.parameters.barriers {
        body.job.comm.barrier()?;
    }
    stamps.close.0 = clock.now();
    abandon_failed(&body.job, body.failed.is_some(), &mut file)?;
    body.close(file);
    stamps.close.1 = clock.now();

    if let Err(why) = body.job.tally.finish() {
        body.fail(why);
    }
    let PhaseBody { job, reached, short, failed, .. } = body;
    let RankJob { tally, checker, .. } = job;
    Ok(RankDone {
        stamps,
        transfers: reached,
        at_deadline,
        sync_ns,
        short,
        tally,
        checker,
        hints,
        uncollective,
        failed,
    })
}

impl<C: Clock> PhaseBody<'_, '_, C> {
    /// Keeps the first failure and alerts the other ranks.
    fn fail(&mut self, why: impl Into<FailureCause>) {
        self.fail_at(self.clock.now(), why.into());
    }

    /// The same for a failure of an earlier moment.
    fn fail_at(&mut self, at: Tick, why: FailureCause) {
        if self.failed.is_none() {
            self.job.comm.raise_alarm();
            self.failed = Some(FirstFailure { at, why });
        }
    }

    fn writes(&self) -> bool {
        !matches!(self.job.mode, TransferMode::Read)
    }

    fn open(&mut self) -> Option<Box<dyn File>> {
        let mode = if self.writes() { Mode::Write } else { Mode::Read };
        let job = &mut self.job;
        let how = Open { parts: job.parts, ..open(job.parameters, mode, job.comm.size()) };
        let opened = job.storage.open(job.comm, job.path, how).and_then(|file| {
            if let Memory::Queue(queue) = &mut job.memory {
                queue.attach(&*file)?;
            }
            Ok(file)
        });
        match opened {
            Ok(file) => Some(file),
            Err(error) => {
                let verb = if mode == Mode::Write { "create" } else { "open" };
                self.fail(named("open", self.job.path, &error).after(&format!("cannot {verb} ")));
                None
            }
        }
    }

    /// The hints to show or to compare. The phase fails if the file cannot report them.
    fn hints(&mut self, file: Option<&dyn File>) -> Option<Hints> {
        let file = file.filter(|_| self.job.comm.rank() == 0)?;
        file.hints().unwrap_or_else(|error| {
            let text = format!("{}: cannot read the hints: {}", self.job.path.display(), words(&error));
            self.fail(cause("hints", self.job.path, &error, text));
            None
        })
    }

    /// Sets the rate limit, the pauses and the ramp for a loop that begins now. Returns the moment from which
    /// it counts.
    fn begin(&mut self, begin: Tick) -> Tick {
        let scale = self.clock.scale();
        let (parameters, ranks) = (self.job.parameters, f64::from(self.job.comm.size()));
        let per_second = match parameters.rate {
            None => 0.0,
            Some(RateLimit::Bytes(bytes)) => bytes / self.job.call_bytes as f64,
            Some(RateLimit::Transfers(transfers)) => transfers,
        };
        if per_second > 0.0 {
            let interval = scale.ticks(SECOND_NS) as f64 * ranks / per_second;
            // The ranks take turns, so that they do not all move data at the same moment.
            let turn = interval * f64::from(self.job.comm.rank()) / ranks;
            self.pace = Pace::limited(Tick(begin.0.saturating_add(turn as u64)), interval);
        }
        self.pace = self.pace.pausing(parameters.pause_us);
        let ramp = scale.ticks(u64::from(parameters.ramp) * SECOND_NS);
        let counts_from = Tick(begin.0.saturating_add(ramp));
        self.job.tally.begin(begin, counts_from);
        counts_from
    }

    /// Makes all transfers, or those until the deadline. All times count from `begin`.
    fn until_deadline(&mut self, file: &mut Option<Box<dyn File>>, begin: Tick) -> Result<AtDeadline, Halt> {
        let seconds = u64::from(self.job.parameters.deadline);
        let deadline = match seconds {
            0 => Stop::NEVER,
            _ => Tick(begin.0.saturating_add(self.clock.scale().ticks(seconds * SECOND_NS))),
        };
        let mut goal = self.job.transfers;
        let mut ending;
        loop {
            ending = match self.in_step() {
                true => self.drive_in_step(file, goal, begin)?,
                false => self.drive(file, Stop { transfers: goal, deadline }),
            };
            if !self.again(begin, ending)? {
                break;
            }
            goal += self.job.transfers;
        }
        let elapsed = self.clock.now().0.saturating_sub(begin.0);
        let TransferTally { meter, reads, .. } = &self.job.tally;
        Ok(AtDeadline {
            transfers: if reads.is_some() { meter.transfers() } else { self.reached },
            bytes: meter.bytes(),
            reads: reads.as_ref().map(|reads| (reads.transfers(), reads.bytes())),
            elapsed_ns: self.clock.scale().ns(elapsed),
            ran_dry: seconds > 0 && ending == Some(Ending::Complete),
        })
    }

    /// Whether the whole pattern must be repeated, because it took less than the minimum time.
    fn again(&self, begin: Tick, ending: Option<Ending>) -> Result<bool, Halt> {
        let least = u64::from(self.job.parameters.seconds_min) * SECOND_NS;
        if least == 0 || self.job.transfers == 0 {
            return Ok(false);
        }
        let elapsed = self.clock.scale().ns(self.clock.now().0.saturating_sub(begin.0));
        let early = ending == Some(Ending::Complete) && elapsed < least;
        // Ranks that make every transfer together must decide the same.
        if self.in_step() { Ok(self.job.comm.reduce_one(early.into(), Reduce::Min)? > 0) } else { Ok(early) }
    }

    /// Continues until this rank has made as many transfers as the rank with the most.
    fn wear_out(&mut self, file: &mut Option<Box<dyn File>>) -> Result<(), Halt> {
        let mut most = [self.reached, u64::from(self.failed.is_some())];
        let reduced_from = self.clock.now();
        self.job.comm.all_reduce(&mut most, Reduce::Max)?;
        self.pace = self.pace.later(self.clock.now().0 - reduced_from.0);
        // A rank without transfers (IOR's own shuffle may leave one) has no pattern to repeat.
        if most[1] == 0 && self.job.order.transfers() > 0 {
            self.drive(file, Stop::after(most[0]));
        }
        Ok(())
    }

    /// Whether sync and close are collective calls.
    fn is_collective(&self) -> bool {
        self.job.parameters.abilities().collective && !self.job.parameters.file_per_rank
    }

    /// Runs the loop up to `stop`; `None` if it failed or the file is missing.
    fn drive(&mut self, file: &mut Option<Box<dyn File>>, stop: Stop) -> Option<Ending> {
        loop {
            match self.drive_once(file, stop)? {
                Ok((reached, ending)) => {
                    self.reached = reached;
                    return self.failed.is_none().then_some(ending);
                }
                Err(trouble) => {
                    // The text may need calls on the failing file system.
                    let at = self.clock.now();
                    self.reached = self.job.tally.transfers();
                    let cause = self.cause_of(trouble);
                    self.fail_at(at, cause);
                    if !self.in_step() {
                        return None;
                    }
                    // The others wait for this rank in every later transfer, so continue with them.
                    self.job.tally.skip();
                }
            }
        }
    }

    /// The cause of a failed transfer. It adds a remedy if O_DIRECT may be the reason, and the reason if a
    /// library does not report a full file system.
    fn cause_of(&self, trouble: Box<TransferTrouble>) -> FailureCause {
        let mut cause = FailureCause::from(trouble);
        let Some(call) = &mut cause.call else { return cause };
        let space = || self.job.storage.space(self.job.path).unwrap_or(None);
        let full = Some(Errno::NOSPC.raw_os_error());
        if self.writes()
            && call.errno != full
            && space().is_some_and(|space| space.bytes_available < self.job.call_bytes)
        {
            call.errno = full;
            cause.text.push_str(" (no space left on the file system)");
        } else {
            let direct_bytes = self.job.storage.direct().then_some(self.job.parameters.transfer);
            cause.text.push_str(&direct_remedy(direct_bytes, call, "-t and -b"));
        }
        cause
    }

    fn drive_once(
        &mut self,
        file: &mut Option<Box<dyn File>>,
        stop: Stop,
    ) -> Option<Result<(u64, Ending), Box<TransferTrouble>>> {
        let in_step = self.in_step();
        let (file, job) = (file.as_mut()?.as_mut(), &mut self.job);
        let Request { sync_each, .. } = *job.parameters;
        // The rest of a short transfer over all segments has no offset of its own.
        let whole = in_step || job.storage.moves_all_segments();
        let (comm, single_attempt) = (job.comm, job.parameters.single_attempt || whole);
        let alarm = &|| !in_step && comm.alarm_raised();
        let course = LoopCourse { from: job.tally.transfers(), stop, pace: self.pace, alarm };
        let (path, payload, end) = (job.path, job.payload, job.end);
        let (order, tally) = (&mut job.order, &mut job.tally);
        let buffers = match &mut job.memory {
            Memory::Buffers(first, second) => (first, second),
            Memory::Queue(queue) => {
                let direction = match &job.mode {
                    TransferMode::Write => Direction::Write,
                    TransferMode::Read => Direction::Read(job.checker.as_mut()),
                    TransferMode::Mix(mix) => Direction::Mixed(mix.clone()),
                };
                let queue = &mut **queue;
                let mut work =
                    QueueWork { queue, file, path, direction, payload, sync_each, single_attempt, short: 0 };
                let ended = drive_queue(self.clock, &mut work, order, &course, tally);
                self.short += work.short;
                return Some(ended);
            }
        };
        let target = TransferTarget { file, path, single_attempt, short: 0 };
        let (ended, short) = match (&job.mode, buffers) {
            (TransferMode::Write, (buffer, _)) => {
                let mut step = Writer { target, buffer, payload, sync_each };
                (drive(self.clock, &mut step, order, &course, tally), step.target.short)
            }
            (TransferMode::Mix(mix), (written, Some(buffer))) => {
                let reader = Reader::new(target, buffer, None).up_to(end);
                let (mix, number) = (mix.clone(), course.from);
                let mut step = Mixed { reader, written, payload, sync_each, mix, number };
                (drive(self.clock, &mut step, order, &course, tally), step.reader.target.short)
            }
            (_, (buffer, _)) => {
                let mut step = Reader::new(target, buffer, job.checker.as_mut()).up_to(end);
                (drive(self.clock, &mut step, order, &course, tally), step.target.short)
            }
        };
        self.short += short;
        Some(ended)
    }

    /// Syncs the file after the last write, if the settings ask for it. Gives whether they do.
    fn sync(&mut self, file: &mut Option<Box<dyn File>>) -> Result<bool, Halt> {
        if !self.job.parameters.sync || !self.writes() {
            return Ok(false);
        }
        abandon_failed(&self.job, self.failed.is_some(), file)?;
        let wanted = self.failed.is_none() || self.is_collective();
        if let Some(file) = file.as_mut().filter(|_| wanted)
            && let Err(error) = file.sync()
        {
            self.fail(named("fsync", self.job.path, &error).after("fsync "));
        }
        Ok(true)
    }

    fn close(&mut self, file: Option<Box<dyn File>>) {
        let Some(file) = file else { return };
        let detached = match &mut self.job.memory {
            Memory::Queue(queue) => queue.detach(),
            Memory::Buffers(..) => Ok(()),
        };
        if let Err(error) = file.close().and(detached) {
            self.fail(named("close", self.job.path, &error).after("close "));
        }
    }
}

/// Adds to each bad range where it lies in the file's own terms. Returns the number of transfers that should
/// be collective and were not.
fn ask(file: Option<&dyn File>, checker: Option<&mut Checker>) -> u64 {
    let Some(file) = file else { return 0 };
    for bad in checker.into_iter().flat_map(|checker| &mut checker.bad) {
        if let Some(place) = file.place(bad.offset) {
            let between = if bad.detail.is_empty() { "" } else { "; " };
            bad.detail.push_str(&format!("{between}{place}"));
        }
    }
    file.uncollective()
}

/// Abandons a file that cannot be closed any more, because a rank failed on it.
fn abandon_failed(job: &RankJob<'_>, failed: bool, file: &mut Option<Box<dyn File>>) -> Result<(), Halt> {
    if !job.storage.library().is_some_and(StorageLibrary::is_fragile) {
        return Ok(());
    }
    let failed = match job.parameters.file_per_rank {
        true => failed,
        false => job.comm.reduce_one(failed.into(), Reduce::Max)? > 0,
    };
    if let Some(file) = file.take_if(|_| failed) {
        file.abandon();
    }
    Ok(())
}
