//! What an mdtest run is asked to do, whoever parsed it.

use storage::Settings;

use crate::kit::payload::Packet;

/// Everything about one run. Sizes are bytes; option names are mdtest 4.1's.
#[derive(Clone, Debug)]
pub struct MdtestParameters {
    /// Backend as typed (`-a`).
    pub backend: String,
    /// Settings of that backend.
    pub settings: Settings,
    /// `-d`: one directory, or one for each group of ranks.
    pub dirs: Vec<String>,
    /// The name of a test directory before its number: `test-dir.`, or `#test-dir.` of before 3.3.
    pub test_dir_prefix: &'static str,
    /// `-b`: branching factor of the tree.
    pub branching: u64,
    /// `-z`: levels below the root.
    pub depth: u32,
    /// `-n`: items of a rank in the whole tree; 0 where not given.
    pub items: u64,
    /// `-I`: items of a rank in each directory; 0 where not given.
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
    /// `-N`: by how many ranks the names shift from phase to phase.
    pub shift: i32,
    /// `-e`: bytes read from each file.
    pub read_bytes: u64,
    /// `-w`: bytes written to each file.
    pub write_bytes: u64,
    /// `-y`: each file is made durable.
    pub sync_file: bool,
    /// `-Y`: `sync` at the end of each phase.
    pub call_sync: bool,
    /// `-X`: what is read is compared.
    pub verify_read: bool,
    /// `--verify-write`: what was written is read again at once and compared.
    pub verify_write: bool,
    /// `--dataPacketType`
    pub packet: Packet,
    /// `-G`; `None`: of the time, the same on all ranks.
    pub signature: Option<i32>,
    /// `-k`: files are made without being opened.
    pub make_node: bool,
    /// `-R`: stat and read visit the items in an order of their own, of each rank.
    pub shuffle: bool,
    /// `--random-seed`; 0 where not given. Given without `-R`, all ranks have the same order.
    pub random_seed: u64,
    /// `-i`
    pub iterations: u32,
    /// `-f`: the least number of ranks.
    pub first_ranks: u32,
    /// `-l`: the largest; 0: all, and no other number.
    pub last_ranks: u32,
    /// `-s`: from one number of ranks to the next.
    pub stride: u32,
    /// `-p`: seconds that rank 0 waits before each of the two tests.
    pub pre_delay: u32,
    /// `-t`: what sets up a tree of a rank's own is in the time of creating.
    pub time_unique_dir: bool,
    /// `-W`: seconds after which creating files stops; 0 for never.
    pub deadline: u32,
    /// `-x`: where the number of files that then were there is kept.
    pub status_file: Option<String>,
    /// `--run-cmd-before-phase`
    pub before_phase: Option<String>,
    /// `--run-cmd-after-phase`
    pub after_phase: Option<String>,
    /// `--warningAsErrors`
    pub warnings_fail: bool,
    /// `--continue`: an operation that fails is counted and the run goes on; it still fails in the end.
    pub keep_going: bool,
    /// `--operations`: what is done besides, by the names of the table of operations, in its order.
    pub extra: Vec<String>,
    /// `--preload`: so many files are there in each directory before the items come.
    pub preload: u64,
    /// Whether each rank's own numbers are wanted (`--print-all-procs`, `--saveRankPerformanceDetails`).
    pub rank_times: bool,
    /// `--savePerOpDataCSV`: before the names of the files for each operation.
    pub operation_csv: Option<String>,
    /// `-v`, `-V`
    pub verbose: u32,
    /// How many nodes are taken to be there, and so many of their ranks on the first; `None`: as found.
    pub nodes: Option<u32>,
    /// See `nodes`; the ranks then go over the nodes in blocks.
    pub ranks_on_node0: Option<u32>,
}

impl Default for MdtestParameters {
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

impl MdtestParameters {
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
    fn numbers_of_ranks_are_scanned_only_where_a_last_one_is_given() {
        let scanned = |first, last, stride| {
            let parameters = MdtestParameters {
                first_ranks: first,
                last_ranks: last,
                stride,
                ..MdtestParameters::default()
            };
            parameters.numbers_of_ranks(8)
        };
        assert_eq!(scanned(2, 0, 1), [8], "-f without -l");
        assert_eq!(scanned(1, 8, 3), [1, 4, 7]);
        assert_eq!(scanned(2, 4, 1), [2, 3, 4]);
    }
}
