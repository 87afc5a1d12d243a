//! The sections of a configuration, one row each, in the order of their phases. Names, kinds and defaults are
//! those of IO500 02091cf.

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IniKind {
    /// Any text.
    Text,
    /// `TRUE` or `FALSE`.
    Flag,
    /// A whole number from 0 on.
    Count,
    /// A number from 0 on.
    Factor,
}

/// An option of a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct IniOption {
    pub(super) name: &'static str,
    pub(super) kind: IniKind,
    pub(super) default: Option<&'static str>,
    pub(super) help: &'static str,
}

/// The program of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseTool {
    /// `ior`
    Ior,
    /// `mdtest`
    Mdtest,
    /// `md-workbench`
    MdWorkbench,
    /// `pfind`
    Pfind,
    /// The file whose time `find` compares is made.
    Timestamp,
}

/// Which score a phase enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreGroup {
    /// None.
    None,
    /// That of metadata, in thousands of operations per second.
    Metadata,
    /// That of bandwidth, in GiB/s.
    Bandwidth,
}

/// What a phase does to the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It writes for at least the time of the stonewall.
    Writes,
    /// It leaves the data, or renews it.
    Keeps,
    /// It removes data.
    Removes,
}

/// A phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its name, which is also that of its section.
    pub name: &'static str,
    /// The section with the options of all phases on the same data; its own for a search.
    pub parent: &'static str,
    /// Whether only the extended mode has it.
    pub is_optional: bool,
    /// What runs it.
    pub tool: PhaseTool,
    /// The phase in the records of that program, and which repetition counts.
    pub record: (&'static str, u32),
    /// Which score it enters.
    pub group: ScoreGroup,
    /// What it does to the data.
    pub effect: Effect,
}

/// A section.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// As it stands between brackets.
    pub name: &'static str,
    /// Whether only the extended mode uses it.
    pub is_optional: bool,
    pub(super) options: &'static [IniOption],
    /// Its phase, if it has one.
    phase: Option<Phase>,
}

/// The phases, in their order.
pub fn phases() -> impl Iterator<Item = &'static Phase> {
    SECTIONS.iter().filter_map(|section| section.phase.as_ref())
}

const fn option(
    name: &'static str,
    kind: IniKind,
    default: Option<&'static str>,
    help: &'static str,
) -> IniOption {
    IniOption { name, kind, default, help }
}

use IniKind::{Count, Factor, Flag, Text};

const API: IniOption = option("API", Text, None, "the backend, with its options after it");
const RUN: IniOption = option("run", Flag, Some("TRUE"), "whether the phase is run; each must be");
const COLLECTIVE: IniOption = option("collective", Flag, None, "collective calls, for MPIIO");
const VERBOSITY: IniOption = option("verbosity", Count, None, "the number of -v for the program");

const GLOBAL: &[IniOption] = &[
    option("datadir", Text, Some("./datafiles"), "the directory on the file system under test"),
    option("timestamp-datadir", Flag, Some("TRUE"), "whether each run has its own directory in it"),
    option("resultdir", Text, Some("./results"), "the directory for the results"),
    option("timestamp-resultdir", Flag, Some("TRUE"), "whether each run has its own directory in it"),
    option("api", Text, Some("POSIX"), "the backend of all phases, with its options after it"),
    option("drop-caches", Flag, Some("FALSE"), "drop the caches of each node before each phase"),
    option(
        "drop-caches-cmd",
        Text,
        Some("sudo -n bash -c \"echo 3 > /proc/sys/vm/drop_caches\""),
        "the shell command for it, on one rank of each node",
    ),
    option("io-buffers-on-gpu", Flag, Some("FALSE"), "buffers in the memory of a GPU; only FALSE"),
    option("verbosity", Count, Some("1"), "how much result.txt has, from 0 on"),
    option("scc", Flag, Some("FALSE"), "the rules of the student competition: 30 s in place of 300 s"),
    option("dataPacketType", Text, Some("timestamp"), "timestamp, offset, incompressible or random data"),
];
const DEBUG: &[IniOption] = &[
    option("stonewall-time", Count, Some("300"), "seconds that a phase writes; others make the run invalid"),
    option("pause-dir", Text, None, "wait while it has a file named like the phase; makes the run invalid"),
];
const IOR_EASY: &[IniOption] = &[
    API,
    option("transferSize", Text, Some("2m"), "bytes of a transfer"),
    option("blockSize", Text, Some("9920000m"), "the most bytes of a rank, a multiple of the transfer"),
    option("filePerProc", Flag, Some("TRUE"), "whether each rank has its own file"),
    option("uniqueDir", Flag, Some("FALSE"), "whether each file has its own directory"),
    RUN,
    VERBOSITY,
];
const IOR_HARD: &[IniOption] = &[
    API,
    option("segmentCount", Count, Some("10000000"), "the most transfers of a rank"),
    COLLECTIVE,
    RUN,
    VERBOSITY,
];
const FILES: IniOption = option("n", Count, Some("1000000"), "the most files of a rank");
const MDTEST_EASY: &[IniOption] = &[API, FILES, RUN];
const MDTEST_HARD: &[IniOption] = &[
    API,
    FILES,
    option("files-per-dir", Count, None, "the most files of a directory; makes the run invalid"),
    RUN,
];
const MDWORKBENCH: &[IniOption] = &[
    API,
    option("waitingTime", Factor, Some("0.0"), "waiting after each operation, as a share of its time"),
    option("precreatePerSet", Count, None, "objects of a set; by default from the rate of mdtest-easy-write"),
    option("filesPerProc", Count, None, "objects that are renewed in a set; give both or none"),
    RUN,
    VERBOSITY,
];
const FIND: &[IniOption] = &[
    option("external-script", Text, None, "a program that searches instead, and prints MATCHED x/y last"),
    option("external-mpi-args", Text, Some(""), "words before it"),
    option("external-extra-args", Text, Some(""), "words after it"),
    option("nproc", Count, None, "the number of ranks that search; by default all"),
    RUN,
    option("pfind-queue-length", Count, Some("10000"), "entries to examine on each rank"),
    option("pfind-steal-next", Flag, Some("FALSE"), "take work from the previous rank, too"),
    option(
        "pfind-parallelize-single-dir-access-using-hashing",
        Flag,
        Some("FALSE"),
        "no effect: ranks share the entries of large directories",
    ),
];
/// The options of a phase with a parent.
const PHASE: &[IniOption] = &[API, RUN];
const COLLECTIVE_PHASE: &[IniOption] = &[API, COLLECTIVE, RUN];
const ONLY_RUN: &[IniOption] = &[RUN];

