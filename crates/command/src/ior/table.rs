//! The options of `ior`, one row each: parser, help, facts and tests are made of them.
//!
//! Meanings and defaults are IOR 4.1's; docs/COMPATIBILITY.md lists where they differ.
//! Columns: option, kind, letter, word, names as a directive, default, help.

use crate::classic::options;

options! {
    /// One option of `ior`.
    pub enum IorOption {
        Collective Flag 'c' "collective" ["collective"]: "collective calls, where the backend has them";
        ReorderConstant Flag 'C' _ ["reorderTasks", "reorderTasksConstant"]:
            "read what the rank -Q nodes away wrote";
        Fsync Flag 'e' _ ["fsync"]: "fsync after the last write, within the write's time";
        UseExisting Flag 'E' _ ["useExistingTestFile"]:
            "write into existing files instead of deleting them first";
        FilePerRank Flag 'F' _ ["filePerProc"]: "a file for each rank";
        Barriers Flag 'g' _ ["intraTestBarriers"]: "barriers between open, transfers and close";
        Help Flag 'h' "help": "this help";
        Keep Flag 'k' _ ["keepFile"]: "keep the files at the end";
        KeepWithError Flag 'K' _ ["keepFileWithError"]: "keep the files if their data was wrong";
        MultiFile Flag 'm' _ ["multiFile"]: "a file of its own for each repetition";
        Read Flag 'r' _ ["readFile"]: "read";
        ReadCheck Flag 'R' _ ["checkRead"]:
            "read and compare every word; needs -G if not written in this run";
        UniqueDirectory Flag 'u' _ ["uniqueDir"]: "with -F, a directory for each rank";
        Verbose Flag 'v' _ ["verbose"]: "say more; repeat for still more";
        Write Flag 'w' _ ["writeFile"]: "write";
        WriteCheck Flag 'W' _ ["checkWrite"]: "after writing, read back and compare every word";
        SingleAttempt Flag 'x' _ ["singleXferAttempt"]:
            "fail on a short transfer instead of taking it up again";
        DualMount Flag 'y' _ ["dualMount"]:
            "with -F, a file system for each processor socket: -o, the socket's number and /data";
        FsyncEach Flag 'Y' _ ["fsyncPerWrite"]: "fsync after every write, within its latency";
        RandomOffset Flag 'z' _ ["randomOffset"]:
            "every transfer once in shuffled order; twice: random blocks that may repeat (reading only)";
        ReorderRandom Flag 'Z' _ ["reorderTasksRandom"]:
            "read what a random rank wrote; twice: a random permutation of the ranks";
        DryRun Flag _ "dryRun": "tell what would be done, and how many bytes; nothing is opened or moved";
        WarningsAsErrors Flag _ "warningAsErrors" ["warningAsErrors"]:
            "exit status 4 after any warning; the run goes on to its end";
        GpuDirect Flag _ "gpuDirect" ["GPUDirect"]:
            "between storage and a graphics processor; not in this program";
        DropCaches Flag _ "drop-caches":
            "before each read, drop the files from this client's page cache (own option)";
        Backend Text 'a' _ ["api"] = "POSIX": "backend";
        Reference Number 'A' _ ["refNum"]: "a number of yours for the summary";
        BlockSize Size 'b' _ ["blockSize"] = "1048576": "bytes of one rank in one segment";
        Delay Number 'd' _ ["interTestDelay"]: "seconds to wait before each write and read phase";
        Deadline Number 'D' _ ["deadlineForStonewalling"]: "seconds after which a phase stops";
        Script Text 'f' _: "script: tests between `IOR START` and `IOR STOP`, each ended by `RUN`";
        Signature Number 'G' _ ["setTimeStampSignature"]: "signature of the data; 0: the time";
        Repetitions Number 'i' _ ["repetitions"] = "1": "repetitions";
        OutlierThreshold Number 'j' _ ["outlierThreshold"]:
            "name ranks whose times differ from the mean by more than so many seconds";
        PacketType Text 'l' "dataPacketType" ["dataPacketType"] = "timestamp":
            "data: timestamp, offset, incompressible, random or stamped (first letter; the last is our own)";
        MemoryPerNode Text 'M' _ ["memoryPerNode"]: "memory to take away on each node: 2g or 75%";
        Ranks Number 'N' _ ["numTasks"] = "all": "ranks that take part; -1: all";
        TestFile Text 'o' _ ["testFile"] = "testFile": "file; `@` separates several";
        Directives Directives 'O' _: "directives: name=value,name=value";
        ReorderOffset Number 'Q' _ ["taskPerNodeOffset"] = "1":
            "nodes between writer and reader for -C, at least for -Z";
        Segments Size 's' _ ["segmentCount"] = "1": "segments";
        TransferSize Size 't' _ ["transferSize"] = "262144": "bytes of one transfer";
        MaxTime Number 'T' _ ["maxTimeDuration"]: "minutes after which a test begins no more phases";
        ReorderSeed Number 'X' _ ["reorderTasksRandomSeed"]:
            "seed for -Z; negative: another for each repetition";
        WearOut Number _ _ ["stoneWallingWearOut"]:
            "after the deadline, all ranks go on until they have done as much as the fastest";
        WearOutTransfers Size _ _ ["stoneWallingWearOutIterations"]: "stop each rank after so many transfers";
        StatusFile Text _ _ ["stoneWallingStatusFile"]:
            "keeps the number of transfers of a write for a later read";
        Nodes Number _ _ ["numNodes"] = "-1": "number of nodes, instead of what was found";
        RanksOnNode0 Number _ _ ["numTasksOnNode0"] = "-1":
            "ranks on the first node, instead of what was found";
        MinTime Number _ _ ["minTimeDuration"]: "repeat the whole pattern until so many seconds have passed";
        TransferPause Number _ _ ["interIODelay"]: "microseconds to wait after each transfer";
        MemoryPerRank Size _ _ ["memoryPerTask"]: "memory to take away for each rank";
        SummaryFile Text _ _ ["summaryFile"]: "file for the results";
        SummaryFormat Text _ _ ["summaryFormat"]: "default, JSON or CSV";
        SummaryAlways Number _ _ ["summaryAlways"]: "the summary table after each test";
        RankCsv Text _ _ ["saveRankPerformanceDetailsCSV"]: "file for a row of each rank and phase";
        TransferCsv Text _ _ ["savePerOpDataCSV"]:
            "beginning of the names of files with a row for each transfer";
        GpuBuffers Number _ _ ["allocateBufferOnGPU"]:
            "buffers in a graphics processor; only 0, not in this program";
        GpuId Number _ _ ["GPUid"] = "-1": "which graphics processor; only 0 or -1, not in this program";
        Debug Text _ _ ["debug"]: "taken, without effect";
        Platform Text _ _ ["platform"]: "taken, without effect";
        RandomPrefill Size _ "randomPrefill": "with -z: fill the file first, in pieces of so many bytes";
        OffsetSeed Number _ "random-offset-seed" = "-1": "seed for -z";
        RandomOrder Text _ "random-order":
            "order of -z: assay (equal shares, no memory) or ior (its own sequence) (own option)";
        Record Text _ "record": "write the records of this run to a new file (own option)";
        Live Text _ "live": "write what is going on to a new file, as JSON lines (own option)";
        Edition Text _ "compat": "text of IOR 3.3 or 4.1 (own option)";
        QueueDepth Number _ "iodepth" = "N":
            "transfers of a rank under way at once, with AIO or URING (own option)";
        ReadWriteMix Number _ "rwmix" = "N":
            "a phase of reads and writes mixed, so many percent reads (own option)";
        Rate Text _ "rate": "limit for all ranks together: 200MB/s, 1GiB/s or 5000/s (own option)";
        Ramp Number _ "ramp" = "N": "seconds at the start of a phase that do not count (own option)";
        Generation Number _ "generation" = "N":
            "number of this writing of the data, in its stamps (own option)";
    }
}
