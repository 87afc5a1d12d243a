//! One test on its ranks: what every part of it needs at hand.

use measure::{Clock, CycleClock, Tick};
use ranks::{ClockOffset, Comm, Halt};
use results::Record;
use results::record::Notice;
use results::records::Sink;
use storage::Storage;

use super::observer::{Event, Observer};
use super::parameters::Parameters;
use super::reorder::Place;
use crate::kit::board::Board;
use crate::kit::drive::words;

/// Added to stamps so that a clock younger than rank 0's does not go below zero.
const BIAS_NS: i64 = 1 << 50;

/// What every rank brings along.
pub struct Cx<'a> {
    /// This rank's clock; ranks of one process have clones of one clock, so that their stamps compare.
    pub clock: &'a mut CycleClock,
    /// It against rank 0's.
    pub offset: ClockOffset,
    /// Where records go, on rank 0; nowhere on others.
    pub records: &'a mut dyn Sink,
    /// Who hears the events, on rank 0; nobody on others.
    pub observer: &'a mut dyn Observer,
    /// Where this rank shows how far it is, and its row there; `None` where nobody watches.
    pub board: Option<(&'a Board, u32)>,
    /// A number that differs from run to run, such as the time in seconds; rank 0's counts.
    pub seed: u64,
}

/// How a test ended that did not halt: the same on every rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Transfers with wrong data, over all ranks, phases and repetitions.
    pub bad_transfers: u64,
}

/// One test on its ranks.
pub(super) struct Test<'a, 'c> {
    pub(super) parameters: &'a Parameters,
    pub(super) storage: &'a dyn Storage,
    pub(super) comm: &'a dyn Comm,
    pub(super) place: Place,
    pub(super) cx: &'a mut Cx<'c>,
    /// When the test began, on rank 0's clock.
    pub(super) began_ns: u64,
    /// Phases begun so far.
    pub(super) phases: u64,
}

impl Test<'_, '_> {
    /// A moment of this rank's clock on rank 0's, in nanoseconds.
    pub(super) fn on_rank_0(&self, ns: u64) -> u64 {
        (ns as i64 + self.cx.offset.offset_ns + BIAS_NS).max(0) as u64
    }

    /// Nanoseconds from the test's start to a moment of this rank's clock, on rank 0's.
    pub(super) fn since_start_ns(&self, tick: Tick) -> u64 {
        self.on_rank_0(self.cx.clock.ns_at(tick)).saturating_sub(self.began_ns)
    }

    /// Tells and records something that concerns the whole job.
    pub(super) fn notice(&mut self, id: &str, text: &str) -> Result<(), Halt> {
        self.cx.observer.event(&Event::Notice(text));
        let (id, text) = (id.to_owned(), text.to_owned());
        self.record(&Record::Notice(Notice { id, text, ..Notice::default() }))
    }

    /// Keeps a record on rank 0; all ranks stop together when that fails.
    pub(super) fn record(&mut self, record: &Record) -> Result<(), Halt> {
        let kept = if self.comm.rank() == 0 { self.cx.records.put(record) } else { Ok(()) };
        self.comm
            .agree("record", kept.map_err(|error| format!("cannot write the records: {}", words(&error))))
    }
}
