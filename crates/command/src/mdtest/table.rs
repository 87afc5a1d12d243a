//! The options of `mdtest`, one row each: parser, help, facts and tests are made of them.
//!
//! Meanings and defaults are mdtest 4.1's; docs/COMPATIBILITY.md lists where they differ.

use crate::classic::{OptionKind, OptionRow};

/// One option of `mdtest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MdtestOption {
    /// `-C`
    Create,
    /// `-T`
    Stat,
    /// `-E`
    ReadFiles,
    /// `-r`
    Remove,
    /// `-U`
    Rename,
    /// `-D`
    OnlyDirectories,
    /// `-F`
    OnlyFiles,
    /// `-g`
    LustreLayout,
    /// `-h`
    Help,
    /// `-k`
    MakeNode,
    /// `-L`
    LeafOnly,
    /// `-P`
    PrintBoth,
    /// `--print-all-procs`
    PrintAllRanks,
    /// `-R`
    Shuffle,
    /// `-S`
    SharedFile,
    /// `-c`
    Collective,
    /// `-t`
    TimeUniqueDirectory,
    /// `-u`
    UniqueDirectory,
    /// `-v`
    Verbose,
    /// `-X`
    VerifyRead,
    /// `--verify-write`
    VerifyWrite,
    /// `-y`
    SyncFile,
    /// `-Y`
    CallSync,
    /// `-Z`
    PrintTimes,
    /// `--warningAsErrors`
    WarningsAsErrors,
    /// `--showRankStatistics`
    RankStatistics,
    /// `--gpuDirect`
    GpuDirect,
    /// `--continue`
    KeepGoing,
    /// `--dryRun`
    DryRun,
    /// `-a`
    Backend,
    /// `-b`
    Branching,
    /// `-d`
    Directory,
    /// `-B`
    Barriers,
    /// `-e`
    ReadBytes,
    /// `-f`
    FirstRanks,
    /// `-G`
    Signature,
    /// `-i`
    Iterations,
    /// `-I`
    ItemsPerDirectory,
    /// `-l`
    LastRanks,
    /// `-n`
    Items,
    /// `-N`
    Shift,
    /// `-p`
    PreDelay,
    /// `--random-seed`
    RandomSeed,
    /// `-s`
    Stride,
    /// `-V`
    Verbosity,
    /// `-w`
    WriteBytes,
    /// `-W`
    Deadline,
    /// `-x`
    StatusFile,
    /// `-z`
    Depth,
    /// `--dataPacketType`
    PacketType,
    /// `--run-cmd-before-phase`
    CommandBefore,
    /// `--run-cmd-after-phase`
    CommandAfter,
    /// `--saveRankPerformanceDetails`
    RankCsv,
    /// `--savePerOpDataCSV`
    OperationCsv,
    /// `--allocateBufferOnGPU`
    GpuBuffers,
    /// `--GPUid`
    GpuId,
    /// `--operations`
    Operations,
    /// `--preload`
    Preload,
    /// `--record`
    Record,
    /// `--compat`
    Edition,
    /// `-RSEED`, as 1.9 had it: `-R` and its seed.
    SeededShuffle,
}

use MdtestOption::*;

/// What rows of a flag have in common.
const FLAG: OptionRow<MdtestOption> = OptionRow {
    id: Create,
    short: None,
    long: None,
    directives: &[],
    kind: OptionKind::Flag,
    default: "",
    about: "",
};
const NUMBER: OptionRow<MdtestOption> = OptionRow { kind: OptionKind::Number, default: "0", ..FLAG };
const SIZE: OptionRow<MdtestOption> = OptionRow { kind: OptionKind::Size, ..NUMBER };
const TEXT: OptionRow<MdtestOption> = OptionRow { kind: OptionKind::Text, ..FLAG };

