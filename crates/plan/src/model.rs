//! A checked plan: the jobs of a campaign and the criteria of its tests.
//!
//! Invariant: a [`Plan`] comes only from [`Plan::parse`]. So its keys and words are known, its criteria can
//! both pass and fail, and its readers have files to read.
//! Never here: reading TOML, running jobs, the state of a machine.

mod answer;
mod clause;
mod dataset;
mod several;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use results::folder::{Campaign, Extension};
use results::summary::System;
use units::{Dimension, Quantity};

use crate::launcher::Launch;
use crate::line::Line;
use crate::placement::{ClientNodes, Placement};

pub use answer::{
    Answer, AnswerCell, AnswerColumn, AnswerFact, AnswerRow, AnswerRuns, AnswerSource, AnswerValue,
};
pub use clause::{Comparison, ContractClause, Criterion, CriterionTerms, Decide, Goal};
pub use dataset::{Dataset, DatasetDemand};
pub use results::statistics::Stat;
pub use several::{
    AlternatingTests, ClientLimit, Course, Export, FACTOR_MAX, Group, Import, Projection, Question,
    STEPS_MIN, Score, ScoreFormula, ScorePart, Search, Series, Step,
};

/// A checked plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Its id, which can be part of a file name.
    pub id: String,
    /// Its title, in one line.
    pub title: String,
    /// The source of its clauses.
    pub source: String,
    /// The storage tier or protocol that it measures; empty if it is not named.
    pub tier: String,
    /// The clauses of the contract, in its order; empty if each criterion is a clause.
    pub clauses: Vec<ContractClause>,
    /// Whether a campaign is added to the history at its end.
    pub track: bool,
    /// The file systems under test by name.
    pub file_systems: BTreeMap<String, FileSystem>,
    /// The client nodes.
    pub clients: ClientNodes,
    /// How jobs are started.
    pub launch: Launch,
    /// Files that are written once and read by tests.
    pub datasets: Vec<Dataset>,
    /// States that file systems are brought into before tests.
    pub states: Vec<State>,
    /// The tests, in their order.
    pub tests: Vec<Test>,
    /// The groups of tests that run at the same time.
    pub groups: Vec<Group>,
    /// The scores, in the order of the file.
    pub scores: Vec<Score>,
    /// The layout of the report; empty for the usual one.
    pub layout: String,
    /// The systems of its tables, by letter.
    pub systems: Vec<System>,
    /// The letter of the measured system; empty if none is named.
    pub measured_on: String,
    /// Projections from measured rates.
    pub projections: Vec<Projection>,
    /// The tables of the document that its results fill.
    pub answers: Vec<Answer>,
    /// The series whose phases are among the tests.
    pub series: Vec<Series>,
    /// Waivers, except those of tests.
    pub waivers: Vec<Waiver>,
    /// The text of the file, byte for byte.
    pub text: String,
    /// The names of its scales.
    pub scales: Vec<String>,
    /// The values of its parameters, by name.
    pub parameters: BTreeMap<String, String>,
    /// The chosen scale and values.
    pub choice: Choice,
}

/// The values of a plan's parameters: those of one of its scales, then single values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The scale, by its name in the plan.
    pub scale: Option<String>,
    /// Values by the names of parameters.
    pub set: BTreeMap<String, String>,
    /// Further repetitions.
    pub extensions: Vec<Extension>,
}

impl Choice {
    /// The choice of a campaign, with its extensions.
    pub fn of(campaign: &Campaign) -> Self {
        let Campaign { info, extensions, .. } = campaign;
        Self { scale: info.scale.clone(), set: info.set.clone(), extensions: extensions.clone() }
    }
}

