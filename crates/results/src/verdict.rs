//! What was decided of one clause of a plan.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The five answers a clause can get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// The criterion is met, and the measurements support that.
    Pass,
    /// The criterion is missed.
    Fail,
    /// Too few or too scattered measurements to say.
    Inconclusive,
    /// The measurements may not be used: a job failed, or a rule of measuring was broken.
    Invalid,
    /// Nothing was measured.
    NotRun,
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Inconclusive => "INCONCLUSIVE",
            Self::Invalid => "INVALID",
            Self::NotRun => "NOT RUN",
        })
    }
}

/// One clause, judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The test's id in the plan.
    pub test: String,
    /// The clause in the contract's words.
    pub clause: String,
    /// The metric judged, such as `write.bw`.
    pub metric: String,
    /// The criterion as written, such as `mean >= 3.0 TB/s`.
    pub criterion: String,
    /// The answer.
    pub outcome: Outcome,
    /// Why, in one sentence with the numbers.
    pub reason: String,
    /// The statistic that was compared, in the metric's base unit; absent where nothing was measured.
    pub value: Option<f64>,
    /// The threshold in the base unit.
    pub threshold: Option<f64>,
    /// Base unit of `value` and `threshold`.
    pub unit: String,
    /// Statistics over the repetitions.
    pub statistics: Option<Statistics>,
    /// Warnings that apply to the measurements, each one sentence.
    pub warnings: Vec<String>,
    /// Folders of the jobs the verdict rests on, relative to the campaign's.
    pub jobs: Vec<String>,
}

/// Statistics over the repetitions of a metric, in its base unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// The value of each repetition, in the order they ran.
    pub values: Vec<f64>,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Coefficient of variation, standard deviation (n−1) over mean; absent for one repetition.
    pub cov: Option<f64>,
    /// One-sided 95 % confidence bound of the mean on the unfavourable side; absent for one repetition.
    pub bound: Option<f64>,
}

impl Verdict {
    /// The exit status of a program that reached these verdicts: 0 all passed, 1 something failed,
    /// 3 something is inconclusive, invalid or not run (2 is kept for wrong usage).
    pub fn exit_code(verdicts: &[Self]) -> u8 {
        if verdicts.iter().any(|v| v.outcome == Outcome::Fail) {
            1
        } else if verdicts.is_empty() || verdicts.iter().any(|v| v.outcome != Outcome::Pass) {
            3
        } else {
            0
        }
    }
}
