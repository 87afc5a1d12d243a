//! The input of the checks: one command, or a whole plan, as facts that may be unknown.
//!
//! Invariant: an unknown fact is `None` or empty. No fact is guessed from prose, except
//! [`LineSubject::worded_role`], which gives only info.
//! Never here: where the facts come from.

use command::{LaunchedRanks, PlannedLine, TypedCommand, WorkloadLine, ior, mdtest};
use plan::{Comparison, Requirements, Stat};
use results::finding::SourcePosition;
use units::{Dimension, Quantity};

/// The purpose of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// Its write is measured.
    Write,
    /// Its read is measured.
    Read,
    /// It creates files for other commands.
    Dataset,
    /// It shows the best of the system; no clause depends on it.
    Hero,
}

impl LineRole {
    /// All roles, with their names, in order.
    pub const ALL: [(&'static str, Self); 4] =
        [("write", Self::Write), ("read", Self::Read), ("dataset", Self::Dataset), ("hero", Self::Hero)];

    /// The role's name.
    pub fn word(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// Why the program rejects a command line, as the program reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRejection {
    /// The index and the text of the rejected option among the arguments of the workload, from 0. `None` if
    /// several options do not go together, or not with the number of ranks.
    pub place: Option<(usize, String)>,
    /// The sentence of the program.
    pub why: String,
}

/// The current state of an option on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftKind {
    /// It has another name with the same effect.
    Renamed,
    /// It has no effect on this command line.
    Idle,
}

/// An option that differs from an earlier version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The index of its argument among those of the workload, from 0, if it has one.
    pub at: Option<usize>,
    /// How it differs.
    pub kind: DriftKind,
    /// The report of the workload's own parser about it.
    pub detail: String,
}

/// One criterion of a test.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionFacts {
    /// `PHASE.NAME`.
    pub metric: String,
    /// The statistic, where the plan names one.
    pub stat: Option<Stat>,
    /// The comparison.
    pub op: Comparison,
    /// The threshold; `None` for a share of what another test measures.
    pub value: Option<Quantity>,
    /// Whether it counts something, so that the worst repetition decides.
    pub counts: bool,
    /// The threshold as written.
    pub written: String,
    /// The requirement text of its clause, if it is not that of the test.
    pub clause: Option<String>,
    /// Whether the value alone decides, without a confidence.
    pub as_written: bool,
}

/// The maker of the files that a command line reads.
#[derive(Clone, Debug, PartialEq)]
pub struct MakerFacts {
    /// The name of the dataset or test.
    pub name: String,
    /// Its command line.
    pub line: ior::Line,
    /// Its ranks.
    pub ranks: Option<u64>,
}

impl MakerFacts {
    /// Bytes of all its ranks, where known.
    pub(crate) fn bytes(&self) -> Option<f64> {
        Some(self.line.bytes_per_rank()? as f64 * self.ranks? as f64)
    }
}

/// The file system, as far as a plan or a user describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FsFacts {
    /// Where it is mounted.
    pub mount: Option<String>,
    /// Its type.
    pub kind: Option<String>,
    /// Whether it reduces data before it stores it.
    pub reduces: bool,
    /// Whether the layout of files is declared.
    pub layout: bool,
    /// Stripes of a file, where declared; -1 for all targets.
    pub stripes: Option<i64>,
    /// Its storage targets that hold data, if all of them are online.
    pub targets: Option<u64>,
}

/// One command as facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineSubject {
    /// The test or dataset; empty for a command alone.
    pub id: String,
    /// Line and column in the plan's file.
    pub at: Option<(usize, usize)>,
    /// Number of words before the arguments of the workload.
    pub offset: usize,
    /// The options; `None` for an external program.
    pub line: Option<WorkloadLine>,
    /// Ranks from the launcher's options.
    pub launched: LaunchedRanks,
    /// Ranks stated separately: by a plan, or by options of the linter.
    pub stated: LaunchedRanks,
    /// Memory of a node, bytes.
    pub ram_bytes: Option<u64>,
    /// Physical cores of a node, if as many ranks must run on it.
    pub cores: Option<u64>,
    /// The file system.
    pub fs: FsFacts,
    /// Its purpose, where stated.
    pub role: Option<LineRole>,
    /// Its purpose as the clause text suggests it, where none is stated.
    pub worded_role: Option<LineRole>,
    /// Whether it has no criterion.
    pub reported: bool,
    /// How long its rate must be sustained, seconds.
    pub sustained_s: Option<f64>,
    /// What is required beside its number.
    pub required: Requirements,
    /// The rate that it must reach.
    pub target: Option<Quantity>,
    /// Its criteria.
    pub criteria: Vec<CriterionFacts>,
    /// The clause text.
    pub clause: String,
    /// The confidence level of its verdicts, 0.5 to 1.
    pub confidence: Option<f64>,
    /// The largest coefficient of variation at which a criterion is decided, a share.
    pub cov_max: Option<f64>,
    /// Planned repetitions, each a job.
    pub repetitions: Option<u32>,
    /// The total bytes that it moves, as stated.
    pub total_bytes: Option<u64>,
    /// Options that differ from an earlier version.
    pub drift: Vec<Drift>,
    /// Why the program rejects it. The lines of a checked plan are not rejected.
    pub rejections: Vec<LineRejection>,
    /// The maker of its files, if that is another test or dataset.
    pub source: Option<MakerFacts>,
    /// Whether MPI-IO hints are set in its environment.
    pub hints: bool,
    /// Whether it may read from the client's memory.
    pub cache_warm: bool,
    /// Whether it needs a state: aged, filled, preloaded.
    pub has_state: bool,
    /// Whether its number of nodes is a series of steps.
    pub has_steps: bool,
}

