//! The options of `ior`, one row each: parser, help, facts and tests are made of them.
//!
//! Meanings and defaults are IOR 4.1's; docs/COMPATIBILITY.md lists where they differ.

// tidy: long because a table of options is read as one.

use crate::classic::{OptionKind, OptionRow};

/// One option of `ior`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IorOption {
    /// `-c`
    Collective,
    /// `-C`
    ReorderConstant,
    /// `-e`
    Fsync,
    /// `-E`
    UseExisting,
    /// `-F`
    FilePerRank,
    /// `-g`
    Barriers,
    /// `-h`
    Help,
    /// `-k`
    Keep,
    /// `-K`
    KeepWithError,
    /// `-m`
    MultiFile,
    /// `-r`
    Read,
    /// `-R`
    ReadCheck,
    /// `-u`
    UniqueDirectory,
    /// `-v`
    Verbose,
    /// `-w`
    Write,
    /// `-W`
    WriteCheck,
    /// `-x`
    SingleAttempt,
    /// `-y`
    DualMount,
    /// `-Y`
    FsyncEach,
    /// `-z`
    RandomOffset,
    /// `-Z`
    ReorderRandom,
    /// `--dryRun`
    DryRun,
    /// `--warningAsErrors`
    WarningsAsErrors,
    /// `--gpuDirect`
    GpuDirect,
    /// `--drop-caches`
    DropCaches,
    /// `-a`
    Backend,
    /// `-A`
    Reference,
    /// `-b`
    BlockSize,
    /// `-d`
    Delay,
    /// `-D`
    Deadline,
    /// `-f`
    Script,
    /// `-G`
    Signature,
    /// `-i`
    Repetitions,
    /// `-j`
    OutlierThreshold,
    /// `-l`
    PacketType,
    /// `-M`
    MemoryPerNode,
    /// `-N`
    Ranks,
    /// `-o`
    TestFile,
    /// `-O`
    Directives,
    /// `-Q`
    ReorderOffset,
    /// `-s`
    Segments,
    /// `-t`
    TransferSize,
    /// `-T`
    MaxTime,
    /// `-X`
    ReorderSeed,
    /// `-O stoneWallingWearOut`
    WearOut,
    /// `-O stoneWallingWearOutIterations`
    WearOutTransfers,
    /// `-O stoneWallingStatusFile`
    StatusFile,
    /// `-O numNodes`
    Nodes,
    /// `-O numTasksOnNode0`
    RanksOnNode0,
    /// `-O minTimeDuration`
    MinTime,
    /// `-O interIODelay`
    TransferPause,
    /// `-O memoryPerTask`
    MemoryPerRank,
    /// `-O summaryFile`
    SummaryFile,
    /// `-O summaryFormat`
    SummaryFormat,
    /// `-O summaryAlways`
    SummaryAlways,
    /// `-O saveRankPerformanceDetailsCSV`
    RankCsv,
    /// `-O savePerOpDataCSV`
    TransferCsv,
    /// `-O allocateBufferOnGPU`
    GpuBuffers,
    /// `-O GPUid`
    GpuId,
    /// `-O debug`
    Debug,
    /// `-O platform`
    Platform,
    /// `--randomPrefill`
    RandomPrefill,
    /// `--random-offset-seed`
    OffsetSeed,
    /// `--random-order`
    RandomOrder,
    /// `--record`
    Record,
    /// `--live`
    Live,
    /// `--compat`
    Edition,
    /// `--iodepth`
    QueueDepth,
    /// `--rwmix`
    ReadWriteMix,
    /// `--rate`
    Rate,
    /// `--ramp`
    Ramp,
    /// `--generation`
    Generation,
}

use IorOption::*;

/// What rows of a flag have in common.
const FLAG: OptionRow<IorOption> = OptionRow {
    id: Collective,
    short: None,
    long: None,
    directives: &[],
    kind: OptionKind::Flag,
    default: "",
    about: "",
};
const NUMBER: OptionRow<IorOption> = OptionRow { kind: OptionKind::Number, default: "0", ..FLAG };
const SIZE: OptionRow<IorOption> = OptionRow { kind: OptionKind::Size, ..NUMBER };
const TEXT: OptionRow<IorOption> = OptionRow { kind: OptionKind::Text, ..FLAG };

