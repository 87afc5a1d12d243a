//! What a record says of data that was compared.

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
    /// How many bad ranges there are; 0 in records from before they were counted.
    #[serde(default)]
    pub ranges: u64,
    /// How many ranks found wrong data.
    #[serde(default)]
    pub bad_ranks: u64,
    /// Those that found most, at most [`Check::WORST`].
    #[serde(default)]
    pub worst: Vec<BadRank>,
}

impl Check {
    /// How many bad ranges a record lists; the count goes on beyond.
    pub const CAP: usize = 64;
    /// How many ranks are named as the worst.
    pub const WORST: usize = 5;
}

/// How much wrong data a rank found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadRank {
    /// Which.
    pub rank: u32,
    /// Its transfers with a wrong word.
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
    /// How many bytes from the first to the last wrong one within this transfer.
    pub length: u64,
    /// The first wrong 8-byte word as it should be, hexadecimal.
    pub expected: String,
    /// The same word as it was found, hexadecimal.
    pub found: String,
    /// What happened to it: `flipped`, `torn`, `misplaced`, `foreign`, `stale`, `zero`, `truncated`, or
    /// `wrong` where the packet type cannot tell.
    #[serde(default)]
    pub kind: String,
    /// What is known of where the data found comes from, empty where nothing is.
    #[serde(default)]
    pub detail: String,
}
