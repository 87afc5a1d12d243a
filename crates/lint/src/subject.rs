//! What the checks look at: one command, or a whole plan, as facts that may be unknown.
//!
//! Invariant: a fact that is not known is `None` or empty; none is guessed from prose, but for
//! [`LineSubject::worded_role`], which only gives info.
//! Never here: where the facts come from.

use command::{IorFacts, LaunchedRanks, LineFacts, MdtestFacts, TypedCommand, WorkloadName};
use plan::{Comparison, Stat};
use results::finding::SourcePosition;
use units::{Dimension, Quantity};

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// Its write is measured.
    Write,
    /// Its read is measured.
    Read,
    /// It makes files for others.
    Dataset,
    /// It shows what the system can do; no clause is about it.
    Hero,
}

impl LineRole {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Write => "write",
            Self::Read => "read",
            Self::Dataset => "dataset",
            Self::Hero => "hero",
        }
    }

    /// All of them, with their words.
    pub const ALL: [(&'static str, Self); 4] =
        [("write", Self::Write), ("read", Self::Read), ("dataset", Self::Dataset), ("hero", Self::Hero)];
}

/// What an option of the line is today.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftKind {
    /// There is no such option, or not with this value.
    Rejected,
    /// It has another name, under which it does the same.
    Renamed,
    /// It does nothing on this line.
    Idle,
}

/// An option that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The place of its word among those of the workload, from 0, where it has one.
    pub at: Option<usize>,
    /// What became of it.
    pub kind: DriftKind,
    /// What the workload's own parser reports of it.
    pub detail: String,
}

/// What a test must show.
#[derive(Clone, Debug, PartialEq)]
pub struct CriterionFacts {
    /// `PHASE.NAME`.
    pub metric: String,
    /// Which statistic, where the plan names one.
    pub stat: Option<Stat>,
    /// How it is compared.
    pub op: Comparison,
    /// With what; `None` for a part of what another test measures.
    pub value: Option<Quantity>,
    /// Whether it counts something, so that the worst of the repetitions is meant.
    pub counts: bool,
    /// The value as it is written.
    pub written: String,
}

/// Who made the files that a line reads.
#[derive(Clone, Debug, PartialEq)]
pub struct MakerFacts {
    /// The name of the dataset or test.
    pub name: String,
    /// Its line.
    pub line: IorFacts,
    /// Its ranks.
    pub ranks: Option<u64>,
}

impl MakerFacts {
    /// Bytes of all its ranks, where they are known.
    pub(crate) fn bytes(&self) -> Option<f64> {
        Some(self.line.bytes_per_rank()? as f64 * self.ranks? as f64)
    }
}

/// The file system, as far as a plan or a user states it.
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
    /// Its targets that hold data, where all of them serve.
    pub targets: Option<u64>,
}

/// One command as facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineSubject {
    /// The test or dataset; empty for a command alone.
    pub id: String,
    /// Line and column in the plan's file.
    pub at: Option<(usize, usize)>,
    /// How many words are before those of the workload.
    pub offset: usize,
    /// The options.
    pub line: LineFacts,
    /// Ranks by the launcher's options.
    pub launched: LaunchedRanks,
    /// Ranks that are stated besides: by a plan, or by options of the linter.
    pub stated: LaunchedRanks,
    /// Memory of a node, bytes.
    pub ram_bytes: Option<u64>,
    /// Physical cores of a node, where as many ranks have to be on it.
    pub cores: Option<u64>,
    /// The file system.
    pub fs: FsFacts,
    /// What it is for, where that is stated.
    pub role: Option<LineRole>,
    /// What the clause text suggests that it is for, where nothing states it.
    pub worded_role: Option<LineRole>,
    /// Whether it has no criterion.
    pub reported: bool,
    /// How long its rate must be sustained, seconds.
    pub sustained_s: Option<f64>,
    /// The rate that it has to reach.
    pub target: Option<Quantity>,
    /// What it must show.
    pub criteria: Vec<CriterionFacts>,
    /// The clause text.
    pub clause: String,
    /// Repetitions that are planned, each a launch.
    pub repetitions: Option<u32>,
    /// What it moves in all as stated, bytes.
    pub total_bytes: Option<u64>,
    /// Options that are not what they were.
    pub drift: Vec<Drift>,
    /// Who made its files, where others did.
    pub source: Option<MakerFacts>,
    /// Whether MPI-IO's hints are set in its environment.
    pub hints: bool,
    /// Whether it may read from the client's memory.
    pub cache_warm: bool,
    /// Whether it needs a state: aged, filled, preloaded.
    pub has_state: bool,
    /// Whether its number of nodes is a series of steps.
    pub has_steps: bool,
}

impl LineSubject {
    /// A command as it was typed, with nothing stated besides.
    pub fn of(command: &TypedCommand) -> Self {
        Self {
            offset: command.offset,
            line: LineFacts::read(command.workload, &command.words),
            launched: command.launched,
            hints: command.hints,
            ..Self::default()
        }
    }

    /// The line, where it is one of IOR that has all its options.
    pub(crate) fn ior(&self) -> Option<&IorFacts> {
        match &self.line {
            LineFacts::Ior(line) if line.script.is_none() => Some(line),
            _ => None,
        }
    }