/// Every option that takes no value.
pub(super) const FLAGS: &[OptionRow<MdtestOption>] = &[
    OptionRow { id: Create, short: Some('C'), about: "only create", ..FLAG },
    OptionRow { id: Stat, short: Some('T'), about: "only stat", ..FLAG },
    OptionRow { id: ReadFiles, short: Some('E'), about: "only read files", ..FLAG },
    OptionRow {
        id: Remove,
        short: Some('r'),
        about: "only remove what this run or an earlier one left",
        ..FLAG
    },
    OptionRow { id: Rename, short: Some('U'), about: "only rename directories", ..FLAG },
    OptionRow { id: OnlyDirectories, short: Some('D'), about: "only directories", ..FLAG },
    OptionRow { id: OnlyFiles, short: Some('F'), about: "only files", ..FLAG },
    OptionRow {
        id: LustreLayout,
        short: Some('g'),
        about: "default layout of directories on Lustre; not in this program",
        ..FLAG
    },
    OptionRow { id: Help, short: Some('h'), long: Some("help"), about: "this help", ..FLAG },
    OptionRow {
        id: MakeNode,
        short: Some('k'),
        about: "files are made by mknod, without opening them",
        ..FLAG
    },
    OptionRow { id: LeafOnly, short: Some('L'), about: "items only in the leaves of the tree", ..FLAG },
    OptionRow { id: PrintBoth, short: Some('P'), about: "print rates and times", ..FLAG },
    OptionRow {
        id: PrintAllRanks,
        long: Some("print-all-procs"),
        about: "print each rank's own numbers",
        ..FLAG
    },
    OptionRow {
        id: Shuffle,
        short: Some('R'),
        about: "stat and read in an order of each rank's own",
        ..FLAG
    },
    OptionRow {
        id: SharedFile,
        short: Some('S'),
        about: "all ranks share one set of files; no directories",
        ..FLAG
    },
    OptionRow { id: Collective, short: Some('c'), about: "rank 0 creates and removes for all", ..FLAG },
    OptionRow {
        id: TimeUniqueDirectory,
        short: Some('t'),
        about: "with -u, what sets up a rank's own tree is in the time of creating",
        ..FLAG
    },
    OptionRow { id: UniqueDirectory, short: Some('u'), about: "a tree for each rank", ..FLAG },
    OptionRow { id: Verbose, short: Some('v'), about: "say more; repeat for still more", ..FLAG },
    OptionRow {
        id: VerifyRead,
        short: Some('X'),
        long: Some("verify-read"),
        about: "compare every byte read; needs -G if not written in this run",
        ..FLAG
    },
    OptionRow {
        id: VerifyWrite,
        long: Some("verify-write"),
        about: "after each write, read it back and compare, within the time of creating",
        ..FLAG
    },
    OptionRow { id: SyncFile, short: Some('y'), about: "each file is synced after its write", ..FLAG },
    OptionRow {
        id: CallSync,
        short: Some('Y'),
        about: "sync at the end of each phase, within its time",
        ..FLAG
    },
    OptionRow { id: PrintTimes, short: Some('Z'), about: "print times instead of rates", ..FLAG },
    OptionRow {
        id: WarningsAsErrors,
        long: Some("warningAsErrors"),
        about: "exit status 1 after any warning; the run goes on to its end",
        ..FLAG
    },
    OptionRow {
        id: RankStatistics,
        long: Some("showRankStatistics"),
        about: "columns with the extremes and the mean of single ranks",
        ..FLAG
    },
    OptionRow {
        id: GpuDirect,
        long: Some("gpuDirect"),
        about: "between storage and a graphics processor; not in this program",
        ..FLAG
    },
    OptionRow {
        id: KeepGoing,
        long: Some("continue"),
        about: "count operations that fail and go on; the exit status is 1 all the same (own option)",
        ..FLAG
    },
    OptionRow {
        id: DryRun,
        long: Some("dryRun"),
        about: "tell what would be done; nothing is touched (own option)",
        ..FLAG
    },
];

