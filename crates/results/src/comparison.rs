//! The result of comparing campaigns. It has a conclusion for each row, the verdicts of all campaigns, and
//! the facts in which they differ.
//!
//! The first campaign is the baseline. A row is a metric of a test.
//!
//! Invariant: a conclusion without an interval never states a difference of a rate or a time.
//! Never here: computing them, English.

mod fact;

use units::Dimension;

pub use fact::{CampaignFacts, ComparedFact, FactArea, FactDifference, differing_facts};

use crate::Outcome;
use crate::folder::Head;
use crate::reason::Reason;
use crate::statistics::Interval;
use units::words;

/// Campaigns that were compared with the first of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CampaignComparison {
    /// The confidence with which all intervals together contain their true ratios.
    pub confidence: f64,
    /// How many ratios share the error that this allows.
    pub ratios: usize,
    /// The campaigns, the baseline first.
    pub campaigns: Vec<ComparedCampaign>,
    /// All metrics of all tests, in the order of the plans.
    pub rows: Vec<ComparedRow>,
    /// All clauses, in the order of the plans.
    pub clauses: Vec<ComparedClause>,
    /// The facts in which the campaigns differ.
    pub differences: Vec<FactDifference>,
}

/// The letter of a campaign by its place: A for the baseline. After Z it is a number.
pub fn letter(campaign: usize) -> String {
    match u8::try_from(campaign) {
        Ok(number) if number < 26 => char::from(b'A' + number).to_string(),
        _ => format!("#{}", campaign + 1),
    }
}

/// One of the campaigns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedCampaign {
    /// Its folder or archive, as the user typed it.
    pub name: String,
    /// The id of its plan.
    pub plan: String,
    /// The title of its plan.
    pub title: String,
    /// Its start, RFC 3339.
    pub started: String,
    /// Program and version.
    pub tool: String,
    /// What checking its evidence found.
    pub evidence: Reason,
    /// Whether its evidence allows to use its values.
    pub is_usable: bool,
    /// Its evidence hash; absent without a hash chain.
    pub head: Option<Head>,
    /// The worst outcome of its clauses.
    pub overall: Outcome,
    /// Whether a finding is an error, or needs a waiver that is not approved.
    pub has_open_findings: bool,
}

words! {
    /// Which values of a metric are better.
    #[derive(Default)]
    pub enum MetricDirection {
        /// A rate: more is faster.
        HigherIsFaster = "higher-is-faster",
        /// A time: less is faster.
        LowerIsFaster = "lower-is-faster",
        /// Neither, such as an amount.
        #[default]
        Neither = "neither",
        /// A count of errors or cases, which is exact and has no interval.
        Count = "count",
    }
}

impl MetricDirection {
    /// That of values with this dimension; `None` for a unit that is not known.
    pub fn of(dimension: Option<Dimension>) -> Self {
        match dimension {
            Some(Dimension::BytesPerSecond | Dimension::PerSecond | Dimension::Points) => {
                Self::HigherIsFaster
            }
            Some(Dimension::Seconds) => Self::LowerIsFaster,
            Some(Dimension::Count) => Self::Count,
            Some(Dimension::Bytes | Dimension::Fraction) | None => Self::Neither,
        }
    }
}

/// A metric of a test in all campaigns.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedRow {
    /// The test's id.
    pub test: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// The requirement text, or the purpose of the test.
    pub clause: String,
    /// The base unit of the values of the first campaign that has the row.
    pub unit: String,
    /// Which values are better.
    pub direction: MetricDirection,
    /// The values of each campaign, in their order.
    pub samples: Vec<RowSample>,
    /// The other campaigns compared with the baseline, in their order.
    pub against: Vec<RowConclusion>,
}

/// The values of a row in one campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowSample {
    /// One for each repetition, in the base unit; empty if they cannot be used.
    pub values: Vec<f64>,
    /// Their mean.
    pub mean: Option<f64>,
    /// The base unit.
    pub unit: String,
    /// Why there are no values.
    pub why: Option<Reason>,
}

