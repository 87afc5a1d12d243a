//! The workloads beside `ior`, a row each: which options a campaign reads, and what it learns by them.
//!
//! Never here: reading a line.

use std::fmt;

use super::{Measures, ToolLine};
use crate::words::Valued;

/// What differs between these workloads.
pub(super) struct Tool {
    /// Its key in a plan.
    pub(super) key: &'static str,
    /// Its command.
    pub(super) command: &'static str,
    /// Letters of the options that take a value.
    pub(super) with_value: &'static str,
    /// Long options that take their value as the next word when it is not glued with `=`.
    pub(super) long_with_value: &'static [&'static str],
    /// The letter of the option that says where, if it is one.
    pub(super) place: Option<char>,
    /// What says where, when the line does not.
    pub(super) default_place: &'static [&'static str],
    /// What its phases count.
    pub(super) measures: Measures,
    /// The phases it yields.
    pub(super) phases: fn(&ToolLine) -> Vec<&'static str>,
    /// Whether it makes what it works on.
    pub(super) creates: fn(&ToolLine) -> bool,
    /// Whether it takes that away.
    pub(super) removes: fn(&ToolLine) -> bool,
    /// Bytes that so many ranks together write into one set of files.
    pub(super) writes: fn(&ToolLine, u64) -> u64,
    /// Names that so many ranks together make for one set of files, with so many files put into each
    /// directory beforehand.
    pub(super) names: fn(&ToolLine, u64, u64) -> u64,
    /// How many sets of files one launch makes, one after the other.
    pub(super) sets: fn(&ToolLine) -> u64,
    /// How often everything is repeated within one launch.
    pub(super) repetitions: fn(&ToolLine) -> u64,
}

impl fmt::Debug for Tool {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.key)
    }
}

