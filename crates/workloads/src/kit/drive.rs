//! The measuring loop: the only one, for every workload that moves bytes.
//!
//! Offsets come in batches and stamps go out in batches; between two transfers of a batch there is
//! one look at the clock when nothing else has to be done (the end of one transfer is the beginning
//! of the next), and two when data has to be made or compared in between.
//!
//! Invariant: nothing but the transfer itself lies between a transfer's two stamps.
//! Never here: collectives, printing.

use std::fmt;
use std::io;
use std::path::Path;

use measure::{Clock, Meter, Stop, Tick};
use storage::{Buffer, File};

use super::checker::Checker;
use super::order::Order;
use super::payload::{self, Payload};

/// Offsets made at once, outside the measured time.
const BATCH: usize = 256;

/// What is done with one offset.
pub trait Step {
    /// Whether [`Step::before`] or [`Step::after`] do anything.
    fn works_between(&self) -> bool;

    /// Makes the data of the next transfer; not timed as latency.
    fn before(&mut self, offset: u64);

    /// Moves one transfer; this is what the meter times.
    fn transfer(&mut self, offset: u64) -> Result<(), Box<Trouble>>;

    /// Looks at the data that came; not timed as latency.
    fn after(&mut self, offset: u64);
}

/// Why a transfer failed, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The file.
    pub path: String,
    /// Where in the file, bytes.
    pub offset: u64,
    /// What happened.
    pub why: String,
}

impl Trouble {
    /// Boxed, so that the loop's results fit into registers.
    #[cold]
    fn new(path: &Path, offset: u64, why: impl Into<String>) -> Box<Self> {
        Box::new(Self { path: path.display().to_string(), offset, why: why.into() })
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at {}: {}", self.path, self.offset, self.why)
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

/// Runs transfers number `from..stop.transfers` of `order`; returns the number reached and why.
///
/// `alarm` is asked from time to time, between transfers.
pub fn drive<C: Clock, S: Step>(
    clock: &C,
    step: &mut S,
    order: &mut Order,
    from: u64,
    stop: Stop,
    meter: &mut Meter,
    alarm: &dyn Fn() -> bool,
) -> Result<(u64, Ending), Box<Trouble>> {
    let between = step.works_between();
    let mut offsets = [0; BATCH];
    // One more beginning than transfers: the end of each is noted as the beginning of the next.
    let (mut begins, mut ends) = ([Tick(0); BATCH + 1], [Tick(0); BATCH]);
    let mut reached = from;
    let mut wake = Tick(0);
    while reached < stop.transfers {
        let batch = BATCH.min((stop.transfers - reached).try_into().unwrap_or(BATCH));
        order.fill(reached, &mut offsets[..batch]);
        let mut taken = 0;
        begins[0] = clock.now();
        for (index, &offset) in offsets[..batch].iter().enumerate() {
            if between {
                step.before(offset);
                begins[index] = clock.now();
            }
            if let Err(trouble) = step.transfer(offset) {
                meter.take(&begins[taken..index], &ends[taken..index]);
                return Err(trouble);
            }
            let end = clock.now();
            ends[index] = end;
            begins[index + 1] = end;
            if between {
                step.after(offset);
            }
            // The one thing looked at for every transfer; the rest only when it is time.
            if end >= wake {
                meter.take(&begins[taken..=index], &ends[taken..=index]);
                taken = index + 1;
                let ending = if stop.passed(end) { Some(Ending::Deadline) } else { None };
                if let Some(ending) = ending.or_else(|| alarm().then_some(Ending::Alarm)) {
                    return Ok((reached + taken as u64, ending));
                }
                wake = meter.due(end).min(stop.deadline);
                begins[taken] = clock.now();
            }
        }
        meter.take(&begins[taken..batch], &ends[taken..batch]);
        reached += batch as u64;
    }
    Ok((reached, Ending::Complete))
}

/// The most bytes that Linux moves in one call: 2 GiB less a page.
const ONE_CALL: usize = 0x7fff_f000;
/// How often a transfer that moved only a part is taken up again before giving up.
const RETRIES: u32 = 10_000;

/// What both directions need: the file, its name, and whether a short transfer is taken up again.
pub struct Target<'a> {
    /// The open file.
    pub file: &'a mut dyn File,
    /// Its path, for messages.
    pub path: &'a Path,
    /// A transfer that moved only a part fails at once (`-x`).
    pub single_attempt: bool,
    /// How many transfers needed more than one call.
    pub short: u64,
}

impl Target<'_> {
    /// The part of the path from a call that moved `moved` of `length` bytes to the whole transfer.
    #[cold]
    fn go_on(
        &mut self,
        offset: u64,
        length: usize,
        moved: usize,
        call: &mut dyn FnMut(&mut dyn File, usize) -> io::Result<usize>,
        what: &str,
    ) -> Result<(), Box<Trouble>> {
        let mut done = moved;
        // A call that moved all that one call can is not short.
        let short = moved < ONE_CALL;
        if moved == 0 || (self.single_attempt && short) {
            return Err(Trouble::new(self.path, offset, format!("{what}: moved {moved} of {length} bytes")));
        }
        self.short += u64::from(short);
        for _ in 0..RETRIES {
            match call(self.file, done) {
                Ok(0) => {
                    let why = format!("{what}: moved {done} of {length} bytes, then no more");
                    return Err(Trouble::new(self.path, offset + done as u64, why));
                }
                Ok(more) => done += more,
                Err(error) => return Err(Trouble::new(self.path, offset + done as u64, words(&error))),
            }
            if done >= length {
                return Ok(());
            }
        }
        let why = format!("moved {done} of {length} bytes in {RETRIES} calls");
        Err(Trouble::new(self.path, offset + done as u64, why))
    }
}

