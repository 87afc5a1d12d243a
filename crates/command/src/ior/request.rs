//! What a command line of `ior` requests: the settings of a test, as the engine runs it.
//!
//! Never here: what is rejected, which `rules` has, and reading options, which `parsed` completes.

use units::{Dimension, Quantity};

use crate::classic::parse_number;
use crate::{KeySource, Packet, Settings};

/// The offsets that a rank visits, and their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offsets {
    /// From the first to the last.
    #[default]
    Sequential,
    /// `-z`: every transfer once, shuffled.
    Shuffled,
    /// `-z` with `--random-order=ior`: IOR's own shuffle.
    IorShuffled,
    /// `-z -z`: random blocks, which may repeat; reading only.
    RandomBlocks,
}

/// Whose data a rank reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reorder {
    /// Its own.
    #[default]
    Own,
    /// `-C`: the data of the rank at a constant distance.
    Constant,
    /// `-Z`: the data of a random rank, chosen independently for each reader.
    Random,
    /// `-Z -Z`: a random permutation.
    Permutation,
}

/// Memory that is taken from the page cache while a test runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Hog {
    /// None.
    #[default]
    Nothing,
    /// This many bytes on each node, divided among its ranks.
    PerNode(u64),
    /// This percentage of each node's memory.
    PercentOfNode(u32),
    /// This many bytes for each rank.
    PerRank(u64),
}

impl Hog {
    /// The memory of `-M`: `2g`, or `75%` of the memory of a node.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if let Some(percent) = text.trim().strip_suffix('%') {
            return match percent.trim_end().parse() {
                Ok(0) => Ok(Self::Nothing),
                Ok(percent @ 1..=100) => Ok(Self::PercentOfNode(percent)),
                _ => Err(format!("`{text}` is not a whole number of percent from 0 to 100")),
            };
        }
        match parse_number(text)? {
            0 => Ok(Self::Nothing),
            ..0 => Err(format!("`{text}` is negative")),
            // IOR 4.1 reads any number up to 100 as percent.
            percent @ 1..=100 => Ok(Self::PercentOfNode(percent as u32)),
            bytes => Ok(Self::PerNode(bytes.unsigned_abs())),
        }
    }
}

/// The rate limit for all ranks together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateLimit {
    /// Bytes per second.
    Bytes(f64),
    /// Transfers per second.
    Transfers(f64),
}

impl RateLimit {
    /// The limit of `--rate`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        // The parser's own error would list units that no rate has.
        let other = || "not a rate, such as 200MB/s, 1GiB/s or 5000/s".to_owned();
        let Quantity { value, dimension } = text.parse::<Quantity>().map_err(|_| other())?;
        match dimension {
            _ if !(value.is_finite() && value > 0.0) => Err("the rate must be above 0".to_owned()),
            Dimension::BytesPerSecond => Ok(Self::Bytes(value)),
            Dimension::PerSecond => Ok(Self::Transfers(value)),
            _ => Err(other()),
        }
    }
}

/// All settings of one test. Sizes are bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Backend as typed (`-a`).
    pub backend: String,
    /// Settings of that backend.
    pub settings: Settings,
    /// `-b`
    pub block: u64,
    /// `-t`
    pub transfer: u64,
    /// `-s`
    pub segments: u64,
    /// `-F`
    pub file_per_rank: bool,
    /// `-o`; `@` separates several.
    pub test_file: String,
    /// `-i`
    pub repetitions: u32,
    /// `-w`
    pub write: bool,
    /// `-r`
    pub read: bool,
    /// `-W`
    pub write_check: bool,
    /// `-R`
    pub read_check: bool,
    /// `-k`
    pub keep: bool,
    /// `-K`
    pub keep_with_error: bool,
    /// `-E`
    pub use_existing: bool,
    /// `--refuse-existing`
    pub refuse_existing: bool,
    /// `-e`
    pub sync: bool,
    /// `-Y`
    pub sync_each: bool,
    /// `-g`
    pub barriers: bool,
    /// `-c`
    pub collective: bool,
    /// `-m`
    pub multi_file: bool,
    /// `-u`
    pub unique_dir: bool,
    /// `-x`
    pub single_attempt: bool,
    /// `-C`, `-Z`
    pub reorder: Reorder,
    /// `-Q`
    pub task_offset: u32,
    /// `-X`
    pub reorder_seed: i32,
    /// `-z`
    pub offsets: Offsets,
    /// `--random-offset-seed`; `None` for a seed that the run chooses.
    pub offset_seed: Option<u64>,
    /// `-D`, seconds; 0 for none.
    pub deadline: u32,
    /// `-O stoneWallingWearOut`
    pub wear_out: bool,
    /// `-O stoneWallingWearOutIterations`, transfers; 0 for no limit.
    pub wear_out_transfers: u64,
    /// `-O stoneWallingStatusFile`
    pub status_file: Option<String>,
    /// `-G`; `None` for the seed of the run.
    pub signature: Option<i32>,
    /// `-l`
    pub packet: Packet,
    /// `-N`; `None` for all.
    pub ranks: Option<u32>,
    /// `-d`, seconds.
    pub delay: u32,
    /// `-v`, counted.
    pub verbose: u32,
    /// `-A`
    pub reference: i32,
    /// `-O numNodes`
    pub nodes: Option<u32>,
    /// `-O numTasksOnNode0`
    pub ranks_on_node0: Option<u32>,
    /// `--drop-caches`
    pub drop_caches: bool,
    /// Number of the test within the run, from 0.
    pub test: u32,
    /// `-j`: a rank is reported if its times differ from the mean by more than this many seconds; 0 for
    /// never.
    pub outlier_seconds: u32,
    /// `-T`: phases that would begin later than this many minutes after the test's start are skipped; 0 for
    /// no limit.
    pub minutes_max: u32,
    /// `-O minTimeDuration`: the whole pattern is repeated until this many seconds have passed.
    pub seconds_min: u32,
    /// `-O interIODelay`: pause after each transfer, microseconds.
    pub pause_us: u64,
    /// `-M`, `-O memoryPerNode`, `-O memoryPerTask`: memory that is taken while the test runs.
    pub hog: Hog,
    /// `--randomPrefill`: before shuffled writes the file is filled in pieces of this many bytes; 0 for no
    /// prefill.
    pub prefill: u64,
    /// `--dryRun`: nothing is opened or moved.
    pub dry_run: bool,
    /// `-y`: a file system for each processor socket.
    pub dual_mount: bool,
    /// `--iodepth`: outstanding transfers of a rank; `None` for the backend's default.
    pub depth: Option<u32>,
    /// `--rwmix`: percent of reads in a mixed phase; `None` for no such phase.
    pub mix: Option<u32>,
    /// `--rate`, all ranks together.
    pub rate: Option<RateLimit>,
    /// `--ramp`: seconds at the start of a phase that do not count.
    pub ramp: u32,
    /// `--warningAsErrors`
    pub warnings_fail: bool,
    /// The times of every rank are reported after each phase (`-O saveRankPerformanceDetailsCSV`).
    pub rank_times: bool,
    /// `-O savePerOpDataCSV`: prefix of the names of files with the times of every transfer.
    pub transfer_csv: Option<String>,
    /// `--generation`: number of this writing of the data, in stamped packets. `None` to read it from the
    /// file, or 0 in a write.
    pub generation: Option<u32>,
    /// `--data-of`: the text on which stamped packets depend beside the name of the file.
    pub data_of: Option<String>,
    /// `--data-key`, `--nonce`: what keys stamped packets.
    pub key: KeySource,
}

