//! The options of `mdtest`, one row each; the parser, the help and the tests walk it.
//!
//! Meanings and defaults are mdtest 4.1's; docs/COMPATIBILITY.md lists where they differ.

use workloads::mdtest::MdtestParameters;

use super::retired;
use super::typed::{MdtestEdition, TypedMdtest};
use crate::personalities::classic::{self, OptionKind, OptionNote, OptionValue, numbers};

/// One option of `mdtest`.
pub(crate) type MdtestRow = classic::OptionRow<TypedMdtest>;

/// A row: letter, word, kind, help, then how it changes `Typed`.
macro_rules! row {
    ($short:expr, $long:expr, $kind:ident, $about:expr, $set:expr) => {
        MdtestRow {
            short: $short,
            long: $long,
            directives: &[],
            kind: OptionKind::$kind,
            about: $about,
            set: $set,
        }
    };
}

/// A switch of what was typed.
macro_rules! flag {
    ($short:expr, $long:expr, $about:expr, $($place:ident).+) => {
        row!($short, $long, Flag, $about, |typed, value| {
            typed.$($place).+ = value.on();
            Ok(())
        })
    };
}

/// A number of the workload's parameters.
macro_rules! number {
    ($short:expr, $long:expr, $kind:ident, $field:ident, $about:expr) => {
        row!($short, $long, $kind, $about, |typed, value| {
            typed.parameters.$field = value.whole()?;
            Ok(())
        })
    };
}

/// A text that may be there.
macro_rules! text {
    ($short:expr, $long:expr, $about:expr, $($place:ident).+) => {
        row!($short, $long, Text, $about, |typed, value| {
            typed.$($place).+ = Some(value.text());
            Ok(())
        })
    };
}

/// What concerns graphics processors: taken where it asks for none.
macro_rules! gpu {
    ($long:expr, $kind:ident, $none:pat, $about:literal) => {
        row!(None, Some($long), $kind, $about, |_, value| match value {
            $none => Ok(()),
            _ => Err("there is no CUDA in this program; leave it out, the data stays in main memory".into()),
        })
    };
}

/// Every option that takes no value.
pub(crate) const FLAGS: &[MdtestRow] = &[
    flag!(Some('C'), None, "only create", only.create),
    flag!(Some('T'), None, "only stat", only.stat),
    flag!(Some('E'), None, "only read files", only.read),
    flag!(Some('r'), None, "only remove what this run or an earlier one left", only.remove),
    flag!(Some('U'), None, "only rename directories", only.rename),
    flag!(Some('D'), None, "only directories", only.directories),
    flag!(Some('F'), None, "only files", only.files),
    row!(
        Some('g'),
        None,
        Flag,
        "default layout of directories on Lustre; not in this program",
        |_, value| {
            match value.on() {
                false => Ok(()),
                true => Err(
                    "directories get the layout they inherit; set it by `lfs setdirstripe -D` on the test \
                     directory, and leave it out"
                        .into(),
                ),
            }
        }
    ),
    row!(Some('h'), Some("help"), Flag, "this help", |typed, value| {
        typed.help = value.on();
        Ok(())
    }),
    flag!(Some('k'), None, "files are made by mknod, without opening them", parameters.make_node),
    flag!(Some('L'), None, "items only in the leaves of the tree", parameters.leaf_only),
    flag!(Some('P'), None, "print rates and times", look.both),
    flag!(None, Some("print-all-procs"), "print each rank's own numbers", look.all_ranks),
    flag!(Some('R'), None, "stat and read in an order of each rank's own", parameters.shuffle),
    flag!(Some('S'), None, "all ranks share one set of files; no directories", parameters.shared_file),
    flag!(Some('c'), None, "rank 0 creates and removes for all", parameters.collective),
    flag!(
        Some('t'),
        None,
        "with -u, what sets up a rank's own tree is in the time of creating",
        parameters.time_unique_dir
    ),
    flag!(Some('u'), None, "a tree for each rank", parameters.unique_dir),
    row!(Some('v'), None, Flag, "say more; repeat for still more", |typed, value| {
        let count = value.count(typed.parameters.verbose.into());
        typed.parameters.verbose = count.try_into().unwrap_or(u32::MAX);
        Ok(())
    }),
    flag!(
        Some('X'),
        Some("verify-read"),
        "compare every byte read; needs -G if not written in this run",
        parameters.verify_read
    ),
    flag!(
        None,
        Some("verify-write"),
        "after each write, read it back and compare, within the time of creating",
        parameters.verify_write
    ),
    flag!(Some('y'), None, "each file is synced after its write", parameters.sync_file),
    flag!(Some('Y'), None, "sync at the end of each phase, within its time", parameters.call_sync),
    flag!(Some('Z'), None, "print times instead of rates", look.times),
    flag!(
        None,
        Some("warningAsErrors"),
        "exit status 1 after any warning; the run goes on to its end",
        parameters.warnings_fail
    ),
    flag!(
        None,
        Some("showRankStatistics"),
        "columns with the extremes and the mean of single ranks",
        look.rank_statistics
    ),
    gpu!(
        "gpuDirect",
        Flag,
        OptionValue::Flag(Some(0)),
        "between storage and a graphics processor; not in this program"
    ),
    flag!(
        None,
        Some("continue"),
        "count operations that fail and go on; the exit status is 1 all the same (own option)",
        parameters.keep_going
    ),
    flag!(None, Some("dryRun"), "tell what would be done; nothing is touched (own option)", dry_run),
];

