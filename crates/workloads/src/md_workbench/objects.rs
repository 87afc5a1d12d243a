//! The operations of one rank on data sets and objects (md-workbench 4.1).
//!
//! Object `i` of data set `d` of rank `r` is `<o>/<r>_<d>/file-<i>`. In the benchmark a rank uses objects of
//! the rank `offset * (d + 1)` before it. It creates new ones for the rank as far behind it.

use std::io;
use std::path::Path;

use command::md_workbench::Request;
use measure::{Clock, CycleClock, Histogram, Tick};
use ranks::Comm;
use storage::{Buffer, Mode, Names, Storage};

use super::data::ObjectData;
use super::latency_files::LoggedCalls;
use super::result::{CallCount, ObjectCall, StepResult, WorkbenchStep, quantiles};
use super::wrong::ComparedObjects;
use crate::kit::beneath::alone;
use crate::kit::contents::{read_all, write_all};
use crate::kit::operations::failures::Failures;
use crate::kit::operations::{NothingToDo, Operation};
use crate::kit::path::PathBuffer;
use crate::kit::small_data::poison_buffer;

/// The mode of new directories, before the umask.
pub(super) const PERMISSIONS: u32 = 0o775;
/// Waits from this length on sleep. Shorter ones watch the clock.
const SLEEPS_FROM_NS: u64 = 10_000_000;

/// The operations of one rank in one phase, one after the other.
pub(super) struct ObjectSteps<'r> {
    parameters: &'r Request,
    storage: &'r dyn Storage,
    names: &'r dyn Names,
    comm: &'r dyn Comm,
    clock: CycleClock,
    pub(super) step: WorkbenchStep,
    /// The number of the first object.
    position: u64,
    waiting: f64,
    data: ObjectData,
    written: Buffer,
    read: Buffer,
    /// The present operation.
    call: ObjectCall,
    system_call: &'static str,
    path: PathBuffer,
    owner: u32,
    number: u64,
    /// The object is missing, so its other operations are left out.
    is_missing: bool,
    /// When the last operation began.
    call_begun: Tick,
    /// Its nanoseconds.
    took_ns: u64,
    /// Whether it succeeded.
    is_done: bool,
    pub(super) begun: Tick,
    counts: [CallCount; ObjectCall::ALL.len()],
    pub(super) histograms: Vec<Histogram>,
    /// Whether the operations of this rank are written into latency files.
    logs: bool,
    pub(super) logged: Vec<LoggedCalls>,
    slowest_ns: u64,
    /// The objects that were compared with `-X`.
    pub(super) compared: ComparedObjects,
    /// The operations that failed while the run continued, by kind.
    pub(super) failures: [Failures; ObjectCall::ALL.len()],
    /// The first data set that was not empty.
    pub(super) kept: Option<String>,
}