impl PartialEq for Tool {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Tool {}

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        key: "fdtree",
        command: "fdtree",
        with_value: "ldfso",
        long_with_value: &["--base"],
        place: Some('o'),
        default_place: &["-o", "{dir}"],
        measures: Measures::Operations,
        phases: |line| {
            let mut phases = Vec::new();
            if line.creates() {
                phases.extend(["directory_creation", "file_creation"]);
            }
            if line.removes() {
                phases.extend(["file_removal", "directory_removal"]);
            }
            phases
        },
        creates: |line| line.has('C') || !line.has('R'),
        removes: |line| line.has('R') || !line.has('C'),
        writes: |line, ranks| {
            let number = |letter, otherwise: u64| line.number(letter).unwrap_or(otherwise);
            let (levels, fan_out) = (number('l', 4).min(64) as u32, number('d', 10));
            let directories = tree(fan_out, levels);
            let files = directories.saturating_mul(number('f', 10)).saturating_mul(ranks);
            files.saturating_mul(number('s', 10).saturating_mul(4096))
        },
        names: |line, ranks, _| {
            let number = |letter, otherwise: u64| line.number(letter).unwrap_or(otherwise);
            let directories = tree(number('d', 10), number('l', 4).min(64) as u32);
            directories.saturating_mul(number('f', 10).saturating_add(1)).saturating_mul(ranks)
        },
        sets: |_| 1,
        repetitions: |_| 1,
    },
    Tool {
        key: "flash_io",
        command: "flash-io",
        with_value: "f",
        long_with_value: &["--alignment", "--blocks", "--guards", "--hint", "--repetitions", "--size"],
        place: Some('f'),
        default_place: &["-f", "{dir}/flash_"],
        measures: Measures::Bytes,
        phases: |line| {
            let files = ["checkpoint", "plot_centered", "plot_corner"];
            let checks = ["checkpoint_check", "plot_centered_check", "plot_corner_check"];
            let checked = line.long.contains_key("verify") || line.long.contains_key("verify-only");
            let written = files.into_iter().filter(|_| line.creates());
            written.chain(checks.into_iter().filter(|_| checked)).collect()
        },
        creates: |line| !line.long.contains_key("verify-only"),
        removes: |_| false,
        writes: |line, ranks| flash_bytes(line).saturating_mul(ranks),
        names: |_, _, _| 3,
        // Every repetition writes over the files of the one before.
        sets: |_| 1,
        repetitions: |line| line.long_number("repetitions").unwrap_or(1).max(1),
    },
    Tool {
        key: "ls_lr",
        command: "ls-lr",
        with_value: "in",
        long_with_value: &[
            "--bytes",
            "--entries",
            "--fan-out",
            "--min-window",
            "--per-dir",
            "--repetitions",
            "--shift",
        ],
        place: None,
        default_place: &["{dir}"],
        measures: Measures::Operations,
        phases: |line| {
            let [make, remove] = [line.creates(), line.removes()];
            let walk = line.long.contains_key("walk") || !(make || remove);
            let all = [("make", make), ("list", walk), ("directories", walk), ("remove", remove)];
            all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
        },
        creates: |line| line.long.contains_key("make"),
        removes: |line| line.long.contains_key("remove"),
        writes: |line, ranks| {
            let entries = line.long_number("entries").unwrap_or(101_000).saturating_mul(ranks);
            entries.saturating_mul(line.long_number("bytes").unwrap_or(0))
        },
        names: |line, ranks, _| line.long_number("entries").unwrap_or(101_000).saturating_mul(ranks),
        sets: |_| 1,
        repetitions: |line| line.number('i').or_else(|| line.long_number("repetitions")).unwrap_or(1).max(1),
    },
    Tool {
        key: "mdtest",
        command: "mdtest",
        with_value: "abzIindNewGflspWxBV",
        long_with_value: &[
            "--compat",
            "--dataPacketType",
            "--operations",
            "--preload",
            "--random-seed",
            "--run-cmd-after-phase",
            "--run-cmd-before-phase",
            "--savePerOpDataCSV",
            "--saveRankPerformanceDetails",
        ],
        place: Some('d'),
        default_place: &["-d", "{dir}/mdtest"],
        measures: Measures::Operations,
        phases: mdtest_phases,
        creates: |line| mdtest_does(line, 'C'),
        removes: |line| mdtest_does(line, 'r'),
        writes: |line, ranks| {
            mdtest_items(line).saturating_mul(line.number('w').unwrap_or(0)).saturating_mul(ranks)
        },
        names: mdtest_names,
        // Each repetition works in a directory of its own, and so does each number of ranks of -f, -l, -s.
        sets: |line| {
            let [first, last, stride] = ['f', 'l', 's'].map(|letter| line.number(letter).unwrap_or(0));
            let tests = if last > 0 { last.saturating_sub(first.max(1)) / stride.max(1) + 1 } else { 1 };
            line.repetitions().saturating_mul(tests)
        },
        repetitions: |line| line.number('i').unwrap_or(1).max(1),
    },
    Tool {
        key: "mpi_io",
        command: "mpi-io",
        with_value: "",
        long_with_value: &["--launch", "--only", "--record", "--seed", "--skip", "--speak-from", "--timeout"],
        place: None,
        default_place: &["{dir}"],
        measures: Measures::Cases,
        phases: |line| {
            let asked: Vec<&str> = line.each("--only").collect();
            let may_hold = |group: &&str| {
                let fits = |pattern: &&str| {
                    let before_dot = pattern.split('.').next().unwrap_or_default();
                    before_dot.contains(['*', '?']) || before_dot == *group
                };
                asked.is_empty() || asked.iter().any(fits)
            };
            ["cases"].into_iter().chain(MPI_IO_GROUPS.iter().copied().filter(may_hold)).collect()
        },
        creates: |_| true,
        removes: |_| true,
        // With --large a case moves 2 GiB from one rank; the others have a few files of some MiB.
        writes: |line, ranks| {
            let large = line.long.contains_key("large") && line.phases().contains(&"large");
            let once: u64 = if large { 5 << 30 } else { 0 };
            once.saturating_add(ranks.saturating_mul(16 << 20))
        },
        names: |_, ranks, _| ranks.saturating_mul(1000),
        sets: |_| 1,
        repetitions: |_| 1,
    },
];

/// The letters and the long options that take a value, of the workload with this key; none of another.
pub(crate) fn options_of(key: &str) -> Valued {
    let tool = TOOLS.iter().find(|tool| tool.key == key);
    tool.map_or(Valued { letters: "", long: &[] }, |tool| Valued {
        letters: tool.with_value,
        long: tool.long_with_value,
    })
}

/// The groups of cases of mpi-io: what stands before the first dot of their names.
const MPI_IO_GROUPS: &[&str] = &[
    "access",
    "atomic",
    "consistency",
    "datarep",
    "delete",
    "end",
    "errors",
    "groups",
    "hints",
    "large",
    "open",
    "partial",
    "pointers",
    "posix",
    "requests",
    "size",
    "views",
];