const fn group(name: &'static str, options: &'static [IniOption]) -> Section {
    Section { name, is_optional: false, options, phase: None }
}

/// The name of a phase in the records of a program.
type Recorded = (&'static str, u32);

const fn phase(
    name: &'static str,
    parent: &'static str,
    options: &'static [IniOption],
    tool: PhaseTool,
    record: Recorded,
    group: ScoreGroup,
    effect: Effect,
) -> Section {
    let phase = Phase { name, parent, is_optional: false, tool, record, group, effect };
    Section { name, is_optional: false, options, phase: Some(phase) }
}

const fn optional(section: Section) -> Section {
    let phase = match section.phase {
        Some(phase) => Some(Phase { is_optional: true, ..phase }),
        None => None,
    };
    Section { is_optional: true, phase, ..section }
}

const fn workbench(name: &'static str, record: Recorded, group: ScoreGroup, effect: Effect) -> Section {
    optional(phase(name, "mdworkbench", ONLY_RUN, PhaseTool::MdWorkbench, record, group, effect))
}

/// All sections.
#[rustfmt::skip]
pub const SECTIONS: &[Section] = {
    use Effect::{Keeps, Removes, Writes};
    use PhaseTool::{Ior, Mdtest, Pfind, Timestamp};
    use ScoreGroup::{Bandwidth, Metadata, None};
    &[
        group("global", GLOBAL),
        group("debug", DEBUG),
        group("ior-easy", IOR_EASY),
        phase("ior-easy-write", "ior-easy", PHASE, Ior, ("write", 0), Bandwidth, Writes),
        group("mdtest-easy", MDTEST_EASY),
        phase("mdtest-easy-write", "mdtest-easy", PHASE, Mdtest, ("file_creation", 0), Metadata, Writes),
        optional(group("mdworkbench", MDWORKBENCH)),
        workbench("mdworkbench-create", ("precreate", 0), None, Keeps),
        phase("timestamp", "timestamp", &[], Timestamp, ("", 0), None, Keeps),
        optional(phase("find-easy", "find-easy", FIND, Pfind, ("find", 0), Metadata, Keeps)),
        group("ior-hard", IOR_HARD),
        phase("ior-hard-write", "ior-hard", COLLECTIVE_PHASE, Ior, ("write", 0), Bandwidth, Writes),
        group("mdtest-hard", MDTEST_HARD),
        phase("mdtest-hard-write", "mdtest-hard", PHASE, Mdtest, ("file_creation", 0), Metadata, Writes),
        phase("find", "find", FIND, Pfind, ("find", 0), Metadata, Keeps),
        optional(phase("find-hard", "find-hard", FIND, Pfind, ("find", 0), Metadata, Keeps)),
        workbench("mdworkbench-bench", ("benchmark", 1), Metadata, Keeps),
        phase("ior-easy-read", "ior-easy", PHASE, Ior, ("read_check", 0), Bandwidth, Keeps),
        phase("mdtest-easy-stat", "mdtest-easy", PHASE, Mdtest, ("file_stat", 0), Metadata, Keeps),
        phase("ior-hard-read", "ior-hard", COLLECTIVE_PHASE, Ior, ("read_check", 0), Bandwidth, Keeps),
        phase("mdtest-hard-stat", "mdtest-hard", PHASE, Mdtest, ("file_stat", 0), Metadata, Keeps),
        workbench("mdworkbench-delete", ("cleanup", 0), None, Removes),
        phase("mdtest-easy-delete", "mdtest-easy", PHASE, Mdtest, ("file_removal", 0), Metadata, Removes),
        phase("mdtest-hard-read", "mdtest-hard", PHASE, Mdtest, ("file_read", 0), Metadata, Keeps),
        phase("mdtest-hard-delete", "mdtest-hard", PHASE, Mdtest, ("file_removal", 0), Metadata, Removes),
        phase("ior-rnd4K-easy-read", "ior-easy", PHASE, Ior, ("read", 0), None, Keeps),
    ]
};
