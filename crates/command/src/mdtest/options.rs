//! The options of `mdtest`, one row each. Parser, help, facts and tests are made from them.
//!
//! Meanings and defaults are those of mdtest 4.1; docs/reference/compatibility/mdtest.md lists differences.
//! Columns: option, kind, letter, long name, default, help, effect.

use super::parsed::{Edition, Parsed};
use crate::Packet;
use crate::backends::backend;
use crate::classic::{OptionNote, OptionValue, options, without_gpu};

/// The note on `-B`.
const NO_BARRIERS: &str =
    "-B has no effect: phases begin and end together, because overlapping phases have no meaningful rates";

options! {
    /// One option of `mdtest`.
    pub enum MdtestOption (
        SeededShuffle: "`-RSEED`, as in version 1.9: `-R` and its seed"
            => seeded_shuffle(line, &value.text())?
    ) for line: Parsed, value {
        Create Flag 'C' _: "only create" => line.only.create = value.on();
        Stat Flag 'T' _: "only stat" => line.only.stat = value.on();
        ReadFiles Flag 'E' _: "only read files" => line.only.read = value.on();
        Remove Flag 'r' _: "only remove what this run or an earlier one left"
            => line.only.remove = value.on();
        Rename Flag 'U' _: "only rename directories" => line.only.rename = value.on();
        OnlyDirectories Flag 'D' _: "only work on directories" => line.only.directories = value.on();
        OnlyFiles Flag 'F' _: "only work on files" => line.only.files = value.on();
        LustreLayout Flag 'g' _: "set the default layout of directories on Lustre; not supported"
            => inherited_layout(value)?;
        Help Flag 'h' "help": "print this help" => line.help = value.on();
        Version Flag _ "version": "print the version (own option)" => line.version = value.on();
        MakeNode Flag 'k' _: "create files by mknod, without opening them"
            => line.request.make_node = value.on();
        LeafOnly Flag 'L' _: "create items only in the leaves of the tree"
            => line.request.leaf_only = value.on();
        PrintBoth Flag 'P' _: "print rates and times" => line.output.both = value.on();
        PrintAllRanks Flag _ "print-all-procs": "print each rank's own numbers"
            => line.output.all_ranks = value.on();
        Shuffle Flag 'R' _: "stat and read in another order on each rank"
            => line.request.shuffle = value.on();
        SharedFile Flag 'S' _: "share one set of files among all ranks; no directories"
            => line.request.shared_file = value.on();
        Collective Flag 'c' _: "let rank 0 create and remove for all ranks"
            => line.request.collective = value.on();
        TimeUniqueDirectory Flag 't' _: "with -u, time the setup of a rank's own tree as creation"
            => line.request.time_unique_dir = value.on();
        UniqueDirectory Flag 'u' _: "use a tree per rank" => line.request.unique_dir = value.on();
        Verbose Flag 'v' _: "print more; repeat for still more"
            => line.request.verbose =
                value.count(line.request.verbose.into()).try_into().unwrap_or(u32::MAX);
        VerifyRead Flag 'X' "verify-read": "compare every byte read; needs -G if not written in this run"
            => line.request.verify_read = value.on();
        VerifyWrite Flag _ "verify-write":
            "after each write, read it back and compare, within the creation time"
            => line.request.verify_write = value.on();
        SyncFile Flag 'y' _: "sync each file after its write" => line.request.sync_file = value.on();
        CallSync Flag 'Y' _: "call sync at the end of each phase, within its time"
            => line.request.call_sync = value.on();
        PrintTimes Flag 'Z' _: "print times instead of rates" => line.output.times = value.on();
        WarningsAsErrors Flag _ "warningAsErrors":
            "stop at the first warning, before the next change, with status 4"
            => line.request.warnings_fail = value.on();
        RankStatistics Flag _ "showRankStatistics": "print extremes and mean of single ranks"
            => line.output.rank_statistics = value.on();
        GpuDirect Flag _ "gpuDirect": "move data between storage and GPU; not supported"
            => without_gpu(matches!(value, OptionValue::Flag(Some(0))))?;
        KeepGoing Flag _ "continue":
            "count failed operations and continue; exit with status 4 (own option)"
            => line.request.keep_going = value.on();
        DryRun Flag _ "dryRun": "print what would be done; touch nothing (own option)"
            => line.dry_run = value.on();
        Backend Text 'a' _ = "POSIX": "select the backend"
            => {
                line.backend = Some(value.text());
                backend(&value.text()).map_err(|error| error.0)?;
            };
        Branching Number 'b' _ = "1": "set the branching factor of the tree"
            => line.request.branching = value.whole()?;
        Directory Text 'd' _ = "./out": "set the test directory; with -u, `@` separates several"
            => line.dirs = Some(value.text());
        Barriers Number 'B' _: "accept a number, without effect: phases never overlap"
            => line.taken.notes.extend(value.on().then(|| OptionNote::idle("-B", NO_BARRIERS)));
        ReadBytes Size 'e' _: "read this many bytes from each file"
            => line.request.read_bytes = value.whole()?;
        FirstRanks Number 'f' _ = "1": "with -l, set the smallest number of ranks"
            => line.request.first_ranks = value.whole()?;
        Signature Number 'G' _ = "-1": "set the signature of the data; -1: random"
            => line.request.signature = Some(value.whole::<i32>()?).filter(|number| *number != -1);
        Iterations Number 'i' _ = "1": "repeat this many times" => line.request.iterations = value.whole()?;
        ItemsPerDirectory Number 'I' _: "create this many items per rank in each directory of the tree"
            => line.request.items_per_dir = value.whole()?;
        LastRanks Number 'l' _: "set the largest number of ranks; 0: only all ranks"
            => line.request.last_ranks = value.whole()?;
        Items Number 'n' _: "create this many items per rank in the whole tree"
            => line.request.items = value.whole()?;
        Shift Number 'N' _: "shift items by this many ranks from phase to phase"
            => line.request.shift = value.whole()?;
        PreDelay Number 'p' _: "wait this many seconds before directories and before files"
            => line.request.pre_delay = value.whole()?;
        RandomSeed Number _ "random-seed": "set the seed for -R; without -R, one order for all ranks"
            => line.request.random_seed = value.whole()?;
        Stride Number 's' _ = "1": "set the step from one number of ranks to the next"
            => line.request.stride = value.whole()?;
        Verbosity Number 'V' _: "print as much as this many -v" => line.request.verbose = value.whole()?;
        WriteBytes Size 'w' _: "write this many bytes to each file"
            => line.request.write_bytes = value.whole()?;
        Deadline Number 'W' _: "stop creating files after this many seconds"
            => line.request.deadline = value.whole()?;
        StatusFile Text 'x' _: "keep the number of items that -W let be created, for a later run"
            => line.request.status_file = Some(value.text());
        Depth Number 'z' _: "set the levels of the tree below its root"
            => line.request.depth = value.whole()?;
        PacketType Text _ "dataPacketType" = "timestamp":
            "set the data: timestamp, offset, incompressible, random or stamped (first letter)"
            => line.request.packet = Packet::parse(&value.text())?;
        DataOf Text _ "data-of" = "TEXT":
            "make stamped data that depends on this text too (own option)"
            => line.request.data_of = Some(value.text());
        DataKey Text _ "data-key" = "FILE":
            "key stamped data by the secret in this file (own option)"
            => line.request.key.file = Some(value.text());
        Nonce Text _ "nonce" = "TEXT":
            "key stamped data by this text, which was chosen for this run (own option)"
            => line.request.key.nonce = Some(value.text());
        CommandBefore Text _ "run-cmd-before-phase": "run this command on each rank before each phase"
            => line.request.before_phase = Some(value.text());
        CommandAfter Text _ "run-cmd-after-phase":
            "run this command on each rank after each phase, within its time"
            => line.request.after_phase = Some(value.text());
        RankCsv Text _ "saveRankPerformanceDetails": "write a row per rank and iteration to this file"
            => line.output.rank_csv = Some(value.text());
        OperationCsv Text _ "savePerOpDataCSV":
            "write a row per operation to files whose names begin with this"
            => line.request.operation_csv = Some(value.text());
        GpuBuffers Number _ "allocateBufferOnGPU":
            "place buffers in GPU memory; only 0 is supported"
            => without_gpu(matches!(value, OptionValue::Number(0)))?;
        GpuId Number _ "GPUid" = "-1": "select a GPU; only 0 and -1 are supported"
            => without_gpu(matches!(value, OptionValue::Number(-1 | 0)))?;
        Operations Text _ "operations" = "LIST":
            "run these further operations, separated by commas (own option)"
            => line.request.extra = names(&value.text());
        Preload Number _ "preload":
            "put this many files into each directory before the items (own option)"
            => line.request.preload = value.whole()?;
        Record Text _ "record": "write the records of this run to a new file (own option)"
            => line.output.record = Some(value.text());
        Progress Text _ "progress": "keep the present progress in a new small file (own option)"
            => line.output.progress = Some(value.text());
        Edition Text _ "compat" = "4.1": "print the output text of mdtest 1.9, 3.3 or 4.1 (own option)"
            => line.edition = Some(Edition::parse(&value.text())?);
    }
}