/// The conclusion about a row of another campaign and the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct RowConclusion {
    /// The conclusion.
    pub conclusion: Conclusion,
    /// Its reason, with the numbers.
    pub reason: Reason,
    /// The mean divided by that of the baseline; absent without an interval.
    pub ratio: Option<f64>,
    /// The interval of this ratio alone.
    pub alone: Option<Interval>,
    /// The interval that holds for all ratios together. It decides.
    pub together: Option<Interval>,
    /// How the tests differ, if they were compared although they do.
    pub caution: Option<Reason>,
}

words! {
    /// What the values of two campaigns show.
    #[derive(Hash)]
    pub enum Conclusion {
        /// The rate is higher, or the time is lower.
        Faster = "faster",
        /// The rate is lower, or the time is higher.
        Slower = "slower",
        /// An amount is larger.
        Larger = "larger",
        /// An amount is smaller.
        Smaller = "smaller",
        /// The interval contains 1.
        NoDifferenceShown = "no difference shown",
        /// Both counted the same.
        SameCount = "same count",
        /// More was counted than in the baseline.
        MoreCounted = "more counted",
        /// Less was counted than in the baseline.
        FewerCounted = "fewer counted",
        /// The values cannot be compared.
        NotComparable = "not comparable",
    }
}

impl ComparedRow {
    /// Whether another campaign is shown to be slower than `share` of the baseline's speed. The speed of a
    /// time is its reciprocal.
    pub fn is_shown_below(&self, share: f64) -> bool {
        self.against.iter().filter_map(|one| one.together).any(|interval| match self.direction {
            MetricDirection::HigherIsFaster => interval.high < share,
            MetricDirection::LowerIsFaster => interval.low * share > 1.0,
            MetricDirection::Neither | MetricDirection::Count => false,
        })
    }
}

/// The verdict on a clause in all campaigns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedClause {
    /// The test's id.
    pub test: String,
    /// The requirement text.
    pub clause: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// The verdict of each campaign; absent where it has no such clause.
    pub verdicts: Vec<Option<ClauseVerdict>>,
}

/// A verdict in one campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClauseVerdict {
    /// The criterion as written.
    pub criterion: String,
    /// The outcome.
    pub outcome: Outcome,
    /// The value that was compared, in the base unit.
    pub value: Option<f64>,
    /// The base unit.
    pub unit: String,
}

impl ComparedClause {
    /// Whether the campaigns have different outcomes, or one of them lacks the clause.
    pub fn is_changed(&self) -> bool {
        let outcome = |verdict: &Option<ClauseVerdict>| verdict.as_ref().map(|verdict| verdict.outcome);
        self.verdicts.windows(2).any(|pair| outcome(&pair[0]) != outcome(&pair[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_facts_are_unique_and_facts_are_in_the_order_of_their_areas() {
        let words: std::collections::BTreeSet<&str> =
            ComparedFact::ALL.iter().map(|fact| fact.word()).collect();
        assert_eq!(words.len(), ComparedFact::ALL.len());
        assert!(ComparedFact::ALL.is_sorted_by_key(|fact| fact.area()));
    }

    fn row(direction: MetricDirection, low: f64, high: f64) -> ComparedRow {
        let interval = Some(Interval { low, high });
        let against = RowConclusion {
            conclusion: Conclusion::NoDifferenceShown,
            reason: Reason::default(),
            ratio: Some(1.0),
            alone: interval,
            together: interval,
            caution: None,
        };
        ComparedRow {
            test: String::new(),
            metric: String::new(),
            clause: String::new(),
            unit: String::new(),
            direction,
            samples: vec![],
            against: vec![against],
        }
    }

    #[test]
    fn only_an_interval_below_the_share_shows_that_the_speed_is_below_it() {
        use MetricDirection::{HigherIsFaster, LowerIsFaster, Neither};
        for (direction, low, high, is_below) in [
            (HigherIsFaster, 0.90, 0.94, true),
            (HigherIsFaster, 0.90, 0.96, false),
            (LowerIsFaster, 1.06, 1.10, true),
            (LowerIsFaster, 1.05, 1.10, false),
            (LowerIsFaster, 0.80, 0.90, false),
            (Neither, 0.1, 0.2, false),
        ] {
            assert_eq!(
                row(direction, low, high).is_shown_below(0.95),
                is_below,
                "{direction:?} {low} {high}"
            );
        }
    }
}