/// A file system under test. Its commands are shell commands, in which `{dir}` is replaced by its directory.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSystem {
    /// The working directory. `{dir}` in it is replaced by the directory given when the plan is run.
    pub dir: String,
    /// Its type as the contract names it, checked against the mounted one.
    pub kind: Option<String>,
    /// The kind of file or directory that it may lie on, as in the recorded facts: `loop` or `overlay`.
    pub backing: Option<&'static str>,
    /// Total number of servers.
    pub servers: Option<u32>,
    /// Total number of storage targets that hold data.
    pub targets: Option<u32>,
    /// The command that brings `{servers}` servers online and takes the others offline.
    pub set_servers: Option<String>,
    /// The command that prints the number of online servers.
    pub count_servers: Option<String>,
    /// The command that prints a line for each server, target or link that is offline or being rebuilt.
    pub health: Option<String>,
    /// The command that prints the bytes that the servers have moved for clients so far.
    pub traffic: Option<String>,
    /// The command that prints the bytes and the number of files that the user may still have.
    pub quota: Option<String>,
    /// The lowest and the highest utilization at which results are compared.
    pub fill: Option<(f64, f64)>,
    /// The highest possible rate, bytes per second, if known.
    pub rate: Option<f64>,
}

/// The number of storage targets of each file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stripes {
    /// This number.
    Count(u64),
    /// All storage targets of the file system.
    All,
}

/// A state that the file system is brought into before tests and keeps during them.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its name. The job that makes it, if there is one, is called `state.NAME`.
    pub name: String,
    /// Its kind.
    pub kind: StateKind,
    /// The ranks of the job that makes it; empty without a job.
    pub placement: Placement,
    /// The file system.
    pub fs: String,
    /// Seconds after which the job is killed.
    pub timeout_s: f64,
    /// Line and column in the plan's file.
    pub at: (usize, usize),
}

/// The kinds of state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateKind {
    /// Filled and aged, with these `age` options.
    Age(Vec<String>),
    /// The number of files in each directory of an mdtest test. The test itself creates them.
    Preload(u64),
    /// A part of the file system is offline during its tests.
    Degrade {
        /// The shell command that takes the part offline.
        degrade: String,
        /// The shell command that restores it.
        restore: String,
    },
}

impl State {
    /// The name of the job that makes it, also used for the state in messages.
    pub fn job(&self) -> String {
        format!("state.{}", self.name)
    }

    /// Whether a separate job makes it.
    pub fn is_made(&self) -> bool {
        matches!(self.kind, StateKind::Age(_))
    }

    /// The arguments of the command line that makes it.
    pub fn words(&self) -> &[String] {
        match &self.kind {
            StateKind::Age(words) => words,
            StateKind::Preload(_) | StateKind::Degrade { .. } => &[],
        }
    }

    /// Share of the blocks that are in use after it; `None` if it does not set blocks.
    pub fn blocks(&self) -> Option<f64> {
        let mut words = self.words().iter();
        let word = words.find(|word| word.starts_with("--blocks"))?;
        let text = word.strip_prefix("--blocks=").or_else(|| words.next().map(String::as_str))?;
        let share: Quantity = text.parse().ok()?;
        (share.dimension == Dimension::Fraction).then_some(share.value)
    }

    /// The number of files that a test creates in each directory before.
    pub fn preload(&self) -> Option<u64> {
        match self.kind {
            StateKind::Preload(files) => Some(files),
            StateKind::Age(_) | StateKind::Degrade { .. } => None,
        }
    }

    /// Whether a part of the file system is offline in it.
    pub fn is_degraded(&self) -> bool {
        matches!(self.kind, StateKind::Degrade { .. })
    }
}

