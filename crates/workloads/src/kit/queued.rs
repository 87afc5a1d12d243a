//! The measuring loop for storage with many outstanding transfers of a rank.
//!
//! The loop fills free slots, then it takes back the transfers that have ended. All that came back together
//! get one stamp, before any of them is compared. So the latency of a transfer is the time from its
//! submission to the moment at which the program noticed its end.
//!
//! Invariant: when the loop returns, no transfer is outstanding, and every counted transfer has moved all its
//! bytes. A deadline stops submissions. Transfers that are outstanding then still end and count, because
//! their bytes were moved.
//! Never here: collectives, printing.

use std::io;
use std::path::Path;

use measure::{Clock, Tick};
use storage::{EndedTransfer, File, Op, Queue, Wait, call_error};

use super::checker::Checker;
use super::drive::{BATCH, LoopCourse, TransferTrouble};
use super::failed_call::words;
use super::mix::Mix;
use super::order::TransferOrder;
use super::pace::{Ending, Pace};
use super::payload::{self, Payload};
use super::steps::{ONE_CALL, RETRIES, ends_at};
use super::tally::{TransferStamps, TransferTally};

/// What the loop does with each transfer.
pub enum Direction<'a> {
    /// All are written.
    Write,
    /// All are read, and compared if there is a checker.
    Read(Option<&'a mut Checker>),
    /// Some are read and the others written.
    Mixed(Mix),
}

/// What the loop works on.
pub struct QueueWork<'a> {
    /// Attached to the file; no transfer is outstanding.
    pub queue: &'a mut dyn Queue,
    /// The file, for syncing.
    pub file: &'a mut dyn File,
    /// Its path, for messages.
    pub path: &'a Path,
    /// The kind of transfers.
    pub direction: Direction<'a>,
    /// Makes the data that is written. The buffers hold its data for some offset.
    pub payload: Payload,
    /// `-Y`: an fsync follows every write, within its latency.
    pub sync_each: bool,
    /// `-x`: a transfer that moved only a part fails at once.
    pub single_attempt: bool,
    /// Number of transfers that needed more than one call.
    pub short: u64,
}

/// An outstanding transfer.
#[derive(Clone, Copy, Debug)]
struct Flight {
    offset: u64,
    begin: Tick,
    done: usize,
    calls: u32,
    read: bool,
}

impl Flight {
    fn call(&self) -> &'static str {
        if self.read { "read" } else { "write" }
    }
}

/// The loop's own state.
struct Loop<'w, 'a, C> {
    clock: &'w C,
    work: &'w mut QueueWork<'a>,
    flights: Vec<Flight>,
    free: Vec<usize>,
    outstanding: usize,
    ended: Vec<EndedTransfer>,
    begins: Vec<Tick>,
    ends: Vec<Tick>,
    reads: Vec<bool>,
    trouble: Option<Box<TransferTrouble>>,
}

/// Runs transfers number `course.from..course.stop.transfers` of `order`. Returns the number reached and why
/// it ended. The needed memory is allocated here, in proportion to the queue's depth.
pub fn drive_queue<C: Clock>(
    clock: &C,
    work: &mut QueueWork<'_>,
    order: &mut TransferOrder,
    course: &LoopCourse<'_>,
    tally: &mut TransferTally,
) -> Result<(u64, Ending), Box<TransferTrouble>> {
    let depth = work.queue.depth();
    let idle = Flight { offset: 0, begin: Tick(0), done: 0, calls: 0, read: false };
    let mut state = Loop {
        clock,
        work,
        flights: vec![idle; depth],
        free: (0..depth).rev().collect(),
        outstanding: 0,
        ended: Vec::with_capacity(depth),
        begins: Vec::with_capacity(depth),
        ends: Vec::with_capacity(depth),
        reads: Vec::with_capacity(depth),
        trouble: None,
    };
    let mut offsets = [0; BATCH];
    let (mut next, mut filled) = (course.from, course.from..course.from);
    let mut ending = None;
    // When the next transfer may begin, and whether it had to wait for that.
    let (mut due, mut is_early, mut pause_end) = (Tick(0), false, Tick(0));
    loop {
        let mut now = clock.now();
        while ending.is_none()
            && state.trouble.is_none()
            && next < course.stop.transfers
            && state.has_free_slot()
        {
            due = course.pace.due(next).max(pause_end);
            if due > now {
                is_early = true;
                break;
            }
            if !filled.contains(&next) {
                let batch = BATCH.min((course.stop.transfers - next).try_into().unwrap_or(BATCH));
                order.fill(next, &mut offsets[..batch]);
                filled = next..next + batch as u64;
            }
            let due = course.pace.is_limited().then_some(due).filter(|_| !is_early);
            now = state.submit(next, offsets[(next - filled.start) as usize], due);
            (is_early, pause_end) = (false, course.pace.pause_end(now, clock.scale()));
            next += 1;
        }
        let done = ending.is_some() || state.trouble.is_some() || next >= course.stop.transfers;
        if state.outstanding == 0 && done {
            break;
        }
        let wait = match Pace::sleep_time(now, due.min(course.stop.deadline), clock.scale()) {
            _ if done || !state.has_free_slot() => Wait::ForOne,
            Some(time) => Wait::AtMost(time),
            None => Wait::No,
        };
        let now = state.reap(wait, tally);
        if ending.is_none() && state.trouble.is_none() {
            ending = course.over(now);
        }
    }
    match state.trouble {
        Some(trouble) => Err(trouble),
        None => Ok((next, ending.unwrap_or(Ending::Complete))),
    }
}

