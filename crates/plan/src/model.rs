//! A plan as it is once it has been checked: what a campaign will do and what it must show.
//!
//! Invariant: a [`Plan`] comes only from [`Plan::parse`], so a plan that exists is one whose words are known,
//! whose criteria can be met and missed, and whose readers have something to read.
//! Never here: reading TOML, running, the state of a machine.

mod clause;
mod dataset;
mod several;

use std::collections::{BTreeMap, BTreeSet};

use results::folder::CampaignInfo;
use results::summary::System;
use units::{Dimension, Quantity};

use crate::launcher::Launch;
use crate::line::Line;
use crate::placement::{ClientNodes, Placement};

pub use clause::{Comparison, Criterion, Decide, Goal, Stat};
pub use dataset::{Dataset, DatasetDemand};
pub use several::{
    AlternatingTests, ClientLimit, Course, Export, Group, Import, Projection, Search, Series, Step,
};

/// A plan, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Its id, fit for a file name.
    pub id: String,
    /// What it is, in a line.
    pub title: String,
    /// Where its clauses come from.
    pub source: String,
    /// The file systems under test by name.
    pub file_systems: BTreeMap<String, FileSystem>,
    /// The client nodes.
    pub clients: ClientNodes,
    /// How jobs are started.
    pub launch: Launch,
    /// Files made once and read by tests.
    pub datasets: Vec<Dataset>,
    /// What file systems are brought to before tests.
    pub states: Vec<State>,
    /// The tests, in the order they run.
    pub tests: Vec<Test>,
    /// Which of the tests run at once.
    pub groups: Vec<Group>,
    /// How the report is laid out, empty for the usual way.
    pub layout: String,
    /// The systems of its tables, by letter.
    pub systems: Vec<System>,
    /// The letter of the one that is measured, empty where none is named.
    pub measured_on: String,
    /// What is projected from what is measured.
    pub projections: Vec<Projection>,
    /// The series whose phases are among the tests.
    pub series: Vec<Series>,
    /// Findings that somebody answers for, but for those of tests.
    pub waivers: Vec<Waiver>,
    /// The file as it was, byte for byte.
    pub text: String,
    /// The names of the scales at which it can be run besides its own.
    pub scales: Vec<String>,
    /// The values of its parameters, by name.
    pub parameters: BTreeMap<String, String>,
    /// What was chosen of them.
    pub choice: Choice,
}

/// Which values the parameters of a plan have: those of one of its scales, then single ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The scale, by its name in the plan.
    pub scale: Option<String>,
    /// Values by the names of parameters.
    pub set: BTreeMap<String, String>,
}

impl Choice {
    /// That of a campaign.
    pub fn of(info: &CampaignInfo) -> Self {
        Self { scale: info.scale.clone(), set: info.set.clone() }
    }
}

/// A file system under test. Its commands are of the shell, and `{dir}` in them stands for its directory.
#[derive(Clone, Debug, PartialEq)]
pub struct FileSystem {
    /// The directory to work in; `{dir}` in it stands for the one given when the plan is run.
    pub dir: String,
    /// Its type as the contract names it, checked against the mounted one.
    pub kind: Option<String>,
    /// How many servers there are in all.
    pub servers: Option<u32>,
    /// How many targets hold data in all.
    pub targets: Option<u32>,
    /// The command that brings so many servers on and the others off; `{servers}` is replaced.
    pub set_servers: Option<String>,
    /// The command that prints how many serve.
    pub count_servers: Option<String>,
    /// The command that prints a line for each server, target or link that is down or being rebuilt.
    pub health: Option<String>,
    /// The command that prints how many bytes the servers have moved for clients so far.
    pub traffic: Option<String>,
    /// The command that prints how many bytes and names are left to the user.
    pub quota: Option<String>,
    /// Shares of its blocks in use between which results are compared.
    pub fill: Option<(f64, f64)>,
    /// Bytes per second that it moves at most, as far as is known.
    pub rate: Option<f64>,
}

