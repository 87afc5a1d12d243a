//! The table of lints: severity, source, why, and the checks of each.
//!
//! Invariant: codes are unique and stay; no finding of a check is more severe than its lint.
//! Never here: sentences about findings; `report` makes them.

use results::finding::Finding;
use results::finding::Severity::{self, Error, Info, NeedsWaiver};
use results::reason::Code;

use crate::checks::{cache, criteria, names, paths, prose, series, shape, stonewall};
use crate::machine::{self, MachineSubject};
use crate::subject::{LineSubject, PlanSubject};

/// One way to look for a lint.
#[derive(Clone, Copy)]
pub enum LintCheck {
    /// In the words of one command, where it is found once at most.
    Line(fn(&LineSubject) -> Option<Finding>),
    /// In the words of one command.
    Lines(fn(&LineSubject) -> Vec<Finding>),
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
    /// Cases that rules of acceptance call errors, and that are less severe here: how severe, and why.
    pub less_severe: Option<(&'static str, &'static str)>,
}

/// A row of the table, whose methods add what is said of it.
const fn lint(code: Code, severity: Severity, checks: &'static [LintCheck]) -> Lint {
    Lint { code, severity, source: "", why: "", checks, judged: false, rejected: "", less_severe: None }
}

impl Lint {
    const fn why(self, why: &'static str) -> Self {
        Self { why, ..self }
    }

    const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    const fn judged(self) -> Self {
        Self { judged: true, ..self }
    }

    const fn rejected(self, rejected: &'static str) -> Self {
        Self { rejected, ..self }
    }