/// Every option that takes a value.
pub(super) const VALUES: &[OptionRow<MdtestOption>] = &[
    OptionRow { id: Backend, short: Some('a'), default: "POSIX", about: "backend", ..TEXT },
    OptionRow {
        id: Branching,
        short: Some('b'),
        default: "1",
        about: "branching factor of the tree",
        ..NUMBER
    },
    OptionRow {
        id: Directory,
        short: Some('d'),
        default: "./out",
        about: "test directory; with -u `@` separates several",
        ..TEXT
    },
    OptionRow {
        id: Barriers,
        short: Some('B'),
        about: "taken, without effect: phases are always apart",
        ..NUMBER
    },
    OptionRow { id: ReadBytes, short: Some('e'), about: "bytes read from each file", ..SIZE },
    OptionRow {
        id: FirstRanks,
        short: Some('f'),
        default: "1",
        about: "with -l, the least number of ranks",
        ..NUMBER
    },
    OptionRow {
        id: Signature,
        short: Some('G'),
        default: "-1",
        about: "signature of the data; -1: the time",
        ..NUMBER
    },
    OptionRow { id: Iterations, short: Some('i'), default: "1", about: "iterations", ..NUMBER },
    OptionRow {
        id: ItemsPerDirectory,
        short: Some('I'),
        about: "items of a rank in each directory of the tree",
        ..NUMBER
    },
    OptionRow {
        id: LastRanks,
        short: Some('l'),
        about: "the largest number of ranks; 0: all, and only so many",
        ..NUMBER
    },
    OptionRow { id: Items, short: Some('n'), about: "items of a rank in the whole tree", ..NUMBER },
    OptionRow {
        id: Shift,
        short: Some('N'),
        about: "by how many ranks names shift from phase to phase",
        ..NUMBER
    },
    OptionRow {
        id: PreDelay,
        short: Some('p'),
        about: "seconds to wait before the directories and before the files",
        ..NUMBER
    },
    OptionRow {
        id: RandomSeed,
        long: Some("random-seed"),
        about: "seed for -R; without -R one order for all ranks",
        ..NUMBER
    },
    OptionRow {
        id: Stride,
        short: Some('s'),
        default: "1",
        about: "from one number of ranks to the next",
        ..NUMBER
    },
    OptionRow { id: Verbosity, short: Some('V'), about: "how much is said, as so many -v", ..NUMBER },
    OptionRow { id: WriteBytes, short: Some('w'), about: "bytes written to each file", ..SIZE },
    OptionRow { id: Deadline, short: Some('W'), about: "seconds after which creating files stops", ..NUMBER },
    OptionRow {
        id: StatusFile,
        short: Some('x'),
        about: "keeps how many items -W let be made, for a later run",
        ..TEXT
    },
    OptionRow { id: Depth, short: Some('z'), about: "levels of the tree below its root", ..NUMBER },
    OptionRow {
        id: PacketType,
        long: Some("dataPacketType"),
        default: "timestamp",
        about: "data: timestamp, offset, incompressible or random (first letter)",
        ..TEXT
    },
    OptionRow {
        id: CommandBefore,
        long: Some("run-cmd-before-phase"),
        about: "command run by each rank before each phase",
        ..TEXT
    },
    OptionRow {
        id: CommandAfter,
        long: Some("run-cmd-after-phase"),
        about: "command run by each rank after each phase, within its time",
        ..TEXT
    },
    OptionRow {
        id: RankCsv,
        long: Some("saveRankPerformanceDetails"),
        about: "file for a row of each rank and iteration",
        ..TEXT
    },
    OptionRow {
        id: OperationCsv,
        long: Some("savePerOpDataCSV"),
        about: "beginning of the names of files with a row for each operation",
        ..TEXT
    },
    OptionRow {
        id: GpuBuffers,
        long: Some("allocateBufferOnGPU"),
        about: "buffers in a graphics processor; only 0, not in this program",
        ..NUMBER
    },
    OptionRow {
        id: GpuId,
        long: Some("GPUid"),
        default: "-1",
        about: "which graphics processor; only 0 or -1, not in this program",
        ..NUMBER
    },
    OptionRow {
        id: Operations,
        long: Some("operations"),
        default: "LIST",
        about: "what is done besides, by name, with commas between (own option)",
        ..TEXT
    },
    OptionRow {
        id: Preload,
        long: Some("preload"),
        about: "so many files are there in each directory before the items come (own option)",
        ..NUMBER
    },
    OptionRow {
        id: Record,
        long: Some("record"),
        about: "write the records of this run to a new file (own option)",
        ..TEXT
    },
    OptionRow {
        id: Edition,
        long: Some("compat"),
        default: "4.1",
        about: "text of mdtest 1.9, 3.3 or 4.1 (own option)",
        ..TEXT
    },
];
