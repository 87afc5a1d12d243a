//! One rank's part of a phase: open, transfer, sync, close, with its own stamps.
//!
//! A rank that fails goes on to every collective of the phase, raises the alarm so that the others
//! stop early, and reports at the end; so all leave together.

use measure::{Clock, Meter, Stop, Tick};
use ranks::{Comm, Halt, Reduce};
use storage::{Buffer, File, Mode, Open, Storage};

use super::parameters::Parameters;
use crate::kit::checker::Checker;
use crate::kit::drive::{Ending, Reader, Target, Trouble, Writer, drive, words};
use crate::kit::order::Order;
use crate::kit::payload::Payload;

/// Collective transfers between two questions whether a rank has failed.
const STEPS: u64 = 64;

/// The six stamps of docs/METHODOLOGY.md, "A phase".
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamps {
    pub(super) open: (Tick, Tick),
    pub(super) transfer: (Tick, Tick),
    pub(super) close: (Tick, Tick),
}

/// What stood at the deadline, before the wear-out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AtDeadline {
    pub(super) transfers: u64,
    pub(super) elapsed_ns: u64,
    pub(super) ran_dry: bool,
}

/// What a rank is to do in a phase.
pub(super) struct Job<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) storage: &'a dyn Storage,
    pub(super) comm: &'a dyn Comm,
    pub(super) path: &'a std::path::Path,
    pub(super) writes: bool,
    pub(super) payload: Payload,
    pub(super) order: Order,
    pub(super) transfers: u64,
    pub(super) buffer: &'a mut Buffer,
    pub(super) checker: Option<Checker>,
    pub(super) meter: Meter,
}

/// What a rank did in a phase.
pub(super) struct Done {
    pub(super) stamps: Stamps,
    pub(super) transfers: u64,
    pub(super) at_deadline: AtDeadline,
    pub(super) short: u64,
    pub(super) meter: Meter,
    pub(super) checker: Option<Checker>,
    pub(super) failed: Option<String>,
}

/// The moving parts of a phase on one rank.
struct Body<'j, 'a, C> {
    clock: &'j C,
    job: Job<'a>,
    reached: u64,
    short: u64,
    failed: Option<String>,
}

/// Does one rank's part of a phase.
pub(super) fn perform<C: Clock>(clock: &C, job: Job<'_>) -> Result<Done, Halt> {
    let mut body = Body { clock, job, reached: 0, short: 0, failed: None };
    let mut stamps = Stamps::default();

    stamps.open.0 = clock.now();
    let mut file = body.open();
    stamps.open.1 = clock.now();
    if body.job.parameters.barriers {
        body.job.comm.barrier()?;
    }
    if body.in_step() {
        // One rank without the file would leave the others waiting in their first collective transfer.
        let missing = body.job.comm.reduce_one(body.failed.is_some().into(), Reduce::Max)?;
        file = file.filter(|_| missing == 0);
    }

    stamps.transfer.0 = clock.now();
    let at_deadline = body.until_deadline(&mut file, stamps.transfer.0)?;
    if body.job.parameters.wear_out && body.job.parameters.deadline > 0 {
        body.wear_out(&mut file)?;
    }
    body.sync(&mut file);
    stamps.transfer.1 = clock.now();

    if body.job.parameters.barriers {
        body.job.comm.barrier()?;
    }
    stamps.close.0 = clock.now();
    body.close(file);
    stamps.close.1 = clock.now();

    let Body { job, reached, short, failed, .. } = body;
    let Job { meter, checker, .. } = job;
    Ok(Done { stamps, transfers: reached, at_deadline, short, meter, checker, failed })
}

impl<C: Clock> Body<'_, '_, C> {
    /// Keeps the first failure and tells the other ranks.
    fn fail(&mut self, why: String) {
        if self.failed.is_none() {
            self.job.comm.raise_alarm();
            self.failed = Some(why);
        }
    }

    fn open(&mut self) -> Option<Box<dyn File>> {
        let job = &self.job;
        let mode = if job.writes { Mode::Write } else { Mode::Read };
        let how = Open {
            mode,
            shared: !job.parameters.file_per_rank,
            collective: job.parameters.collective,
            bytes: job.parameters.layout(job.comm.size()).file_bytes(),
        };
        match job.storage.open(job.comm, job.path, how) {
            Ok(file) => Some(file),
            Err(error) => {
                let verb = if job.writes { "create" } else { "open" };
                self.fail(format!("cannot {verb} {}: {}", job.path.display(), words(&error)));
                None
            }
        }
    }

