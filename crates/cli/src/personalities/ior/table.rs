//! The options and directives of `ior`, one row each; the parser, the help and the tests walk it.
//!
//! Meanings and defaults are IOR 4.1's; docs/COMPATIBILITY.md lists where they differ.

// tidy: long because a table of options is read as one.

use workloads::ior::{Hog, IorParameters};

use super::numbers;
use super::output::{IorEdition, ResultFormat};
use super::{directives, typed::TypedIor};
use crate::personalities::classic::{self, OptionKind, OptionNote, OptionValue};

/// One option of `ior`.
pub(crate) type IorRow = classic::OptionRow<TypedIor>;

/// A row: letter, word, directives, kind, help, then how it changes `Typed`.
macro_rules! row {
    ($short:expr, $long:expr, $directives:expr, $kind:ident, $about:literal, $set:expr) => {
        IorRow {
            short: $short,
            long: $long,
            directives: &$directives,
            kind: OptionKind::$kind,
            about: $about,
            set: $set,
        }
    };
}

/// A flag of the workload's parameters.
macro_rules! flag {
    ($short:literal, $long:expr, $directives:expr, $field:ident, $about:literal) => {
        row!(Some($short), $long, $directives, Flag, $about, |typed, value| {
            typed.parameters.$field = value.on();
            Ok(())
        })
    };
}

/// A number of the workload's parameters.
macro_rules! number {
    ($short:expr, $directives:expr, $kind:ident, $field:ident, $about:literal) => {
        row!($short, None, $directives, $kind, $about, |typed, value| {
            typed.parameters.$field = value.whole()?;
            Ok(())
        })
    };
}

/// A number of the workload's parameters that is not set by default; an own option.
macro_rules! own_number {
    ($long:literal, $field:ident, $about:literal) => {
        row!(None, Some($long), [], Number, $about, |typed, value| {
            typed.parameters.$field = Some(value.whole()?);
            Ok(())
        })
    };
}

/// What concerns graphics processors: taken where it asks for none.
macro_rules! gpu {
    ($long:expr, $directives:expr, $kind:ident, $none:pat, $about:literal) => {
        row!(None, $long, $directives, $kind, $about, |_, value| match value {
            $none => Ok(()),
            _ => Err("there is no CUDA in this program; leave it out, the data stays in main memory".into()),
        })
    };
}

/// Every option that takes no value.
pub(crate) const FLAGS: &[IorRow] = &[
    flag!(
        'c',
        Some("collective"),
        ["collective"],
        collective,
        "collective calls, where the backend has them"
    ),
    row!(
        Some('C'),
        None,
        ["reorderTasks", "reorderTasksConstant"],
        Flag,
        "read what the rank -Q nodes away wrote",
        |typed, value| {
            typed.constant = value.count(typed.constant);
            Ok(())
        }
    ),
    flag!('e', None, ["fsync"], sync, "fsync after the last write, within the write's time"),
    flag!(
        'E',
        None,
        ["useExistingTestFile"],
        use_existing,
        "write into existing files instead of deleting them first"
    ),
    flag!('F', None, ["filePerProc"], file_per_rank, "a file for each rank"),
    flag!('g', None, ["intraTestBarriers"], barriers, "barriers between open, transfers and close"),
    row!(Some('h'), Some("help"), [], Flag, "this help", |typed, value| {
        typed.help = value.on();
        Ok(())
    }),
    flag!('k', None, ["keepFile"], keep, "keep the files at the end"),
    flag!('K', None, ["keepFileWithError"], keep_with_error, "keep the files if their data was wrong"),
    flag!('m', None, ["multiFile"], multi_file, "a file of its own for each repetition"),
    flag!('r', None, ["readFile"], read, "read"),
    flag!(
        'R',
        None,
        ["checkRead"],
        read_check,
        "read and compare every word; needs -G if not written in this run"
    ),
    flag!('u', None, ["uniqueDir"], unique_dir, "with -F, a directory for each rank"),
    row!(Some('v'), None, ["verbose"], Flag, "say more; repeat for still more", |typed, value| {
        let count = value.count(typed.parameters.verbose.into());
        typed.parameters.verbose = count.try_into().unwrap_or(u32::MAX);
        Ok(())
    }),
    flag!('w', None, ["writeFile"], write, "write"),
    flag!('W', None, ["checkWrite"], write_check, "after writing, read back and compare every word"),
    flag!(
        'x',
        None,
        ["singleXferAttempt"],
        single_attempt,
        "fail on a short transfer instead of taking it up again"
    ),
    flag!(
        'y',
        None,
        ["dualMount"],
        dual_mount,
        "with -F, a file system for each processor socket: -o, the socket's number and /data"
    ),
    flag!('Y', None, ["fsyncPerWrite"], sync_each, "fsync after every write, within its latency"),
    row!(
        Some('z'),
        None,
        ["randomOffset"],
        Flag,
        "every transfer once in shuffled order; twice: random blocks that may repeat (reading only)",
        |typed, value| {
            typed.random_offsets = value.count(typed.random_offsets);
            Ok(())
        }
    ),
    row!(
        Some('Z'),
        None,
        ["reorderTasksRandom"],
        Flag,
        "read what a random rank wrote; twice: a random permutation of the ranks",
        |typed, value| {
            typed.random_ranks = value.count(typed.random_ranks);
            Ok(())
        }
    ),
    row!(
        None,
        Some("dryRun"),
        [],
        Flag,
        "tell what would be done, and how many bytes; nothing is opened or moved",
        |typed, value| {
            typed.parameters.dry_run = value.on();
            Ok(())
        }
    ),
    row!(
        None,
        Some("warningAsErrors"),
        ["warningAsErrors"],
        Flag,
        "exit status 1 after any warning; the run goes on to its end",
        |typed, value| {
            typed.parameters.warnings_fail = value.on();
            Ok(())
        }
    ),
    gpu!(
        Some("gpuDirect"),
        ["GPUDirect"],
        Flag,
        OptionValue::Flag(Some(0)),
        "between storage and a graphics processor; not in this program"
    ),
    row!(
        None,
        Some("drop-caches"),
        [],
        Flag,
        "before each read, drop the files from this client's page cache (own option)",
        |typed, value| {
            typed.parameters.drop_caches = value.on();
            Ok(())
        }
    ),
];