/// Every option that takes no value.
pub(super) const FLAGS: &[OptionRow<IorOption>] = &[
    OptionRow {
        id: Collective,
        short: Some('c'),
        long: Some("collective"),
        directives: &["collective"],
        about: "collective calls, where the backend has them",
        ..FLAG
    },
    OptionRow {
        id: ReorderConstant,
        short: Some('C'),
        directives: &["reorderTasks", "reorderTasksConstant"],
        about: "read what the rank -Q nodes away wrote",
        ..FLAG
    },
    OptionRow {
        id: Fsync,
        short: Some('e'),
        directives: &["fsync"],
        about: "fsync after the last write, within the write's time",
        ..FLAG
    },
    OptionRow {
        id: UseExisting,
        short: Some('E'),
        directives: &["useExistingTestFile"],
        about: "write into existing files instead of deleting them first",
        ..FLAG
    },
    OptionRow {
        id: FilePerRank,
        short: Some('F'),
        directives: &["filePerProc"],
        about: "a file for each rank",
        ..FLAG
    },
    OptionRow {
        id: Barriers,
        short: Some('g'),
        directives: &["intraTestBarriers"],
        about: "barriers between open, transfers and close",
        ..FLAG
    },
    OptionRow { id: Help, short: Some('h'), long: Some("help"), about: "this help", ..FLAG },
    OptionRow {
        id: Keep,
        short: Some('k'),
        directives: &["keepFile"],
        about: "keep the files at the end",
        ..FLAG
    },
    OptionRow {
        id: KeepWithError,
        short: Some('K'),
        directives: &["keepFileWithError"],
        about: "keep the files if their data was wrong",
        ..FLAG
    },
    OptionRow {
        id: MultiFile,
        short: Some('m'),
        directives: &["multiFile"],
        about: "a file of its own for each repetition",
        ..FLAG
    },
    OptionRow { id: Read, short: Some('r'), directives: &["readFile"], about: "read", ..FLAG },
    OptionRow {
        id: ReadCheck,
        short: Some('R'),
        directives: &["checkRead"],
        about: "read and compare every word; needs -G if not written in this run",
        ..FLAG
    },
    OptionRow {
        id: UniqueDirectory,
        short: Some('u'),
        directives: &["uniqueDir"],
        about: "with -F, a directory for each rank",
        ..FLAG
    },
    OptionRow {
        id: Verbose,
        short: Some('v'),
        directives: &["verbose"],
        about: "say more; repeat for still more",
        ..FLAG
    },
    OptionRow { id: Write, short: Some('w'), directives: &["writeFile"], about: "write", ..FLAG },
    OptionRow {
        id: WriteCheck,
        short: Some('W'),
        directives: &["checkWrite"],
        about: "after writing, read back and compare every word",
        ..FLAG
    },
    OptionRow {
        id: SingleAttempt,
        short: Some('x'),
        directives: &["singleXferAttempt"],
        about: "fail on a short transfer instead of taking it up again",
        ..FLAG
    },
    OptionRow {
        id: DualMount,
        short: Some('y'),
        directives: &["dualMount"],
        about: "with -F, a file system for each processor socket: -o, the socket's number and /data",
        ..FLAG
    },
    OptionRow {
        id: FsyncEach,
        short: Some('Y'),
        directives: &["fsyncPerWrite"],
        about: "fsync after every write, within its latency",
        ..FLAG
    },
    OptionRow {
        id: RandomOffset,
        short: Some('z'),
        directives: &["randomOffset"],
        about: "every transfer once in shuffled order; twice: random blocks that may repeat (reading only)",
        ..FLAG
    },
    OptionRow {
        id: ReorderRandom,
        short: Some('Z'),
        directives: &["reorderTasksRandom"],
        about: "read what a random rank wrote; twice: a random permutation of the ranks",
        ..FLAG
    },
    OptionRow {
        id: DryRun,
        long: Some("dryRun"),
        about: "tell what would be done, and how many bytes; nothing is opened or moved",
        ..FLAG
    },
    OptionRow {
        id: WarningsAsErrors,
        long: Some("warningAsErrors"),
        directives: &["warningAsErrors"],
        about: "exit status 1 after any warning; the run goes on to its end",
        ..FLAG
    },
    OptionRow {
        id: GpuDirect,
        long: Some("gpuDirect"),
        directives: &["GPUDirect"],
        about: "between storage and a graphics processor; not in this program",
        ..FLAG
    },
    OptionRow {
        id: DropCaches,
        long: Some("drop-caches"),
        about: "before each read, drop the files from this client's page cache (own option)",
        ..FLAG
    },
];