/// How many targets each file is to lie on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stripes {
    /// So many.
    Count(u64),
    /// All of the file system's.
    All,
}

/// What a file system is brought to before tests, and keeps while they run.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its name; the job that makes it, if there is one, is called `state.NAME`.
    pub name: String,
    /// Which.
    pub kind: StateKind,
    /// The ranks of the job that makes it; none without one.
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
    /// Filled and aged, by the words of an `age` line.
    Age(Vec<String>),
    /// So many files in each directory that a test of mdtest works in; the test itself makes them.
    Preload(u64),
    /// Something of it is down while its tests run.
    Degrade {
        /// The command of the shell that takes it down.
        degrade: String,
        /// The one that brings it back.
        restore: String,
    },
}

impl State {
    /// The name of the job that makes it, if there is one, and of the state in messages.
    pub fn job(&self) -> String {
        format!("state.{}", self.name)
    }

    /// Whether a job of its own makes it.
    pub fn is_made(&self) -> bool {
        matches!(self.kind, StateKind::Age(_))
    }

    /// The words of the line that makes it.
    pub fn words(&self) -> &[String] {
        match &self.kind {
            StateKind::Age(words) => words,
            StateKind::Preload(_) | StateKind::Degrade { .. } => &[],
        }
    }

    /// Share of the blocks that it fills, with what others hold there; `None` where it is not about blocks.
    pub fn blocks(&self) -> Option<f64> {
        let mut words = self.words().iter();
        let word = words.find(|word| word.starts_with("--blocks"))?;
        let text = word.strip_prefix("--blocks=").or_else(|| words.next().map(String::as_str))?;
        let share: Quantity = text.parse().ok()?;
        (share.dimension == Dimension::Fraction).then_some(share.value)
    }

    /// How many files a test makes beforehand.
    pub fn preload(&self) -> Option<u64> {
        match self.kind {
            StateKind::Preload(files) => Some(files),
            StateKind::Age(_) | StateKind::Degrade { .. } => None,
        }
    }

    /// Whether something is down in it.
    pub fn is_degraded(&self) -> bool {
        matches!(self.kind, StateKind::Degrade { .. })
    }
}

/// One test of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// Its id, fit for a file name.
    pub id: String,
    /// The id under which it stands in the file: its own, or that of its series or group.
    pub family: String,
    /// Its id within that: the phase of a series, the part of a group, or its own without a step.
    pub name: String,
    /// The clause in the contract's words; the id where the plan has none.
    pub clause: String,
    /// The line that is run.
    pub line: Line,
    /// Commands of the shell that run before each launch.
    pub setup: Vec<String>,
    /// The ranks of each launch.
    pub placement: Placement,
    /// The step of a series that it belongs to.
    pub step: Option<Step>,
    /// How the number of its nodes is found.
    pub search: Option<Search>,
    /// The group that it is a part of, by its place in [`Plan::groups`].
    pub part: Option<usize>,
    /// What it leaves for later ones.
    pub exports: Vec<Export>,
    /// What its line has from earlier ones.
    pub imports: Vec<Import>,
    /// How often it is launched.
    pub repetitions: u32,
    /// Whose files it reads, if not its own.
    pub uses: Option<Uses>,
    /// The states it needs, by their places in [`Plan::states`].
    pub states: Vec<usize>,
    /// Whether something of the file system may be down while it runs.
    pub degraded: bool,
    /// How many targets each of its files is to lie on, where it or the maker of its files says so.
    pub stripes: Option<Stripes>,
    /// What it is for.
    pub role: Role,
    /// What it must show; empty for a test that is no clause of the contract.
    pub criteria: Vec<Criterion>,
    /// Seconds that the measured phase has to last, with every rank at work; `None` where nothing is asked.
    pub sustained_s: Option<f64>,
    /// What is asked of its course besides.
    pub course: Course,
    /// Findings that somebody answers for.
    pub waivers: Vec<Waiver>,
    /// Seconds after which a job is killed.
    pub timeout_s: f64,
    /// Coefficient of variation above which nothing is concluded, 1.0 for 100 %.
    pub cov_max: Option<f64>,
    /// Whether reads may come from this client's cache.
    pub cache_warm: bool,
    /// The file system it runs on.
    pub fs: String,
    /// How sure a decision has to be.
    pub decide: Decide,
    /// Line and column of that line in the plan's file.
    pub at: (usize, usize),
}