impl<'r> ObjectSteps<'r> {
    pub(super) fn new(
        parameters: &'r Request,
        (storage, names): (&'r dyn Storage, &'r dyn Names),
        (comm, clock): (&'r dyn Comm, &CycleClock),
        signature: i32,
        (step, position, waiting): (WorkbenchStep, u64, f64),
    ) -> io::Result<Self> {
        let bytes = usize::try_from(parameters.object_bytes).unwrap_or(usize::MAX);
        let calls = ObjectCall::ALL.len();
        Ok(Self {
            parameters,
            storage,
            names,
            comm,
            clock: clock.clone(),
            step,
            position,
            waiting,
            data: ObjectData::new(parameters.packet, signature),
            written: Buffer::new(bytes)?,
            read: Buffer::new(bytes)?,
            call: ObjectCall::MakeSet,
            system_call: "",
            path: PathBuffer::default(),
            owner: 0,
            number: 0,
            is_missing: false,
            call_begun: Tick(0),
            took_ns: 0,
            is_done: false,
            begun: Tick(0),
            counts: [CallCount::default(); ObjectCall::ALL.len()],
            histograms: vec![Histogram::new(); calls],
            logs: parameters.latency.is_some() && (parameters.latency_all || comm.rank() == 0),
            logged: vec![LoggedCalls::new(); calls],
            slowest_ns: 0,
            compared: ComparedObjects::default(),
            failures: ObjectCall::ALL.map(|_| Failures::new(true)),
            kept: None,
        })
    }

    /// Operations of this rank on each object in the benchmark.
    pub(super) fn calls_each(&self) -> u64 {
        if self.parameters.read_only { 2 } else { 4 }
    }

    /// Operations of this rank in the phase.
    pub(super) fn count(&self) -> u64 {
        let Request { sets, per_set, objects, .. } = *self.parameters;
        match self.step {
            WorkbenchStep::Precreate => sets + sets * per_set.saturating_sub(self.position),
            WorkbenchStep::Benchmark => sets * objects * self.calls_each(),
            WorkbenchStep::Cleanup => sets * (per_set + 1),
        }
    }

    /// What this rank did in the phase, which took `seconds`.
    pub(super) fn result(&self, seconds: f64) -> StepResult {
        let mut result = StepResult { seconds, counts: self.counts, ..StepResult::default() };
        result.slowest_s = self.slowest_ns as f64 * 1e-9;
        for (count, histogram) in result.counts.iter_mut().zip(&self.histograms) {
            count.timed = histogram.count();
        }
        result.latencies = std::array::from_fn(|call| quantiles(&self.histograms[call]));
        result
    }

    /// Selects the operation number `item`: its call, its path and its data.
    fn select(&mut self, item: u64) {
        let Request { sets, per_set, offset, .. } = *self.parameters;
        let rank = self.comm.rank();
        match self.step {
            WorkbenchStep::Precreate if item < sets => self.go(ObjectCall::MakeSet, rank, item, None),
            WorkbenchStep::Precreate => {
                let at = item - sets;
                self.go(ObjectCall::Create, rank, at % sets, Some(self.position + at / sets));
            }
            WorkbenchStep::Benchmark => {
                let (at, part) = (item / self.calls_each(), item % self.calls_each());
                let (set, object) = (at % sets, self.position + at / sets);
                let by = i64::from(offset) * (set as i64 + 1);
                let ranks = i64::from(self.comm.size());
                let other = |by: i64| (i64::from(rank) + by).rem_euclid(ranks) as u32;
                match part {
                    0 => self.go(ObjectCall::Stat, other(-by), set, Some(object)),
                    1 => self.go(ObjectCall::Read, other(-by), set, Some(object)),
                    2 => self.go(ObjectCall::Delete, other(-by), set, Some(object)),
                    _ => self.go(ObjectCall::Create, other(by), set, Some(object + per_set)),
                }
            }
            WorkbenchStep::Cleanup => match (item / (per_set + 1), item % (per_set + 1)) {
                (set, at) if at == per_set => self.go(ObjectCall::RemoveSet, rank, set, None),
                (set, at) => self.go(ObjectCall::Delete, rank, set, Some(self.position + at)),
            },
        }
    }

    fn go(&mut self, call: ObjectCall, owner: u32, set: u64, object: Option<u64>) {
        (self.call, self.owner) = (call, owner);
        self.number = object.unwrap_or(0) * self.parameters.sets + set;
        self.path = PathBuffer::new(Path::new(&self.parameters.dir));
        self.path.push("/").number(owner.into()).push("_").number(set);
        if let Some(object) = object {
            self.path.push("/file-").number(object);
        }
    }

    fn act(&mut self) -> io::Result<()> {
        let path = self.path.as_c_str();
        self.system_call = match self.call {
            ObjectCall::MakeSet => "mkdir",
            ObjectCall::RemoveSet => "rmdir",
            ObjectCall::Create | ObjectCall::Read => "open",
            ObjectCall::Stat => "stat",
            ObjectCall::Delete => "unlink",
        };
        match self.call {
            ObjectCall::MakeSet => self.names.make_dir(path, PERMISSIONS),
            ObjectCall::RemoveSet => self.names.remove_dir(path),
            ObjectCall::Stat => self.names.stat(path).map(drop),
            ObjectCall::Delete => self.names.unlink(path),
            ObjectCall::Create => {
                let bytes = self.written.bytes();
                let how = alone(Mode::Write, bytes.len() as u64);
                let mut file = self.storage.open(self.comm, self.path.as_path(), how)?;
                self.system_call = "write";
                write_all(&mut *file, bytes)?;
                self.system_call = "close";
                file.close()
            }
            ObjectCall::Read => {
                let buffer = self.read.bytes_mut();
                let how = alone(Mode::Read, buffer.len() as u64);
                let mut file = self.storage.open(self.comm, self.path.as_path(), how)?;
                self.system_call = "read";
                let moved = read_all(&mut *file, buffer)?;
                if moved < buffer.len() {
                    let text = format!("the object has {moved} of {} bytes", buffer.len());
                    return Err(storage::call_error::short_at(moved as u64, text));
                }
                self.system_call = "close";
                file.close()
            }
        }
    }

    /// The result of a failed operation: nothing to do, a counted error, or the failure.
    #[cold]
    fn judge(&mut self, error: io::Error) -> io::Error {
        let missing = error.kind() == io::ErrorKind::NotFound;
        let parameters = self.parameters;
        let counted = match self.call {
            ObjectCall::MakeSet => parameters.ignore_errors,
            ObjectCall::Create => parameters.ignore_errors,
            ObjectCall::Stat if missing && parameters.may_miss_objects() => {
                self.is_missing = true;
                true
            }
            ObjectCall::RemoveSet if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                let path = self.path.as_path().display();
                self.kept.get_or_insert_with(|| path.to_string());
                // The classic text does not count it. The records do, if all objects should be gone.
                if !parameters.may_miss_objects() {
                    self.failures[self.call as usize].take(self.system_call, self.path.as_path(), &error);
                }
                return NothingToDo::error();
            }
            ObjectCall::Delete | ObjectCall::RemoveSet
                if missing && self.step == WorkbenchStep::Cleanup && parameters.may_have_other_objects() =>
            {
                return NothingToDo::error();
            }
            _ => false,
        };
        if !counted {
            return error;
        }
        let call = self.call as usize;
        self.counts[call].errors += 1;
        self.failures[call].take(self.system_call, self.path.as_path(), &error);
        NothingToDo::error()
    }