impl<C: Clock> Loop<'_, '_, C> {
    fn has_free_slot(&self) -> bool {
        !self.free.is_empty()
    }

    /// Starts transfer `number` in a free slot. If it is late, it is timed from `due`. Returns the moment of
    /// the submission.
    fn submit(&mut self, number: u64, offset: u64, due: Option<Tick>) -> Tick {
        let slot = self.free.pop().expect("the caller checked that a slot is free");
        let read = match &mut self.work.direction {
            Direction::Write => false,
            Direction::Read(_) => true,
            Direction::Mixed(mix) => mix.is_read(number),
        };
        let checks = matches!(self.work.direction, Direction::Read(Some(_)));
        // In a mixed phase a slot that held read data must be filled completely again.
        let mixed = matches!(self.work.direction, Direction::Mixed(_));
        let payload = self.work.payload;
        if checks {
            payload::poison_pages(self.work.queue.buffer(slot));
        } else if !read && mixed {
            payload.fill(self.work.queue.buffer(slot), offset);
        } else if !read && payload.depends_on_offset() {
            payload.prepare(self.work.queue.buffer(slot), offset);
        }
        let now = self.clock.now();
        self.flights[slot] = Flight { offset, begin: due.unwrap_or(now), done: 0, calls: 1, read };
        self.send(slot);
        now
    }

    /// Submits the rest of a slot's transfer to the queue.
    fn send(&mut self, slot: usize) {
        let flight = self.flights[slot];
        let op = if flight.read { Op::Read } else { Op::Write };
        match self.work.queue.submit(slot, op, flight.done, flight.offset + flight.done as u64) {
            Ok(()) => self.outstanding += 1,
            Err(error) => {
                self.fail(flight.call(), flight, &error);
                self.free.push(slot);
            }
        }
    }

    /// Takes back the transfers that have ended, and waits for them as `wait` says. Returns the moment at
    /// which they were noticed.
    fn reap(&mut self, wait: Wait, tally: &mut TransferTally) -> Tick {
        if let (0, Wait::AtMost(time)) = (self.outstanding, wait) {
            std::thread::sleep(time);
        }
        let reaped = self.work.queue.reap(wait, &mut self.ended);
        let mut now = self.clock.now();
        if let Err(error) = reaped {
            self.fail("wait", Flight { offset: 0, begin: now, done: 0, calls: 0, read: false }, &error);
            // A failed queue reports nothing about outstanding transfers. Dropping the queue waits for them.
            self.outstanding = 0;
        }
        if self.ended.is_empty() {
            return now;
        }
        let mut ended = std::mem::take(&mut self.ended);
        self.outstanding = self.outstanding.saturating_sub(ended.len());
        ended.retain(|ended| self.is_complete(ended, now, tally));
        // Only an fsync gives the writes another end than the reads that came back with them.
        let reads = if self.work.sync_each { self.partition(&mut ended) } else { ended.len() };
        let (reads, writes) = ended.split_at(reads);
        let came = now;
        if let Some(first) = writes.first() {
            if let Err(error) = self.work.file.sync() {
                let flight = self.flights[first.slot];
                let error = call_error::reworded(&error, format!("fsync: {}", words(&error)));
                self.fail("fsync", flight, &error);
            }
            now = self.clock.now();
        }
        self.count(reads, came, tally);
        self.count(writes, now, tally);
        ended.clear();
        self.ended = ended;
        now
    }