/// Directories of a tree with so many levels below its root.
fn tree(fan_out: u64, levels: u32) -> u64 {
    let level = |level: u32| fan_out.saturating_pow(level);
    (0..=levels).map(level).fold(0, u64::saturating_add)
}

/// Bytes of the three files that one rank of flash-io writes, at most, without their headers.
fn flash_bytes(line: &ToolLine) -> u64 {
    let number = |name, otherwise| line.long_number(name).unwrap_or(otherwise);
    let (zones, blocks) = (number("size", 8), number("blocks", 100));
    let cube = |side: u64| side.saturating_pow(3);
    let checkpoint = cube(zones).saturating_mul(192).saturating_add(164);
    let plots = cube(zones).saturating_add(cube(zones.saturating_add(1))).saturating_mul(16);
    // Four fifths of the most, and of three ranks one has one more and one two.
    let most = (blocks.saturating_mul(4) / 5).saturating_add(2);
    most.saturating_mul(checkpoint.saturating_add(plots).saturating_add(2 * 116))
}

/// Directories of one tree of mdtest.
fn mdtest_directories(line: &ToolLine) -> u64 {
    let (branching, depth) = (line.number('b').unwrap_or(1), line.number('z').unwrap_or(0));
    if branching < 1 { 1 } else { tree(branching, depth.min(64) as u32) }
}

/// Names of mdtest, at most: items of each kind, trees, and what is there before.
fn mdtest_names(line: &ToolLine, ranks: u64, preload: u64) -> u64 {
    let phases = line.phases();
    let made = ["directory_creation", "file_creation"].iter().filter(|made| phases.contains(*made));
    let items = mdtest_items(line).saturating_mul(made.count() as u64);
    let (sharers, trees) = (if line.has('S') { 1 } else { ranks }, if line.has('u') { ranks } else { 1 });
    let each = preload.saturating_add(1).saturating_mul(mdtest_directories(line));
    items.saturating_mul(sharers).saturating_add(each.saturating_mul(trees))
}

/// Items of one rank of mdtest, at most.
fn mdtest_items(line: &ToolLine) -> u64 {
    let directories = mdtest_directories(line);
    let [items, each] = ['n', 'I'].map(|letter| line.number(letter).unwrap_or(0));
    match (items, each) {
        (items, 0) => items,
        (0, each) => each.saturating_mul(directories),
        // So many whole trees.
        (items, each) => (items / each).saturating_mul(each).saturating_mul(directories),
    }
}

/// Whether mdtest does the phases that this letter stands for: none of the five given means all.
fn mdtest_does(line: &ToolLine, letter: char) -> bool {
    line.has(letter) || !"CTEUr".chars().any(|letter| line.has(letter))
}

fn mdtest_phases(line: &ToolLine) -> Vec<&'static str> {
    let directories = (line.has('D') || !line.has('F')) && !line.has('S');
    let files = line.has('F') || !line.has('D');
    let all = [
        ("tree_creation", true, 'C'),
        ("directory_creation", directories, 'C'),
        ("directory_stat", directories, 'T'),
        ("directory_rename", directories, 'U'),
        ("directory_removal", directories, 'r'),
        ("file_creation", files, 'C'),
        ("file_stat", files, 'T'),
        ("file_read", files, 'E'),
        ("file_removal", files, 'r'),
        ("tree_removal", true, 'r'),
    ];
    let classic = all.into_iter().filter(|(_, there, letter)| *there && mdtest_does(line, *letter));
    let mut phases: Vec<&'static str> = classic.map(|(name, ..)| name).collect();
    let extra = line.long.get("operations").map_or("", String::as_str);
    let wanted = |name: &str| {
        // All of them are of files, but for the listing of what there is.
        let items = files || (name == "list" && directories);
        items && extra.split(',').any(|word| word.trim() == name)
    };
    phases.extend(MDTEST_EXTRA.iter().filter(|(name, _)| wanted(name)).map(|(_, phase)| *phase));
    phases
}

/// What mdtest does besides: the names that `--operations` has for it, and those of records.
const MDTEST_EXTRA: &[(&str, &str)] = &[
    ("chmod", "file_chmod"),
    ("link", "file_link"),
    ("list", "directory_listing"),
    ("rename-across", "file_rename_across"),
    ("shared-open", "shared_open"),
    ("statx", "file_statx"),
    ("symlink", "file_symlink"),
    ("truncate", "file_truncate"),
    ("xattr-get", "file_xattr_get"),
    ("xattr-set", "file_xattr_set"),
];
