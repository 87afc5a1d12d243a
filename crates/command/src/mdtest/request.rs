//! What a command line of `mdtest` requests: the settings of a run, as the engine runs it.
//!
//! Never here: what is rejected, which `rules` has, and reading options, which `parsed` completes.

use crate::{KeySource, Packet, Settings};

/// All settings of one run. Sizes are bytes. Option names are those of mdtest 4.1.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Backend as typed (`-a`).
    pub backend: String,
    /// Settings of that backend.
    pub settings: Settings,
    /// `-d`: one directory, or one for each group of ranks.
    pub dirs: Vec<String>,
    /// The name of a test directory before its number: `test-dir.`, or `#test-dir.` before version 3.3.
    pub test_dir_prefix: &'static str,
    /// `-b`: branching factor of the tree.
    pub branching: u64,
    /// `-z`: levels below the root.
    pub depth: u32,
    /// `-n`: items of a rank in the whole tree; 0 if not given.
    pub items: u64,
    /// `-I`: items of a rank in each directory; 0 if not given.
    pub items_per_dir: u64,
    /// `-L`: items only in the leaves.
    pub leaf_only: bool,
    /// `-u`: a tree for each rank.
    pub unique_dir: bool,
    /// `-c`: rank 0 creates and removes for all.
    pub collective: bool,
    /// `-S`: one set of files for all ranks.
    pub shared_file: bool,
    /// Directories are tested (neither or both of `-D` and `-F`, or `-D`).
    pub directories: bool,
    /// Files are tested.
    pub files: bool,
    /// `-C`, or none of the five.
    pub create: bool,
    /// `-T`, or none of the five.
    pub stat: bool,
    /// `-E`, or none of the five.
    pub read: bool,
    /// `-U`, or none of the five: renames of directories.
    pub rename: bool,
    /// `-r`, or none of the five.
    pub remove: bool,
    /// `-N`: number of ranks by which the items shift from phase to phase.
    pub shift: i32,
    /// `-e`: bytes read from each file.
    pub read_bytes: u64,
    /// `-w`: bytes written to each file.
    pub write_bytes: u64,
    /// `-y`: fsync after the data of each file.
    pub sync_file: bool,
    /// `-Y`: `sync` at the end of each phase.
    pub call_sync: bool,
    /// `-X`: the data of reads is compared.
    pub verify_read: bool,
    /// `--verify-write`: written data is read back at once and compared.
    pub verify_write: bool,
    /// `--dataPacketType`
    pub packet: Packet,
    /// `-G`; `None` for the seed of the run, which is the same on all ranks.
    pub signature: Option<i32>,
    /// `--data-of`: the text on which stamped data depends beside the name of the file.
    pub data_of: Option<String>,
    /// `--data-key`, `--nonce`: what keys stamped data.
    pub key: KeySource,
    /// `-k`: files are created without an open.
    pub make_node: bool,
    /// `-R`: stat and read visit the items in a random order, a different one on each rank.
    pub shuffle: bool,
    /// `--random-seed`; 0 if not given. If given without `-R`, all ranks have the same order.
    pub random_seed: u64,
    /// `-i`
    pub iterations: u32,
    /// `-f`: the smallest number of ranks.
    pub first_ranks: u32,
    /// `-l`: the largest number of ranks; 0 for a single run on all ranks.
    pub last_ranks: u32,
    /// `-s`: the step from one number of ranks to the next.
    pub stride: u32,
    /// `-p`: seconds that rank 0 waits before each of the two tests.
    pub pre_delay: u32,
    /// `-t`: the creation time includes the setup of a rank's own tree.
    pub time_unique_dir: bool,
    /// `-W`: seconds after which the creation of files stops; 0 for never.
    pub deadline: u32,
    /// `-x`: the file that holds the number of items that existed at that time.
    pub status_file: Option<String>,
    /// `--run-cmd-before-phase`
    pub before_phase: Option<String>,
    /// `--run-cmd-after-phase`
    pub after_phase: Option<String>,
    /// `--warningAsErrors`
    pub warnings_fail: bool,
    /// `--continue`: a failed operation is counted and the run continues. The run still fails at the end.
    pub keep_going: bool,
    /// `--operations`: additional operations, by the names in the table of operations and in its order.
    pub extra: Vec<String>,
    /// `--preload`: number of files in each directory before the items are created.
    pub preload: u64,
    /// Whether the numbers of each rank are requested (`--print-all-procs`, `--saveRankPerformanceDetails`).
    pub rank_times: bool,
    /// `--savePerOpDataCSV`: prefix of the names of the files for each operation.
    pub operation_csv: Option<String>,
    /// `-v`, `-V`
    pub verbose: u32,
    /// The assumed number of nodes; `None` for the number that is found.
    pub nodes: Option<u32>,
    /// The assumed number of ranks on the first node; `None` as found. Ranks are then placed on nodes in
    /// blocks.
    pub ranks_on_node0: Option<u32>,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            backend: "POSIX".to_owned(),
            settings: Settings::default(),
            dirs: vec!["./out".to_owned()],
            test_dir_prefix: "test-dir.",
            branching: 1,
            depth: 0,
            items: 0,
            items_per_dir: 0,
            leaf_only: false,
            unique_dir: false,
            collective: false,
            shared_file: false,
            directories: true,
            files: true,
            create: true,
            stat: true,
            read: true,
            rename: true,
            remove: true,
            shift: 0,
            read_bytes: 0,
            write_bytes: 0,
            sync_file: false,
            call_sync: false,
            verify_read: false,
            verify_write: false,
            packet: Packet::default(),
            signature: None,
            data_of: None,
            key: KeySource::default(),
            make_node: false,
            shuffle: false,
            random_seed: 0,
            iterations: 1,
            first_ranks: 1,
            last_ranks: 0,
            stride: 1,
            pre_delay: 0,
            time_unique_dir: false,
            deadline: 0,
            status_file: None,
            before_phase: None,
            after_phase: None,
            warnings_fail: false,
            keep_going: false,
            extra: Vec::new(),
            preload: 0,
            rank_times: false,
            operation_csv: None,
            verbose: 0,
            nodes: None,
            ranks_on_node0: None,
        }
    }
}

impl Request {
    /// Whether the run stores the counts of a deadline in the file of `-x`.
    pub fn stores_counts(&self) -> bool {
        self.create && self.deadline > 0 && self.status_file.is_some()
    }

    /// The numbers of ranks that a run on `ranks` ranks goes through (`-f`, `-l`, `-s`), one run each.
    pub fn numbers_of_ranks(&self, ranks: u32) -> Vec<u32> {
        match self.last_ranks {
            0 => vec![ranks],
            last => (self.first_ranks..=last).step_by(self.stride.max(1) as usize).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_ranks_are_scanned_only_if_a_last_one_is_given() {
        let scanned = |first, last, stride| {
            let parameters = Request { first_ranks: first, last_ranks: last, stride, ..Request::default() };
            parameters.numbers_of_ranks(8)
        };
        assert_eq!(scanned(2, 0, 1), [8], "-f without -l");
        assert_eq!(scanned(1, 8, 3), [1, 4, 7]);
        assert_eq!(scanned(2, 4, 1), [2, 3, 4]);
    }
}
