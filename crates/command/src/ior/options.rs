//! The options of `ior`, one row each. Parser, help, facts and tests are made from them.
//!
//! Meanings and defaults are those of IOR 4.1. docs/reference/compatibility/ior.md lists the differences.
//! Columns: option, kind, letter, long name, names as a directive, default, help, effect.

use super::output::{Edition, ResultFormat};
use super::parsed::Parsed;
use super::request::{Hog, RateLimit};
use crate::Packet;
use crate::backends::backend;
use crate::classic::{OptionNote, OptionValue, options, parse_number, without_gpu};

options! {
    /// One option of `ior`.
    pub enum IorOption for line: Parsed, value {
        Collective Flag 'c' "collective" ["collective"]: "use collective calls where the backend has them"
            => line.request.collective = value.on();
        ReorderConstant Flag 'C' _ ["reorderTasks", "reorderTasksConstant"]:
            "read what the rank -Q nodes away wrote"
            => line.constant = value.count(line.constant);
        Fsync Flag 'e' _ ["fsync"]: "fsync after the last write, within the write's time"
            => line.request.sync = value.on();
        UseExisting Flag 'E' _ ["useExistingTestFile"]:
            "write into existing files instead of deleting them first"
            => line.request.use_existing = value.on();
        RefuseExisting Flag _ "refuse-existing":
            "fail if a file to be written exists when the test begins (own option)"
            => line.request.refuse_existing = value.on();
        FilePerRank Flag 'F' _ ["filePerProc"]: "write a file per process"
            => line.request.file_per_rank = value.on();
        Barriers Flag 'g' _ ["intraTestBarriers"]: "set barriers between open, transfers and close"
            => line.request.barriers = value.on();
        Help Flag 'h' "help": "print this help" => line.help = value.on();
        Version Flag _ "version": "print the version (own option)" => line.version = value.on();
        Keep Flag 'k' _ ["keepFile"]: "keep the files at the end" => line.request.keep = value.on();
        KeepWithError Flag 'K' _ ["keepFileWithError"]: "keep the files if their data was wrong"
            => line.request.keep_with_error = value.on();
        MultiFile Flag 'm' _ ["multiFile"]: "write a separate file in each repetition"
            => line.request.multi_file = value.on();
        Read Flag 'r' _ ["readFile"]: "read" => line.request.read = value.on();
        ReadCheck Flag 'R' _ ["checkRead"]:
            "read and compare every word; needs -G if not written in this run"
            => line.request.read_check = value.on();
        UniqueDirectory Flag 'u' _ ["uniqueDir"]: "with -F, write into a directory per rank"
            => line.request.unique_dir = value.on();
        Verbose Flag 'v' _ ["verbose"]: "print more; repeat for still more"
            => line.request.verbose =
                value.count(line.request.verbose.into()).try_into().unwrap_or(u32::MAX);
        Write Flag 'w' _ ["writeFile"]: "write" => line.request.write = value.on();
        WriteCheck Flag 'W' _ ["checkWrite"]: "after writing, read back and compare every word"
            => line.request.write_check = value.on();
        SingleAttempt Flag 'x' _ ["singleXferAttempt"]:
            "fail on a short transfer instead of continuing it"
            => line.request.single_attempt = value.on();
        DualMount Flag 'y' _ ["dualMount"]:
            "with -F, use one file system per processor socket: -o, socket number, /data"
            => line.request.dual_mount = value.on();
        FsyncEach Flag 'Y' _ ["fsyncPerWrite"]: "fsync after every write, within its latency"
            => line.request.sync_each = value.on();
        RandomOffset Flag 'z' _ ["randomOffset"]:
            "do every transfer once in shuffled order; twice: random blocks that may repeat (reading only)"
            => line.random_offsets = value.count(line.random_offsets);
        ReorderRandom Flag 'Z' _ ["reorderTasksRandom"]:
            "read what a random rank wrote; twice: use a random permutation of the ranks"
            => line.random_ranks = value.count(line.random_ranks);
        DryRun Flag _ "dryRun": "print what would be done and how many bytes; open and move nothing"
            => line.request.dry_run = value.on();
        WarningsAsErrors Flag _ "warningAsErrors" ["warningAsErrors"]:
            "stop at the first warning, before the next change, with status 4"
            => line.request.warnings_fail = value.on();
        GpuDirect Flag _ "gpuDirect" ["GPUDirect"]:
            "move data between storage and GPU; not supported"
            => without_gpu(matches!(value, OptionValue::Flag(Some(0))))?;
        DropCaches Flag _ "drop-caches":
            "before each read, drop the files from this client's page cache (own option)"
            => line.request.drop_caches = value.on();
        Backend Text 'a' _ ["api"] = "POSIX": "backend"
            => {
                line.request.backend = value.text();
                backend(&value.text()).map_err(|error| error.0)?;
            };
        Reference Number 'A' _ ["refNum"]: "set a number of your choice for the summary"
            => line.request.reference = value.whole()?;
        BlockSize Size 'b' _ ["blockSize"] = "1048576": "set the bytes of one rank in one segment"
            => line.request.block = value.whole()?;
        Delay Text 'd' _ ["interTestDelay"] = "0": "wait this many seconds before each write and read phase"
            => line.request.delay = delay(&value.text(), &mut line.taken.notes)?;
        Deadline Number 'D' _ ["deadlineForStonewalling"]: "stop a phase after this many seconds"
            => line.request.deadline = value.whole()?;
        Script Text 'f' _: "run tests between `IOR START` and `IOR STOP`, each ended by `RUN`"
            => line.script = Some(value.text());
        Signature Number 'G' _ ["setTimeStampSignature"]: "set the signature of the data; 0: random"
            => line.request.signature = Some(value.whole::<i32>()?).filter(|number| *number != 0);
        Repetitions Number 'i' _ ["repetitions"] = "1": "repeat the test this many times"
            => line.request.repetitions = value.whole()?;
        OutlierThreshold Number 'j' _ ["outlierThreshold"]:
            "name ranks whose times differ from the mean by more seconds than this"
            => line.request.outlier_seconds = value.whole()?;
        PacketType Text 'l' "dataPacketType" ["dataPacketType"] = "timestamp":
            "set the data: timestamp, offset, incompressible, random or stamped (first letter)"
            => line.request.packet = Packet::parse(&value.text())?;
        MemoryPerNode Text 'M' _ ["memoryPerNode"]: "occupy this memory on each node: 2g or 75%"
            => {
                line.request.hog = Hog::parse(&value.text())?;
                with_unit(&value.text())?;
            };
        Ranks Number 'N' _ ["numTasks"] = "all": "use this many ranks; -1: all"
            => line.request.ranks = value.unless_minus_one()?;
        TestFile Text 'o' _ ["testFile"] = "testFile": "set the file; `@` separates several"
            => line.request.test_file = value.text();
        Directives Directives 'O' _: "set directives: name=value,name=value" => {};
        ReorderOffset Number 'Q' _ ["taskPerNodeOffset"] = "1":
            "set the nodes between writer and reader for -C, the least for -Z"
            => line.request.task_offset = value.whole()?;
        Segments Size 's' _ ["segmentCount"] = "1": "set the number of segments"
            => line.request.segments = value.whole()?;
        TransferSize Size 't' _ ["transferSize"] = "262144": "set the bytes of one transfer"
            => line.request.transfer = value.whole()?;
        MaxTime Number 'T' _ ["maxTimeDuration"]: "begin no more phases of a test after this many minutes"
            => line.request.minutes_max = value.whole()?;
        ReorderSeed Number 'X' _ ["reorderTasksRandomSeed"]:
            "set the seed for -Z; negative: another for each repetition"
            => line.request.reorder_seed = value.whole()?;
        WearOut Number _ _ ["stoneWallingWearOut"]:
            "after the deadline, let all ranks continue until they match the fastest"
            => line.request.wear_out = value.on();
        WearOutTransfers Size _ _ ["stoneWallingWearOutIterations"]:
            "stop each rank after this many transfers"
            => line.request.wear_out_transfers = value.whole()?;
        StatusFile Text _ _ ["stoneWallingStatusFile"]:
            "keep the number of transfers of a write in this file for a later read"
            => line.request.status_file = Some(value.text());
        Nodes Number _ _ ["numNodes"] = "-1": "set the number of nodes; -1: as found"
            => line.request.nodes = value.unless_minus_one()?;
        RanksOnNode0 Number _ _ ["numTasksOnNode0"] = "-1":
            "set the ranks on the first node; -1: as found"
            => line.request.ranks_on_node0 = value.unless_minus_one()?;
        MinTime Number _ _ ["minTimeDuration"]: "repeat the whole pattern for at least this many seconds"
            => line.request.seconds_min = value.whole()?;
        TransferPause Number _ _ ["interIODelay"]: "wait this many microseconds after each transfer"
            => line.request.pause_us = value.whole()?;
        MemoryPerRank Size _ _ ["memoryPerTask"]: "occupy this many bytes of memory for each rank"
            => line.request.hog = hog_per_rank(value)?;
        SummaryFile Text _ _ ["summaryFile"]: "write the results to this file"
            => line.output.file = Some(value.text());
        SummaryFormat Text _ _ ["summaryFormat"]: "set the format of the results: default, JSON or CSV"
            => line.output.format = ResultFormat::parse(&value.text())?;
        SummaryAlways Number _ _ ["summaryAlways"]: "print the summary table after each test"
            => line.output.summary_always = value.on();
        RankCsv Text _ _ ["saveRankPerformanceDetailsCSV"]: "write a row per rank and phase to this file"
            => {
                line.output.rank_csv = Some(value.text());
                line.request.rank_times = true;
            };
        TransferCsv Text _ _ ["savePerOpDataCSV"]:
            "write a row per transfer to files whose names begin with this"
            => line.request.transfer_csv = Some(value.text());
        GpuBuffers Number _ _ ["allocateBufferOnGPU"]:
            "place buffers in GPU memory; only 0 is supported"
            => without_gpu(matches!(value, OptionValue::Number(0)))?;
        GpuId Number _ _ ["GPUid"] = "-1": "select a GPU; only 0 and -1 are supported"
            => without_gpu(matches!(value, OptionValue::Number(-1 | 0)))?;
        Debug Text _ _ ["debug"]: "accept any text, without effect"
            => line.taken.notes.push(no_effect("debug", &value.text()));
        Platform Text _ _ ["platform"]: "accept any text, without effect"
            => line.taken.notes.push(no_effect("platform", &value.text()));
        RandomPrefill Size _ "randomPrefill": "with -z: fill the file first, in pieces of this many bytes"
            => line.request.prefill = value.whole()?;
        OffsetSeed Number _ "random-offset-seed" = "-1": "set the seed for -z"
            => line.request.offset_seed = value.whole::<i64>()?.try_into().ok();
        RandomOrder Text _ "random-order":
            "set the order of -z: assay (equal shares, no memory) or ior (its sequence) (own option)"
            => line.ior_order = is_ior_order(&value.text())?;
        Record Text _ "record": "write the records of this run to a new file (own option)"
            => line.output.record = Some(value.text());
        Live Text _ "live": "write progress to a new file, as JSON lines (own option)"
            => line.output.live = Some(value.text());
        Progress Text _ "progress": "keep the present progress in a new small file (own option)"
            => line.output.progress = Some(value.text());
        Edition Text _ "compat": "print the output text of IOR 3.3 or 4.1 (own option)"
            => line.output.edition = Some(Edition::parse(&value.text())?);
        QueueDepth Number _ "iodepth" = "N":
            "set a rank's queue depth: outstanding transfers, with AIO or URING (own option)"
            => line.request.depth = Some(value.whole()?);
        ReadWriteMix Number _ "rwmix" = "N":
            "run a phase of mixed reads and writes, with this percentage of reads (own option)"
            => line.request.mix = Some(value.whole()?);
        Rate Text _ "rate": "limit all ranks together: 200MB/s, 1GiB/s or 5000/s (own option)"
            => line.request.rate = Some(RateLimit::parse(&value.text())?);
        Ramp Number _ "ramp" = "N": "exclude this many seconds at the start of a phase (own option)"
            => line.request.ramp = value.whole()?;
        Generation Number _ "generation" = "N":
            "set the number of this writing of the data in its stamps (own option)"
            => line.request.generation = Some(value.whole()?);
        DataOf Text _ "data-of" = "TEXT":
            "make stamped data that depends on this text too (own option)"
            => line.request.data_of = Some(value.text());
        DataKey Text _ "data-key" = "FILE":
            "key stamped data by the secret in this file (own option)"
            => line.request.key.file = Some(value.text());
        Nonce Text _ "nonce" = "TEXT":
            "key stamped data by this text, which was chosen for this run (own option)"
            => line.request.key.nonce = Some(value.text());
    }
}

