//! The table of lints: severity, source, reason, and the checks of each lint.
//!
//! Invariant: codes are unique and never change. No finding of a check is more severe than its lint.
//! Never here: sentences about findings, which `report` makes.

use results::finding::Finding;
use results::finding::Severity::{self, Error, Info, NeedsWaiver};
use results::reason::Code;

use crate::checks::{cache, criteria, names, paths, prose, series, shape, stonewall, terms};
use crate::machine::{self, MachineSubject};
use crate::subject::{LineSubject, PlanSubject};

/// One check for a lint.
#[derive(Clone, Copy)]
pub enum LintCheck {
    /// On one command line, with at most one finding.
    Line(fn(&LineSubject) -> Option<Finding>),
    /// On one command line.
    Lines(fn(&LineSubject) -> Vec<Finding>),
    /// On a whole plan.
    Plan(fn(&PlanSubject) -> Vec<Finding>),
    /// On the machine, before the first job.
    Machine(for<'a, 'b> fn(&'a MachineSubject<'b>) -> Vec<Finding>),
}

/// The time at which a lint is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintStage {
    /// Before any job is started, from the text alone.
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

/// A rule about good storage tests.
pub struct Lint {
    /// Its code, which its findings carry.
    pub code: Code,
    /// Its greatest severity.
    pub severity: Severity,
    /// Its source: a document or an observed case.
    pub source: &'static str,
    /// The reason, as a sentence without its full stop.
    pub why: &'static str,
    /// Its checks; empty for what is found when waivers are settled.
    pub checks: &'static [LintCheck],
    /// Whether the run's records decide the same question, so that a waiver may refer to their findings.
    pub records_decide: bool,
    /// The related defect for which a plan is rejected; empty if there is none.
    pub rejected: &'static str,
    /// Cases that acceptance rules call errors and that are less severe here: the severity and the reason.
    pub less_severe: Option<(&'static str, &'static str)>,
}

/// A row of the table. Its methods add the texts.
const fn lint(code: Code, severity: Severity, checks: &'static [LintCheck]) -> Lint {
    Lint {
        code,
        severity,
        source: "",
        why: "",
        checks,
        records_decide: false,
        rejected: "",
        less_severe: None,
    }
}

impl Lint {
    const fn why(self, why: &'static str) -> Self {
        Self { why, ..self }
    }