/// One test of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its id, which can be part of a file name.
    pub id: String,
    /// The id under which the file lists it: its own, or that of its series or group.
    pub family: String,
    /// Its id within the family: the phase of a series, the part of a group, or its own id without a step.
    pub name: String,
    /// The requirement text; the id if the plan has none.
    pub clause: String,
    /// Its command line.
    pub line: Line,
    /// Shell commands that run before each job.
    pub setup: Vec<String>,
    /// The ranks of each job.
    pub placement: Placement,
    /// How its jobs are started; `None` for [`Plan::launch`].
    pub launch: Option<Launch>,
    /// The step of a series that it belongs to.
    pub step: Option<Step>,
    /// How the number of its nodes is found.
    pub search: Option<Search>,
    /// The group that it is a part of, by its place in [`Plan::groups`].
    pub part: Option<usize>,
    /// Its exports for later tests.
    pub exports: Vec<Export>,
    /// Its imports from earlier tests.
    pub imports: Vec<Import>,
    /// Its number of repetitions.
    pub repetitions: u32,
    /// The repetition that its criteria are about; `None` for all.
    pub best_of: Option<BestOf>,
    /// Its number of repetitions at each earlier look, before an extension added more.
    pub looks: Vec<u32>,
    /// The maker of the files that it reads, if they are not its own.
    pub uses: Option<Uses>,
    /// The states that it needs, by their places in [`Plan::states`].
    pub states: Vec<usize>,
    /// Whether parts of the file system may be offline while it runs.
    pub degraded: bool,
    /// The number of storage targets of its files, if it or the maker of its files sets it.
    pub stripes: Option<Stripes>,
    /// Its role.
    pub role: Role,
    /// Its criteria; empty for a test without a clause of the contract.
    pub criteria: Vec<Criterion>,
    /// Minimum duration of the measured phase in seconds, with every rank at work; `None` without a minimum.
    pub sustained_s: Option<f64>,
    /// What its measurement must be like.
    pub required: Requirements,
    /// Its further requirements on the course.
    pub course: Course,
    /// Its waivers.
    pub waivers: Vec<Waiver>,
    /// Seconds after which a job is killed.
    pub timeout_s: f64,
    /// Coefficient of variation above which a PASS becomes INCONCLUSIVE, 1.0 for 100 %. A criterion may have
    /// another one.
    pub cov_max: Option<f64>,
    /// Whether reads may come from the client's cache.
    pub cache_warm: bool,
    /// The file system it runs on.
    pub fs: String,
    /// The rule of its verdicts.
    pub decide: Decide,
    /// Line and column of its command line in the plan's file.
    pub at: (usize, usize),
}

/// What a contract requires of a measurement beside its number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Requirements {
    /// The least bytes of a phase per node.
    pub bytes_per_node: Option<BytesPerNode>,
    /// The least duration of a job, seconds.
    pub job_s: Option<f64>,
    /// The most time from the last end in the job that made its files to its own first start, seconds.
    pub gap_s: Option<f64>,
    /// The most time between two phases of a job, seconds.
    pub phase_gap_s: Option<f64>,
    /// Whether no other job may be between two repetitions, and the time between must be shorter than each.
    pub consecutive: bool,
    /// The least client nodes.
    pub nodes: Option<u32>,
    /// The least ranks of a node, as a share of its cores.
    pub cores: Option<f64>,
    /// Whether the number of ranks must be a power of two.
    pub power_of_two: bool,
    /// Whether written data must be flushed within the measured time.
    pub persistent: bool,
}

/// A number of bytes of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BytesPerNode {
    /// This many.
    Bytes(f64),
    /// This share of its memory.
    OfMemory(f64),
}

impl BytesPerNode {
    /// The bytes of a node with this memory; `None` if they depend on a memory that is not known.
    pub fn bytes(self, memory_bytes: Option<u64>) -> Option<f64> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            Self::OfMemory(share) => memory_bytes.map(|memory| share * memory as f64),
        }
    }
}

/// The choice of one repetition: the one with the highest rate, the first of several.
#[derive(Clone, Debug, PartialEq)]
pub struct BestOf {
    /// The test whose rate chooses, by its place in [`Plan::tests`].
    pub test: usize,
    /// `PHASE.NAME`, such as `write.bw`.
    pub metric: String,
    /// The place of the key in the plan's file.
    pub(crate) span: Range<usize>,
}

/// The role of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its criteria are clauses of the contract.
    Contract,
    /// It is measured and shown.
    Reported,
    /// It shows the best of the system, next to the contract test at this place in [`Plan::tests`]. It cannot
    /// satisfy a clause.
    Hero(usize),
}

/// The approval of a finding by a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The subject of the finding: the id of a test, series, group or score; `dataset.`, `state.` or
    /// `fs.NAME`.
    pub about: String,
    /// The id of the lint.
    pub lint: String,
    /// The reason.
    pub why: String,
    /// The name of the approver; empty if the waiver is not approved, and then it has no effect.
    pub approved_by: String,
    /// How to add the name, such as `--set approved_by=NAME`.
    pub approve_with: String,
    /// Line and column in the plan's file.
    pub at: (usize, usize),
}

/// The maker of the files that a test reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uses {
    /// A dataset, by its place in [`Plan::datasets`].
    Dataset(usize),
    /// An earlier test, by its place in [`Plan::tests`].
    Test(usize),
}

