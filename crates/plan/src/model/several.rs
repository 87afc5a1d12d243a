//! What ties tests to each other: series and their steps, groups, searches, exports, projections; and the
//! course of a test: steady rates, warm-up, the order of repetitions, more clients.
//!
//! Invariant: whatever has jobs or stands for some has a name of its own: tests, series, groups, datasets and
//! states share one set of names, by which jobs, their folders and `--only` are told apart.
//! Never here: how any of it is read.

use results::projection::Question;
use results::steady::SteadyRule;

use super::{Criterion, Test};

/// A rate of a system that is not measured, projected from the steps of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// The test whose rate it is.
    pub test: usize,
    /// `PHASE.NAME`, of that test and of the steps.
    pub metric: String,
    /// The same phase of a series at each of its steps, by places in [`super::Plan::tests`].
    pub steps: Vec<usize>,
    /// `SERIES.PHASE`.
    pub from: String,
    /// What the steps count.
    pub over: String,
    /// The letter of the system.
    pub system: String,
    /// What is to be projected; its threshold is that of the criterion that asks for at least so much.
    pub question: Question,
}

/// How a number of nodes is found: by tests at one after the other, as long as each gains.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The tests, by their places in [`super::Plan::tests`].
    pub steps: Vec<usize>,
    /// The gain, as a share of what the step before measured, below which there is no need of more nodes.
    pub gain: f64,
    /// What has to gain.
    pub metric: String,
}

/// Tests that run at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// The clause in the contract's words.
    pub clause: String,
    /// The part of the shorter one that any two of them have to run at once, 0 to 1.
    pub overlap: f64,
    /// How often they run.
    pub repetitions: u32,
    /// Its parts, by their places in [`super::Plan::tests`].
    pub tests: Vec<usize>,
    /// What the sum of the parts must show.
    pub criteria: Vec<Criterion>,
}

/// The same phases at each step of something.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its id.
    pub id: String,
    /// What differs: `servers`, `nodes` or `transfer`.
    pub over: String,
    /// The steps, the first of which is what the others are compared with.
    pub steps: Vec<Step>,
}

/// One step of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The series, by its place in [`super::Plan::series`].
    pub series: usize,
    /// Its name in ids, such as `s120`.
    pub label: String,
    /// As the plan writes it, such as `1/3`.
    pub word: String,
    /// How many servers, nodes or bytes.
    pub value: f64,
    /// How many servers are to be on.
    pub servers: Option<u32>,
}

/// What a test leaves for a later one: the size of the smallest file, bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name in lines, `${NAME}`.
    pub name: String,
}

/// What a test's line has from another test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Its name.
    pub name: String,
    /// The test that exports it, by its place in [`super::Plan::tests`].
    pub test: usize,
}

/// What is asked of the course of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// When its rate counts as steady, lengths in seconds; `None` where nothing is asked.
    pub steady: Option<SteadyRule>,
    /// Launches before its repetitions, which are kept and count for nothing.
    pub warm_up: u32,
    /// With which others it takes turns, repetition by repetition.
    pub turns: Option<AlternatingTests>,
    /// Whether it is looked at what more clients have.
    pub client_limit: Option<ClientLimit>,
}

/// Tests that take turns; they are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlternatingTests {
    /// The place in [`super::Plan::tests`] of the first of them.
    pub first: usize,
    /// Whether the order of their steps is drawn anew for each repetition.
    pub drawn: bool,
}

impl Test {
    /// The name of the jobs that run before the repetitions; `+` is in no id, so no test has it.
    pub fn warm_up_job(&self) -> String {
        format!("{}+warm-up", self.id)
    }
}

/// The same test at more client nodes, to see whether the clients are what limits it.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientLimit {
    /// The tests, by their places in [`super::Plan::tests`].
    pub probes: Vec<usize>,
    /// The gain, as a share, above which the clients are.
    pub gain: f64,
}