    const fn source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    const fn records_decide(self) -> Self {
        Self { records_decide: true, ..self }
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

    /// The time at which it is checked.
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

/// The findings of `look` for each check, in the order of the table.
pub(crate) fn all_found(look: impl Fn(&LintCheck) -> Vec<Finding>) -> Vec<Finding> {
    LINTS.iter().flat_map(|lint| lint.checks).flat_map(look).collect()
}

use LintCheck::{Line, Lines, Machine, Plan};

/// All lints, in the order in which findings are reported.
pub const LINTS: &[Lint] = &[
    lint(Code::WriteIopsBuffered, NeedsWaiver, &[Line(cache::write_iops)])
        .why("Caches merge and reorder small random writes, so the rate is not that of the servers")
        .source("Lockwood, IOR results at NERSC"),
    lint(Code::ClientCacheFit, NeedsWaiver, &[Lines(cache::cache_fit)])
        .why("Data that fits the clients' memory is written to that memory and read from it")
        .source("NERSC-10 benchmark rules (1.5 times the memory); MLPerf Storage rules (5 times)")
        .records_decide()
        .less_severe("info", "for reads: records show page-cache residency, and cached reads are INVALID"),
    lint(Code::MissingPersist, Error, &[Line(cache::persist)])
        .why("Without an fsync in the measured time, a write ends while data is still in memory")
        .source("Lockwood, IOR results at NERSC; IO500 rules")
        .records_decide()
        .less_severe("needs-waiver", "for reported and hero tests: no clause depends on them"),
    lint(Code::WrSameLaunch, Info, &[Line(cache::same_launch)])
        .why("A read in the job that wrote the data can be served from caches")
        .source("Lockwood, IOR results at NERSC")
        .records_decide()
        .less_severe("info", "because the records show page-cache residency: cached reads are INVALID"),
    lint(Code::ReaderIsWriter, Info, &[Line(cache::reader_is_writer)])
        .why("A rank that reads data of its own node can read it from that node's memory")
        .source("Lockwood, IOR results at NERSC; NERSC-10 benchmark rules (tasks shifted by those of a node)")
        .records_decide()
        .less_severe("info", "because the records show page-cache residency: cached reads are INVALID"),
    lint(Code::ReadBeyondWritten, Error, &[Line(stonewall::beyond)])
        .why("After the end of a file, IOR aborts, or reads nothing and still reports a rate")
        .source("Lockwood, IOR results at NERSC")
        .rejected("a reader of more data than exists, or of a stopped dataset without a status file"),
    lint(Code::SparseRandomWrite, NeedsWaiver, &[Line(cache::sparse)])
        .why("Random writes into a new file also measure the allocation of space")
        .source("IOR issue 261"),
    lint(Code::WearoutOnMeasured, Error, &[Line(stonewall::wear_out)])
        .why("Wear-out waits for the slowest rank, as applications do, so the rate is not the sustained one")
        .source("Lockwood, IOR results at NERSC")
        .less_severe("needs-waiver", "without a required sustained time: IO500 is defined with wear-out"),
    lint(Code::NoWearoutOnDataset, Error, &[Line(stonewall::no_wear_out)])
        .why("A stopped dataset without wear-out has files of unequal size, and readers reach their ends")
        .source("Lockwood, IOR results at NERSC")
        .rejected("a dataset with -D but without stoneWallingWearOut"),
    lint(Code::SustainedNotMet, Info, &[Line(stonewall::sustained)])
        .why("A rate is sustained only for the time in which it was measured")
        .source("Lockwood, IOR results at NERSC")
        .records_decide(),
    lint(Code::OutOfData, Info, &[Line(stonewall::out_of_data)])
        .why("Ranks that run out of data before the deadline are counted as if they still worked")
        .source("Lockwood, IOR results at NERSC")
        .records_decide(),
    lint(Code::DatasetTooSmall, Info, &[Lines(stonewall::too_small)])
        .why("A reader that reaches the end of its files before its time is up sustains nothing")
        .source("Lockwood, IOR results at NERSC")
        .records_decide()
        .rejected("a dataset that cannot hold the data that its `cover` requires"),
    lint(Code::HeroAsContract, Error, &[Line(shape::hero)])
        .why("Larger transfers and chosen nodes show the best of a system, not what was bought")
        .source("Lockwood, IOR results at NERSC")
        .rejected("a hero run with a criterion"),
    lint(Code::Geometry, Error, &[Lines(shape::geometry)])
        .why("Ranks, nodes and sizes that contradict each other do not describe a run")
        .source("Lockwood, IOR results at NERSC (28 nodes × 8 and 184 ranks)")
        .rejected("a number of ranks that differs from the nodes times the ranks per node"),
    lint(Code::RoleMismatch, Error, &[Line(shape::role), Line(prose::verb)])
        .why("A command line that does not do what its test is for measures something else")
        .source("Blue Waters IO-2017 (a read test with -w)")
        .rejected("a criterion on a phase that the command line does not have")
        .less_severe("info", "if only the clause text states what the test is for"),
    lint(Code::PathOnWrongFs, Error, &[Lines(paths::place)])
        .why("A path outside the mount measures another file system")
        .source("Lockwood, IOR results at NERSC (a result from another file system than in its title)")
        .records_decide()
        .rejected("a path outside the campaign's own directory"),
    lint(Code::LineRejected, Error, &[Lines(shape::rejected)])
        .why("The program ends with exit status 2 on any machine, before it touches a file")
        .source("Lockwood, IOR results at NERSC (-4); IOR 4.1 and mdtest 4.1")
        .rejected("every command line that the program rejects"),
    lint(Code::OptionDrift, NeedsWaiver, &[Line(shape::changed), Lines(shape::drift)])
        .why("Options are added, removed and redefined between versions")
        .source("Blue Waters IO-2017 (mdtest -k); Lockwood, IOR results at NERSC (-H, lustrestripecount)"),
    lint(Code::OptionsInFile, NeedsWaiver, &[Line(shape::hidden)])
        .why("Options in a file decide what is measured, but the command line does not show them")
        .source("IOR 4.1 (-f)")
        .rejected("a command line of a plan with -f"),
    lint(Code::LayoutUndeclared, NeedsWaiver, &[Line(shape::layout), Line(shape::few_files)])
        .why("Stripes decide how many servers a file can use")
        .source("Lockwood, IOR results at NERSC; Blue Waters IO-2017")
        .records_decide(),
    lint(Code::CbStateUnset, NeedsWaiver, &[Line(cache::collective)])
        .why("Collective buffering decides which ranks use the servers; if it is unset, the library chooses")
        .source("Lockwood, IOR results at NERSC"),
    lint(Code::FillRecorded, Error, &[Machine(machine::fill_recorded)])
        .why("File systems slow down as they fill, so a rate without its utilization cannot be compared")
        .source("Lockwood, IOR results at NERSC (66 % and 53 % of the former rates on fuller targets)")
        .records_decide(),
    lint(Code::NotAged, NeedsWaiver, &[Line(names::aged)])
        .why("An empty file system finds free space and directory entries without searching")
        .source("LLNL Purple GPFS acceptance (80 % of the blocks, 20 % of the inodes)")
        .records_decide()
        .less_severe(
            "needs-waiver",
            "as long as only the plan is known: the utilization is known when the file system is checked",
        ),
    lint(Code::FillIsNotAge, NeedsWaiver, &[Plan(names::only_filled)])
        .why("Sequential filling leaves free space in one piece; fragmentation costs more than utilization")
        .source("LUG 2017, Kaitschuck; HotStorage 2019, Conway and others"),
    lint(Code::SharedUniquePair, NeedsWaiver, &[Plan(names::pair), Line(prose::pair)])
        .why("A shared directory and one per rank are two tests, and servers often do well in only one")
        .source("Blue Waters IO-2017"),
    lint(Code::MdSameNode, Info, &[Line(names::same_node)])
        .why("A stat on the node that created the file is served from that node's cache")
        .source("NERSC-10 benchmark rules")
        .records_decide(),
    lint(Code::MdTooShort, Info, &[Line(names::too_few)])
        .why("A short phase measures caches and start-up")
        .source("NERSC-10 benchmark rules; IO500 rules")
        .records_decide(),
    lint(Code::RateTooShort, Info, &[Line(shape::instant)])
        .why("In a fraction of a second, start-up, one stall or a cache decides the rate")
        .source("IO500 rules; Lockwood, IOR results at NERSC")
        .records_decide(),
    lint(Code::StatUnnamed, Info, &[Lines(criteria::stat), Lines(prose::average)])
        .why("Mean, minimum and maximum of ten repetitions differ; without a name, the mean is compared")
        .source("Blue Waters IO-2017")
        .less_severe("info", "because the criterion and the verdict name the statistic"),
    lint(Code::RepsShort, NeedsWaiver, &[Line(criteria::one_job), Line(prose::short)])
        .why("Fewer repetitions than required, or all in one job, are weaker evidence")
        .source("Blue Waters IO-2017")
        .records_decide(),
    lint(Code::LinearityBase, Error, &[Plan(series::base)])
        .why("Scaling is compared with one server, with counted servers and enough clients")
        .source("Blue Waters IO-2017"),
    lint(Code::OptimalUndefined, Info, &[Lines(prose::optimal)])
        .why("A share of an undefined optimum, at undefined steps, cannot be evaluated")
        .source("Blue Waters IO-2017 (50 % of optimal at every step)"),
    lint(Code::ThresholdMissing, Info, &[Line(prose::threshold)])
        .why("A clause with a requirement needs a number to get a verdict")
        .source("Lockwood, IOR results at NERSC (no threshold is published)")
        .rejected("a contract test without a criterion"),
    lint(Code::ClauseNumber, NeedsWaiver, &[Lines(terms::number)])
        .why("A verdict on another number than that of the clause decides another contract")
        .source("this program: a criterion of 9 GB/s for a clause of 900 GB/s")
        .less_severe("info", "if the clause text has no number with a unit of the criterion"),
    lint(Code::LowConfidence, NeedsWaiver, &[Line(terms::confidence)])
        .why("At 50 %, every second system at the threshold passes and every second fails")
        .source("GUM, Guide to the expression of uncertainty in measurement (95 % by convention)"),
    lint(Code::HighCovMax, NeedsWaiver, &[Line(terms::cov_max)])
        .why("Repetitions that differ by half of their mean describe no rate")
        .source("this program: a `cov_max` that no measurement exceeds"),
    lint(Code::AsWritten, Info, &[Line(terms::as_written)])
        .why("A value without a confidence can meet its threshold by chance")
        .source("this program: a contract that asks for the mean of five runs and nothing else"),
    lint(Code::ClauseUntested, Info, &[Plan(terms::untested)])
        .why("A clause that the plan does not test stays NOT RUN")
        .source("this program: a contract of twelve clauses, of which a plan tests three"),
    lint(Code::TableLabel, Info, &[Plan(prose::tables)])
        .why("A table cited by a number that the report does not use gets filled in wrongly")
        .source("Blue Waters IO-2017 (results in Table 4, which is Table 3)"),
    lint(Code::UncheckedData, NeedsWaiver, &[Line(criteria::check_in_time), Plan(criteria::unchecked)])
        .why("Data that is never read back may be wrong")
        .source("LLNL Purple GPFS acceptance (all tests with data checking)")
        .less_severe(
            "needs-waiver",
            "in both cases: the data may be compared by other means. Wrong data that is found is never a \
             PASS",
        ),
    lint(Code::Compressible, NeedsWaiver, &[Line(cache::compressible)])
        .why("A store that reduces data writes fewer bytes than are counted")
        .source("IO500 rules"),
    lint(Code::OneFsTwice, Error, &[Machine(machine::one_twice)])
        .why("Two paths on one file system turn a test of two file systems into a test of one")
        .source("LLNL Purple GPFS acceptance (even ranks on one file system, odd on the other)")
        .records_decide(),
    lint(Code::LsWalk, NeedsWaiver, &[Lines(names::walk)])
        .why("Walks of small, shared or cached trees do not reach the servers")
        .source("LLNL Purple GPFS acceptance (ten `ls -lR` of more than 100 000 entries)")
        .records_decide()
        .less_severe(
            "info or needs-waiver",
            "because the records show the number of listed entries, and walks of cached trees are INVALID",
        ),
    lint(Code::NotPacked, NeedsWaiver, &[Line(cache::packed)])
        .why("Nodes with idle cores show less contention than applications meet")
        .source("Blue Waters IO-2017"),
    lint(Code::DeadCriterion, Error, &[Lines(criteria::dead)])
        .why("A criterion that cannot fail, or cannot be met, decides nothing")
        .source("public benchmark suites whose conditions match anything")
        .rejected("a metric that the command line does not yield")
        .less_severe(
            "needs-waiver",
            "if a rate has an upper limit, or a latency or error count a lower limit: that may be intended",
        ),
    lint(Code::Units, Info, &[Lines(prose::units), Plan(criteria::mixed_units)])
        .why("Powers of 1000 and of 1024 differ by 10 % at the prefix T")
        .source("Blue Waters IO-2017 (TB/s required, MiB/s printed)")
        .rejected("a number without a unit")
        .less_severe("info", "because values are compared in base units, and only readers can confuse them"),
    lint(Code::Waiver, Error, &[])
        .why("A waiver needs a finding, a reason, and a person who approves it")
        .source("this program"),
];
