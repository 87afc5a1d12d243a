//! The table of lints: severity, source, why, and the checks of each.
//!
//! Invariant: codes are unique and stay; no finding of a check is more severe than its lint.
//! Never here: sentences about findings; `report` makes them.

// tidy: long because a table of lints is read as one.

use results::finding::Finding;
use results::finding::Severity::{self, Error, Info, NeedsWaiver};
use results::reason::Code;

use crate::checks::{cache, criteria, names, paths, prose, series, shape, stonewall};
use crate::machine::{self, MachineSubject};
use crate::subject::{LineSubject, PlanSubject};

/// One way to look for a lint.
#[derive(Clone, Copy)]
pub enum LintCheck {
    /// In the words of one command.
    Line(fn(&LineSubject) -> Vec<Finding>),
    /// In a whole plan.
    Plan(fn(&PlanSubject) -> Vec<Finding>),
    /// On the machine, before the first job.
    Machine(for<'a, 'b> fn(&'a MachineSubject<'b>) -> Vec<Finding>),
}

/// When a lint is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintStage {
    /// Before anything is spent, from the words alone.
    Plan,
    /// On the machine, before the first job.
    Machine,
}

impl std::fmt::Display for LintStage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(match self {
            Self::Plan => "plan",
            Self::Machine => "machine",
        })
    }
}

/// An opinion about storage tests.
pub struct Lint {
    /// Its code, which its findings have.
    pub code: Code,
    /// How severe it is at most.
    pub severity: Severity,
    /// Its source: a document, or where it was met.
    pub source: &'static str,
    /// Why, in a sentence without its full stop.
    pub why: &'static str,
    /// How it is looked for; empty of what is found while waivers are settled.
    pub checks: &'static [LintCheck],
    /// Whether the records of the run decide the same, so that a waiver may be about what they show.
    pub judged: bool,
    /// What is not even accepted as a plan for the same reason; empty where there is nothing.
    pub rejected: &'static str,
}

impl Lint {
    /// Its id in plans and files.
    pub fn id(&self) -> &'static str {
        self.code.id()
    }

    /// When it is looked for.
    pub fn stage(&self) -> LintStage {
        match self.checks {
            [LintCheck::Machine(_), ..] => LintStage::Machine,
            _ => LintStage::Plan,
        }
    }
}

/// The lint with this id.
pub fn named(id: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.id() == id)
}

/// The lint with this code.
pub fn of_code(code: Code) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.code == code)
}

/// What `look` finds by each check, in the order of the table.
pub(crate) fn all_found(look: impl Fn(&LintCheck) -> Vec<Finding>) -> Vec<Finding> {
    LINTS.iter().flat_map(|lint| lint.checks).flat_map(look).collect()
}

use LintCheck::{Line, Machine, Plan};

