//! The verdict on one criterion of a plan, and those on the clauses of a contract.

use std::collections::BTreeMap;
use std::fmt;

use measure::statistics::{self, Side};
use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::reason::Reason;

/// The end of a criterion whose value alone decides.
pub const AS_WRITTEN: &str = " (as written)";

/// The outcome of a criterion or a clause.
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

    /// The worst one, in the order FAIL, INVALID, INCONCLUSIVE, NOT RUN, PASS; NOT RUN without any.
    pub fn worst(outcomes: impl IntoIterator<Item = Self>) -> Self {
        const WORST_FIRST: [Outcome; 5] =
            [Outcome::Fail, Outcome::Invalid, Outcome::Inconclusive, Outcome::NotRun, Outcome::Pass];
        let place = |outcome: &Self| WORST_FIRST.iter().position(|known| known == outcome);
        outcomes.into_iter().min_by_key(place).unwrap_or(Self::NotRun)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.words())
    }
}

/// The verdict on one criterion. It is a clause of its own, unless it belongs to a clause of the contract.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// The test's id in the plan.
    pub test: String,
    /// The requirement text of the clause.
    pub clause: String,
    /// The clause of the contract that it belongs to; absent in a plan without such clauses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_clause: Option<ContractOutcome>,
    /// The name of the criterion; absent if it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The evaluated metric, such as `write.bw`.
    pub metric: String,
    /// The criterion as written, such as `mean >= 3.0 TB/s`.
    pub criterion: String,
    /// The outcome.
    pub outcome: Outcome,
    /// Why, with the numbers.
    pub reason: Reason,
    /// The statistic of the repetitions that was compared: `mean`, `median`, `min`, `max` or `cov`.
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
    /// Whether the value alone decides, as written in the contract. Such a verdict has no confidence.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub as_written: bool,
    /// Folders of the jobs that the verdict is based on, relative to the campaign folder.
    pub jobs: Vec<String>,
    /// Time windows of the repetitions that were evaluated in addition to whole phases.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_windows: Vec<TimeWindow>,
}

/// A clause of the contract, with its verdict over all of its criteria.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ContractOutcome {
    /// Its id in the contract.
    pub id: String,
    /// Its place in the contract; absent if the plan does not give it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The worst outcome of its criteria.
    pub outcome: Outcome,
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
    /// The confidence of this limit, between 0 and 1.
    pub confidence: f64,
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
            bound: limit_of_mean(values, side, confidence),
            unit: String::new(),
            confidence,
        })
    }
}

/// The limit of the mean. That of values that are never negative is not negative either.
fn limit_of_mean(values: &[f64], side: Side, confidence: f64) -> Option<f64> {
    let limit = statistics::limit_of_mean(values, side, confidence)?;
    Some(if statistics::min(values) >= Some(0.0) { limit.max(0.0) } else { limit })
}

impl Verdict {
    /// Whether it is on a criterion, and not only on a clause of the contract without one.
    pub fn has_criterion(&self) -> bool {
        !self.criterion.is_empty()
    }

    /// The verdicts on the clauses: one for each clause of the contract, with its id as the test, and each
    /// criterion that belongs to none.
    ///
    /// The verdict on a clause has the outcome and the reason of its worst criterion.
    pub fn of_clauses(verdicts: &[Self]) -> Vec<Self> {
        let mut clauses: Vec<Vec<&Self>> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for verdict in verdicts {
            let known = verdict.contract_clause.as_ref().map(|clause| clause.id.as_str());
            match known.and_then(|id| places.get(id)) {
                Some(place) => clauses[*place].push(verdict),
                None => {
                    if let Some(id) = known {
                        places.insert(id, clauses.len());
                    }
                    clauses.push(vec![verdict]);
                }
            }
        }
        clauses.into_iter().map(|criteria| Self::of_criteria(&criteria)).collect()
    }

    fn of_criteria(criteria: &[&Self]) -> Self {
        let outcome = Outcome::worst(criteria.iter().map(|one| one.outcome));
        let worst = criteria.iter().find(|one| one.outcome == outcome).copied().unwrap_or(criteria[0]);
        let Some(contract) = &worst.contract_clause else { return worst.clone() };
        let contract_clause = Some(ContractOutcome { outcome, ..contract.clone() });
        if criteria.len() == 1 {
            return Self { test: contract.id.clone(), contract_clause, ..worst.clone() };
        }
        let text = |one: &&Self| format!("{} {} {}", one.test, one.metric, one.criterion);
        Self {
            test: contract.id.clone(),
            clause: worst.clause.clone(),
            contract_clause,
            criterion: criteria.iter().map(text).collect::<Vec<_>>().join("; "),
            outcome,
            reason: worst.reason.clone(),
            jobs: criteria.iter().flat_map(|one| one.jobs.clone()).collect(),
            ..Self::default()
        }
    }

    /// Gives each criterion the outcome of its clause.
    pub fn settle_clauses(verdicts: &mut [Self]) {
        let clauses = Self::of_clauses(verdicts);
        let outcomes: BTreeMap<&str, Outcome> =
            clauses.iter().map(|clause| (clause.test.as_str(), clause.outcome)).collect();
        for contract in verdicts.iter_mut().filter_map(|verdict| verdict.contract_clause.as_mut()) {
            contract.outcome = outcomes[contract.id.as_str()];
        }
    }

    /// The worst outcome, in the order FAIL, INVALID, INCONCLUSIVE, NOT RUN, PASS; NOT RUN without verdicts.
    pub fn worst(verdicts: &[Self]) -> Outcome {
        Outcome::worst(verdicts.iter().map(|one| one.outcome))
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
