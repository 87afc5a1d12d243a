//! What an IOR test tells while it runs, on rank 0, for those who print it.

use results::record::{BadRange, Phase};

use super::RankPlacement;
use crate::kit::observer::EventObserver;

/// What the wear-out found at the deadline, before the slower ranks caught up.
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
    /// In which repetition.
    pub repetition: u32,
    /// Most transfers that a rank will do, 0 where that is not known beforehand.
    pub transfers: u64,
    /// Bytes of one transfer.
    pub transfer_bytes: u64,
    /// How many ranks take part.
    pub ranks: u32,
    /// Seconds after which it ends in any case; 0 for none.
    pub deadline: u32,
    /// Seconds before which it does not end, because every rank goes through its transfers again; 0 for none.
    pub least_seconds: u32,
}

/// One rank's own times in a phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IorRankTimes {
    /// From its open's start, or where there is a ramp from the ramp's end, to its close's end, seconds.
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

/// One thing that happened.
#[derive(Debug)]
pub enum IorEvent<'a> {
    /// Memory will be taken away from the page cache while the test runs; directly before the test begins.
    Hog {
        /// Bytes on each node; 0 where each rank was given its own number.
        node_bytes: u64,
        /// Bytes of each rank.
        rank_bytes: u64,
    },
    /// The test begins, on these ranks.
    Test {
        /// Its number within the run.
        test: u32,
        /// Where they are.
        place: RankPlacement,
        /// How many take part.
        ranks: u32,
    },
    /// A repetition begins; its data carries this signature.
    Repetition {
        /// Counted from 0.
        repetition: u32,
        /// The signature (`-G` or the time).
        signature: i32,
    },
    /// A file that will be written is there already; it is deleted unless `kept`.
    Exists {
        /// Its path.
        path: &'a str,
        /// It is overwritten in place instead.
        kept: bool,
    },
    /// Waiting before a phase, seconds.
    Delay(u32),
    /// Files that ranks are about to write, read or remove; only at verbosity 3 or more.
    Files {
        /// `writing`, `reading` or `removing`.
        action: &'static str,
        /// Rank and file, one row for each rank that opens or removes one.
        rows: &'a [(u32, String)],
    },
    /// How evenly random readers are spread, before they begin: of so many ranks the data is read by no
    /// rank, by one, by two, and so on; only with `-Z`, at verbosity 2 or more.
    FileHits(&'a [u64]),
    /// The file was filled before shuffled writes, in so many seconds; only at verbosity 2 or more.
    Prefilled(f64),
    /// A phase begins.
    Begins(PhaseStart),
    /// Every rank's own stamps in the phase that has just ended; only at verbosity 3 or more.
    Stamps {
        /// `write`, `read`, …
        phase: &'static str,
        /// In which repetition.
        repetition: u32,
        /// By rank.
        rows: &'a [RankStamps],
    },
    /// The deadline has passed on all ranks.
    WearOut(WearOut),
    /// Transfers of every rank at the deadline; only at verbosity 1 or more.
    RankTransfers(Vec<u64>),
    /// Every rank's own times in the phase that has just ended; only when asked for.
    RankTimes {
        /// `write`, `read`, …
        phase: &'static str,
        /// By rank.
        rows: &'a [IorRankTimes],
    },
    /// The hints of the file that rank 0 opened for the phase, where the settings ask to show them.
    Hints(&'a storage::Hints),
    /// A phase has ended on all ranks.
    Phase(&'a Phase),
    /// The files' sizes or the bytes moved are not what the options ask for.
    Size {
        /// Bytes asked for.
        expected: u64,
        /// Sizes of the files, summed.
        found: u64,
        /// Bytes moved.
        moved: u64,
    },
    /// Wrong data.
    BadData {
        /// In which phase.
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
        /// Which repetition.
        repetition: u32,
        /// Seconds it took, on rank 0.
        seconds: f64,
    },
    /// A warning that the classic program gives in the same place.
    Warning(&'a str),
    /// Something the reader of the numbers has to know, and the classic never told.
    Notice(&'a str),
}

/// What is told the events of a run.
pub type IorListener<'o> = dyn for<'e> EventObserver<IorEvent<'e>> + 'o;