/// Every option that takes a value.
pub(crate) const VALUES: &[IorRow] = &[
    row!(Some('a'), None, ["api"], Text, "backend", |typed, value| {
        storage::backend(&value.text()).map_err(|error| error.0)?;
        typed.parameters.backend = value.text();
        Ok(())
    }),
    number!(Some('A'), ["refNum"], Number, reference, "a number of yours for the summary"),
    number!(Some('b'), ["blockSize"], Size, block, "bytes of one rank in one segment"),
    number!(Some('d'), ["interTestDelay"], Number, delay, "seconds to wait before each write and read phase"),
    number!(Some('D'), ["deadlineForStonewalling"], Number, deadline, "seconds after which a phase stops"),
    row!(
        Some('f'),
        None,
        [],
        Text,
        "script: tests between `IOR START` and `IOR STOP`, each ended by `RUN`",
        |typed, value| {
            typed.script = Some(value.text());
            Ok(())
        }
    ),
    row!(
        Some('G'),
        None,
        ["setTimeStampSignature"],
        Number,
        "signature of the data; 0: the time",
        |typed, value| {
            let signature: i32 = value.whole()?;
            typed.parameters.signature = (signature != 0).then_some(signature);
            Ok(())
        }
    ),
    number!(Some('i'), ["repetitions"], Number, repetitions, "repetitions"),
    number!(
        Some('j'),
        ["outlierThreshold"],
        Number,
        outlier_seconds,
        "name ranks whose times differ from the mean by more than so many seconds"
    ),
    row!(
        Some('l'),
        Some("dataPacketType"),
        ["dataPacketType"],
        Text,
        "data: timestamp, offset, incompressible, random or stamped (first letter; the last is our own)",
        |typed, value| {
            typed.parameters.packet = numbers::packet(&value.text())?;
            Ok(())
        }
    ),
    row!(
        Some('M'),
        None,
        ["memoryPerNode"],
        Text,
        "memory to take away on each node: 2g or 75%",
        |typed, v| {
            typed.parameters.hog = numbers::hog(&v.text())?;
            Ok(())
        }
    ),
    row!(Some('N'), None, ["numTasks"], Number, "ranks that take part; -1: all", |typed, value| {
        typed.parameters.ranks = value.unless_minus_one()?;
        Ok(())
    }),
    row!(Some('o'), None, ["testFile"], Text, "file; `@` separates several", |typed, value| {
        typed.parameters.test_file = value.text();
        Ok(())
    }),
    row!(Some('O'), None, [], Directives, "directives: name=value,name=value", |typed, value| {
        directives::list(typed, &value.text()).map_err(|usage| usage.0)
    }),
    number!(
        Some('Q'),
        ["taskPerNodeOffset"],
        Number,
        task_offset,
        "nodes between writer and reader for -C, at least for -Z"
    ),
    number!(Some('s'), ["segmentCount"], Size, segments, "segments"),
    number!(Some('t'), ["transferSize"], Size, transfer, "bytes of one transfer"),
    number!(
        Some('T'),
        ["maxTimeDuration"],
        Number,
        minutes_max,
        "minutes after which a test begins no more phases"
    ),
    number!(
        Some('X'),
        ["reorderTasksRandomSeed"],
        Number,
        reorder_seed,
        "seed for -Z; negative: another for each repetition"
    ),
    row!(
        None,
        None,
        ["stoneWallingWearOut"],
        Number,
        "after the deadline, all ranks go on until they have done as much as the fastest",
        |typed, value| {
            typed.parameters.wear_out = value.on();
            Ok(())
        }
    ),
    number!(
        None,
        ["stoneWallingWearOutIterations"],
        Size,
        wear_out_transfers,
        "stop each rank after so many transfers"
    ),
    row!(
        None,
        None,
        ["stoneWallingStatusFile"],
        Text,
        "keeps the number of transfers of a write for a later read",
        |typed, value| {
            typed.parameters.status_file = Some(value.text());
            Ok(())
        }
    ),
    row!(None, None, ["numNodes"], Number, "number of nodes, instead of what was found", |typed, value| {
        typed.parameters.nodes = value.unless_minus_one()?;
        Ok(())
    }),
    row!(
        None,
        None,
        ["numTasksOnNode0"],
        Number,
        "ranks on the first node, instead of what was found",
        |typed, value| {
            typed.parameters.ranks_on_node0 = value.unless_minus_one()?;
            Ok(())
        }
    ),
    number!(
        None,
        ["minTimeDuration"],
        Number,
        seconds_min,
        "repeat the whole pattern until so many seconds have passed"
    ),
    number!(None, ["interIODelay"], Number, pause_us, "microseconds to wait after each transfer"),
    row!(None, None, ["memoryPerTask"], Size, "memory to take away for each rank", |typed, value| {
        typed.parameters.hog = match value.whole()? {
            0 => Hog::Nothing,
            bytes => Hog::PerRank(bytes),
        };
        Ok(())
    }),
    row!(None, None, ["summaryFile"], Text, "file for the results", |typed, value| {
        typed.look.file = Some(value.text());
        Ok(())
    }),
    row!(None, None, ["summaryFormat"], Text, "default, JSON or CSV", |typed, value| {
        typed.look.format = match value.text().to_lowercase().as_str() {
            "default" => ResultFormat::Text,
            "json" => ResultFormat::Json,
            "csv" => ResultFormat::Csv,
            other => return Err(format!("`{other}` is no format; known are default, JSON, CSV")),
        };
        Ok(())
    }),
    row!(None, None, ["summaryAlways"], Number, "the summary table after each test", |typed, value| {
        typed.look.summary_always = value.on();
        Ok(())
    }),
    row!(
        None,
        None,
        ["saveRankPerformanceDetailsCSV"],
        Text,
        "file for a row of each rank and phase",
        |typed, value| {
            typed.look.rank_csv = Some(value.text());
            typed.parameters.rank_times = true;
            Ok(())
        }
    ),
    row!(
        None,
        None,
        ["savePerOpDataCSV"],
        Text,
        "beginning of the names of files with a row for each transfer",
        |typed, value| {
            typed.parameters.transfer_csv = Some(value.text());
            Ok(())
        }
    ),
    gpu!(
        None,
        ["allocateBufferOnGPU"],
        Number,
        OptionValue::Number(0),
        "buffers in a graphics processor; only 0, not in this program"
    ),
    gpu!(
        None,
        ["GPUid"],
        Number,
        OptionValue::Number(-1 | 0),
        "which graphics processor; only 0 or -1, not in this program"
    ),
    row!(None, None, ["debug"], Text, "taken, without effect", |typed, value| {
        let text = format!("debug={} is taken, and has no effect", value.text());
        typed.notes.push(OptionNote::idle("debug", text));
        Ok(())
    }),
    row!(None, None, ["platform"], Text, "taken, without effect", |typed, value| {
        let text = format!("platform={} is taken, and has no effect", value.text());
        typed.notes.push(OptionNote::idle("platform", text));
        Ok(())
    }),
    row!(
        None,
        Some("randomPrefill"),
        [],
        Size,
        "with -z: fill the file first, in pieces of so many bytes",
        |typed, value| {
            typed.parameters.prefill = value.whole()?;
            Ok(())
        }
    ),
    row!(None, Some("random-offset-seed"), [], Number, "seed for -z", |typed, value| {
        let seed: i64 = value.whole()?;
        typed.parameters.offset_seed = u64::try_from(seed).ok();
        Ok(())
    }),
    row!(
        None,
        Some("random-order"),
        [],
        Text,
        "order of -z: assay (equal shares, no memory) or ior (its own sequence) (own option)",
        |typed, value| {
            typed.iors_order = match value.text().as_str() {
                "ior" => true,
                "assay" => false,
                other => return Err(format!("`{other}` is neither `assay` nor `ior`")),
            };
            Ok(())
        }
    ),
    row!(
        None,
        Some("record"),
        [],
        Text,
        "write the records of this run to a new file (own option)",
        |typed, value| {
            typed.record = Some(value.text());
            Ok(())
        }
    ),
    row!(
        None,
        Some("live"),
        [],
        Text,
        "write what is going on to a new file, as JSON lines (own option)",
        |typed, value| {
            typed.live = Some(value.text());
            Ok(())
        }
    ),
    row!(None, Some("compat"), [], Text, "text of IOR 3.3 or 4.1 (own option)", |typed, value| {
        typed.look.edition = match value.text().as_str() {
            "3.3" => IorEdition::Ior33,
            "4.1" => IorEdition::Ior41,
            other => return Err(format!("`{other}` is neither 3.3 nor 4.1")),
        };
        Ok(())
    }),
    own_number!("iodepth", depth, "transfers of a rank under way at once, with AIO or URING (own option)"),
    own_number!("rwmix", mix, "a phase of reads and writes mixed, so many percent reads (own option)"),
    row!(
        None,
        Some("rate"),
        [],
        Text,
        "limit for all ranks together: 200MB/s, 1GiB/s or 5000/s (own option)",
        |typed, value| {
            typed.parameters.rate = Some(numbers::rate(&value.text())?);
            Ok(())
        }
    ),
    row!(
        None,
        Some("ramp"),
        [],
        Number,
        "seconds at the start of a phase that do not count (own option)",
        |typed, value| {
            typed.parameters.ramp = value.whole()?;
            Ok(())
        }
    ),
    own_number!("generation", generation, "number of this writing of the data, in its stamps (own option)"),
];

