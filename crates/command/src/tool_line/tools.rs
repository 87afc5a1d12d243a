//! The workloads other than `ior`, one row each: the options that a campaign reads, and the facts they give.
//!
//! Never here: reading a command line.

use std::fmt;

use super::{Measures, ToolLine};
use crate::mdtest::tree;
use crate::words::Valued;

/// The differences between these workloads.
pub(super) struct Tool {
    /// Its key in a plan.
    pub(super) key: &'static str,
    /// Its command.
    pub(super) command: &'static str,
    /// The options that take a value, if no table of `classic` lists them.
    pub(super) valued: Valued,
    /// The letter of the option that sets the place of the files, if it is a letter.
    pub(super) place: Option<char>,
    /// The arguments that set the place where the command line does not.
    pub(super) default_place: &'static [&'static str],
    /// The unit that its phases count.
    pub(super) measures: Measures,
    /// The phases it yields.
    pub(super) phases: fn(&ToolLine) -> Vec<&'static str>,
    /// Whether it creates what it works on.
    pub(super) creates: fn(&ToolLine) -> bool,
    /// Whether it removes that.
    pub(super) removes: fn(&ToolLine) -> bool,
    /// Bytes that this number of ranks together write into one set of files.
    pub(super) writes: fn(&ToolLine, u64) -> u64,
    /// Files and directories that this number of ranks together create for one set of files. The last
    /// argument is the number of files put into each directory before.
    pub(super) names: fn(&ToolLine, u64, u64) -> u64,
    /// Number of sets of files that one job creates, one after the other.
    pub(super) sets: fn(&ToolLine) -> u64,
    /// How often one job repeats everything.
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

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        key: "fdtree",
        command: "fdtree",
        valued: Valued { letters: "ldfso", long: &["--base"] },
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
        creates: |line| line.split.on('C') || !line.split.on('R'),
        removes: |line| line.split.on('R') || !line.split.on('C'),
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
        valued: Valued {
            letters: "f",
            long: &["--alignment", "--blocks", "--guards", "--hint", "--repetitions", "--size"],
        },
        place: Some('f'),
        default_place: &["-f", "{dir}/flash_"],
        measures: Measures::Bytes,
        phases: |line| {
            let files = ["checkpoint", "plot_centered", "plot_corner"];
            let checks = ["checkpoint_check", "plot_centered_check", "plot_corner_check"];
            let checked = line.gives("verify") || line.gives("verify-only");
            let written = files.into_iter().filter(|_| line.creates());
            written.chain(checks.into_iter().filter(|_| checked)).collect()
        },
        creates: |line| !line.gives("verify-only"),
        removes: |_| false,
        writes: |line, ranks| flash_bytes(line).saturating_mul(ranks),
        names: |_, _, _| 3,
        // Every repetition overwrites the files of the one before.
        sets: |_| 1,
        repetitions: |line| line.long_number("repetitions").unwrap_or(1).max(1),
    },
    Tool {
        key: "ls_lr",
        command: "ls-lr",
        valued: Valued {
            letters: "in",
            long: &[
                "--bytes",
                "--entries",
                "--fan-out",
                "--min-window",
                "--per-dir",
                "--repetitions",
                "--shift",
            ],
        },
        place: None,
        default_place: &["{dir}"],
        measures: Measures::Operations,
        phases: |line| {
            let [make, remove] = [line.creates(), line.removes()];
            let walk = line.gives("walk") || !(make || remove);
            let all = [("make", make), ("list", walk), ("directories", walk), ("remove", remove)];
            all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
        },
        creates: |line| line.gives("make"),
        removes: |line| line.gives("remove"),
        writes: |line, ranks| {
            let entries = line.long_number("entries").unwrap_or(101_000).saturating_mul(ranks);
            entries.saturating_mul(line.long_number("bytes").unwrap_or(0))
        },
        names: |line, ranks, _| line.long_number("entries").unwrap_or(101_000).saturating_mul(ranks),
        sets: |_| 1,
        repetitions: |line| line.number('i').or_else(|| line.long_number("repetitions")).unwrap_or(1).max(1),
    },
    Tool {
        key: "md_workbench",
        command: "md-workbench",
        // All of them are in the table of `MdWorkbenchOption`.
        valued: Valued { letters: "", long: &[] },
        place: Some('o'),
        default_place: &["-o", "{dir}/md-workbench"],
        measures: Measures::Operations,
        phases: |line| line.md_workbench.phases(),
        creates: |_| true,
        removes: |_| true,
        writes: |line, ranks| line.md_workbench.bytes(ranks),
        names: |line, ranks, _| line.md_workbench.names(ranks),
        sets: |line| line.md_workbench.renewals(),
        repetitions: |line| u64::from(line.md_workbench.iterations).max(1),
    },
    Tool {
        key: "mdtest",
        command: "mdtest",
        // All of them are in the table of `MdtestOption`.
        valued: Valued { letters: "", long: &[] },
        place: Some('d'),
        default_place: &["-d", "{dir}/mdtest"],
        measures: Measures::Operations,
        phases: |line| line.mdtest.phases(),
        creates: |line| line.mdtest.create,
        removes: |line| line.mdtest.remove,
        writes: |line, ranks| line.mdtest.bytes().saturating_mul(ranks),
        names: |line, ranks, preload| line.mdtest.names(ranks, preload),
        sets: |line| line.mdtest.sets(),
        repetitions: |line| line.mdtest.repetitions(),
    },
    Tool {
        key: "mpi_io",
        command: "mpi-io",
        valued: Valued {
            letters: "",
            long: &["--launch", "--only", "--record", "--seed", "--skip", "--speak-from", "--timeout"],
        },
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
        // With --large, a case moves 2 GiB from one rank. The other cases have a few files of some MiB.
        writes: |line, ranks| {
            let large = line.gives("large") && line.phases().contains(&"large");
            let once: u64 = if large { 5 << 30 } else { 0 };
            once.saturating_add(ranks.saturating_mul(16 << 20))
        },
        names: |_, ranks, _| ranks.saturating_mul(1000),
        sets: |_| 1,
        repetitions: |_| 1,
    },
];

/// The options with a value of the workload with this key; none for another key.
pub(crate) fn options_of(key: &str) -> Valued {
    TOOLS.iter().find(|tool| tool.key == key).map(|tool| tool.valued).unwrap_or_default()
}

/// The groups of mpi-io cases: the part of a case's name before the first dot.
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

/// Bytes of the three files that one rank of flash-io writes, at most, without their headers.
fn flash_bytes(line: &ToolLine) -> u64 {
    let number = |name, otherwise| line.long_number(name).unwrap_or(otherwise);
    let (zones, blocks) = (number("size", 8), number("blocks", 100));
    let cube = |side: u64| side.saturating_pow(3);
    let checkpoint = cube(zones).saturating_mul(192).saturating_add(164);
    let plots = cube(zones).saturating_add(cube(zones.saturating_add(1))).saturating_mul(16);
    // Four fifths of the maximum. Of three ranks, one has one block more and one has two more.
    let most = (blocks.saturating_mul(4) / 5).saturating_add(2);
    most.saturating_mul(checkpoint.saturating_add(plots).saturating_add(2 * 116))
}
