//! One test on its ranks: the values that every part of it needs.

use command::ior::Request;
use measure::CycleClock;
use ranks::{ClockOffset, Halt};
use results::reason::Reason;
use results::records::Sink;
use storage::Storage;

use super::layout::layout;
use super::observer::{IorEvent, IorListener};
use super::reorder::RankPlacement;
use super::setting::PhaseSetting;
use crate::kit::beneath::Mounts;
use crate::kit::board::Board;
use crate::kit::layout::DataLayout;
use crate::kit::payload::DataKey;
use crate::kit::rank::Rank;

/// The name of the step in messages.
const STEP: &str = "--warningAsErrors";

/// The environment of a rank.
pub struct IorContext<'a> {
    /// This rank's clock. Ranks of one process have clones of one clock, so that their stamps can be
    /// compared.
    pub clock: &'a mut CycleClock,
    /// The offset of this clock from rank 0's.
    pub offset: ClockOffset,
    /// The sink for records on rank 0; other ranks ignore records.
    pub records: &'a mut dyn Sink,
    /// The listener for events on rank 0; other ranks ignore events.
    pub observer: &'a mut IorListener<'a>,
    /// The board on which this rank shows its progress, and its row there. `None` if no watcher reads it.
    pub board: Option<(&'a Board, u32)>,
    /// What keys stamped data; `None` for the public layout.
    pub data_key: Option<DataKey>,
    /// A number that differs between runs, such as the time in seconds. Rank 0's value is used.
    pub seed: u64,
    /// The first warning that the caller gave before the test, on rank 0; for `--warningAsErrors`.
    pub warning: Option<String>,
    /// The sentence of a notice, for the same option.
    pub sentence: fn(&Reason) -> String,
}

/// The result of a test that did not halt; the same on every rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IorSummary {
    /// Transfers with wrong data, over all ranks, phases and repetitions.
    pub bad_transfers: u64,
}

/// One test on its ranks.
pub(super) struct RunningTest<'a> {
    pub(super) parameters: &'a Request,
    pub(super) storage: &'a dyn Storage,
    pub(super) place: RankPlacement,
    pub(super) rank: Rank<'a>,
    pub(super) observer: WarningWatch<'a>,
    pub(super) data_key: Option<DataKey>,
    /// The value of [`IorContext::seed`].
    pub(super) seed: u64,
    /// Whether the hints that the library did not take were reported.
    pub(super) hints_reported: bool,
    /// The mounts of the directories of this rank's files.
    pub(super) mounts: Mounts,
}

impl RunningTest<'_> {
    /// The layout of the calls. A backend that moves all segments at once makes them only in the first
    /// segment.
    pub(super) fn layout(&self) -> DataLayout {
        let layout = layout(self.parameters, self.rank.comm.size());
        if self.storage.moves_all_segments() { DataLayout { segments: 1, ..layout } } else { layout }
    }

    /// Bytes that a call moves: a transfer, or the transfers of all segments.
    pub(super) fn call_bytes(&self) -> u64 {
        let segments = if self.storage.moves_all_segments() { self.parameters.segments } else { 1 };
        self.parameters.transfer * segments
    }

    /// Reports and records a notice about the whole job.
    pub(super) fn notice(&mut self, reason: &Reason) -> Result<(), Halt> {
        self.observer.event(&IorEvent::Notice(reason));
        self.rank.notice(0, "", reason)
    }

    /// Reports and records a notice about one phase of one repetition.
    pub(super) fn notice_in(&mut self, setting: &PhaseSetting, reason: &Reason) -> Result<(), Halt> {
        self.observer.event(&IorEvent::Notice(reason));
        self.rank.notice(setting.repetition.number, setting.kind.name(), reason)
    }
}

/// Forwards every event and keeps the first warning.
pub(super) struct WarningWatch<'a> {
    listener: &'a mut IorListener<'a>,
    sentence: fn(&Reason) -> String,
    /// On rank 0 only.
    first: Option<String>,
}

impl<'a> WarningWatch<'a> {
    /// A watch that starts with `warning`, if the caller has one.
    pub(super) fn new(
        listener: &'a mut IorListener<'a>,
        sentence: fn(&Reason) -> String,
        warning: Option<String>,
    ) -> Self {
        Self { listener, sentence, first: warning }
    }

    /// Receives one event.
    pub(super) fn event(&mut self, event: &IorEvent<'_>) {
        if self.first.is_none() {
            self.first = event.warning(self.sentence);
        }
        self.listener.event(event);
    }
}

/// With `--warningAsErrors`, halts all ranks if there was a warning. Collective.
pub(super) fn stop_at_warning(test: &RunningTest<'_>) -> Result<(), Halt> {
    if !test.parameters.warnings_fail {
        return Ok(());
    }
    let comm = test.rank.comm;
    let warning = test.observer.first.clone().filter(|_| comm.rank() == 0);
    comm.agree(STEP, warning.map_or(Ok(()), Err))
}
