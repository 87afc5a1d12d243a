//! The options of `md-workbench`, one row each. Parser and help are made from them.
//!
//! Meanings and defaults are those of md-workbench 4.1; docs/reference/compatibility/md-workbench.md lists
//! differences. Columns: option, kind, letter, long name, default, help.

use crate::classic::options;

options! {
    /// One option of `md-workbench`.
    pub enum MdWorkbenchOption {
        Precreate Flag '1' "run-precreate": "create the data sets and their objects";
        Benchmark Flag '2' "run-benchmark": "stat, read, delete and create objects";
        Cleanup Flag '3' "run-cleanup": "remove the objects and the data sets; none of the three: all";
        Adaptive Flag 'T' "adaptive-waiting":
            "repeat each iteration with waiting times of 0, 0.0625, 0.125 ... 4";
        WearOut Flag 'W' "stonewall-wear-out":
            "after -w, let all ranks continue until they match the fastest";
        VerifyRead Flag 'X' "verify-read": "compare every byte read; needs -G without -1";
        ReadOnly Flag _ "read-only": "only stat and read in the benchmark";
        IgnoreErrors Flag _ "ignore-precreate-errors": "count data sets and objects that cannot be created";
        LatencyAll Flag _ "latency-all":
            "with -L, write the operations of all ranks to one file of each kind";
        RankReports Flag _ "process-reports": "print a line for each rank after each phase";
        Detailed Flag _ "print-detailed-stats": "print counts in columns for programs";
        Quiet Flag 'q' "quiet": "print only the phases";
        Verbose Flag 'v' "verbose": "accept more verbosity, without effect";
        Help Flag 'h' "help": "print this help";
        Version Flag _ "version": "print the version (own option)";
        Backend Text 'a' "api" = "POSIX": "select the backend";
        Directory Text 'o' _ = "./out": "set the directory of the data sets";
        Offset Number 'O' "offset" = "1": "set the ranks between those that write and read a data set";
        PerSet Number 'P' "precreate-per-set" = "3000": "create this many objects in each data set first";
        Objects Number 'I' "obj-per-proc" = "1000":
            "use this many objects of each data set in an iteration";
        Sets Number 'D' "data-sets" = "10": "use this many data sets per rank";
        Iterations Number 'R' "iterations" = "3": "repeat the benchmark this many times";
        ObjectSize Size 'S' "object-size" = "3901": "set the bytes of an object";
        Signature Number 'G' _ = "-1": "set the signature of the data; -1: random";
        Waiting Text 't' "waiting-time" = "0": "after an operation, wait this many times its duration";
        Deadline Number 'w' "stonewall-timer": "stop an iteration after this many seconds";
        PacketType Text _ "dataPacketType" = "timestamp":
            "set the data: timestamp, offset, incompressible or random (first letter)";
        StartItem Number _ "start-item": "begin with the object of this number";
        Latency Text 'L' "latency" = "PREFIX":
            "write a row per operation to files whose names begin with this";
        RunInfo Text _ "run-info-file" = "md-workbench.status":
            "keep the position in this file, for a run without -1";
        Record Text _ "record": "write the records of this run to a new file (own option)";
    }
}