/// All of them, in the order in which findings are reported.
pub const LINTS: &[Lint] = &[
    Lint {
        code: Code::WriteIopsBuffered,
        severity: NeedsWaiver,
        source: "Lockwood, IOR results at NERSC",
        why: "Caches gather and reorder small random writes: a user's view, not the work of the servers",
        checks: &[Line(cache::write_iops)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::ClientCacheFit,
        severity: NeedsWaiver,
        source: "NERSC-10 benchmark rules (1.5 times the memory); MLPerf Storage rules (5 times)",
        why: "Data that fits the memory of the clients is written to it and read from it",
        checks: &[Line(cache::cache_fit)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::MissingPersist,
        severity: Error,
        source: "Lockwood, IOR results at NERSC; IO500 rules",
        why: "Without an fsync in its time a write ends while the data is still in memory",
        checks: &[Line(cache::persist)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::WrSameLaunch,
        severity: Info,
        source: "Lockwood, IOR results at NERSC",
        why: "A read in the launch that wrote finds what it wrote in caches",
        checks: &[Line(cache::same_launch)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::ReaderIsWriter,
        severity: Info,
        source: "Lockwood, IOR results at NERSC; NERSC-10 benchmark rules (tasks shifted by those of a node)",
        why: "A rank that reads what its own node wrote reads that node's memory",
        checks: &[Line(cache::reader_is_writer)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::ReadBeyondWritten,
        severity: Error,
        source: "Lockwood, IOR results at NERSC",
        why: "Behind the end of a file IOR aborts, or reads nothing and reports a rate",
        checks: &[Line(stonewall::beyond)],
        judged: false,
        rejected: "a reader of more than there is, or of a stopped dataset without a status file",
    },
    Lint {
        code: Code::SparseRandomWrite,
        severity: NeedsWaiver,
        source: "IOR issue 261",
        why: "Random writes into a new file measure allocation as well",
        checks: &[Line(cache::sparse)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::WearoutOnMeasured,
        severity: Error,
        source: "Lockwood, IOR results at NERSC",
        why: "Wear-out waits for the slowest rank, as an application does: not what is sustained",
        checks: &[Line(stonewall::wear_out)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::NoWearoutOnDataset,
        severity: Error,
        source: "Lockwood, IOR results at NERSC",
        why: "A stopped dataset without wear-out has files of unequal size, and readers meet their ends",
        checks: &[Line(stonewall::no_wear_out)],
        judged: false,
        rejected: "a dataset with -D and without stoneWallingWearOut",
    },
    Lint {
        code: Code::SustainedNotMet,
        severity: Info,
        source: "Lockwood, IOR results at NERSC",
        why: "A rate is sustained only for as long as it was measured",
        checks: &[Line(stonewall::sustained)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::RunsDry,
        severity: Info,
        source: "Lockwood, IOR results at NERSC",
        why: "Ranks that have nothing left before the deadline are counted as if they worked",
        checks: &[Line(stonewall::runs_dry)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::DatasetTooSmall,
        severity: Info,
        source: "Lockwood, IOR results at NERSC",
        why: "A reader at the end of its files before its time is up sustained nothing",
        checks: &[Line(stonewall::too_small)],
        judged: true,
        rejected: "a dataset that cannot hold what its `cover` asks for",
    },
    Lint {
        code: Code::HeroAsContract,
        severity: Error,
        source: "Lockwood, IOR results at NERSC",
        why: "Larger transfers and chosen nodes show what a system can do, not what was bought",
        checks: &[Line(shape::hero)],
        judged: false,
        rejected: "a hero run with a criterion",
    },
    Lint {
        code: Code::Geometry,
        severity: Error,
        source: "Lockwood, IOR results at NERSC (28 nodes × 8 and 184 ranks)",
        why: "Ranks, nodes and sizes that contradict each other describe no run",
        checks: &[Line(shape::geometry)],
        judged: false,
        rejected: "ranks of a test that are not its nodes times the ranks of each",
    },
    Lint {
        code: Code::RoleMismatch,
        severity: Error,
        source: "Blue Waters IO-2017 (a read test with -w)",
        why: "A line that does not do what it is for measures something else",
        checks: &[Line(shape::role), Line(prose::verb)],
        judged: false,
        rejected: "a criterion on a phase that the line has not",
    },
    Lint {
        code: Code::PathOnWrongFs,
        severity: Error,
        source: "Lockwood, IOR results at NERSC (a result on another file system than its title)",
        why: "A path elsewhere measures another file system",
        checks: &[Line(paths::place)],
        judged: true,
        rejected: "a path outside the campaign's own directory",
    },
    Lint {
        code: Code::OptionDrift,
        severity: Error,
        source: "Blue Waters IO-2017 (mdtest -k); Lockwood, IOR results at NERSC (-H, lustrestripecount)",
        why: "Options come, go, change their meaning between versions, and are mistyped",
        checks: &[Line(shape::changed), Line(shape::drift)],
        judged: false,
        rejected: "unknown options",
    },
    Lint {
        code: Code::OptionsInFile,
        severity: NeedsWaiver,
        source: "IOR 4.1 (-f)",
        why: "What a line takes from a file decides what it measures, and is not in the line",
        checks: &[Line(shape::hidden)],
        judged: false,
        rejected: "a plan's line with -f",
    },
    Lint {
        code: Code::LayoutUndeclared,
        severity: NeedsWaiver,
        source: "Lockwood, IOR results at NERSC; Blue Waters IO-2017",
        why: "Stripes decide how many servers a file can use",
        checks: &[Line(shape::layout), Line(shape::few_files)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::CbStateUnset,
        severity: NeedsWaiver,
        source: "Lockwood, IOR results at NERSC",
        why: "Collective buffering decides which ranks talk to the servers; unset, the library chooses",
        checks: &[Line(cache::collective)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::FillRecorded,
        severity: Error,
        source: "Lockwood, IOR results at NERSC (66 % and 53 % of the former rates on fuller targets)",
        why: "File systems slow down as they fill, so a rate without its utilization compares with nothing",
        checks: &[Machine(machine::fill_recorded)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::NotAged,
        severity: NeedsWaiver,
        source: "LLNL Purple GPFS acceptance (80 % of the blocks, 20 % of the inodes)",
        why: "An empty file system finds free space and directory entries at once",
        checks: &[Line(names::aged)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::FillIsNotAge,
        severity: NeedsWaiver,
        source: "LUG 2017, Kaitschuck; HotStorage 2019, Conway and others",
        why: "Sequential filling leaves free space in one piece; fragmentation costs more than fill",
        checks: &[Plan(names::only_filled)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::SharedUniquePair,
        severity: NeedsWaiver,
        source: "Blue Waters IO-2017",
        why: "One shared directory and one per rank are two tests, and servers do well in one of them",
        checks: &[Plan(names::pair), Line(prose::pair)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::MdSameNode,
        severity: Info,
        source: "NERSC-10 benchmark rules",
        why: "Files stat'ed on the node that created them come from its cache",
        checks: &[Line(names::same_node)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::MdTooShort,
        severity: Info,
        source: "NERSC-10 benchmark rules; IO500 rules",
        why: "A short phase is one of caches and start-up",
        checks: &[Line(names::too_few)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::RateTooShort,
        severity: Info,
        source: "IO500 rules; Lockwood, IOR results at NERSC",
        why: "In a fraction of a second the start, one stall or a cache is the rate",
        checks: &[Line(shape::instant)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::StatUnnamed,
        severity: Info,
        source: "Blue Waters IO-2017",
        why: "Mean, minimum and maximum of ten repetitions are three numbers; unnamed, the mean is compared",
        checks: &[Line(criteria::stat), Line(prose::average)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::RepsShort,
        severity: NeedsWaiver,
        source: "Blue Waters IO-2017",
        why: "Fewer repetitions than asked for, or in one launch, support less",
        checks: &[Line(criteria::one_job), Line(prose::short)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::LinearityBase,
        severity: Error,
        source: "Blue Waters IO-2017",
        why: "Scaling is compared with one server, with servers counted and enough clients",
        checks: &[Plan(series::base)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::OptimalUndefined,
        severity: Info,
        source: "Blue Waters IO-2017 (50 % of optimal at every step)",
        why: "A share of an optimum that is not defined, at steps that are not defined, cannot be evaluated",
        checks: &[Line(prose::optimal)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::ThresholdMissing,
        severity: Info,
        source: "Lockwood, IOR results at NERSC (no threshold is published)",
        why: "A clause that asks for something needs a number for a verdict",
        checks: &[Line(prose::threshold)],
        judged: false,
        rejected: "a contract test without a criterion",
    },
    Lint {
        code: Code::TableLabel,
        severity: Info,
        source: "Blue Waters IO-2017 (results in Table 4 that is Table 3)",
        why: "A table that is cited by a number that it does not have is filled in wrongly",
        checks: &[Plan(prose::tables)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::UncheckedData,
        severity: NeedsWaiver,
        source: "LLNL Purple GPFS acceptance (all tests with data checking)",
        why: "Data that is never read back may be anything",
        checks: &[Line(criteria::check_in_time), Plan(criteria::unchecked)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::Compressible,
        severity: NeedsWaiver,
        source: "IO500 rules",
        why: "A store that reduces data writes less than is counted",
        checks: &[Line(cache::compressible)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::OneFsTwice,
        severity: Error,
        source: "LLNL Purple GPFS acceptance (even ranks on one file system, odd on the other)",
        why: "Two names of one file system make a test of one out of one of two",
        checks: &[Machine(machine::one_twice)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::LsWalk,
        severity: NeedsWaiver,
        source: "LLNL Purple GPFS acceptance (ten `ls -lR` of more than 100 000 entries)",
        why: "Walks of small, shared or cached trees do not reach the servers",
        checks: &[Line(names::walk)],
        judged: true,
        rejected: "",
    },
    Lint {
        code: Code::NotPacked,
        severity: NeedsWaiver,
        source: "Blue Waters IO-2017",
        why: "Nodes that are not full show less contention than applications meet",
        checks: &[Line(cache::packed)],
        judged: false,
        rejected: "",
    },
    Lint {
        code: Code::DeadCriterion,
        severity: Error,
        source: "public benchmark suites whose conditions match anything",
        why: "A criterion that cannot fail, or cannot be met, decides nothing",
        checks: &[Line(criteria::dead)],
        judged: false,
        rejected: "a metric that the line does not yield",
    },
    Lint {
        code: Code::Units,
        severity: Info,
        source: "Blue Waters IO-2017 (TB/s asked, MiB/s printed)",
        why: "Powers of 1000 and of 1024 are 10 % apart at a T",
        checks: &[Line(prose::units), Plan(criteria::mixed_units)],
        judged: false,
        rejected: "a number without a unit",
    },
    Lint {
        code: Code::Waiver,
        severity: Error,
        source: "this program",
        why: "A waiver needs a finding that it is about, a reason and a person who approves it",
        checks: &[],
        judged: false,
        rejected: "",
    },
];
