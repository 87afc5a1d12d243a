//! The verdict on one clause of a plan.

use std::fmt;

use measure::statistics::{self, Side};
use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::reason::Reason;

/// The outcome of a clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Outcome {
    /// The criterion is met, and the measurements support that.
    Pass,
    /// The criterion is not met, and the measurements support that.
    Fail,
    /// The measurements are too few or vary too much for a decision.
    Inconclusive,
    /// The measurements cannot be used: a job failed, or a rule of measuring was violated.
    Invalid,
    /// Nothing was measured.
    #[default]
    NotRun,
}

impl Outcome {
    /// Its words, such as `NOT RUN`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Inconclusive => "INCONCLUSIVE",
            Self::Invalid => "INVALID",
            Self::NotRun => "NOT RUN",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.words())
    }
}

/// The verdict on one clause.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The test's id in the plan.
    pub test: String,
    /// The requirement text of the clause.
    pub clause: String,
    /// The evaluated metric, such as `write.bw`.
    pub metric: String,
    /// The criterion as written, such as `mean >= 3.0 TB/s`.
    pub criterion: String,
    /// The outcome.
    pub outcome: Outcome,
    /// Why, with the numbers.
    pub reason: Reason,
    /// The statistic of the repetitions that was compared: `mean`, `median`, `min`, `max` or `cov`.
    #[serde(default)]
    pub statistic: String,
    /// Its value, in the base unit of the metric; absent if nothing was measured.
    pub value: Option<f64>,
    /// The threshold in the base unit.
    pub threshold: Option<f64>,
    /// Base unit of `value` and `threshold`.
    pub unit: String,
    /// Statistics over the repetitions.
    pub statistics: Option<Statistics>,
    /// Warnings that apply to the measurements.
    pub warnings: Vec<Finding>,
    /// How the measurements were made, if a reader should know it. Notes do not speak against them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Finding>,
    /// Whether the value was not measured by this program: an external program reported it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_reported: bool,
    /// Folders of the jobs that the verdict is based on, relative to the campaign folder.
    pub jobs: Vec<String>,
    /// Time windows of the repetitions that were evaluated in addition to whole phases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_windows: Vec<TimeWindow>,
}

/// A time window within a phase of one repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct TimeWindow {
    /// The repetition.
    pub repetition: u32,
    /// The phase.
    pub phase: String,
    /// Its kind.
    pub kind: TimeWindowKind,
    /// Its start, seconds after the common start of the phase.
    pub from_s: f64,
    /// Its length, seconds.
    pub seconds: f64,
    /// Its rate, in the base unit `unit`.
    pub rate: f64,
    /// The unit of `rate`: bytes or operations per second.
    pub unit: String,
    /// `rate`, as a share of the rate of the whole phase.
    pub share: f64,
}

/// The kind of a time window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TimeWindowKind {
    /// The slowest window of its length.
    Worst,
    /// The rate was steady when it began.
    Steady,
    /// All parts of a group were active.
    Common,
}

/// Statistics over the repetitions of a metric, in its base unit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Statistics {
    /// The value of each repetition, in the order of the runs.
    pub values: Vec<f64>,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Coefficient of variation: standard deviation (n−1) divided by the mean; absent for one repetition.
    pub cov: Option<f64>,
    /// One-sided confidence limit of the mean on the unfavourable side; absent for one repetition.
    pub bound: Option<f64>,
    /// Base unit of the values, if it is not that of the verdict: the verdict is about their variability.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// The confidence of this limit, between 0 and 1; 0.95 in older folders without this field.
    #[serde(default = "usual_confidence")]
    pub confidence: f64,
}

fn usual_confidence() -> f64 {
    0.95
}

impl Statistics {
    /// Statistics of `values`, with the limit of the mean on `side` at `confidence`; `None` without values.
    pub fn of(values: &[f64], side: Side, confidence: f64) -> Option<Self> {
        Some(Self {
            values: values.to_vec(),
            mean: statistics::mean(values)?,
            median: statistics::median(values)?,
            min: statistics::min(values)?,
            max: statistics::max(values)?,
            cov: statistics::cov(values),
            bound: statistics::limit_of_mean(values, side, confidence),
            unit: String::new(),
            confidence,
        })
    }
}

impl Verdict {
    /// The worst outcome, in the order FAIL, INVALID, INCONCLUSIVE, NOT RUN, PASS; NOT RUN without verdicts.
    pub fn worst(verdicts: &[Self]) -> Outcome {
        use Outcome::{Fail, Inconclusive, Invalid, NotRun};
        let worst = [Fail, Invalid, Inconclusive, NotRun];
        let of_any = worst.into_iter().find(|outcome| verdicts.iter().any(|one| one.outcome == *outcome));
        of_any.unwrap_or(if verdicts.is_empty() { NotRun } else { Outcome::Pass })
    }

    /// The exit status of a program with these verdicts: 0 if all are PASS, 1 if one is FAIL, else 3. Status
    /// 2 is for usage errors.
    pub fn exit_code(verdicts: &[Self]) -> u8 {
        match Self::worst(verdicts) {
            Outcome::Pass => 0,
            Outcome::Fail => 1,
            Outcome::Inconclusive | Outcome::Invalid | Outcome::NotRun => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(outcomes: &[Outcome]) -> Vec<Verdict> {
        let clause = |outcome: &Outcome| Verdict { outcome: *outcome, ..Verdict::default() };
        outcomes.iter().map(clause).collect()
    }

    #[test]
    fn the_exit_status_is_that_of_the_worst_clause_and_no_clause_is_not_a_pass() {
        use Outcome::{Fail, Inconclusive, Invalid, NotRun, Pass};
        for (outcomes, status) in [
            (&[Pass, Pass][..], 0),
            (&[Pass, Fail, Invalid], 1),
            (&[Pass, Inconclusive], 3),
            (&[Invalid], 3),
            (&[Pass, NotRun], 3),
            (&[], 3),
        ] {
            assert_eq!(Verdict::exit_code(&verdicts(outcomes)), status, "{outcomes:?}");
        }
    }

    #[test]
    fn statistics_of_one_value_have_no_cov_and_no_confidence_limit() {
        let one = Statistics::of(&[4.0], Side::Lower, 0.95).unwrap();
        assert_eq!((one.mean, one.median, one.cov, one.bound), (4.0, 4.0, None, None));
        let three = Statistics::of(&[90.0, 100.0, 110.0], Side::Upper, 0.95).unwrap();
        assert!(three.bound.unwrap() > 116.0 && (three.cov.unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(Statistics::of(&[], Side::Lower, 0.95), None);
    }
}