impl Uses {
    /// The name of the jobs that make the files: a dataset's job, or the test's id.
    pub fn maker(&self, plan: &Plan) -> String {
        match self {
            Self::Dataset(index) => plan.datasets[*index].job(),
            Self::Test(index) => plan.tests[*index].id.clone(),
        }
    }
}

/// The file systems of these tests.
pub fn file_systems_of<'p>(tests: impl IntoIterator<Item = &'p Test>) -> BTreeSet<&'p str> {
    tests.into_iter().map(|test| test.fs.as_str()).collect()
}

impl Plan {
    /// How the jobs of a test are started.
    pub fn launch_of<'p>(&'p self, test: &'p Test) -> &'p Launch {
        test.launch.as_ref().unwrap_or(&self.launch)
    }

    /// The parts of a group.
    pub fn parts(&self, group: &Group) -> impl Iterator<Item = &Test> {
        group.tests.iter().map(|test| &self.tests[*test])
    }

    /// All waivers, in the order of the file's sections.
    pub fn all_waivers(&self) -> impl Iterator<Item = &Waiver> {
        self.waivers.iter().chain(self.tests.iter().flat_map(|test| &test.waivers))
    }

    /// The metrics that are compared with those of the accepted campaign, each with its test, group or score.
    pub fn accepted(&self) -> Vec<(&str, &str)> {
        self.named_criteria()
            .filter(|(_, criterion)| matches!(criterion.goal, Goal::Accepted { .. }))
            .map(|(id, criterion)| (id, criterion.metric.as_str()))
            .collect()
    }

    /// All criteria of tests, groups and scores.
    pub fn criteria(&self) -> impl Iterator<Item = &Criterion> {
        self.named_criteria().map(|(_, criterion)| criterion)
    }

    /// All criteria, each with its test, group or score.
    fn named_criteria(&self) -> impl Iterator<Item = (&str, &Criterion)> {
        let tests = self.tests.iter().map(|test| (test.id.as_str(), &test.criteria[..]));
        let groups = self.groups.iter().map(|group| (group.id.as_str(), &group.criteria[..]));
        let scores = self.scores.iter().map(|score| (score.id.as_str(), score.criterion.as_slice()));
        let all = tests.chain(groups).chain(scores);
        all.flat_map(|(id, criteria)| criteria.iter().map(move |criterion| (id, criterion)))
    }

    /// The test with this id.
    pub fn test(&self, id: &str) -> Option<&Test> {
        self.tests.iter().find(|test| test.id == id)
    }

    /// The makers of the files that the test reads, nearest first: a chain of tests, and possibly a dataset
    /// at its end.
    pub fn sources<'a>(&'a self, test: &'a Test) -> impl Iterator<Item = &'a Uses> {
        std::iter::successors(test.uses.as_ref(), |uses| match uses {
            Uses::Test(index) => self.tests[*index].uses.as_ref(),
            Uses::Dataset(_) => None,
        })
    }

    /// Whether a finding about `about` concerns the test: the test itself, its family, or something it needs.
    /// An empty name means the whole campaign.
    pub fn concerns(&self, test: &Test, about: &str) -> bool {
        about.is_empty()
            || about == test.id
            || about.strip_prefix("fs.").is_some_and(|fs| fs == test.fs)
            || self.dataset_of(test).is_some_and(|dataset| dataset.job() == about)
            || test.step.as_ref().is_some_and(|step| self.series[step.series].id == about)
            || test.part.is_some_and(|part| self.groups[part].id == about)
            || test.states.iter().any(|state| self.states[*state].job() == about)
    }

    /// The dataset that a test reads, directly or through other tests.
    pub fn dataset_of(&self, test: &Test) -> Option<&Dataset> {
        self.sources(test).find_map(|uses| match uses {
            Uses::Dataset(index) => Some(&self.datasets[*index]),
            Uses::Test(_) => None,
        })
    }

    /// Whether a file system is in the directory that the user gives when the plan is run.
    pub fn needs_dir(&self) -> bool {
        self.file_systems.values().any(|fs| fs.dir.contains("{dir}"))
    }
}
