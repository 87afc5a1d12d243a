//! The events that an IOR test reports while it runs, on rank 0, for the program that prints them.

use results::reason::Reason;
use results::record::{BadRange, Phase};

use super::RankPlacement;
use crate::kit::observer::EventObserver;

/// The state at the deadline, before the slower ranks caught up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WearOut {
    /// Fewest transfers of any rank.
    pub transfers_min: u64,
    /// Most transfers of any rank.
    pub transfers_max: u64,
    /// Bytes of the rank with the fewest.
    pub bytes_min: u64,
    /// Mean bytes of all ranks.
    pub bytes_mean: f64,
    /// Seconds until rank 0 met its deadline.
    pub seconds: f64,
}

/// A phase that begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseStart {
    /// `write`, `write_check`, `mixed`, `read` or `read_check`.
    pub phase: &'static str,
    /// The repetition.
    pub repetition: u32,
    /// Most transfers that a rank will do; 0 if that is not known in advance.
    pub transfers: u64,
    /// Bytes of one transfer.
    pub transfer_bytes: u64,
    /// Number of ranks that take part.
    pub ranks: u32,
    /// Seconds after which it ends in any case; 0 for none.
    pub deadline: u32,
    /// Shortest duration in seconds, because every rank repeats its transfers until then; 0 for none.
    pub least_seconds: u32,
}

/// The times of one rank in a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IorRankTimes {
    /// From the start of its open, or from the end of a ramp, to the end of its close, seconds.
    pub total_s: f64,
    /// Its transfers, seconds.
    pub transfer_s: f64,
    /// Bytes it moved.
    pub bytes: u64,
}

/// When one rank began and ended the parts of a phase, seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankStamps {
    /// Opening its file.
    pub open: (f64, f64),
    /// Its transfers.
    pub transfer: (f64, f64),
    /// Closing its file.
    pub close: (f64, f64),
}

/// One event.
#[derive(Debug)]
pub enum IorEvent<'a> {
    /// Memory will be taken from the page cache while the test runs. Reported directly before the test
    /// begins.
    Hog {
        /// Bytes on each node; 0 if the request was for each rank.
        node_bytes: u64,
        /// Bytes of each rank.
        rank_bytes: u64,
    },
    /// The test begins, on these ranks.
    Test {
        /// Its number within the run.
        test: u32,
        /// The placement of the ranks.
        place: RankPlacement,
        /// Number of ranks that take part.
        ranks: u32,
    },
    /// A repetition begins; its data has this signature.
    Repetition {
        /// Counted from 0.
        repetition: u32,
        /// The signature (`-G` or the time).
        signature: i32,
    },
    /// A file that will be written exists already. It is deleted unless `kept`.
    Exists {
        /// Its path.
        path: &'a str,
        /// The file is overwritten in place instead.
        kept: bool,
    },
    /// Waiting before a phase, seconds.
    Delay(u32),
    /// Files that the ranks are about to write, read or remove; only at verbosity 3 or more.
    Files {
        /// `writing`, `reading` or `removing`.
        action: &'static str,
        /// Rank and file, one row for each rank that opens or removes a file.
        rows: &'a [(u32, String)],
    },
    /// How evenly random readers are distributed, before they begin. The values are the numbers of ranks
    /// whose data is read by no rank, by one rank, by two, and so on. Only with `-Z`, at verbosity 2 or more.
    FileHits(&'a [u64]),
    /// The file was filled before shuffled writes. The value is the duration in seconds. Only at verbosity 2
    /// or more.
    Prefilled(f64),
    /// A phase begins.
    Begins(PhaseStart),
    /// The stamps of every rank in the phase that has just ended; only at verbosity 3 or more.
    Stamps {
        /// `write`, `read`, …
        phase: &'static str,
        /// The repetition.
        repetition: u32,
        /// By rank.
        rows: &'a [RankStamps],
    },
    /// The deadline has passed on all ranks.
    WearOut(WearOut),
    /// Transfers of every rank at the deadline; only at verbosity 1 or more.
    RankTransfers(Vec<u64>),
    /// The times of every rank in the phase that has just ended; only on request.
    RankTimes {
        /// `write`, `read`, …
        phase: &'static str,
        /// By rank.
        rows: &'a [IorRankTimes],
    },
    /// The hints of the file that rank 0 opened for the phase, if the settings ask for them.
    Hints(&'a storage::Hints),
    /// A phase has ended on all ranks.
    Phase(&'a Phase),
    /// The sizes of the files or the moved bytes differ from what the options ask for.
    Size {
        /// Bytes that the options ask for.
        expected: u64,
        /// Sizes of the files, summed.
        found: u64,
        /// Bytes moved.
        moved: u64,
    },
    /// Wrong data.
    BadData {
        /// The phase.
        phase: &'static str,
        /// Transfers with wrong words.
        transfers: u64,
        /// The first bad ranges.
        ranges: &'a [BadRange],
        /// The signature that was expected.
        signature: i32,
    },
    /// The files of a repetition are removed.
    Removed {
        /// The repetition.
        repetition: u32,
        /// Duration in seconds, on rank 0.
        seconds: f64,
    },
    /// A warning that the classic program prints at the same place.
    Warning(&'a str),
    /// A notice for the reader of the numbers that the classic program does not print.
    Notice(&'a Reason),
}

impl IorEvent<'_> {
    /// The text of a warning, by `sentence` that of a notice; `None` for any other event.
    pub(super) fn warning(&self, sentence: fn(&Reason) -> String) -> Option<String> {
        match self {
            Self::Warning(text) => Some((*text).to_owned()),
            Self::Notice(reason) => Some(sentence(reason)),
            Self::Exists { path, .. } => Some(format!("the file {path} already existed")),
            Self::Size { expected, found, moved } => Some(format!(
                "{expected} bytes were requested, the files hold {found}, and {moved} were moved"
            )),
            _ => None,
        }
    }
}

/// Receives the events of a run.
pub type IorListener<'o> = dyn for<'e> EventObserver<IorEvent<'e>> + 'o;