impl LineSubject {
    /// A typed command, with nothing stated separately.
    pub fn of(command: &TypedCommand) -> Self {
        Self {
            offset: command.offset,
            line: Some(WorkloadLine::read(command.workload, &command.words)),
            launched: command.launched,
            hints: command.hints,
            ..Self::default()
        }
    }

    /// The command line of IOR, if all its options are known.
    pub(crate) fn ior(&self) -> Option<&ior::Line> {
        match &self.line {
            Some(WorkloadLine::Ior(line)) if line.parsed.script.is_none() => Some(line),
            _ => None,
        }
    }

    /// The command line of mdtest.
    pub(crate) fn mdtest(&self) -> Option<&mdtest::Line> {
        match &self.line {
            Some(WorkloadLine::Mdtest(line)) => Some(line),
            _ => None,
        }
    }

    /// Its place in the plan's file.
    pub(crate) fn place(&self) -> Option<SourcePosition> {
        self.at.map(|(line, column)| SourcePosition::Plan(line, column))
    }

    /// The place where an IOR command line gives a letter.
    pub(crate) fn word(&self, letter: char) -> Option<SourcePosition> {
        let (number, word) = self.ior()?.word(letter)?;
        Some(SourcePosition::Word(number, word))
    }

    /// The ranks of the launcher's options, or else those that are stated.
    pub(crate) fn given(&self) -> LaunchedRanks {
        let (launched, stated) = (self.launched, self.stated);
        LaunchedRanks {
            ranks: launched.ranks.or(stated.ranks),
            nodes: launched.nodes.or(stated.nodes),
            ppn: launched.ppn.or(stated.ppn),
        }
    }

    /// Nodes, where known.
    pub fn nodes(&self) -> Option<u64> {
        let LaunchedRanks { ranks, nodes, ppn } = self.given();
        nodes.or_else(|| Some(ranks?.div_ceil(ppn?)))
    }

    /// Ranks of a node, where known.
    pub fn ppn(&self) -> Option<u64> {
        let LaunchedRanks { ranks, nodes, ppn } = self.given();
        ppn.or_else(|| Some(ranks?.div_ceil(nodes?)))
    }

    /// Total ranks, where known.
    pub fn ranks(&self) -> Option<u64> {
        let LaunchedRanks { ranks, nodes, ppn } = self.given();
        ranks.or_else(|| Some(nodes?.saturating_mul(ppn?)))
    }

    /// Bytes that all ranks move, where known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.ior()?.bytes_per_rank()?.checked_mul(self.ranks()?)
    }

    /// Bytes that the ranks of a node move.
    pub(crate) fn bytes_per_node(&self) -> Option<u64> {
        self.ior()?.bytes_per_rank()?.checked_mul(self.ppn()?)
    }

    /// The rate that the command line must reach, bytes per second.
    pub(crate) fn target_bytes(&self) -> Option<f64> {
        let target = self.target?;
        match target.dimension {
            Dimension::BytesPerSecond => Some(target.value),
            Dimension::PerSecond => Some(target.value * self.ior()?.transfer_bytes()? as f64),
            _ => None,
        }
    }

    /// Whether a criterion is about a phase with this prefix.
    pub(crate) fn has_criterion_on(&self, phase: &str) -> bool {
        self.criteria.iter().any(|criterion| criterion.metric.starts_with(phase))
    }

    /// Whether the measured phase is the write, as far as stated.
    pub(crate) fn measures_write(&self) -> bool {
        let writes = self.ior().is_some_and(|line| line.writes());
        writes
            && !matches!(self.role, Some(LineRole::Dataset | LineRole::Read))
            && (self.criteria.is_empty()
                || self.has_criterion_on("write.")
                || self.has_criterion_on("mixed_write."))
    }

    /// Whether the measured phase is the read, as far as stated.
    pub(crate) fn measures_read(&self) -> bool {
        let reads = self.ior().is_some_and(|line| line.reads());
        reads
            && !self.cache_warm
            && !matches!(self.role, Some(LineRole::Dataset | LineRole::Write))
            && (self.criteria.is_empty()
                || self.has_criterion_on("read.")
                || self.has_criterion_on("mixed_read."))
    }
}

/// One step of a series over servers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepFacts {
    /// Its label, such as `1/3`.
    pub label: String,
    /// Servers online, where stated.
    pub servers: Option<u64>,
    /// Client nodes.
    pub nodes: Option<u64>,
}

/// A series of tests over servers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeriesFacts {
    /// Its id.
    pub id: String,
    /// Line and column in the plan's file.
    pub at: Option<(usize, usize)>,
    /// Servers of the file system, where stated.
    pub servers: Option<u64>,
    /// Whether the online servers are counted at each step, not only requested.
    pub counted: bool,
    /// Its steps, in order.
    pub steps: Vec<StepFacts>,
}

/// A plan as facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanSubject {
    /// Datasets and tests.
    pub lines: Vec<LineSubject>,
    /// Tests, by id, whose written data is read back and compared.
    pub verified: Vec<String>,
    /// States that fill without overwriting: their names and options.
    pub only_filled: Vec<(String, String)>,
    /// Series over servers.
    pub series: Vec<SeriesFacts>,
    /// Texts of the document, each with its owner: clauses, title, source.
    pub texts: Vec<(String, String)>,
    /// The ids of the contract's clauses to which no criterion belongs.
    pub untested: Vec<String>,
    /// The names of the report's own tables; empty if its layout has none.
    pub tables: &'static [&'static str],
}