    /// Puts the reads before the writes, and returns how many there are.
    fn partition(&self, ended: &mut [EndedTransfer]) -> usize {
        let mut reads = 0;
        for at in 0..ended.len() {
            if self.flights[ended[at].slot].read {
                ended.swap(reads, at);
                reads += 1;
            }
        }
        reads
    }

    /// Whether a transfer that came back at `now` has moved everything. If not, it is continued, has failed,
    /// or was cut short by the end of the file.
    fn is_complete(&mut self, ended: &EndedTransfer, now: Tick, tally: &mut TransferTally) -> bool {
        let length = self.work.queue.buffer(ended.slot).len();
        let flight = &mut self.flights[ended.slot];
        let moved = match &ended.moved {
            Ok(moved) => *moved,
            Err(error) => {
                let flight = *flight;
                self.fail(flight.call(), flight, error);
                self.free.push(ended.slot);
                return false;
            }
        };
        flight.done += moved;
        if flight.done >= length {
            return true;
        }
        // A call that moved the most that one call can move is not short.
        let is_short = moved < ONE_CALL;
        flight.calls += 1;
        let flight = *flight;
        // The rest of a read that meets the end of the file may not be readable, because it is not aligned.
        let compares = matches!(self.work.direction, Direction::Read(Some(_)));
        let ends = compares && ends_at(self.work.file, flight.offset + flight.done as u64);
        let rejected = self.work.single_attempt && is_short;
        if moved == 0 || ends || rejected || flight.calls > RETRIES {
            let rejected = rejected && moved > 0 && !ends;
            if self.give_up(ended.slot, flight, length, rejected) {
                tally.cut_short(now, flight.done as u64);
            }
            return false;
        }
        self.work.short += u64::from(is_short && flight.calls == 2);
        self.send(ended.slot);
        false
    }

    /// Ends a transfer that moves no more. Returns whether it is a finding of a comparison; otherwise it is a
    /// failure.
    fn give_up(&mut self, slot: usize, flight: Flight, length: usize, rejected: bool) -> bool {
        self.free.push(slot);
        if let Direction::Read(Some(checker)) = &mut self.work.direction
            && !rejected
        {
            checker.compare(&self.work.queue.buffer(slot)[..flight.done], flight.offset);
            checker.missing(flight.offset, flight.done, length);
            return true;
        }
        let what = if flight.read { "end of file" } else { "short write" };
        let why = format!("{what}: moved {} of {length} bytes", flight.done);
        self.fail(flight.call(), flight, &call_error::short(why));
        false
    }

    /// Counts complete transfers, then compares the data of reads and frees the slots.
    fn count(&mut self, ended: &[EndedTransfer], now: Tick, tally: &mut TransferTally) {
        if ended.is_empty() {
            return;
        }
        self.begins.clear();
        self.reads.clear();
        for ended in ended {
            self.begins.push(self.flights[ended.slot].begin);
            self.reads.push(self.flights[ended.slot].read);
        }
        self.ends.clear();
        self.ends.resize(ended.len(), now);
        let mixed = matches!(self.work.direction, Direction::Mixed(_));
        tally.take(&TransferStamps::of(&self.begins, &self.ends, &self.reads, 0..ended.len(), mixed));
        for ended in ended {
            let flight = self.flights[ended.slot];
            if let Direction::Read(Some(checker)) = &mut self.work.direction {
                checker.compare(self.work.queue.buffer(ended.slot), flight.offset);
            }
            self.free.push(ended.slot);
        }
    }

    /// Keeps the first failure.
    fn fail(&mut self, call: &str, flight: Flight, error: &io::Error) {
        let at = flight.offset + flight.done as u64;
        self.trouble.get_or_insert_with(|| TransferTrouble::new(call, self.work.path, Some(at), error));
    }
}