/// Writes one buffer again and again.
pub struct Writer<'a> {
    /// Where to.
    pub target: Target<'a>,
    /// The data, filled for this rank.
    pub buffer: &'a mut Buffer,
    /// Makes the words that depend on the offset.
    pub payload: Payload,
    /// `-Y`: every write is made durable, within its latency.
    pub sync_each: bool,
}

impl Step for Writer<'_> {
    fn works_between(&self) -> bool {
        self.payload.depends_on_offset()
    }

    fn before(&mut self, offset: u64) {
        self.payload.prepare(self.buffer.bytes_mut(), offset);
    }

    #[inline]
    fn transfer(&mut self, offset: u64) -> Result<(), Box<Trouble>> {
        let data = self.buffer.bytes();
        let written = match self.target.file.write_at(data, offset) {
            Ok(moved) if moved == data.len() => Ok(()),
            Ok(moved) => {
                let rest = &mut |file: &mut dyn File, done: usize| {
                    file.write_at(&data[done..], offset + done as u64)
                };
                self.target.go_on(offset, data.len(), moved, rest, "short write")
            }
            Err(error) => Err(Trouble::new(self.target.path, offset, words(&error))),
        };
        if !self.sync_each {
            return written;
        }
        // Also after a failed write: the sync of a shared file may be one that other ranks wait in.
        let synced = self.target.file.sync();
        written?;
        synced.map_err(|error| Trouble::new(self.target.path, offset, format!("fsync: {}", words(&error))))
    }

    fn after(&mut self, _offset: u64) {}
}

/// Reads into one buffer again and again.
pub struct Reader<'a> {
    /// Where from.
    pub target: Target<'a>,
    /// Where the data comes.
    pub buffer: &'a mut Buffer,
    /// Compares the data, when asked to.
    pub checker: Option<&'a mut Checker>,
}

impl Step for Reader<'_> {
    fn works_between(&self) -> bool {
        self.checker.is_some()
    }

    /// Spoils every page of the buffer, so that one that does not arrive is seen.
    fn before(&mut self, _offset: u64) {
        payload::poison_pages(self.buffer.bytes_mut());
    }

    #[inline]
    fn transfer(&mut self, offset: u64) -> Result<(), Box<Trouble>> {
        let data = self.buffer.bytes_mut();
        match self.target.file.read_at(data, offset) {
            Ok(moved) if moved == data.len() => Ok(()),
            Ok(moved) => {
                let length = data.len();
                let rest = &mut |file: &mut dyn File, done: usize| {
                    file.read_at(&mut data[done..], offset + done as u64)
                };
                self.target.go_on(offset, length, moved, rest, "end of file")
            }
            Err(error) => Err(Trouble::new(self.target.path, offset, words(&error))),
        }
    }

    fn after(&mut self, offset: u64) {
        if let Some(checker) = &mut self.checker {
            checker.look(self.buffer.bytes(), offset);
        }
    }
}