/// What a test is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its criteria are clauses of the contract.
    Contract,
    /// It is measured and shown.
    Reported,
    /// It shows what the system can do beside the test of the contract at this place in [`Plan::tests`], and
    /// can satisfy no clause.
    Hero(usize),
}

/// A finding that somebody answers for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// What it is about: the id of a test, series or group, `dataset.NAME`, `state.NAME` or `fs.NAME`.
    pub about: String,
    /// The id of the lint.
    pub lint: String,
    /// Why it does not matter here.
    pub why: String,
    /// Who says so; empty where nobody has signed, and so nobody answers for it.
    pub approved_by: String,
    /// What puts a name there, such as `--set approved_by=NAME`.
    pub approve_with: String,
    /// Line and column in the plan's file.
    pub at: (usize, usize),
}

/// Whose files a test reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uses {
    /// A dataset, by its place in [`Plan::datasets`].
    Dataset(usize),
    /// An earlier test, by its place in [`Plan::tests`].
    Test(usize),
}

impl Uses {
    /// The name of the jobs that make the files: a dataset's, or the test's id.
    pub fn maker(&self, plan: &Plan) -> String {
        match self {
            Self::Dataset(index) => plan.datasets[*index].job(),
            Self::Test(index) => plan.tests[*index].id.clone(),
        }
    }
}

/// The file systems that tests work on.
pub fn file_systems_of<'p>(tests: impl IntoIterator<Item = &'p Test>) -> BTreeSet<&'p str> {
    tests.into_iter().map(|test| test.fs.as_str()).collect()
}

impl Plan {
    /// The parts of a group.
    pub fn parts(&self, group: &Group) -> impl Iterator<Item = &Test> {
        group.tests.iter().map(|test| &self.tests[*test])
    }

    /// The waivers of all its parts, in the order of the file's sections.
    pub fn all_waivers(&self) -> impl Iterator<Item = &Waiver> {
        self.waivers.iter().chain(self.tests.iter().flat_map(|test| &test.waivers))
    }

    /// The test with this id.
    pub fn test(&self, id: &str) -> Option<&Test> {
        self.tests.iter().find(|test| test.id == id)
    }

    /// Whose files the test reads, nearest first: the tests that it uses one behind the other, and a dataset
    /// as the last.
    pub fn sources<'a>(&'a self, test: &'a Test) -> impl Iterator<Item = &'a Uses> {
        std::iter::successors(test.uses.as_ref(), |uses| match uses {
            Uses::Test(index) => self.tests[*index].uses.as_ref(),
            Uses::Dataset(_) => None,
        })
    }

    /// Whether a finding called `about` is about the test: about itself, what it is one of, or what it needs.
    /// The whole campaign has no name.
    pub fn concerns(&self, test: &Test, about: &str) -> bool {
        about.is_empty()
            || about == test.id
            || about.strip_prefix("fs.").is_some_and(|fs| fs == test.fs)
            || self.dataset_of(test).is_some_and(|dataset| dataset.job() == about)
            || test.step.as_ref().is_some_and(|step| self.series[step.series].id == about)
            || test.part.is_some_and(|part| self.groups[part].id == about)
            || test.states.iter().any(|state| self.states[*state].job() == about)
    }

    /// The dataset that a test reads, also by way of other tests.
    pub fn dataset_of(&self, test: &Test) -> Option<&Dataset> {
        self.sources(test).find_map(|uses| match uses {
            Uses::Dataset(index) => Some(&self.datasets[*index]),
            Uses::Test(_) => None,
        })
    }

    /// Whether some file system lies where the user says when the plan is run.
    pub fn needs_dir(&self) -> bool {
        self.file_systems.values().any(|fs| fs.dir.contains("{dir}"))
    }
}