    /// All transfers, or those until the deadline.
    fn until_deadline(&mut self, file: &mut Option<Box<dyn File>>, begin: Tick) -> Result<AtDeadline, Halt> {
        let seconds = u64::from(self.job.parameters.deadline);
        let deadline = match seconds {
            0 => Stop::NEVER,
            _ => Tick(begin.0 + self.clock.scale().ticks(seconds * 1_000_000_000)),
        };
        let ending = match self.in_step() {
            true => self.drive_in_step(file)?,
            false => self.drive(file, Stop { transfers: self.job.transfers, deadline }),
        };
        let elapsed = self.clock.now().0 - begin.0;
        Ok(AtDeadline {
            transfers: self.reached,
            elapsed_ns: self.clock.scale().ns(elapsed),
            ran_dry: seconds > 0 && ending == Some(Ending::Complete),
        })
    }

    /// Goes on until this rank has done as many transfers as the rank with the most.
    fn wear_out(&mut self, file: &mut Option<Box<dyn File>>) -> Result<(), Halt> {
        let mut most = [self.reached, u64::from(self.failed.is_some())];
        self.job.comm.all_reduce(&mut most, Reduce::Max)?;
        // A rank without transfers (IOR's own shuffle may leave one) has nothing to go round in.
        if most[1] == 0 && self.job.order.transfers() > 0 {
            self.drive(file, Stop::after(most[0]));
        }
        Ok(())
    }

    /// Whether every transfer is a call that all ranks make together.
    fn in_step(&self) -> bool {
        let every = self.job.parameters.collective || (self.job.parameters.sync_each && self.job.writes);
        every && self.is_collective()
    }

    /// Whether sync and close are calls that all ranks make together.
    fn is_collective(&self) -> bool {
        self.job.storage.is_collective() && !self.job.parameters.file_per_rank
    }

    /// All transfers, where all ranks make each of them together: now and then they ask whether one has
    /// failed, so that they stop together long before the end.
    fn drive_in_step(&mut self, file: &mut Option<Box<dyn File>>) -> Result<Option<Ending>, Halt> {
        if file.is_none() {
            return Ok(None);
        }
        while self.reached < self.job.transfers {
            let next = (self.reached + STEPS).min(self.job.transfers);
            self.drive(file, Stop::after(next));
            if self.job.comm.reduce_one(self.failed.is_some().into(), Reduce::Max)? > 0 {
                return Ok(None);
            }
        }
        Ok(Some(Ending::Complete))
    }

    /// Runs the loop up to `stop`; `None` when it failed or there is no file.
    fn drive(&mut self, file: &mut Option<Box<dyn File>>, stop: Stop) -> Option<Ending> {
        loop {
            match self.drive_once(file, stop)? {
                Ok((reached, ending)) => {
                    self.reached = reached;
                    return self.failed.is_none().then_some(ending);
                }
                Err(trouble) => {
                    self.reached = self.job.meter.transfers();
                    self.fail(trouble.to_string());
                    if !self.in_step() {
                        return None;
                    }
                    // The others wait for this rank in every transfer to come: go on with them.
                    self.job.meter.skip();
                }
            }
        }
    }

    fn drive_once(
        &mut self,
        file: &mut Option<Box<dyn File>>,
        stop: Stop,
    ) -> Option<Result<(u64, Ending), Box<Trouble>>> {
        let in_step = self.in_step();
        let (file, job) = (file.as_mut()?.as_mut(), &mut self.job);
        let (comm, single_attempt) = (job.comm, job.parameters.single_attempt || in_step);
        let alarm = &|| !in_step && comm.alarm_raised();
        let target = Target { file, path: job.path, single_attempt, short: 0 };
        let from = job.meter.transfers();
        let (order, meter) = (&mut job.order, &mut job.meter);
        if job.writes {
            let sync_each = job.parameters.sync_each;
            let mut step = Writer { target, buffer: job.buffer, payload: job.payload, sync_each };
            let ended = drive(self.clock, &mut step, order, from, stop, meter, alarm);
            self.short += step.target.short;
            Some(ended)
        } else {
            let mut step = Reader { target, buffer: job.buffer, checker: job.checker.as_mut() };
            let ended = drive(self.clock, &mut step, order, from, stop, meter, alarm);
            self.short += step.target.short;
            Some(ended)
        }
    }

    fn sync(&mut self, file: &mut Option<Box<dyn File>>) {
        let able = self.failed.is_none() || self.is_collective();
        let wanted = self.job.parameters.sync && self.job.writes && able;
        if let Some(file) = file.as_mut().filter(|_| wanted)
            && let Err(error) = file.sync()
        {
            self.fail(format!("fsync {}: {}", self.job.path.display(), words(&error)));
        }
    }

    fn close(&mut self, file: Option<Box<dyn File>>) {
        if let Some(file) = file
            && let Err(error) = file.close()
        {
            self.fail(format!("close {}: {}", self.job.path.display(), words(&error)));
        }
    }
}
