//! One test on its ranks: what every part of it needs at hand.

use measure::CycleClock;
use ranks::{ClockOffset, Halt};
use results::records::Sink;
use storage::Storage;

use super::observer::{IorEvent, IorListener};
use super::parameters::IorParameters;
use super::phase::PhaseSetting;
use super::reorder::RankPlacement;
use crate::kit::beneath::Mounts;
use crate::kit::board::Board;
use crate::kit::layout::DataLayout;
use crate::kit::rank::Rank;

/// What every rank brings along.
pub struct IorContext<'a> {
    /// This rank's clock; ranks of one process have clones of one clock, so that their stamps compare.
    pub clock: &'a mut CycleClock,
    /// It against rank 0's.
    pub offset: ClockOffset,
    /// Where records go, on rank 0; nowhere on others.
    pub records: &'a mut dyn Sink,
    /// Who hears the events, on rank 0; nobody on others.
    pub observer: &'a mut IorListener<'a>,
    /// Where this rank shows how far it is, and its row there; `None` where nobody watches.
    pub board: Option<(&'a Board, u32)>,
    /// A number that differs from run to run, such as the time in seconds; rank 0's counts.
    pub seed: u64,
}

/// How a test ended that did not halt: the same on every rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IorSummary {
    /// Transfers with wrong data, over all ranks, phases and repetitions.
    pub bad_transfers: u64,
}

/// One test on its ranks.
pub(super) struct RunningTest<'a> {
    pub(super) parameters: &'a IorParameters,
    pub(super) storage: &'a dyn Storage,
    pub(super) place: RankPlacement,
    pub(super) rank: Rank<'a>,
    pub(super) observer: &'a mut IorListener<'a>,
    /// What [`IorContext::seed`] is.
    pub(super) seed: u64,
    /// Whether it was told which hints the library did not take.
    pub(super) hints_told: bool,
    /// Where the directories of this rank's files are.
    pub(super) mounts: Mounts,
}

impl RunningTest<'_> {
    /// Where transfers begin: with a backend that moves all segments at once only in the first.
    pub(super) fn layout(&self) -> DataLayout {
        let layout = self.parameters.layout(self.rank.comm.size());
        if self.storage.moves_all_segments() { DataLayout { segments: 1, ..layout } } else { layout }
    }

    /// Bytes that a call moves: a transfer, or that of all segments.
    pub(super) fn call_bytes(&self) -> u64 {
        let segments = if self.storage.moves_all_segments() { self.parameters.segments } else { 1 };
        self.parameters.transfer * segments
    }

    /// Tells and records something that concerns the whole job.
    pub(super) fn notice(&mut self, id: &str, text: &str) -> Result<(), Halt> {
        self.observer.event(&IorEvent::Notice(text));
        self.rank.notice(id, 0, "", text)
    }

    /// Tells and records something that concerns one phase of one repetition.
    pub(super) fn notice_in(&mut self, setting: &PhaseSetting, id: &str, text: &str) -> Result<(), Halt> {
        self.observer.event(&IorEvent::Notice(text));
        self.rank.notice(id, setting.repetition.number, setting.kind.name(), text)
    }
}