    const fn less_severe(self, severity: &'static str, why: &'static str) -> Self {
        Self { less_severe: Some((severity, why)), ..self }
    }

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

use LintCheck::{Line, Lines, Machine, Plan};

/// All of them, in the order in which findings are reported.
pub const LINTS: &[Lint] = &[
    lint(Code::WriteIopsBuffered, NeedsWaiver, &[Line(cache::write_iops)])
        .why("Caches gather and reorder small random writes: a user's view, not the work of the servers")
        .source("Lockwood, IOR results at NERSC"),
    lint(Code::ClientCacheFit, NeedsWaiver, &[Lines(cache::cache_fit)])
        .why("Data that fits the memory of the clients is written to it and read from it")
        .source("NERSC-10 benchmark rules (1.5 times the memory); MLPerf Storage rules (5 times)")
        .judged()
        .less_severe("info", "for reads: the records show what was cached, and cached reads are INVALID"),
    lint(Code::MissingPersist, Error, &[Line(cache::persist)])
        .why("Without an fsync in its time a write ends while the data is still in memory")
        .source("Lockwood, IOR results at NERSC; IO500 rules")
        .judged()
        .less_severe("needs-waiver", "of reported and hero tests: no clause depends on them"),
    lint(Code::WrSameLaunch, Info, &[Line(cache::same_launch)])
        .why("A read in the launch that wrote finds what it wrote in caches")
        .source("Lockwood, IOR results at NERSC")
        .judged()
        .less_severe("info", "because the records show what was cached, and cached reads are INVALID"),
    lint(Code::ReaderIsWriter, Info, &[Line(cache::reader_is_writer)])
        .why("A rank that reads what its own node wrote reads that node's memory")
        .source("Lockwood, IOR results at NERSC; NERSC-10 benchmark rules (tasks shifted by those of a node)")
        .judged()
        .less_severe("info", "because the records show what was cached, and cached reads are INVALID"),
    lint(Code::ReadBeyondWritten, Error, &[Line(stonewall::beyond)])
        .why("Behind the end of a file IOR aborts, or reads nothing and reports a rate")
        .source("Lockwood, IOR results at NERSC")
        .rejected("a reader of more than there is, or of a stopped dataset without a status file"),
    lint(Code::SparseRandomWrite, NeedsWaiver, &[Line(cache::sparse)])
        .why("Random writes into a new file measure allocation as well")
        .source("IOR issue 261"),
    lint(Code::WearoutOnMeasured, Error, &[Line(stonewall::wear_out)])
        .why("Wear-out waits for the slowest rank, as an application does: not what is sustained")
        .source("Lockwood, IOR results at NERSC"),
    lint(Code::NoWearoutOnDataset, Error, &[Line(stonewall::no_wear_out)])
        .why("A stopped dataset without wear-out has files of unequal size, and readers meet their ends")
        .source("Lockwood, IOR results at NERSC")
        .rejected("a dataset with -D and without stoneWallingWearOut"),
    lint(Code::SustainedNotMet, Info, &[Line(stonewall::sustained)])
        .why("A rate is sustained only for as long as it was measured")
        .source("Lockwood, IOR results at NERSC")
        .judged(),
    lint(Code::OutOfData, Info, &[Line(stonewall::out_of_data)])
        .why("Ranks that have nothing left before the deadline are counted as if they worked")
        .source("Lockwood, IOR results at NERSC")
        .judged(),
    lint(Code::DatasetTooSmall, Info, &[Lines(stonewall::too_small)])
        .why("A reader at the end of its files before its time is up sustained nothing")
        .source("Lockwood, IOR results at NERSC")
        .judged()
        .rejected("a dataset that cannot hold what its `cover` asks for"),
    lint(Code::HeroAsContract, Error, &[Line(shape::hero)])
        .why("Larger transfers and chosen nodes show what a system can do, not what was bought")
        .source("Lockwood, IOR results at NERSC")
        .rejected("a hero run with a criterion"),
    lint(Code::Geometry, Error, &[Lines(shape::geometry)])
        .why("Ranks, nodes and sizes that contradict each other describe no run")
        .source("Lockwood, IOR results at NERSC (28 nodes × 8 and 184 ranks)")
        .rejected("ranks of a test that are not its nodes times the ranks of each"),
    lint(Code::RoleMismatch, Error, &[Line(shape::role), Line(prose::verb)])
        .why("A line that does not do what it is for measures something else")
        .source("Blue Waters IO-2017 (a read test with -w)")
        .rejected("a criterion on a phase that the line has not")
        .less_severe("info", "where only the clause text says what the test is for"),
    lint(Code::PathOnWrongFs, Error, &[Lines(paths::place)])
        .why("A path elsewhere measures another file system")
        .source("Lockwood, IOR results at NERSC (a result on another file system than its title)")
        .judged()
        .rejected("a path outside the campaign's own directory"),
    lint(Code::OptionDrift, Error, &[Line(shape::changed), Lines(shape::drift)])
        .why("Options come, go, change their meaning between versions, and are mistyped")
        .source("Blue Waters IO-2017 (mdtest -k); Lockwood, IOR results at NERSC (-H, lustrestripecount)")
        .rejected("unknown options")
        .less_severe(
            "needs-waiver or info",
            "where the line still runs: the option has another meaning, another name or no effect",
        ),
    lint(Code::OptionsInFile, NeedsWaiver, &[Line(shape::hidden)])
        .why("What a line takes from a file decides what it measures, and is not in the line")
        .source("IOR 4.1 (-f)")
        .rejected("a plan's line with -f"),
    lint(Code::LayoutUndeclared, NeedsWaiver, &[Line(shape::layout), Line(shape::few_files)])
        .why("Stripes decide how many servers a file can use")
        .source("Lockwood, IOR results at NERSC; Blue Waters IO-2017")
        .judged(),
    lint(Code::CbStateUnset, NeedsWaiver, &[Line(cache::collective)])
        .why("Collective buffering decides which ranks talk to the servers; unset, the library chooses")
        .source("Lockwood, IOR results at NERSC"),
    lint(Code::FillRecorded, Error, &[Machine(machine::fill_recorded)])
        .why("File systems slow down as they fill, so a rate without its utilization compares with nothing")
        .source("Lockwood, IOR results at NERSC (66 % and 53 % of the former rates on fuller targets)")
        .judged(),
    lint(Code::NotAged, NeedsWaiver, &[Line(names::aged)])
        .why("An empty file system finds free space and directory entries at once")
        .source("LLNL Purple GPFS acceptance (80 % of the blocks, 20 % of the inodes)")
        .judged()
        .less_severe(
            "needs-waiver",
            "while there is only the plan: the utilization is known when the file system is looked at",
        ),
    lint(Code::FillIsNotAge, NeedsWaiver, &[Plan(names::only_filled)])
        .why("Sequential filling leaves free space in one piece; fragmentation costs more than fill")
        .source("LUG 2017, Kaitschuck; HotStorage 2019, Conway and others"),
    lint(Code::SharedUniquePair, NeedsWaiver, &[Plan(names::pair), Line(prose::pair)])
        .why("One shared directory and one per rank are two tests, and servers do well in one of them")
        .source("Blue Waters IO-2017"),
    lint(Code::MdSameNode, Info, &[Line(names::same_node)])
        .why("Files stat'ed on the node that created them come from its cache")
        .source("NERSC-10 benchmark rules")
        .judged(),
    lint(Code::MdTooShort, Info, &[Line(names::too_few)])
        .why("A short phase is one of caches and start-up")
        .source("NERSC-10 benchmark rules; IO500 rules")
        .judged(),
    lint(Code::RateTooShort, Info, &[Line(shape::instant)])
        .why("In a fraction of a second the start, one stall or a cache is the rate")
        .source("IO500 rules; Lockwood, IOR results at NERSC")
        .judged(),
    lint(Code::StatUnnamed, Info, &[Lines(criteria::stat), Lines(prose::average)])
        .why("Mean, minimum and maximum of ten repetitions are three numbers; unnamed, the mean is compared")
        .source("Blue Waters IO-2017")
        .less_severe("info", "because criterion and verdict name the statistic that is compared"),
    lint(Code::RepsShort, NeedsWaiver, &[Line(criteria::one_job), Line(prose::short)])
        .why("Fewer repetitions than asked for, or in one launch, support less")
        .source("Blue Waters IO-2017")
        .judged(),
    lint(Code::LinearityBase, Error, &[Plan(series::base)])
        .why("Scaling is compared with one server, with servers counted and enough clients")
        .source("Blue Waters IO-2017"),
    lint(Code::OptimalUndefined, Info, &[Lines(prose::optimal)])
        .why("A share of an optimum that is not defined, at steps that are not defined, cannot be evaluated")
        .source("Blue Waters IO-2017 (50 % of optimal at every step)"),
    lint(Code::ThresholdMissing, Info, &[Line(prose::threshold)])
        .why("A clause that asks for something needs a number for a verdict")
        .source("Lockwood, IOR results at NERSC (no threshold is published)")
        .rejected("a contract test without a criterion"),
    lint(Code::TableLabel, Info, &[Plan(prose::tables)])
        .why("A table that is cited by a number that it does not have is filled in wrongly")
        .source("Blue Waters IO-2017 (results in Table 4 that is Table 3)"),
    lint(Code::UncheckedData, NeedsWaiver, &[Line(criteria::check_in_time), Plan(criteria::unchecked)])
        .why("Data that is never read back may be anything")
        .source("LLNL Purple GPFS acceptance (all tests with data checking)")
        .less_severe(
            "needs-waiver",
            "in both cases: the data may be compared by other means; wrong data that is found is never a \
             PASS",
        ),
    lint(Code::Compressible, NeedsWaiver, &[Line(cache::compressible)])
        .why("A store that reduces data writes less than is counted")
        .source("IO500 rules"),
    lint(Code::OneFsTwice, Error, &[Machine(machine::one_twice)])
        .why("Two names of one file system make a test of one out of one of two")
        .source("LLNL Purple GPFS acceptance (even ranks on one file system, odd on the other)")
        .judged(),
    lint(Code::LsWalk, NeedsWaiver, &[Lines(names::walk)])
        .why("Walks of small, shared or cached trees do not reach the servers")
        .source("LLNL Purple GPFS acceptance (ten `ls -lR` of more than 100 000 entries)")
        .judged()
        .less_severe(
            "info or needs-waiver",
            "because the records show how many entries were listed, and walks of cached trees are INVALID",
        ),
    lint(Code::NotPacked, NeedsWaiver, &[Line(cache::packed)])
        .why("Nodes that are not full show less contention than applications meet")
        .source("Blue Waters IO-2017"),
    lint(Code::DeadCriterion, Error, &[Lines(criteria::dead)])
        .why("A criterion that cannot fail, or cannot be met, decides nothing")
        .source("public benchmark suites whose conditions match anything")
        .rejected("a metric that the line does not yield")
        .less_severe(
            "needs-waiver",
            "where a rate has a ceiling, or a latency or errors a floor: that may be meant",
        ),
    lint(Code::Units, Info, &[Lines(prose::units), Plan(criteria::mixed_units)])
        .why("Powers of 1000 and of 1024 are 10 % apart at a T")
        .source("Blue Waters IO-2017 (TB/s asked, MiB/s printed)")
        .rejected("a number without a unit")
        .less_severe("info", "because all is compared in base units, and only readers can mix them up"),
    lint(Code::Waiver, Error, &[])
        .why("A waiver needs a finding that it is about, a reason and a person who approves it")
        .source("this program"),
];
