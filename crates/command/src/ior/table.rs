//! The options of `ior`, one row each. Parser, help, facts and tests are made from them.
//!
//! Meanings and defaults are those of IOR 4.1. docs/reference/compatibility/ior.md lists the differences.
//! Columns: option, kind, letter, long name, names as a directive, default, help.

use crate::classic::options;

options! {
    /// One option of `ior`.
    pub enum IorOption {
        Collective Flag 'c' "collective" ["collective"]: "use collective calls where the backend has them";
        ReorderConstant Flag 'C' _ ["reorderTasks", "reorderTasksConstant"]:
            "read what the rank -Q nodes away wrote";
        Fsync Flag 'e' _ ["fsync"]: "fsync after the last write, within the write's time";
        UseExisting Flag 'E' _ ["useExistingTestFile"]:
            "write into existing files instead of deleting them first";
        FilePerRank Flag 'F' _ ["filePerProc"]: "write a file per process";
        Barriers Flag 'g' _ ["intraTestBarriers"]: "set barriers between open, transfers and close";
        Help Flag 'h' "help": "print this help";
        Version Flag _ "version": "print the version (own option)";
        Keep Flag 'k' _ ["keepFile"]: "keep the files at the end";
        KeepWithError Flag 'K' _ ["keepFileWithError"]: "keep the files if their data was wrong";
        MultiFile Flag 'm' _ ["multiFile"]: "write a separate file in each repetition";
        Read Flag 'r' _ ["readFile"]: "read";
        ReadCheck Flag 'R' _ ["checkRead"]:
            "read and compare every word; needs -G if not written in this run";
        UniqueDirectory Flag 'u' _ ["uniqueDir"]: "with -F, write into a directory per rank";
        Verbose Flag 'v' _ ["verbose"]: "print more; repeat for still more";
        Write Flag 'w' _ ["writeFile"]: "write";
        WriteCheck Flag 'W' _ ["checkWrite"]: "after writing, read back and compare every word";
        SingleAttempt Flag 'x' _ ["singleXferAttempt"]:
            "fail on a short transfer instead of continuing it";
        DualMount Flag 'y' _ ["dualMount"]:
            "with -F, use one file system per processor socket: -o, socket number, /data";
        FsyncEach Flag 'Y' _ ["fsyncPerWrite"]: "fsync after every write, within its latency";
        RandomOffset Flag 'z' _ ["randomOffset"]:
            "do every transfer once in shuffled order; twice: random blocks that may repeat (reading only)";
        ReorderRandom Flag 'Z' _ ["reorderTasksRandom"]:
            "read what a random rank wrote; twice: use a random permutation of the ranks";
        DryRun Flag _ "dryRun": "print what would be done and how many bytes; open and move nothing";
        WarningsAsErrors Flag _ "warningAsErrors" ["warningAsErrors"]:
            "stop at the first warning, before the next change, with status 4";
        GpuDirect Flag _ "gpuDirect" ["GPUDirect"]:
            "move data between storage and GPU; not supported";
        DropCaches Flag _ "drop-caches":
            "before each read, drop the files from this client's page cache (own option)";
        Backend Text 'a' _ ["api"] = "POSIX": "backend";
        Reference Number 'A' _ ["refNum"]: "set a number of your choice for the summary";
        BlockSize Size 'b' _ ["blockSize"] = "1048576": "set the bytes of one rank in one segment";
        Delay Text 'd' _ ["interTestDelay"] = "0": "wait this many seconds before each write and read phase";
        Deadline Number 'D' _ ["deadlineForStonewalling"]: "stop a phase after this many seconds";
        Script Text 'f' _: "run tests between `IOR START` and `IOR STOP`, each ended by `RUN`";
        Signature Number 'G' _ ["setTimeStampSignature"]: "set the signature of the data; 0: random";
        Repetitions Number 'i' _ ["repetitions"] = "1": "repeat the test this many times";
        OutlierThreshold Number 'j' _ ["outlierThreshold"]:
            "name ranks whose times differ from the mean by more seconds than this";
        PacketType Text 'l' "dataPacketType" ["dataPacketType"] = "timestamp":
            "set the data: timestamp, offset, incompressible, random or stamped (first letter)";
        MemoryPerNode Text 'M' _ ["memoryPerNode"]: "occupy this memory on each node: 2g or 75%";
        Ranks Number 'N' _ ["numTasks"] = "all": "use this many ranks; -1: all";
        TestFile Text 'o' _ ["testFile"] = "testFile": "set the file; `@` separates several";
        Directives Directives 'O' _: "set directives: name=value,name=value";
        ReorderOffset Number 'Q' _ ["taskPerNodeOffset"] = "1":
            "set the nodes between writer and reader for -C, the least for -Z";
        Segments Size 's' _ ["segmentCount"] = "1": "set the number of segments";
        TransferSize Size 't' _ ["transferSize"] = "262144": "set the bytes of one transfer";
        MaxTime Number 'T' _ ["maxTimeDuration"]: "begin no more phases of a test after this many minutes";
        ReorderSeed Number 'X' _ ["reorderTasksRandomSeed"]:
            "set the seed for -Z; negative: another for each repetition";
        WearOut Number _ _ ["stoneWallingWearOut"]:
            "after the deadline, let all ranks continue until they match the fastest";
        WearOutTransfers Size _ _ ["stoneWallingWearOutIterations"]:
            "stop each rank after this many transfers";
        StatusFile Text _ _ ["stoneWallingStatusFile"]:
            "keep the number of transfers of a write in this file for a later read";
        Nodes Number _ _ ["numNodes"] = "-1": "set the number of nodes; -1: as found";
        RanksOnNode0 Number _ _ ["numTasksOnNode0"] = "-1":
            "set the ranks on the first node; -1: as found";
        MinTime Number _ _ ["minTimeDuration"]: "repeat the whole pattern for at least this many seconds";
        TransferPause Number _ _ ["interIODelay"]: "wait this many microseconds after each transfer";
        MemoryPerRank Size _ _ ["memoryPerTask"]: "occupy this many bytes of memory for each rank";
        SummaryFile Text _ _ ["summaryFile"]: "write the results to this file";
        SummaryFormat Text _ _ ["summaryFormat"]: "set the format of the results: default, JSON or CSV";
        SummaryAlways Number _ _ ["summaryAlways"]: "print the summary table after each test";
        RankCsv Text _ _ ["saveRankPerformanceDetailsCSV"]: "write a row per rank and phase to this file";
        TransferCsv Text _ _ ["savePerOpDataCSV"]:
            "write a row per transfer to files whose names begin with this";
        GpuBuffers Number _ _ ["allocateBufferOnGPU"]:
            "place buffers in GPU memory; only 0 is supported";
        GpuId Number _ _ ["GPUid"] = "-1": "select a GPU; only 0 and -1 are supported";
        Debug Text _ _ ["debug"]: "accept any text, without effect";
        Platform Text _ _ ["platform"]: "accept any text, without effect";
        RandomPrefill Size _ "randomPrefill": "with -z: fill the file first, in pieces of this many bytes";
        OffsetSeed Number _ "random-offset-seed" = "-1": "set the seed for -z";
        RandomOrder Text _ "random-order":
            "set the order of -z: assay (equal shares, no memory) or ior (its sequence) (own option)";
        Record Text _ "record": "write the records of this run to a new file (own option)";
        Live Text _ "live": "write progress to a new file, as JSON lines (own option)";
        Progress Text _ "progress": "keep the present progress in a new small file (own option)";
        Edition Text _ "compat": "print the output text of IOR 3.3 or 4.1 (own option)";
        QueueDepth Number _ "iodepth" = "N":
            "set a rank's queue depth: outstanding transfers, with AIO or URING (own option)";
        ReadWriteMix Number _ "rwmix" = "N":
            "run a phase of mixed reads and writes, with this percentage of reads (own option)";
        Rate Text _ "rate": "limit all ranks together: 200MB/s, 1GiB/s or 5000/s (own option)";
        Ramp Number _ "ramp" = "N": "exclude this many seconds at the start of a phase (own option)";
        Generation Number _ "generation" = "N":
            "set the number of this writing of the data in its stamps (own option)";
        DataOf Text _ "data-of" = "TEXT":
            "make stamped data that depends on this text too (own option)";
        DataKey Text _ "data-key" = "FILE":
            "key stamped data by the secret in this file (own option)";
        Nonce Text _ "nonce" = "TEXT":
            "key stamped data by this text, which was chosen for this run (own option)";
    }
}
