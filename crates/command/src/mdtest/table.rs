//! The options of `mdtest`, one row each. Parser, help, facts and tests are made from them.
//!
//! Meanings and defaults are those of mdtest 4.1; docs/reference/compatibility/mdtest.md lists differences.
//! Columns: option, kind, letter, long name, default, help.

use crate::classic::options;

options! {
    /// One option of `mdtest`.
    pub enum MdtestOption (SeededShuffle: "`-RSEED`, as in version 1.9: `-R` and its seed") {
        Create Flag 'C' _: "only create";
        Stat Flag 'T' _: "only stat";
        ReadFiles Flag 'E' _: "only read files";
        Remove Flag 'r' _: "only remove what this run or an earlier one left";
        Rename Flag 'U' _: "only rename directories";
        OnlyDirectories Flag 'D' _: "only work on directories";
        OnlyFiles Flag 'F' _: "only work on files";
        LustreLayout Flag 'g' _: "set the default layout of directories on Lustre; not supported";
        Help Flag 'h' "help": "print this help";
        Version Flag _ "version": "print the version (own option)";
        MakeNode Flag 'k' _: "create files by mknod, without opening them";
        LeafOnly Flag 'L' _: "create items only in the leaves of the tree";
        PrintBoth Flag 'P' _: "print rates and times";
        PrintAllRanks Flag _ "print-all-procs": "print each rank's own numbers";
        Shuffle Flag 'R' _: "stat and read in another order on each rank";
        SharedFile Flag 'S' _: "share one set of files among all ranks; no directories";
        Collective Flag 'c' _: "let rank 0 create and remove for all ranks";
        TimeUniqueDirectory Flag 't' _: "with -u, time the setup of a rank's own tree as creation";
        UniqueDirectory Flag 'u' _: "use a tree per rank";
        Verbose Flag 'v' _: "print more; repeat for still more";
        VerifyRead Flag 'X' "verify-read": "compare every byte read; needs -G if not written in this run";
        VerifyWrite Flag _ "verify-write":
            "after each write, read it back and compare, within the creation time";
        SyncFile Flag 'y' _: "sync each file after its write";
        CallSync Flag 'Y' _: "call sync at the end of each phase, within its time";
        PrintTimes Flag 'Z' _: "print times instead of rates";
        WarningsAsErrors Flag _ "warningAsErrors":
            "stop at the first warning, before the next change, with status 4";
        RankStatistics Flag _ "showRankStatistics": "print extremes and mean of single ranks";
        GpuDirect Flag _ "gpuDirect": "move data between storage and GPU; not supported";
        KeepGoing Flag _ "continue":
            "count failed operations and continue; exit with status 4 (own option)";
        DryRun Flag _ "dryRun": "print what would be done; touch nothing (own option)";
        Backend Text 'a' _ = "POSIX": "select the backend";
        Branching Number 'b' _ = "1": "set the branching factor of the tree";
        Directory Text 'd' _ = "./out": "set the test directory; with -u, `@` separates several";
        Barriers Number 'B' _: "accept a number, without effect: phases never overlap";
        ReadBytes Size 'e' _: "read this many bytes from each file";
        FirstRanks Number 'f' _ = "1": "with -l, set the smallest number of ranks";
        Signature Number 'G' _ = "-1": "set the signature of the data; -1: random";
        Iterations Number 'i' _ = "1": "repeat this many times";
        ItemsPerDirectory Number 'I' _: "create this many items per rank in each directory of the tree";
        LastRanks Number 'l' _: "set the largest number of ranks; 0: only all ranks";
        Items Number 'n' _: "create this many items per rank in the whole tree";
        Shift Number 'N' _: "shift items by this many ranks from phase to phase";
        PreDelay Number 'p' _: "wait this many seconds before directories and before files";
        RandomSeed Number _ "random-seed": "set the seed for -R; without -R, one order for all ranks";
        Stride Number 's' _ = "1": "set the step from one number of ranks to the next";
        Verbosity Number 'V' _: "print as much as this many -v";
        WriteBytes Size 'w' _: "write this many bytes to each file";
        Deadline Number 'W' _: "stop creating files after this many seconds";
        StatusFile Text 'x' _: "keep the number of items that -W let be created, for a later run";
        Depth Number 'z' _: "set the levels of the tree below its root";
        PacketType Text _ "dataPacketType" = "timestamp":
            "set the data: timestamp, offset, incompressible, random or stamped (first letter)";
        DataOf Text _ "data-of" = "TEXT":
            "make stamped data that depends on this text too (own option)";
        DataKey Text _ "data-key" = "FILE":
            "key stamped data by the secret in this file (own option)";
        Nonce Text _ "nonce" = "TEXT":
            "key stamped data by this text, which was chosen for this run (own option)";
        CommandBefore Text _ "run-cmd-before-phase": "run this command on each rank before each phase";
        CommandAfter Text _ "run-cmd-after-phase":
            "run this command on each rank after each phase, within its time";
        RankCsv Text _ "saveRankPerformanceDetails": "write a row per rank and iteration to this file";
        OperationCsv Text _ "savePerOpDataCSV":
            "write a row per operation to files whose names begin with this";
        GpuBuffers Number _ "allocateBufferOnGPU":
            "place buffers in GPU memory; only 0 is supported";
        GpuId Number _ "GPUid" = "-1": "select a GPU; only 0 and -1 are supported";
        Operations Text _ "operations" = "LIST":
            "run these further operations, separated by commas (own option)";
        Preload Number _ "preload":
            "put this many files into each directory before the items (own option)";
        Record Text _ "record": "write the records of this run to a new file (own option)";
        Progress Text _ "progress": "keep the present progress in a new small file (own option)";
        Edition Text _ "compat" = "4.1": "print the output text of mdtest 1.9, 3.3 or 4.1 (own option)";
    }
}