/// The whole seconds of `-d`. IOR drops what follows the dot.
fn delay(text: &str, notes: &mut Vec<OptionNote>) -> Result<u32, String> {
    let fraction = text.parse::<f64>().ok().filter(|_| text.contains('.') && !text.starts_with('-'));
    let Some(seconds) = fraction else { return OptionValue::Number(parse_number(text)?).whole() };
    let whole = OptionValue::Number(seconds as i64).whole()?;
    notes.push(OptionNote::changed("-d", format!("-d {text} waits {whole} s: only whole seconds count")));
    Ok(whole)
}

/// Rejects memory that may be percent or bytes.
fn with_unit(text: &str) -> Result<(), String> {
    match parse_number(text) {
        Ok(small @ 1..=100) if text.ends_with(|last: char| last.is_ascii_digit()) => {
            Err(format!("`{text}` may be percent or bytes. Write {small}% or {small}m."))
        }
        _ => Ok(()),
    }
}

fn hog_per_rank(value: OptionValue<'_>) -> Result<Hog, String> {
    Ok(match value.whole()? {
        0 => Hog::Nothing,
        bytes => Hog::PerRank(bytes),
    })
}

fn no_effect(name: &str, value: &str) -> OptionNote {
    OptionNote::idle(name, format!("{name}={value} is accepted and has no effect"))
}

fn is_ior_order(name: &str) -> Result<bool, String> {
    match name {
        "ior" => Ok(true),
        "assay" => Ok(false),
        other => Err(format!("`{other}` is neither `assay` nor `ior`")),
    }
}

#[cfg(test)]
mod tests {
    use crate::classic::ClassicOption;

    use super::super::request::Request;
    use super::*;

    #[test]
    fn the_help_shows_the_defaults_of_the_workload() {
        let default_of = |option: IorOption| option.row().default.to_owned();
        let parameters = Request::default();
        assert_eq!(default_of(IorOption::Backend), parameters.backend);
        assert_eq!(default_of(IorOption::BlockSize), parameters.block.to_string());
        assert_eq!(default_of(IorOption::TransferSize), parameters.transfer.to_string());
        assert_eq!(default_of(IorOption::TestFile), parameters.test_file);
        assert_eq!(default_of(IorOption::Segments), parameters.segments.to_string());
        assert_eq!(default_of(IorOption::Repetitions), parameters.repetitions.to_string());
        assert_eq!(default_of(IorOption::ReorderOffset), parameters.task_offset.to_string());
        assert_eq!(Packet::parse(&default_of(IorOption::PacketType)), Ok(parameters.packet));
    }
}