/// Every option that takes a value.
pub(crate) const VALUES: &[MdtestRow] = &[
    row!(Some('a'), None, Text, "backend", |typed, value| {
        storage::backend(&value.text()).map_err(|error| error.0)?;
        typed.backend = Some(value.text());
        Ok(())
    }),
    number!(Some('b'), None, Number, branching, "branching factor of the tree"),
    text!(Some('d'), None, "test directory; with -u `@` separates several", dirs),
    row!(Some('B'), None, Number, "taken, without effect: phases are always apart", |typed, value| {
        if value.on() {
            typed.notes.push(OptionNote::idle("-B", retired::NO_BARRIERS));
        }
        Ok(())
    }),
    number!(Some('e'), None, Size, read_bytes, "bytes read from each file"),
    number!(Some('f'), None, Number, first_ranks, "with -l, the least number of ranks"),
    row!(Some('G'), None, Number, "signature of the data; -1: the time", |typed, value| {
        let signature: i32 = value.whole()?;
        typed.parameters.signature = (signature != -1).then_some(signature);
        Ok(())
    }),
    number!(Some('i'), None, Number, iterations, "iterations"),
    number!(Some('I'), None, Number, items_per_dir, "items of a rank in each directory of the tree"),
    number!(Some('l'), None, Number, last_ranks, "the largest number of ranks; 0: all, and only so many"),
    number!(Some('n'), None, Number, items, "items of a rank in the whole tree"),
    number!(Some('N'), None, Number, shift, "by how many ranks names shift from phase to phase"),
    number!(
        Some('p'),
        None,
        Number,
        pre_delay,
        "seconds to wait before the directories and before the files"
    ),
    number!(
        None,
        Some("random-seed"),
        Number,
        random_seed,
        "seed for -R; without -R one order for all ranks"
    ),
    number!(Some('s'), None, Number, stride, "from one number of ranks to the next"),
    number!(Some('V'), None, Number, verbose, "how much is said, as so many -v"),
    number!(Some('w'), None, Size, write_bytes, "bytes written to each file"),
    number!(Some('W'), None, Number, deadline, "seconds after which creating files stops"),
    text!(Some('x'), None, "keeps how many items -W let be made, for a later run", parameters.status_file),
    number!(Some('z'), None, Number, depth, "levels of the tree below its root"),
    row!(
        None,
        Some("dataPacketType"),
        Text,
        "data: timestamp, offset, incompressible or random (first letter)",
        |typed, value| {
            typed.parameters.packet = numbers::packet(&value.text())?;
            Ok(())
        }
    ),
    text!(
        None,
        Some("run-cmd-before-phase"),
        "command run by each rank before each phase",
        parameters.before_phase
    ),
    text!(
        None,
        Some("run-cmd-after-phase"),
        "command run by each rank after each phase, within its time",
        parameters.after_phase
    ),
    text!(
        None,
        Some("saveRankPerformanceDetails"),
        "file for a row of each rank and iteration",
        look.rank_csv
    ),
    text!(
        None,
        Some("savePerOpDataCSV"),
        "beginning of the names of files with a row for each operation",
        parameters.operation_csv
    ),
    gpu!(
        "allocateBufferOnGPU",
        Number,
        OptionValue::Number(0),
        "buffers in a graphics processor; only 0, not in this program"
    ),
    gpu!(
        "GPUid",
        Number,
        OptionValue::Number(-1 | 0),
        "which graphics processor; only 0 or -1, not in this program"
    ),
    row!(
        None,
        Some("operations"),
        Text,
        "what is done besides, by name, with commas between (own option)",
        |typed, value| {
            typed.parameters.extra = value
                .text()
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect();
            Ok(())
        }
    ),
    number!(
        None,
        Some("preload"),
        Number,
        preload,
        "so many files are there in each directory before the items come (own option)"
    ),
    text!(None, Some("record"), "write the records of this run to a new file (own option)", record),
    row!(None, Some("compat"), Text, "text of mdtest 1.9, 3.3 or 4.1 (own option)", |typed, value| {
        typed.look.edition = match value.text().as_str() {
            "1.9" => MdtestEdition::Mdtest19,
            "3.3" => MdtestEdition::Mdtest33,
            "4.1" => MdtestEdition::Mdtest41,
            other => return Err(format!("`{other}` is none of 1.9, 3.3 and 4.1")),
        };
        Ok(())
    }),
];