impl Default for Request {
    // tidy: long because each parameter has a line.
    fn default() -> Self {
        Self {
            backend: "POSIX".into(),
            settings: Settings::default(),
            block: 1 << 20,
            transfer: 256 << 10,
            segments: 1,
            file_per_rank: false,
            test_file: "testFile".into(),
            repetitions: 1,
            write: false,
            read: false,
            write_check: false,
            read_check: false,
            keep: false,
            keep_with_error: false,
            use_existing: false,
            refuse_existing: false,
            sync: false,
            sync_each: false,
            barriers: false,
            collective: false,
            multi_file: false,
            unique_dir: false,
            single_attempt: false,
            reorder: Reorder::Own,
            task_offset: 1,
            reorder_seed: 0,
            offsets: Offsets::Sequential,
            offset_seed: None,
            deadline: 0,
            wear_out: false,
            wear_out_transfers: 0,
            status_file: None,
            signature: None,
            packet: Packet::Timestamp,
            ranks: None,
            delay: 0,
            verbose: 0,
            reference: 0,
            nodes: None,
            ranks_on_node0: None,
            drop_caches: false,
            test: 0,
            outlier_seconds: 0,
            minutes_max: 0,
            seconds_min: 0,
            pause_us: 0,
            hog: Hog::Nothing,
            prefill: 0,
            dry_run: false,
            dual_mount: false,
            depth: None,
            mix: None,
            rate: None,
            ramp: 0,
            warnings_fail: false,
            rank_times: false,
            transfer_csv: None,
            generation: None,
            data_of: None,
            key: KeySource::default(),
        }
    }
}

impl Request {
    /// Bytes of all ranks together; `None` if they do not fit in 63 bits.
    pub fn total_bytes(&self, ranks: u32) -> Option<u64> {
        let rank = self.block.checked_mul(self.segments)?;
        rank.checked_mul(ranks.into()).filter(|bytes| *bytes < 1 << 63)
    }

    /// Whether transfers are shuffled.
    pub fn shuffled(&self) -> bool {
        matches!(self.offsets, Offsets::Shuffled | Offsets::IorShuffled)
    }

    /// The files of `-o`, at least one.
    pub fn files(&self) -> Vec<&str> {
        self.test_file.split('@').collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_to_take_has_a_unit_and_rates_are_per_second() {
        assert_eq!(Hog::parse("2g"), Ok(Hog::PerNode(2 << 30)));
        assert_eq!(Hog::parse("100m"), Ok(Hog::PerNode(100 << 20)));
        assert_eq!(Hog::parse("75%"), Ok(Hog::PercentOfNode(75)));
        assert_eq!((Hog::parse("0"), Hog::parse("0%")), (Ok(Hog::Nothing), Ok(Hog::Nothing)));
        assert_eq!(Hog::parse("4096"), Ok(Hog::PerNode(4096)));
        assert!(
            Hog::parse("101%").is_err()
                && Hog::parse("-1").is_err()
                && Hog::parse("x%").is_err()
                && Hog::parse("").is_err()
        );
        assert_eq!(RateLimit::parse("200MB/s"), Ok(RateLimit::Bytes(2e8)));
        assert_eq!(RateLimit::parse("1 GiB/s"), Ok(RateLimit::Bytes((1_u64 << 30) as f64)));
        assert_eq!(RateLimit::parse("5000/s"), Ok(RateLimit::Transfers(5e3)));
        for text in ["20", "5 s", "5%", "x", "", "5 MB"] {
            assert_eq!(RateLimit::parse(text).unwrap_err(), "not a rate, such as 200MB/s, 1GiB/s or 5000/s");
        }
        assert!(RateLimit::parse("0/s").is_err() && RateLimit::parse("-1MB/s").is_err());
    }
}