    /// Counts an operation that succeeded, and compares the data that was read.
    fn account(&mut self) {
        let call = self.call as usize;
        self.histograms[call].add(self.took_ns.max(1));
        if self.call.is_of_object() {
            self.slowest_ns = self.slowest_ns.max(self.took_ns);
            if self.logs {
                let at = self.clock.scale().ns(self.call_begun.0.saturating_sub(self.begun.0));
                self.logged[call].push((at, self.took_ns));
            }
        }
        if self.call != ObjectCall::Read || !self.parameters.verify || self.is_sound() {
            self.counts[call].done += 1;
        } else {
            self.counts[call].errors += 1;
        }
    }

    /// Compares the data that was read.
    fn is_sound(&mut self) -> bool {
        let (read, owner, number) = (self.read.bytes(), self.owner, self.number);
        self.compared.pass(read.len());
        let is_sound = self.data.holds(read, owner, number);
        if !is_sound {
            let expected = self.data.expected(read.len(), owner, number);
            self.compared.take(self.path.as_path(), read, &expected);
        }
        is_sound
    }

    fn wait(&self) {
        let ns = (self.took_ns as f64 * self.waiting) as u64;
        if ns >= SLEEPS_FROM_NS {
            return std::thread::sleep(std::time::Duration::from_nanos(ns));
        }
        let end = self.clock.ns() + ns;
        while self.clock.ns() < end {
            std::hint::spin_loop();
        }
    }
}

impl Operation for ObjectSteps<'_> {
    fn before(&mut self, item: u64) {
        (self.took_ns, self.is_done) = (0, false);
        self.select(item);
        match self.call {
            ObjectCall::Stat => self.is_missing = false,
            ObjectCall::Create => self.data.make(self.written.bytes_mut(), self.owner, self.number),
            ObjectCall::Read if self.parameters.verify => poison_buffer(self.read.bytes_mut()),
            _ => {}
        }
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        if self.is_missing && self.step == WorkbenchStep::Benchmark && self.call != ObjectCall::Stat {
            return Err(NothingToDo::error());
        }
        self.call_begun = self.clock.now();
        let done = self.act();
        self.took_ns = self.clock.scale().ns(self.clock.now().0.saturating_sub(self.call_begun.0));
        done.map_err(|error| self.judge(error))?;
        self.is_done = true;
        Ok(())
    }

    fn after(&mut self, _item: u64) {
        if self.is_done {
            self.account();
        }
        if self.waiting > 0.0 && self.took_ns > 0 && self.step == WorkbenchStep::Benchmark {
            self.wait();
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.system_call, self.path.as_path())
    }

    fn direct_bytes(&self) -> Option<u64> {
        self.storage.direct().then_some(self.parameters.object_bytes)
    }
}
