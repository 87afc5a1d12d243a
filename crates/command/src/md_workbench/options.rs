//! The options of `md-workbench`, one row each. Parser and help are made from them.
//!
//! Meanings and defaults are those of md-workbench 4.1; docs/reference/compatibility/md-workbench.md lists
//! differences. Columns: option, kind, letter, long name, default, help, effect.

use super::parsed::Parsed;
use crate::Packet;
use crate::backends::backend;
use crate::classic::{OptionNote, OptionValue, options};

/// The note on `-v`.
const NOT_VERBOSE: &str = "-v has no effect: the lines of single operations are not printed";

options! {
    /// One option of `md-workbench`.
    pub enum MdWorkbenchOption for line: Parsed, value {
        Precreate Flag '1' "run-precreate": "create the data sets and their objects"
            => line.phases[0] = value.on();
        Benchmark Flag '2' "run-benchmark": "stat, read, delete and create objects"
            => line.phases[1] = value.on();
        Cleanup Flag '3' "run-cleanup": "remove the objects and the data sets; none of the three: all"
            => line.phases[2] = value.on();
        Adaptive Flag 'T' "adaptive-waiting":
            "repeat each iteration with waiting times of 0, 0.0625, 0.125 ... 4"
            => line.request.adaptive = value.on();
        WearOut Flag 'W' "stonewall-wear-out":
            "after -w, let all ranks continue until they match the fastest"
            => line.request.wear_out = value.on();
        VerifyRead Flag 'X' "verify-read": "compare every byte read; needs -G without -1"
            => line.request.verify = value.on();
        ReadOnly Flag _ "read-only": "only stat and read in the benchmark"
            => line.request.read_only = value.on();
        IgnoreErrors Flag _ "ignore-precreate-errors": "count data sets and objects that cannot be created"
            => line.request.ignore_errors = value.on();
        LatencyAll Flag _ "latency-all":
            "with -L, write the operations of all ranks to one file of each kind"
            => line.request.latency_all = value.on();
        RankReports Flag _ "process-reports": "print a line for each rank after each phase"
            => line.output.rank_reports = value.on();
        Detailed Flag _ "print-detailed-stats": "print counts in columns for programs"
            => line.output.detailed = value.on();
        Quiet Flag 'q' "quiet": "print only the phases" => line.output.quiet = value.on();
        Verbose Flag 'v' "verbose": "accept more verbosity, without effect"
            => line.taken.notes.extend(value.on().then(|| OptionNote::idle("-v", NOT_VERBOSE)));
        Help Flag 'h' "help": "print this help" => line.help = value.on();
        Version Flag _ "version": "print the version (own option)" => line.version = value.on();
        Backend Text 'a' "api" = "POSIX": "select the backend"
            => {
                line.request.backend = value.text();
                backend(&value.text()).map_err(|error| error.0)?;
            };
        Directory Text 'o' _ = "./out": "set the directory of the data sets"
            => line.request.dir = value.text();
        Offset Number 'O' "offset" = "1": "set the ranks between those that write and read a data set"
            => line.request.offset = value.whole()?;
        PerSet Number 'P' "precreate-per-set" = "3000": "create this many objects in each data set first"
            => line.request.per_set = value.whole()?;
        Objects Number 'I' "obj-per-proc" = "1000":
            "use this many objects of each data set in an iteration"
            => line.request.objects = value.whole()?;
        Sets Number 'D' "data-sets" = "10": "use this many data sets per rank"
            => line.request.sets = value.whole()?;
        Iterations Number 'R' "iterations" = "3": "repeat the benchmark this many times"
            => line.request.iterations = value.whole()?;
        ObjectSize Size 'S' "object-size" = "3901": "set the bytes of an object"
            => line.request.object_bytes = value.whole()?;
        Signature Number 'G' _ = "-1": "set the signature of the data; -1: random"
            => line.request.signature = Some(value.whole::<i32>()?).filter(|number| *number != -1);
        Waiting Text 't' "waiting-time" = "0": "after an operation, wait this many times its duration"
            => line.request.waiting = factor(&value.text())?;
        Deadline Number 'w' "stonewall-timer": "stop an iteration after this many seconds"
            => line.request.deadline = value.whole()?;
        PacketType Text _ "dataPacketType" = "timestamp":
            "set the data: timestamp, offset, incompressible or random (first letter)"
            => line.request.packet = Packet::parse(&value.text())?;
        StartItem Number _ "start-item": "begin with the object of this number"
            => line.request.start_item = value.whole()?;
        Latency Text 'L' "latency" = "PREFIX":
            "write a row per operation to files whose names begin with this"
            => line.request.latency = Some(value.text());
        RunInfo Text _ "run-info-file" = "md-workbench.status":
            "keep the position in this file, for a run without -1"
            => line.request.run_info = value.text();
        Record Text _ "record": "write the records of this run to a new file (own option)"
            => line.record = Some(value.text());
    }
}

fn factor(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number, such as 0.5"))
}

#[cfg(test)]
mod tests {
    use units::Usage;

    use crate::classic::{self, ClassicLine, ClassicOption};

    use super::super::request::Request;
    use super::*;

    fn meant(words: &str) -> Result<(Request, Vec<OptionNote>), Usage> {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        classic::parse::<Parsed>(&tokens)?.finished().map(|run| (run.request, run.taken.notes))
    }

    #[test]
    fn without_a_phase_all_are_done_and_each_letter_selects_one() {
        let phases = |words: &str| {
            let parameters = meant(words).unwrap().0;
            [parameters.precreate, parameters.benchmark, parameters.cleanup]
        };
        assert_eq!(phases("-P 5"), [true; 3]);
        assert_eq!(phases("-1"), [true, false, false]);
        assert_eq!(phases("-23 -D=2"), [false, true, true]);
    }

    #[test]
    fn values_are_taken_in_every_spelling() {
        let (parameters, notes) =
            meant("-O=2 -D4 --data-sets=7 -t=0.001 -L=lat -S 1k --start-item 3").unwrap();
        assert_eq!((parameters.offset, parameters.sets, parameters.waiting), (2, 7, 0.001));
        assert_eq!((parameters.object_bytes, parameters.start_item), (1024, 3));
        assert_eq!((parameters.latency.as_deref(), notes.len()), (Some("lat"), 0));
        assert!(meant("-t much").unwrap_err().0.contains("`much` is not a number"));
        assert!(meant("-P -1").unwrap_err().0.contains("negative"));
        for words in ["-W", "-v", "--latency-all", "-T -t 1"] {
            assert_eq!(meant(words).unwrap().1.len(), 1, "{words}");
        }
    }

    #[test]
    fn the_help_shows_the_defaults_of_the_workload() {
        let default_of = |option: MdWorkbenchOption| option.row().default.to_owned();
        let parameters = Request::default();
        for (option, default) in [
            (MdWorkbenchOption::Backend, parameters.backend),
            (MdWorkbenchOption::Directory, parameters.dir),
            (MdWorkbenchOption::Offset, parameters.offset.to_string()),
            (MdWorkbenchOption::PerSet, parameters.per_set.to_string()),
            (MdWorkbenchOption::Objects, parameters.objects.to_string()),
            (MdWorkbenchOption::Sets, parameters.sets.to_string()),
            (MdWorkbenchOption::Iterations, parameters.iterations.to_string()),
            (MdWorkbenchOption::ObjectSize, parameters.object_bytes.to_string()),
            (MdWorkbenchOption::Waiting, parameters.waiting.to_string()),
            (MdWorkbenchOption::RunInfo, parameters.run_info),
        ] {
            assert_eq!(default_of(option), default, "{option:?}");
        }
    }
}
