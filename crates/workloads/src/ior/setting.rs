//! What is known of a phase before it starts, and what it hands to the phases after it.

use std::path::PathBuf;

use command::ior::Request;
use measure::Tick;
use results::record::SampledData;

/// The kinds of phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PhaseKind {
    Write,
    WriteCheck,
    /// Reads and rewrites of existing data, mixed.
    Mixed,
    /// The reads of a mixed phase, as they are recorded.
    MixedRead,
    /// The writes of a mixed phase, as they are recorded.
    MixedWrite,
    Read,
    ReadCheck,
}

impl PhaseKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::WriteCheck => "write_check",
            Self::Mixed => "mixed",
            Self::MixedRead => "mixed_read",
            Self::MixedWrite => "mixed_write",
            Self::Read => "read",
            Self::ReadCheck => "read_check",
        }
    }

    /// The name of the step in messages.
    pub(super) fn step(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::WriteCheck => "write check",
            Self::Mixed | Self::MixedRead | Self::MixedWrite => "mixed",
            Self::Read => "read",
            Self::ReadCheck => "read check",
        }
    }

    /// Whether the phase makes the data, so that it is not compared with existing data.
    pub(super) fn writes(self) -> bool {
        self == Self::Write
    }

    /// Whether it is one half of a mixed phase.
    pub(super) fn mixes(self) -> bool {
        matches!(self, Self::Mixed | Self::MixedRead | Self::MixedWrite)
    }

    /// Whether it reads data that another phase wrote.
    pub(super) fn reads(self) -> bool {
        !matches!(self, Self::Write | Self::MixedWrite)
    }

    pub(super) fn checks(self) -> bool {
        matches!(self, Self::WriteCheck | Self::ReadCheck)
    }
}

/// The fixed values of one repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repetition {
    pub(super) number: u32,
    pub(super) signature: i32,
    /// Seed of shuffled offsets; the same for writing, comparing and reading.
    pub(super) offset_seed: u64,
}

/// What a phase hands to the phases after it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PhaseOutcome {
    /// This rank's transfers.
    pub(super) transfers: u64,
    /// Fewest and most transfers of any rank.
    pub(super) transfers_min: u64,
    pub(super) transfers_max: u64,
    /// Bad transfers over all ranks.
    pub(super) bad: u64,
}

/// The properties of a phase that are known before it starts.
#[derive(Clone)]
pub(super) struct PhaseSetting {
    pub(super) kind: PhaseKind,
    pub(super) repetition: Repetition,
    pub(super) path: PathBuf,
    /// The rank whose data this rank moves.
    pub(super) owner: u32,
    pub(super) cached_before: Option<f64>,
    /// What a few blocks of a plain read had.
    pub(super) sampled: Option<SampledData>,
    /// Transfers of this rank, each of other data.
    pub(super) transfers: u64,
    /// Most outstanding transfers of a rank.
    pub(super) depth: u32,
    /// Whether this is the first record of its phase. A mixed phase may have two records.
    pub(super) is_first: bool,
    /// Transfers of all ranks that count; 0 if there is neither a ramp nor a rate limit.
    pub(super) counted: u64,
    /// Where the timeline begins.
    pub(super) origin: Tick,
}

/// The phases of a repetition.
pub(super) fn kinds(parameters: &Request) -> Vec<PhaseKind> {
    let read = if parameters.read_check { PhaseKind::ReadCheck } else { PhaseKind::Read };
    let wanted = [
        (parameters.write, PhaseKind::Write),
        (parameters.write_check, PhaseKind::WriteCheck),
        (parameters.mix.is_some(), PhaseKind::Mixed),
        (parameters.read || parameters.read_check, read),
    ];
    wanted.into_iter().filter_map(|(wanted, kind)| wanted.then_some(kind)).collect()
}