fn inherited_layout(value: OptionValue<'_>) -> Result<(), String> {
    match value.on() {
        false => Ok(()),
        true => Err("directories inherit their layout. Set it with `lfs setdirstripe -D` on the test \
                     directory, and leave -g out."
            .into()),
    }
}

/// The names in a list with commas.
fn names(list: &str) -> Vec<String> {
    list.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// `-RSEED`, for which there are two options today.
fn seeded_shuffle(line: &mut Parsed, seed: &str) -> Result<(), String> {
    line.request.random_seed = seed.parse().map_err(|_| "the seed does not fit into 64 bits")?;
    line.request.shuffle = true;
    line.taken.notes.push(OptionNote::changed("-R", format!("-R{seed} is now -R --random-seed={seed}")));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::classic::{self, ClassicOption};
    use units::Usage;

    use super::super::request::Request;
    use super::*;

    fn parse(words: &str) -> Result<Parsed, Usage> {
        let tokens: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        classic::parse(&tokens)
    }

    #[test]
    fn a_flag_of_1_9_takes_no_argument_and_todays_value_works() {
        let typed = parse("-B -u -n 5").unwrap();
        assert!(typed.request.unique_dir && typed.request.items == 5);
        assert_eq!(typed.taken.notes, [OptionNote::idle("-B", NO_BARRIERS)]);
        assert!(parse("-Bu").unwrap().request.unique_dir, "also with other letters");
        for words in ["-B 1 -u", "-B1 -u", "-B=1 -u"] {
            let typed = parse(words).unwrap();
            assert_eq!((typed.request.unique_dir, typed.taken.notes.len()), (true, 1), "{words}");
        }
        assert!(parse("-B 0").unwrap().taken.notes.is_empty());
        assert!(parse("-n 5 -B").is_ok(), "at the end of a line");
    }

    #[test]
    fn a_seed_glued_to_its_letter_becomes_todays_option() {
        let typed = parse("-R42 -u").unwrap();
        assert_eq!((typed.request.shuffle, typed.request.random_seed), (true, 42));
        assert_eq!(typed.taken.notes[0].to_string(), "-R42 is now -R --random-seed=42");
        assert!(parse("-R7u").unwrap().request.unique_dir);
        assert!(parse("-R99999999999999999999999").is_err());
        assert!(parse("-R=0").unwrap().taken.notes.is_empty() && !parse("-R=0").unwrap().request.shuffle);
    }

    #[test]
    fn retired_letters_are_translated_or_rejected() {
        let typed = parse("-M").unwrap();
        assert!(
            typed.request.unique_dir && typed.taken.notes[0].to_string().contains("is now -u"),
            "{:?}",
            typed.taken.notes
        );
        assert!(parse("-A key").unwrap_err().0.contains("object stores"));
    }

    #[test]
    fn the_help_shows_the_defaults_of_the_workload() {
        let of = |option: MdtestOption| option.row().default.to_owned();
        let parameters = Request::default();
        assert_eq!(
            (of(MdtestOption::Backend), of(MdtestOption::Directory)),
            (parameters.backend, parameters.dirs.concat())
        );
        for (option, number) in [
            (MdtestOption::Branching, parameters.branching.to_string()),
            (MdtestOption::FirstRanks, parameters.first_ranks.to_string()),
            (MdtestOption::Iterations, parameters.iterations.to_string()),
            (MdtestOption::Stride, parameters.stride.to_string()),
        ] {
            assert_eq!(of(option), number, "{option:?}");
        }
        assert_eq!(Packet::parse(&of(MdtestOption::PacketType)), Ok(parameters.packet));
    }
}
