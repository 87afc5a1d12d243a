//! The options of `mdtest`, one row each: parser, help, facts and tests are made of them.
//!
//! Meanings and defaults are mdtest 4.1's; docs/COMPATIBILITY.md lists where they differ.
//! Columns: option, kind, letter, word, default, help.

use crate::classic::options;

options! {
    /// One option of `mdtest`.
    pub enum MdtestOption (SeededShuffle: "`-RSEED`, as 1.9 had it: `-R` and its seed") {
        Create Flag 'C' _: "only create";
        Stat Flag 'T' _: "only stat";
        ReadFiles Flag 'E' _: "only read files";
        Remove Flag 'r' _: "only remove what this run or an earlier one left";
        Rename Flag 'U' _: "only rename directories";
        OnlyDirectories Flag 'D' _: "only directories";
        OnlyFiles Flag 'F' _: "only files";
        LustreLayout Flag 'g' _: "default layout of directories on Lustre; not in this program";
        Help Flag 'h' "help": "this help";
        MakeNode Flag 'k' _: "files are made by mknod, without opening them";
        LeafOnly Flag 'L' _: "items only in the leaves of the tree";
        PrintBoth Flag 'P' _: "print rates and times";
        PrintAllRanks Flag _ "print-all-procs": "print each rank's own numbers";
        Shuffle Flag 'R' _: "stat and read in an order of each rank's own";
        SharedFile Flag 'S' _: "all ranks share one set of files; no directories";
        Collective Flag 'c' _: "rank 0 creates and removes for all";
        TimeUniqueDirectory Flag 't' _: "with -u, what sets up a rank's own tree is in the time of creating";
        UniqueDirectory Flag 'u' _: "a tree for each rank";
        Verbose Flag 'v' _: "say more; repeat for still more";
        VerifyRead Flag 'X' "verify-read": "compare every byte read; needs -G if not written in this run";
        VerifyWrite Flag _ "verify-write":
            "after each write, read it back and compare, within the time of creating";
        SyncFile Flag 'y' _: "each file is synced after its write";
        CallSync Flag 'Y' _: "sync at the end of each phase, within its time";
        PrintTimes Flag 'Z' _: "print times instead of rates";
        WarningsAsErrors Flag _ "warningAsErrors":
            "exit status 4 after any warning; the run goes on to its end";
        RankStatistics Flag _ "showRankStatistics": "columns with the extremes and the mean of single ranks";
        GpuDirect Flag _ "gpuDirect": "between storage and a graphics processor; not in this program";
        KeepGoing Flag _ "continue":
            "count operations that fail and go on; the exit status is 4 all the same (own option)";
        DryRun Flag _ "dryRun": "tell what would be done; nothing is touched (own option)";
        Backend Text 'a' _ = "POSIX": "backend";
        Branching Number 'b' _ = "1": "branching factor of the tree";
        Directory Text 'd' _ = "./out": "test directory; with -u `@` separates several";
        Barriers Number 'B' _: "taken, without effect: phases are always apart";
        ReadBytes Size 'e' _: "bytes read from each file";
        FirstRanks Number 'f' _ = "1": "with -l, the least number of ranks";
        Signature Number 'G' _ = "-1": "signature of the data; -1: the time";
        Iterations Number 'i' _ = "1": "iterations";
        ItemsPerDirectory Number 'I' _: "items of a rank in each directory of the tree";
        LastRanks Number 'l' _: "the largest number of ranks; 0: all, and only so many";
        Items Number 'n' _: "items of a rank in the whole tree";
        Shift Number 'N' _: "by how many ranks names shift from phase to phase";
        PreDelay Number 'p' _: "seconds to wait before the directories and before the files";
        RandomSeed Number _ "random-seed": "seed for -R; without -R one order for all ranks";
        Stride Number 's' _ = "1": "from one number of ranks to the next";
        Verbosity Number 'V' _: "how much is said, as so many -v";
        WriteBytes Size 'w' _: "bytes written to each file";
        Deadline Number 'W' _: "seconds after which creating files stops";
        StatusFile Text 'x' _: "keeps how many items -W let be made, for a later run";
        Depth Number 'z' _: "levels of the tree below its root";
        PacketType Text _ "dataPacketType" = "timestamp":
            "data: timestamp, offset, incompressible or random (first letter)";
        CommandBefore Text _ "run-cmd-before-phase": "command run by each rank before each phase";
        CommandAfter Text _ "run-cmd-after-phase":
            "command run by each rank after each phase, within its time";
        RankCsv Text _ "saveRankPerformanceDetails": "file for a row of each rank and iteration";
        OperationCsv Text _ "savePerOpDataCSV":
            "beginning of the names of files with a row for each operation";
        GpuBuffers Number _ "allocateBufferOnGPU":
            "buffers in a graphics processor; only 0, not in this program";
        GpuId Number _ "GPUid" = "-1": "which graphics processor; only 0 or -1, not in this program";
        Operations Text _ "operations" = "LIST":
            "what is done besides, by name, with commas between (own option)";
        Preload Number _ "preload":
            "so many files are there in each directory before the items come (own option)";
        Record Text _ "record": "write the records of this run to a new file (own option)";
        Edition Text _ "compat" = "4.1": "text of mdtest 1.9, 3.3 or 4.1 (own option)";
    }
}
