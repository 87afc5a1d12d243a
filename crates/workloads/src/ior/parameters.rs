//! What an IOR test is asked to do, whoever parsed it, and what is refused before any rank starts.
//!
//! The checks follow IOR 4.1's; docs/COMPATIBILITY.md lists where they differ.

use storage::Settings;
use units::Usage;

use crate::kit::layout::Layout;
use crate::kit::payload::Packet;

/// Which offsets a rank visits in which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offsets {
    /// From the front to the back.
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
    /// `-C`: that of the rank a constant distance away.
    Constant,
    /// `-Z`: that of a random rank, drawn independently.
    Random,
    /// `-Z -Z`: a random permutation.
    Permutation,
}

/// Everything about one test. Sizes are bytes.
#[derive(Clone, Debug)]
pub struct Parameters {
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
    /// `--random-offset-seed`; `None` for one of the run's own.
    pub offset_seed: Option<u64>,
    /// `-D`, seconds; 0 for none.
    pub deadline: u32,
    /// `-O stoneWallingWearOut`
    pub wear_out: bool,
    /// `-O stoneWallingWearOutIterations`, transfers; 0 for no limit.
    pub wear_out_transfers: u64,
    /// `-O stoneWallingStatusFile`
    pub status_file: Option<String>,
    /// `-G`; `None` for the time.
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
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            backend: "POSIX".into(),
            settings: Settings::new(),
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
        }
    }
}

impl Parameters {
    /// The shape of the data with so many participating ranks.
    pub fn layout(&self, ranks: u32) -> Layout {
        Layout {
            ranks: ranks.into(),
            segments: self.segments,
            block: self.block,
            transfer: self.transfer,
            file_per_rank: self.file_per_rank,
        }
    }

    /// The files of `-o`, at least one.
    pub fn files(&self) -> Vec<&str> {
        self.test_file.split('@').collect()
    }

    /// Says no, in one line, to what cannot be run on `ranks` ranks.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        let rules = self.rules_of_phases(ranks).into_iter().chain(self.rules_of_orders(ranks));
        match rules.into_iter().find(|(broken, _)| *broken) {
            Some((_, why)) => Err(Usage::new(why)),
            None => self.check_sizes(),
        }
    }

    fn rules_of_phases(&self, ranks: u32) -> [(bool, &'static str); 12] {
        [
            (
                self.status_file.is_some() && !self.keep,
                "-O stoneWallingStatusFile needs -k: it carries the count from one run to the next",
            ),
            (
                self.status_file.is_some() && self.write && !self.wear_out,
                "-O stoneWallingStatusFile needs -O stoneWallingWearOut=1 when writing",
            ),
            (
                self.wear_out && self.deadline == 0,
                "-O stoneWallingWearOut=1 needs a deadline; add -D SECONDS",
            ),
            (self.ranks == Some(0) || ranks == 0, "-N 0: a test needs at least one rank"),
            (
                self.read_check && !self.write && self.signature.is_none(),
                "-R without -w needs the signature the data was written with; add -G NUMBER",
            ),
            (
                self.write_check && !self.write && self.signature.is_none(),
                "-W without -w needs the signature the data was written with; add -G NUMBER",
            ),
            (self.transfer == 0, "-t 0: the test would never end"),
            (!self.transfer.is_multiple_of(8), "-t (transfer size) must be a multiple of 8 bytes"),
            (!self.block.is_multiple_of(8), "-b (block size) must be a multiple of 8 bytes"),
            (self.segments == 0, "-s 0: a test needs at least one segment"),
            (self.files().contains(&""), "-o names an empty file; name one, or several with `@` between"),
            (self.unique_dir && self.files().len() > 1, "-u works with one file name in -o, not with `@`"),
        ]
    }

    fn rules_of_orders(&self, ranks: u32) -> [(bool, &'static str); 8] {
        let shared = !self.file_per_rank;
        let blocks = self.offsets == Offsets::RandomBlocks;
        // Whether every transfer is a call that all ranks have to make together.
        let mpi = self.backend.eq_ignore_ascii_case("mpiio");
        let in_step = mpi && shared && (self.collective || self.sync_each);
        [
            (
                self.shuffled() && self.block == self.transfer,
                "-z shuffles the transfers of a block and -b equals -t; choose -b greater than -t",
            ),
            (
                self.shuffled() && shared && self.reorder != Reorder::Own,
                "-z on one shared file cannot be combined with -C or -Z",
            ),
            (
                self.offsets != Offsets::Sequential
                    && self.read_check
                    && self.offset_seed.is_none()
                    && !self.write,
                "-z with -R needs the seed the data was written with; add --random-offset-seed=NUMBER",
            ),
            (
                blocks && (self.write || self.write_check),
                "-z -z reads random blocks; it cannot write, because blocks may repeat",
            ),
            (
                blocks && self.read_check && shared,
                "-z -z reads blocks of other ranks from a shared file, which -R cannot compare; use -F or -r",
            ),
            (
                in_step && self.offsets != Offsets::Sequential,
                "-z and -c or -Y on a shared MPIIO file: ranks would not make the same calls",
            ),
            (
                in_step && self.deadline > 0,
                "-D and -c or -Y on a shared MPIIO file: ranks would stop at different transfers",
            ),
            (self.layout(ranks).total_bytes().is_none(), "-b times -s times the ranks is beyond 2^63 bytes"),
        ]
    }

    fn check_sizes(&self) -> Result<(), Usage> {
        let (block, transfer) = (self.block, self.transfer);
        if block < transfer || !block.is_multiple_of(transfer) {
            let nearest = (block / transfer).max(1) * transfer;
            return Err(Usage(format!(
                "-t {transfer} does not divide -b {block}: a block is a whole number of transfers, \
                 such as -b {nearest}"
            )));
        }
        Ok(())
    }

    fn shuffled(&self) -> bool {
        matches!(self.offsets, Offsets::Shuffled | Offsets::IorShuffled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl Fn(&mut Parameters)) -> String {
        let mut parameters = Parameters { write: true, ..Parameters::default() };
        change(&mut parameters);
        parameters.check(4).expect_err("refused").0
    }

    #[test]
    fn what_cannot_be_run_is_refused_with_a_remedy() {
        assert!(refused(|p| p.transfer = 3 << 10).contains("-t 3072 does not divide -b 1048576"));
        assert!(refused(|p| p.transfer = 2 << 20).contains("such as -b 2097152"));
        assert!(refused(|p| p.transfer = 12).contains("multiple of 8"));
        assert!(refused(|p| p.transfer = 0).contains("never end"));
        assert!(refused(|p| p.wear_out = true).contains("add -D"));
        assert!(refused(|p| p.status_file = Some("s".into())).contains("needs -k"));
        assert!(refused(|p| (p.write, p.read_check) = (false, true)).contains("add -G"));
        assert!(refused(|p| p.offsets = Offsets::RandomBlocks).contains("cannot write"));
        assert!(
            refused(|p| (p.offsets, p.reorder) = (Offsets::Shuffled, Reorder::Constant)).contains("-C or -Z")
        );
        assert!(refused(|p| p.block = 1 << 61).contains("2^63"));
        assert!(Parameters { write: true, ..Parameters::default() }.check(4).is_ok());
    }
}
