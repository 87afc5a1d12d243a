//! Support for tests: local ranks whose calls are counted and whose clocks can be set wrong, and an observer
//! that stores events.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use command::ior::Request;
use measure::CycleClock;
use ranks::{ClockOffset, Comm, Halt, Reduce, local};
use results::Record;
use storage::Storage;

use super::observer::IorEvent;
use super::{IorContext, IorSummary, run};
use crate::kit::observer::EventObserver;

/// One collective that a rank called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) name: &'static str,
    /// Bytes of this rank.
    pub(super) bytes: usize,
}

/// The delay of a rank's clock behind rank 0's, from its comparison number `from` on, seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Late {
    pub(super) rank: u32,
    pub(super) from: u32,
    pub(super) seconds: i64,
}

/// A communicator that counts its calls.
struct Counted<'a> {
    inner: &'a dyn Comm,
    calls: Mutex<Vec<Call>>,
    late: Late,
    compared: AtomicU32,
}

impl Counted<'_> {
    fn count(&self, name: &'static str, bytes: usize) {
        self.calls.lock().expect("no test panics while holding it").push(Call { name, bytes });
    }
}

impl Comm for Counted<'_> {
    fn rank(&self) -> u32 {
        self.inner.rank()
    }

    fn size(&self) -> u32 {
        self.inner.size()
    }

    fn node_name(&self) -> &str {
        "here"
    }

    fn barrier(&self) -> Result<(), Halt> {
        self.count("barrier", 0);
        self.inner.barrier()
    }

    fn all_reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        assert!(values.iter().all(|value| *value < 1 << 63), "values stay below 2^63: {values:?}");
        self.count("all_reduce", values.len() * 8);
        self.inner.all_reduce(values, how)
    }

    fn reduce(&self, values: &mut [u64], how: Reduce) -> Result<(), Halt> {
        assert!(values.iter().all(|value| *value < 1 << 63), "values stay below 2^63: {values:?}");
        self.count("reduce", values.len() * 8);
        self.inner.reduce(values, how)
    }

    fn broadcast(&self, root: u32, data: &mut Vec<u8>) -> Result<(), Halt> {
        let done = self.inner.broadcast(root, data);
        self.count("broadcast", data.len());
        done
    }

    fn gather(&self, mine: &[u8]) -> Result<Option<Vec<Vec<u8>>>, Halt> {
        self.count("gather", mine.len());
        self.inner.gather(mine)
    }

    fn split(&self, color: u32) -> Result<Box<dyn Comm>, Halt> {
        self.count("split", 4);
        self.inner.split(color)
    }

    fn split_by_node(&self) -> Result<Box<dyn Comm>, Halt> {
        self.count("split_by_node", 4);
        self.inner.split_by_node()
    }

    fn clock_offset(&self, now: &dyn Fn() -> u64) -> Result<ClockOffset, Halt> {
        self.count("clock_offset", 8);
        let mut offset = self.inner.clock_offset(now)?;
        let compared = self.compared.fetch_add(1, Ordering::Relaxed);
        if self.late.rank == self.rank() && compared >= self.late.from {
            offset.offset_ns += self.late.seconds * 1_000_000_000;
        }
        Ok(offset)
    }

    fn post(&self, to: u32, message: Vec<u8>) -> Result<(), Halt> {
        self.count("post", message.len());
        self.inner.post(to, message)
    }

    fn poll(&self) -> Result<Option<(u32, Vec<u8>)>, Halt> {
        self.inner.poll()
    }

    fn raise_alarm(&self) {
        self.inner.raise_alarm();
    }

    fn alarm_raised(&self) -> bool {
        self.inner.alarm_raised()
    }

    fn clear_alarm(&self) -> Result<(), Halt> {
        self.count("clear_alarm", 0);
        self.inner.clear_alarm()
    }
}

/// Stores every event as text.
#[derive(Default)]
pub(super) struct IorEventLog(pub(super) Vec<String>);

impl EventObserver<IorEvent<'_>> for IorEventLog {
    fn event(&mut self, event: &IorEvent<'_>) {
        self.0.push(format!("{event:?}"));
    }
}

/// The result of one rank.
#[derive(Debug)]
pub(super) struct IorRankResult {
    pub(super) done: Result<IorSummary, Halt>,
    pub(super) records: Vec<Record>,
    pub(super) calls: Vec<Call>,
    /// Its events. In a real run only those of rank 0 are reported.
    pub(super) events: Vec<String>,
}

impl IorRankResult {
    /// The recorded phases with their repetitions, such as `write 0`.
    pub(super) fn phases(&self) -> Vec<String> {
        let name = |record: &Record| match record {
            Record::Phase(phase) => Some(format!("{} {}", phase.phase, phase.repetition)),
            _ => None,
        };
        self.records.iter().filter_map(name).collect()
    }

    /// The events that begin with this text.
    pub(super) fn events(&self, begin: &str) -> Vec<&str> {
        self.events.iter().map(String::as_str).filter(|event| event.starts_with(begin)).collect()
    }
}

/// Runs a test and returns the result of each rank.
pub(super) fn play(
    ranks: u32,
    parameters: &Request,
    storage: &dyn Storage,
    late: Late,
) -> Vec<IorRankResult> {
    parameters.check(ranks).expect("sound parameters");
    let clock = CycleClock::new();
    let body = |inner: &dyn Comm| {
        let (mut clock, mut records, mut log) = (clock.clone(), Vec::new(), IorEventLog::default());
        let comm = Counted { inner, calls: Mutex::default(), late, compared: AtomicU32::new(0) };
        let mut cx = IorContext {
            clock: &mut clock,
            offset: ClockOffset::default(),
            records: &mut records,
            observer: &mut log,
            board: None,
            seed: 1,
            warning: None,
            sentence: ToString::to_string,
            data_key: None,
        };
        let done = run(parameters, storage, &comm, &mut cx);
        let calls = comm.calls.into_inner().expect("no test panics while holding it");
        IorRankResult { done, records, calls, events: log.0 }
    };
    local::run(ranks, body).into_iter().map(|rank| rank.expect("no rank panics")).collect()
}
