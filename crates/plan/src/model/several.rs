//! Relations between tests: series and their steps, groups, searches, exports and projections. Also the
//! course of a test: steady rates, warm-up, the order of repetitions, more clients.
//!
//! Invariant: tests, series, groups, datasets and states have names from one set. Jobs, their folders and
//! `--only` are distinguished by these names.
//! Never here: how these are evaluated.

use results::steady::SteadyRule;

use units::Dimension;

use super::{Criterion, Test};

/// The maximum extrapolation factor.
pub const FACTOR_MAX: f64 = 3.0;

/// The minimum number of steps of a projection.
pub const STEPS_MIN: usize = 3;

/// The projection that is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Question {
    /// The number of units of the target system.
    pub to: f64,
    /// The threshold of a clause, in the unit of the values.
    pub threshold: Option<f64>,
    /// The maximum rate of the system by its links or drives, in the unit of the values.
    pub cap: Option<f64>,
    /// Confidence of the interval, two-sided, such as 0.95.
    pub confidence: f64,
    /// The dimension of the values.
    pub dimension: Dimension,
}

/// A rate of a system that is not measured, projected from the steps of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// The test whose rate is projected.
    pub test: usize,
    /// `PHASE.NAME`, for that test and for the steps.
    pub metric: String,
    /// The same phase of a series at each of its steps, by places in [`super::Plan::tests`].
    pub steps: Vec<usize>,
    /// `SERIES.PHASE`.
    pub from: String,
    /// The quantity of the steps.
    pub over: String,
    /// The letter of the system.
    pub system: String,
    /// Whether the nodes of the steps were simulated, and the plan says that this is known.
    pub is_simulated: bool,
    /// The projection to make. Its threshold is that of a criterion with `>=` or `>`.
    pub question: Question,
}

/// A search for a number of nodes. It tries tests in order, until one clearly gains too little.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The tests, by their places in [`super::Plan::tests`].
    pub steps: Vec<usize>,
    /// The smallest gain that justifies more nodes, as a share of the best step before.
    pub gain: f64,
    /// The metric that must gain.
    pub metric: String,
}

/// Tests that run at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// The requirement text.
    pub clause: String,
    /// The share of the shorter one of any two parts that must run together, 0 to 1.
    pub overlap: f64,
    /// The number of repetitions.
    pub repetitions: u32,
    /// Its parts, by their places in [`super::Plan::tests`].
    pub tests: Vec<usize>,
    /// Criteria on the sum of the parts.
    pub criteria: Vec<Criterion>,
}

/// The geometric mean of what several tests measure, repetition by repetition.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// Its id.
    pub id: String,
    /// The requirement text; empty if it has none.
    pub clause: String,
    /// Its parts.
    pub parts: Vec<ScorePart>,
    /// How they are put together.
    pub formula: ScoreFormula,
    /// The dimension of the score: that of its parts, or points.
    pub dimension: Dimension,
    /// Its criterion; `None` if it is only reported.
    pub criterion: Option<Criterion>,
    /// Line and column in the plan's file.
    pub at: (usize, usize),
}

/// How the parts of a score are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreFormula {
    /// The product of the parts, each to the power of its weight. The weights add up to 1.
    GeometricMean,
    /// The sum of the parts, each multiplied by its weight.
    Sum,
}

/// One part of a score.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorePart {
    /// The test, by its place in [`super::Plan::tests`].
    pub test: usize,
    /// `PHASE.NAME`.
    pub metric: String,
    /// The dimension of the metric.
    pub dimension: Dimension,
    /// The unit in which the metric is a number, in base units.
    pub unit: f64,
    /// The exponent, or in a sum the factor.
    pub weight: f64,
}

/// The same phases at each step over servers, nodes, ranks or transfer sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its id.
    pub id: String,
    /// The quantity that changes: `servers`, `nodes`, `ranks` or `transfer`.
    pub over: String,
    /// The steps. The others are compared with the first.
    pub steps: Vec<Step>,
}

/// One step of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The series, by its place in [`super::Plan::series`].
    pub series: usize,
    /// Its name in ids, such as `s120`.
    pub label: String,
    /// The step as the plan writes it, such as `1/3`.
    pub word: String,
    /// Its number of servers, nodes, ranks or bytes.
    pub value: f64,
    /// The number of servers that must be online.
    pub servers: Option<u32>,
}

/// A value that a test exports for a later one: the size of the smallest file, bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name in command lines, `${NAME}`.
    pub name: String,
}

/// A value that a test's command line takes from another test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Its name.
    pub name: String,
    /// The test that exports it, by its place in [`super::Plan::tests`].
    pub test: usize,
}

/// The requirements on the course of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Course {
    /// When its rate counts as steady, lengths in seconds; `None` if it need not be steady.
    pub steady: Option<SteadyRule>,
    /// Jobs before its repetitions, which are kept but excluded.
    pub warm_up: u32,
    /// The tests that it alternates with, repetition by repetition.
    pub turns: Option<AlternatingTests>,
    /// The check whether more clients reach a higher rate.
    pub client_limit: Option<ClientLimit>,
}

/// Neighbouring tests that alternate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlternatingTests {
    /// The place in [`super::Plan::tests`] of the first of them.
    pub first: usize,
    /// Whether the order of their steps is randomized again for each repetition.
    pub randomized: bool,
}

impl Test {
    /// The name of the jobs that run before the repetitions. No id contains `+`, so no test has this name.
    pub fn warm_up_job(&self) -> String {
        format!("{}+warm-up", self.id)
    }
}

/// The same test on more client nodes, to see whether the clients are the bottleneck.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientLimit {
    /// The tests, by their places in [`super::Plan::tests`].
    pub probes: Vec<usize>,
    /// The gain, as a share, above which the clients are the bottleneck.
    pub gain: f64,
}
