//! What a campaign comes to besides its verdicts: the systems, every rate that was measured, what was
//! projected from them, hero runs beside the contract's, and the findings with their waivers.
//!
//! Never here: clauses.

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::projection::Fit;
use crate::reason::Reason;

/// The layout of a report that has the tables of a procurement.
pub const PROCUREMENT: &str = "procurement";

/// The tables of that layout, by their names; they have no numbers.
pub const TABLES: [&str; 3] = ["Systems", "Benchmarks and their purpose", "Results"];

/// The tables of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// The layout of the report that the plan asks for, empty for the usual one.
    pub layout: String,
    /// The systems, by letter.
    pub systems: Vec<System>,
    /// The letter of the system that was measured; empty where the plan names none.
    pub measured_on: String,
    /// Every rate that was measured, in the order of the plan.
    pub rates: Vec<Rate>,
    /// What was projected.
    pub projections: Vec<SystemProjection>,
    /// Hero runs.
    pub heroes: Vec<HeroRun>,
    /// Findings of the linter before the run and of the evaluation after it, with who approved waivers.
    pub findings: Vec<Finding>,
}

/// A system, as a table of systems has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct System {
    /// Its letter.
    pub letter: String,
    /// Its processor.
    pub processor: String,
    /// The processor's clock, as written.
    pub clock: String,
    /// Its interconnect.
    pub interconnect: String,
    /// Its cores in all.
    pub cores: u64,
}

/// One rate that was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rate {
    /// The test.
    pub test: String,
    /// Its clause or purpose.
    pub purpose: String,
    /// Whether it is one of the contract, reported or a hero run.
    pub role: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// The value of each repetition, in the order they ran; none where it may not be used.
    pub values: Vec<f64>,
    /// Their mean.
    pub mean: Option<f64>,
    /// Their coefficient of variation (n−1), 1.0 for 100 %.
    pub cov: Option<f64>,
    /// The unit of all of these.
    pub unit: String,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Reason>,
    /// Folders of the jobs, relative to the campaign's.
    pub jobs: Vec<String>,
}

/// A rate of a system that was not measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SystemProjection {
    /// The test whose rate it is.
    pub test: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// The letter of the system.
    pub system: String,
    /// What it was projected from: a phase of a series.
    pub from: String,
    /// What the steps of that series count, such as `servers`.
    pub over: String,
    /// The steps: how many, and the mean that was measured.
    pub steps: Vec<(f64, f64)>,
    /// How many the system has.
    pub to: f64,
    /// `to` over the largest step.
    pub factor: f64,
    /// The model and its parameters; absent where none was taken.
    pub model: Option<Fit>,
    /// The rate; absent where it was rejected.
    pub rate: Option<f64>,
    /// Lower end of the interval of the true mean.
    pub low: Option<f64>,
    /// Upper end of it.
    pub high: Option<f64>,
    /// Confidence of that interval, 0.95 for 95 %.
    pub confidence: f64,
    /// What was measured at the largest step over what the model says of it, less 1.
    pub residual: Option<f64>,
    /// How the model foretold the largest step from the others, less 1.
    pub held_out_error: Option<f64>,
    /// The unit of rates.
    pub unit: String,
    /// Why it is not accepted; absent where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Reason>,
}

/// A hero run beside the test of the contract.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HeroRun {
    /// The hero run.
    pub test: String,
    /// The test of the contract.
    pub contract: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// Mean of the hero run.
    pub hero_mean: f64,
    /// Mean of the test of the contract.
    pub contract_mean: f64,
    /// Their unit.
    pub unit: String,
}

impl Summary {
    /// Whether there is anything to show.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
