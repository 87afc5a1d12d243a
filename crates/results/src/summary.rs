//! The results of a campaign that are not verdicts: the systems, all measured rates, projections, hero runs,
//! and the findings with their waivers.
//!
//! Never here: clauses.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::reason::Reason;

/// The layout of a report that has the tables of a procurement.
pub const PROCUREMENT: &str = "procurement";

/// The tables of that layout, by name; they have no numbers.
pub const TABLES: [&str; 3] = ["Systems", "Benchmarks and their purpose", "Results"];

/// The results of a campaign that are not verdicts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The layout of the report that the plan selects; empty for the usual one.
    pub layout: String,
    /// The systems, by letter.
    pub systems: Vec<System>,
    /// The letter of the measured system; empty if the plan names none.
    pub measured_on: String,
    /// All measured rates, in the order of the plan.
    pub rates: Vec<Rate>,
    /// The projections.
    pub projections: Vec<SystemProjection>,
    /// Hero runs.
    pub heroes: Vec<HeroRun>,
    /// Findings of the linter before the run and of the judge after it, with approved waivers.
    pub findings: Vec<Finding>,
    /// How the campaign ran until its verdicts; absent if nothing interrupted it and it had no witness.
    #[serde(default, skip_serializing_if = "CampaignCourse::is_plain")]
    pub course: CampaignCourse,
}

/// How a campaign ran, from its hash chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CampaignCourse {
    /// How often it was resumed.
    pub resumed: u32,
    /// Folders of attempts that were set aside, relative to the campaign folder.
    pub killed: Vec<String>,
    /// Folders of jobs that ran again after such an attempt.
    pub repeated: Vec<String>,
    /// Attempts at jobs that died without a result and ran again, as the plan wants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub died: Vec<RepeatedAttempt>,
    /// Attempts at jobs without a result that a user had run again after the verdicts were known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<RepeatedAttempt>,
    /// The witness; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<WitnessCourse>,
}

/// An attempt at a job that was run again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepeatedAttempt {
    /// Its folder, relative to the campaign folder.
    pub folder: String,
    /// Why: the cause of its death, or the reason that the user gave.
    pub why: String,
}

impl CampaignCourse {
    /// Whether nothing interrupted the campaign and it had no witness.
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// How often the witness of a campaign received the hash of its chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessCourse {
    /// The file, the command or the address, as given.
    pub place: String,
    /// How many hashes it took.
    pub taken: u32,
    /// How many it did not take.
    pub missed: u32,
    /// Why it did not take the first of these; empty if it took all.
    pub why: String,
}

/// A system in the table of systems.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct System {
    /// Its letter.
    pub letter: String,
    /// Its processor.
    pub processor: String,
    /// The processor's clock, as written.
    pub clock: String,
    /// Its interconnect.
    pub interconnect: String,
    /// Its total number of cores.
    pub cores: u64,
}

/// One measured rate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// The test.
    pub test: String,
    /// Its clause or purpose.
    pub purpose: String,
    /// Its role: contract, reported or hero.
    pub role: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// The value of each repetition, in the order of the runs; empty if they cannot be used.
    pub values: Vec<f64>,
    /// Their mean.
    pub mean: Option<f64>,
    /// Their coefficient of variation (n−1), 1.0 for 100 %.
    pub cov: Option<f64>,
    /// The unit of all these values.
    pub unit: String,
    /// Why the value is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Reason>,
    /// Folders of the jobs, relative to the campaign folder.
    pub jobs: Vec<String>,
    /// The step of a series that the test is; absent for other tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<RateStep>,
}

/// The step of a series that a rate belongs to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RateStep {
    /// The series.
    pub series: String,
    /// The phase of the series.
    pub name: String,
    /// What the series changes, such as `servers`.
    pub over: String,
    /// The number of servers, nodes or bytes.
    pub at: f64,
}

/// A model of scaling, multiplied by the rate of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// N, through the origin.
    Linear,
    /// N / (1 + σ(N−1)): a share σ does not scale.
    Amdahl,
    /// N / (1 + σ(N−1) + κN(N−1)): every unit also waits for every other unit.
    Usl,
}

impl Model {
    /// All models, the simplest first.
    pub const ALL: [Self; 3] = [Self::Linear, Self::Amdahl, Self::Usl];
}

impl fmt::Display for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Linear => "linear",
            Self::Amdahl => "Amdahl",
            Self::Usl => "USL",
        })
    }
}

/// A parameter of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its value.
    pub value: f64,
    /// Its standard error; `None` if the model does not have the parameter, or if it is at its lower limit of
    /// 0.
    pub standard_error: Option<f64>,
}

/// A model with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// λ, the rate of one unit.
    pub scale: Parameter,
    /// σ, the share that does not scale.
    pub sigma: Parameter,
    /// κ, the cost of every pair.
    pub kappa: Parameter,
}

impl Fit {
    /// The rate of this many units.
    pub fn at(&self, units: f64) -> f64 {
        let waits = self.sigma.value * (units - 1.0) + self.kappa.value * units * (units - 1.0);
        self.scale.value * units / (1.0 + waits)
    }
}

/// A projected rate of a system that was not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SystemProjection {
    /// The test with this rate.
    pub test: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// The letter of the system.
    pub system: String,
    /// The source of the projection: a phase of a series.
    pub from: String,
    /// The unit of the steps of that series, such as `servers`.
    pub over: String,
    /// Whether the nodes of the steps were simulated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_simulated: bool,
    /// The steps: size, and measured mean.
    pub steps: Vec<(f64, f64)>,
    /// The size of the target system.
    pub to: f64,
    /// The extrapolation factor: `to` divided by the largest step.
    pub factor: f64,
    /// The model and its parameters; absent if none was chosen.
    pub model: Option<Fit>,
    /// The rate; absent if it was rejected.
    pub rate: Option<f64>,
    /// Lower end of the interval of the true mean.
    pub low: Option<f64>,
    /// Upper end of this interval.
    pub high: Option<f64>,
    /// Confidence of that interval, 0.95 for 95 %.
    pub confidence: f64,
    /// The measured rate of the largest step divided by that of the model, minus 1.
    pub residual: Option<f64>,
    /// The model's prediction of the largest step from the other steps, divided by the measured rate, minus
    /// 1.
    pub held_out_error: Option<f64>,
    /// The threshold of the clause, in the unit of rates; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The unit of rates.
    pub unit: String,
    /// Why it is not accepted; absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Reason>,
}

/// A hero run and the contract test that it is compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeroRun {
    /// The hero run.
    pub test: String,
    /// The contract test.
    pub contract: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// Mean of the hero run.
    pub hero_mean: f64,
    /// Mean of the contract test.
    pub contract_mean: f64,
    /// Their unit.
    pub unit: String,
}

impl Summary {
    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a finding is an error, or needs a waiver that is not approved.
    pub fn has_open_findings(&self) -> bool {
        self.findings.iter().any(Finding::is_open)
    }
}
