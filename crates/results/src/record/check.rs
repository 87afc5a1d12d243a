//! The result of comparing data, in a record.

use serde::{Deserialize, Serialize};

/// What verification found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Bytes compared.
    pub bytes: u64,
    /// Transfers with at least one wrong word.
    pub bad_transfers: u64,
    /// The first bad ranges of each rank, at most [`Check::CAP`] of all ranks together.
    pub bad: Vec<BadRange>,
    /// The number of bad ranges.
    pub ranges: u64,
    /// How many ranks found wrong data.
    pub bad_ranks: u64,
    /// The ranks with most wrong data, at most [`Check::WORST`].
    pub worst: Vec<BadRank>,
}

impl Check {
    /// The maximum number of bad ranges that a record lists. The count includes all.
    pub const CAP: usize = 64;
    /// The maximum number of worst ranks that a record lists.
    pub const WORST: usize = 5;
}

/// A few blocks of stamped data that were compared after a plain read, over all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampledData {
    /// Blocks of 4 KiB that were compared.
    pub blocks: u64,
    /// Those that did not have the data of their file and place.
    pub wrong: u64,
}

/// The amount of wrong data that a rank found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadRank {
    /// The rank.
    pub rank: u32,
    /// Its transfers with at least one wrong word.
    pub bad_transfers: u64,
}

/// One run of wrong bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadRange {
    /// The rank that found it.
    pub rank: u32,
    /// The file.
    pub path: String,
    /// First wrong byte in the file.
    pub offset: u64,
    /// The number of bytes from the first to the last wrong byte within this transfer.
    pub length: u64,
    /// The expected value of the first wrong 8-byte word, hexadecimal.
    pub expected: String,
    /// The found value of this word, hexadecimal.
    pub found: String,
    /// The kind of error: `flipped`, `torn`, `misplaced`, `foreign`, `stale`, `zero`, `truncated`,
    /// `other-key`, or `wrong` if the packet type cannot distinguish these.
    pub kind: String,
    /// What is known about the origin of the found data; empty if nothing is.
    pub detail: String,
}