/// All rows.
pub(crate) fn rows() -> impl Iterator<Item = &'static IorRow> {
    FLAGS.iter().chain(VALUES)
}

/// The row of a directive, in any case.
pub(crate) fn directive(name: &str) -> Option<&'static IorRow> {
    rows().find(|row| row.directives.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

/// The defaults shown in the help, by letter.
pub(crate) fn default_of(row: &IorRow) -> String {
    let defaults = IorParameters::default();
    match row.short {
        Some('a') => defaults.backend,
        Some('b') => defaults.block.to_string(),
        Some('t') => defaults.transfer.to_string(),
        Some('s' | 'i' | 'Q') => "1".into(),
        Some('o') => defaults.test_file,
        Some('l') => "timestamp".into(),
        Some('N') => "all".into(),
        _ if matches!(row.kind, OptionKind::Text | OptionKind::Directives) => String::new(),
        _ if row.about.ends_with("(own option)") => "N".into(),
        _ if row.long == Some("random-offset-seed") => "-1".into(),
        _ => match row.directives {
            ["numNodes" | "numTasksOnNode0" | "GPUid"] => "-1".into(),
            _ => "0".into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::retired::RETIRED;
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_name_is_taken_twice_and_every_row_has_help() {
        let mut names = HashSet::new();
        for row in rows() {
            assert!(!row.about.is_empty() && !row.about.ends_with('.'), "{}", row.about);
            let short = row.short.map(|letter| format!("-{letter}"));
            let long = row.long.map(|word| format!("--{word}"));
            let directives = row.directives.iter().map(|name| name.to_lowercase());
            for name in short.into_iter().chain(long).chain(directives) {
                assert!(names.insert(name.clone()), "{name} twice");
            }
        }
        for retired in RETIRED {
            let (letter, directive) = (retired.short, retired.directive.to_lowercase());
            assert!(letter.is_none_or(|letter| !names.contains(&format!("-{letter}"))), "{letter:?} lives");
            assert!(!names.contains(&directive), "{directive} lives");
        }
    }
}