/// Every option that takes a value.
pub(super) const VALUES: &[OptionRow<IorOption>] = &[
    OptionRow {
        id: Backend,
        short: Some('a'),
        directives: &["api"],
        default: "POSIX",
        about: "backend",
        ..TEXT
    },
    OptionRow {
        id: Reference,
        short: Some('A'),
        directives: &["refNum"],
        about: "a number of yours for the summary",
        ..NUMBER
    },
    OptionRow {
        id: BlockSize,
        short: Some('b'),
        directives: &["blockSize"],
        default: "1048576",
        about: "bytes of one rank in one segment",
        ..SIZE
    },
    OptionRow {
        id: Delay,
        short: Some('d'),
        directives: &["interTestDelay"],
        about: "seconds to wait before each write and read phase",
        ..NUMBER
    },
    OptionRow {
        id: Deadline,
        short: Some('D'),
        directives: &["deadlineForStonewalling"],
        about: "seconds after which a phase stops",
        ..NUMBER
    },
    OptionRow {
        id: Script,
        short: Some('f'),
        about: "script: tests between `IOR START` and `IOR STOP`, each ended by `RUN`",
        ..TEXT
    },
    OptionRow {
        id: Signature,
        short: Some('G'),
        directives: &["setTimeStampSignature"],
        about: "signature of the data; 0: the time",
        ..NUMBER
    },
    OptionRow {
        id: Repetitions,
        short: Some('i'),
        directives: &["repetitions"],
        default: "1",
        about: "repetitions",
        ..NUMBER
    },
    OptionRow {
        id: OutlierThreshold,
        short: Some('j'),
        directives: &["outlierThreshold"],
        about: "name ranks whose times differ from the mean by more than so many seconds",
        ..NUMBER
    },
    OptionRow {
        id: PacketType,
        short: Some('l'),
        long: Some("dataPacketType"),
        directives: &["dataPacketType"],
        default: "timestamp",
        about: "data: timestamp, offset, incompressible, random or stamped (first letter; the last is our \
                own)",
        ..TEXT
    },
    OptionRow {
        id: MemoryPerNode,
        short: Some('M'),
        directives: &["memoryPerNode"],
        about: "memory to take away on each node: 2g or 75%",
        ..TEXT
    },
    OptionRow {
        id: Ranks,
        short: Some('N'),
        directives: &["numTasks"],
        default: "all",
        about: "ranks that take part; -1: all",
        ..NUMBER
    },
    OptionRow {
        id: TestFile,
        short: Some('o'),
        directives: &["testFile"],
        default: "testFile",
        about: "file; `@` separates several",
        ..TEXT
    },
    OptionRow {
        id: Directives,
        short: Some('O'),
        kind: OptionKind::Directives,
        about: "directives: name=value,name=value",
        ..TEXT
    },
    OptionRow {
        id: ReorderOffset,
        short: Some('Q'),
        directives: &["taskPerNodeOffset"],
        default: "1",
        about: "nodes between writer and reader for -C, at least for -Z",
        ..NUMBER
    },
    OptionRow {
        id: Segments,
        short: Some('s'),
        directives: &["segmentCount"],
        default: "1",
        about: "segments",
        ..SIZE
    },
    OptionRow {
        id: TransferSize,
        short: Some('t'),
        directives: &["transferSize"],
        default: "262144",
        about: "bytes of one transfer",
        ..SIZE
    },
    OptionRow {
        id: MaxTime,
        short: Some('T'),
        directives: &["maxTimeDuration"],
        about: "minutes after which a test begins no more phases",
        ..NUMBER
    },
    OptionRow {
        id: ReorderSeed,
        short: Some('X'),
        directives: &["reorderTasksRandomSeed"],
        about: "seed for -Z; negative: another for each repetition",
        ..NUMBER
    },
    OptionRow {
        id: WearOut,
        directives: &["stoneWallingWearOut"],
        about: "after the deadline, all ranks go on until they have done as much as the fastest",
        ..NUMBER
    },
    OptionRow {
        id: WearOutTransfers,
        directives: &["stoneWallingWearOutIterations"],
        about: "stop each rank after so many transfers",
        ..SIZE
    },
    OptionRow {
        id: StatusFile,
        directives: &["stoneWallingStatusFile"],
        about: "keeps the number of transfers of a write for a later read",
        ..TEXT
    },
    OptionRow {
        id: Nodes,
        directives: &["numNodes"],
        default: "-1",
        about: "number of nodes, instead of what was found",
        ..NUMBER
    },
    OptionRow {
        id: RanksOnNode0,
        directives: &["numTasksOnNode0"],
        default: "-1",
        about: "ranks on the first node, instead of what was found",
        ..NUMBER
    },
    OptionRow {
        id: MinTime,
        directives: &["minTimeDuration"],
        about: "repeat the whole pattern until so many seconds have passed",
        ..NUMBER
    },
    OptionRow {
        id: TransferPause,
        directives: &["interIODelay"],
        about: "microseconds to wait after each transfer",
        ..NUMBER
    },
    OptionRow {
        id: MemoryPerRank,
        directives: &["memoryPerTask"],
        about: "memory to take away for each rank",
        ..SIZE
    },
    OptionRow { id: SummaryFile, directives: &["summaryFile"], about: "file for the results", ..TEXT },
    OptionRow { id: SummaryFormat, directives: &["summaryFormat"], about: "default, JSON or CSV", ..TEXT },
    OptionRow {
        id: SummaryAlways,
        directives: &["summaryAlways"],
        about: "the summary table after each test",
        ..NUMBER
    },
    OptionRow {
        id: RankCsv,
        directives: &["saveRankPerformanceDetailsCSV"],
        about: "file for a row of each rank and phase",
        ..TEXT
    },
    OptionRow {
        id: TransferCsv,
        directives: &["savePerOpDataCSV"],
        about: "beginning of the names of files with a row for each transfer",
        ..TEXT
    },
    OptionRow {
        id: GpuBuffers,
        directives: &["allocateBufferOnGPU"],
        about: "buffers in a graphics processor; only 0, not in this program",
        ..NUMBER
    },
    OptionRow {
        id: GpuId,
        directives: &["GPUid"],
        default: "-1",
        about: "which graphics processor; only 0 or -1, not in this program",
        ..NUMBER
    },
    OptionRow { id: Debug, directives: &["debug"], about: "taken, without effect", ..TEXT },
    OptionRow { id: Platform, directives: &["platform"], about: "taken, without effect", ..TEXT },
    OptionRow {
        id: RandomPrefill,
        long: Some("randomPrefill"),
        about: "with -z: fill the file first, in pieces of so many bytes",
        ..SIZE
    },
    OptionRow {
        id: OffsetSeed,
        long: Some("random-offset-seed"),
        default: "-1",
        about: "seed for -z",
        ..NUMBER
    },
    OptionRow {
        id: RandomOrder,
        long: Some("random-order"),
        about: "order of -z: assay (equal shares, no memory) or ior (its own sequence) (own option)",
        ..TEXT
    },
    OptionRow {
        id: Record,
        long: Some("record"),
        about: "write the records of this run to a new file (own option)",
        ..TEXT
    },
    OptionRow {
        id: Live,
        long: Some("live"),
        about: "write what is going on to a new file, as JSON lines (own option)",
        ..TEXT
    },
    OptionRow { id: Edition, long: Some("compat"), about: "text of IOR 3.3 or 4.1 (own option)", ..TEXT },
    OptionRow {
        id: QueueDepth,
        long: Some("iodepth"),
        default: "N",
        about: "transfers of a rank under way at once, with AIO or URING (own option)",
        ..NUMBER
    },
    OptionRow {
        id: ReadWriteMix,
        long: Some("rwmix"),
        default: "N",
        about: "a phase of reads and writes mixed, so many percent reads (own option)",
        ..NUMBER
    },
    OptionRow {
        id: Rate,
        long: Some("rate"),
        about: "limit for all ranks together: 200MB/s, 1GiB/s or 5000/s (own option)",
        ..TEXT
    },
    OptionRow {
        id: Ramp,
        long: Some("ramp"),
        default: "N",
        about: "seconds at the start of a phase that do not count (own option)",
        ..NUMBER
    },
    OptionRow {
        id: Generation,
        long: Some("generation"),
        default: "N",
        about: "number of this writing of the data, in its stamps (own option)",
        ..NUMBER
    },
];