/// All rows.
pub(crate) fn rows() -> impl Iterator<Item = &'static MdtestRow> {
    FLAGS.iter().chain(VALUES)
}

/// The defaults shown in the help.
pub(crate) fn default_of(row: &MdtestRow) -> String {
    let defaults = MdtestParameters::default();
    match (row.short, row.long) {
        (Some('a'), _) => defaults.backend,
        (Some('d'), _) => defaults.dirs.concat(),
        (Some('b' | 'f' | 'i' | 's'), _) => "1".into(),
        (Some('G'), _) | (_, Some("GPUid")) => "-1".into(),
        (_, Some("dataPacketType")) => "timestamp".into(),
        (_, Some("operations")) => "LIST".into(),
        (_, Some("compat")) => "4.1".into(),
        _ if row.kind == OptionKind::Text => String::new(),
        _ => "0".into(),
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
            assert!(short.is_some() || long.is_some(), "{}", row.about);
            for name in short.into_iter().chain(long) {
                assert!(names.insert(name.clone()), "{name} twice");
            }
        }
        for retired in RETIRED {
            assert!(!names.contains(&format!("-{}", retired.short)), "{} lives", retired.short);
        }
    }

    #[test]
    fn every_option_of_4_1_has_its_row() {
        let letters: HashSet<char> = rows().filter_map(|row| row.short).collect();
        for letter in "abzInLduScDFCTErUNewyYXGkRiflsptBWxZPvVgh".chars() {
            assert!(letters.contains(&letter), "-{letter}");
        }
        let words: HashSet<&str> = rows().filter_map(|row| row.long).collect();
        for word in [
            "verify-read",
            "verify-write",
            "dataPacketType",
            "random-seed",
            "print-all-procs",
            "showRankStatistics",
            "saveRankPerformanceDetails",
            "savePerOpDataCSV",
            "run-cmd-before-phase",
            "run-cmd-after-phase",
            "warningAsErrors",
            "help",
        ] {
            assert!(words.contains(word), "--{word}");
        }
    }
}