    /// The line, where it is one of mdtest.
    pub(crate) fn mdtest(&self) -> Option<&MdtestFacts> {
        match &self.line {
            LineFacts::Mdtest(line) => Some(line),
            _ => None,
        }
    }

    /// The workload, where options of its lines may have drifted.
    pub(crate) fn workload(&self) -> Option<WorkloadName> {
        match self.line {
            LineFacts::Ior(_) => Some(WorkloadName::Ior),
            LineFacts::Mdtest(_) => Some(WorkloadName::Mdtest),
            LineFacts::Walk(_) | LineFacts::Other(_) => None,
        }
    }

    /// Where it is in the plan's file.
    pub(crate) fn place(&self) -> Option<SourcePosition> {
        self.at.map(|(line, column)| SourcePosition::Plan(line, column))
    }

    /// Where a letter of an IOR line is given.
    pub(crate) fn word(&self, letter: char) -> Option<SourcePosition> {
        let (number, word) = self.ior()?.word(letter)?;
        Some(SourcePosition::Word(number, word))
    }

    /// Nodes, where they are known.
    pub fn nodes(&self) -> Option<u64> {
        let given = self.launched.nodes.or(self.stated.nodes);
        let ranks = self.launched.ranks.or(self.stated.ranks);
        let ppn = self.launched.ppn.or(self.stated.ppn);
        given.or_else(|| Some(ranks?.div_ceil(ppn?)))
    }

    /// Ranks of a node, where they are known.
    pub fn ppn(&self) -> Option<u64> {
        let given = self.launched.ppn.or(self.stated.ppn);
        let ranks = self.launched.ranks.or(self.stated.ranks);
        given.or_else(|| Some(ranks?.div_ceil(self.launched.nodes.or(self.stated.nodes)?)))
    }

    /// Ranks in all, where they are known.
    pub fn ranks(&self) -> Option<u64> {
        let given = self.launched.ranks.or(self.stated.ranks);
        given.or_else(|| {
            let nodes = self.launched.nodes.or(self.stated.nodes)?;
            Some(nodes.saturating_mul(self.launched.ppn.or(self.stated.ppn)?))
        })
    }

    /// Bytes that all ranks move, where they are known.
    pub(crate) fn bytes(&self) -> Option<u64> {
        self.ior()?.bytes_per_rank()?.checked_mul(self.ranks()?)
    }

    /// Bytes that the ranks of a node move.
    pub(crate) fn bytes_per_node(&self) -> Option<u64> {
        self.ior()?.bytes_per_rank()?.checked_mul(self.ppn()?)
    }

    /// The rate that the line has to reach, bytes per second.
    pub(crate) fn target_bytes(&self) -> Option<f64> {
        let target = self.target?;
        match target.dimension {
            Dimension::BytesPerSecond => Some(target.value),
            Dimension::PerSecond => Some(target.value * self.ior()?.transfer_bytes? as f64),
            _ => None,
        }
    }

    /// Whether a criterion is about a phase that begins so.
    pub(crate) fn judges(&self, phase: &str) -> bool {
        self.criteria.iter().any(|criterion| criterion.metric.starts_with(phase))
    }

    /// Whether the write of the line is what is measured, as far as is stated.
    pub(crate) fn measures_write(&self) -> bool {
        let writes = self.ior().is_some_and(|line| line.write);
        writes
            && !matches!(self.role, Some(LineRole::Dataset | LineRole::Read))
            && (self.criteria.is_empty() || self.judges("write.") || self.judges("mixed_write."))
    }

    /// Whether the read of the line is what is measured, as far as is stated.
    pub(crate) fn measures_read(&self) -> bool {
        let reads = self.ior().is_some_and(|line| line.read);
        reads
            && !self.cache_warm
            && !matches!(self.role, Some(LineRole::Dataset | LineRole::Write))
            && (self.criteria.is_empty() || self.judges("read.") || self.judges("mixed_read."))
    }
}

/// One step of a series over servers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepFacts {
    /// How it is written, such as `1/3`.
    pub label: String,
    /// Servers at work, where they are stated.
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
    /// Servers of the file system, where they are stated.
    pub servers: Option<u64>,
    /// Whether the servers at work are counted at each step, not only asked for.
    pub counted: bool,
    /// Its steps, in their order.
    pub steps: Vec<StepFacts>,
}

impl SeriesFacts {
    /// Where it is in the plan's file.
    pub(crate) fn place(&self) -> Option<SourcePosition> {
        self.at.map(|(line, column)| SourcePosition::Plan(line, column))
    }
}

/// A plan as facts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanSubject {
    /// Datasets and tests.
    pub lines: Vec<LineSubject>,
    /// Tests by id whose written data some line reads again and compares.
    pub verified: Vec<String>,
    /// States that fill without ageing: their names and options.
    pub only_filled: Vec<(String, String)>,
    /// Series over servers.
    pub series: Vec<SeriesFacts>,
    /// Texts of the document, each with whose it is: clauses, title, source.
    pub texts: Vec<(String, String)>,
    /// The tables that the layout of the report has, by their names; empty where it has none of its own.
    pub tables: &'static [&'static str],
}
