//! Compares campaigns: each metric of each test with the baseline, each verdict, and the facts of both.
//!
//! The values are those that verdicts use, by the same rules of validity. Tests with other parameters, ranks
//! or nodes are compared only if the caller asks for that.
//!
//! Invariant: pure. Campaigns whose evidence is rejected have no values.
//! Never here: checking evidence, English.

mod entry;
mod facts;
mod values;

use std::collections::BTreeMap;

use plan::Plan;
use results::comparison::{
    CampaignComparison, ClauseVerdict, ComparedCampaign, ComparedClause, ComparedRow, Conclusion,
    MetricDirection, RowConclusion, RowSample, letter,
};
use results::folder::{Campaign, Head};
use results::reason::{Code, Reason, reason};
use results::record::CaseOutcome;
use results::statistics::{self, Interval, NoRatio, RatioEstimate};
use results::{Outcome, Verdict};
use units::Dimension;

use crate::parameters::TestParameters;
use values::CampaignValues;

pub use entry::{EntryNames, history_entry, series_place};

/// The usual confidence of a comparison.
pub const COMPARISON_CONFIDENCE: f64 = 0.95;

/// A campaign to compare.
#[derive(Clone, Copy)]
pub struct CampaignToCompare<'a> {
    /// Its folder or archive, as the user typed it.
    pub name: &'a str,
    /// Its plan.
    pub plan: &'a Plan,
    /// The campaign with its verdicts, as derived again.
    pub campaign: &'a Campaign,
    /// Its evidence hash.
    pub head: Option<&'a Head>,
    /// What checking its evidence found.
    pub evidence: &'a Reason,
    /// Whether its evidence allows to use its values.
    pub is_usable: bool,
}

/// How campaigns are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ComparisonRules {
    /// The confidence with which all intervals together contain their true ratios, 0.5 to below 1.
    pub confidence: f64,
    /// Whether tests with other parameters, ranks or nodes are compared too.
    pub other_parameters: bool,
}

impl Default for ComparisonRules {
    fn default() -> Self {
        Self { confidence: COMPARISON_CONFIDENCE, other_parameters: false }
    }
}

/// Compares each campaign with the first one.
pub fn compare(campaigns: &[CampaignToCompare<'_>], rules: ComparisonRules) -> CampaignComparison {
    let values: Vec<CampaignValues<'_>> = campaigns.iter().map(CampaignValues::of).collect();
    let mut rows: Vec<ComparedRow> =
        keys(&values).into_iter().map(|(test, metric)| row(&values, rules, test, metric)).collect();
    let ratios = conclude(&mut rows, rules.confidence);
    CampaignComparison {
        confidence: rules.confidence,
        ratios,
        campaigns: campaigns.iter().map(described).collect(),
        rows,
        clauses: clauses(campaigns),
        differences: facts::differences(&values),
    }
}

fn described(one: &CampaignToCompare<'_>) -> ComparedCampaign {
    let info = &one.campaign.info;
    let overall = if one.is_usable { Verdict::worst(&one.campaign.verdicts) } else { Outcome::Invalid };
    ComparedCampaign {
        name: one.name.to_owned(),
        plan: info.plan.clone(),
        title: info.title.clone(),
        started: info.started.clone(),
        tool: info.tool.clone(),
        evidence: one.evidence.clone(),
        is_usable: one.is_usable,
        head: one.head.cloned(),
        overall,
        has_open_findings: one.campaign.summary.has_open_findings(),
    }
}

/// All tests and groups with their metrics, in the order of the plans.
fn keys<'v>(values: &'v [CampaignValues<'_>]) -> Vec<(&'v str, &'v str)> {
    let mut seen = std::collections::BTreeSet::new();
    let all = values.iter().flat_map(|one| one.metrics.iter());
    let all = all.map(|(test, metric, _)| (test.as_str(), metric.as_str()));
    all.filter(|key| seen.insert(*key)).collect()
}

/// A row whose conclusions need no interval. The others follow in [`conclude`].
fn row(values: &[CampaignValues<'_>], rules: ComparisonRules, test: &str, metric: &str) -> ComparedRow {
    let samples: Vec<RowSample> =
        values.iter().enumerate().map(|(at, one)| one.sample(letter(at), test, metric)).collect();
    let known = samples.iter().find(|sample| sample.why.is_none());
    let unit = known.unwrap_or(&samples[0]).unit.clone();
    let against = (1..samples.len()).map(|other| {
        let obstacle = obstacle(&samples, other);
        let parameters = [0, other].map(|at| TestParameters::of_row(&values[at].index, test, metric));
        let differing = match parameters {
            [Some(one), Some(another)] if obstacle.is_none() => one.differing(&another),
            _ => Vec::new(),
        };
        let differ = (!differing.is_empty()).then(|| reason!(TestsDiffer { what: differing }));
        match (obstacle, differ) {
            (Some(obstacle), _) => not_comparable(obstacle),
            (None, Some(differ)) if !rules.other_parameters => {
                not_comparable(reason!(TestsDiffer { rejected: true, ..differ }))
            }
            (None, differ) => {
                let caution = differ.map(|reason| reason!(TestsDiffer { compared: true, ..reason }));
                RowConclusion { caution, ..not_comparable(Reason::default()) }
            }
        }
    });
    ComparedRow {
        test: test.to_owned(),
        metric: metric.to_owned(),
        clause: values.iter().find_map(|one| one.clause(test)).unwrap_or(test).to_owned(),
        direction: direction(metric, &unit),
        against: against.collect(),
        unit,
        samples,
    }
}

/// Why the values of a campaign and of the baseline cannot be compared at all.
fn obstacle(samples: &[RowSample], other: usize) -> Option<Reason> {
    let (one, another) = (&samples[0], &samples[other]);
    if let Some(why) = one.why.as_ref().or(another.why.as_ref()) {
        return Some(why.clone());
    }
    (one.unit != another.unit)
        .then(|| reason!(UnitsDiffer { unit_reference: &one.unit, unit: &another.unit }))
}

fn not_comparable(reason: Reason) -> RowConclusion {
    RowConclusion {
        conclusion: Conclusion::NotComparable,
        reason,
        ratio: None,
        alone: None,
        together: None,
        caution: None,
    }
}

/// Which values of a metric are better.
fn direction(metric: &str, unit: &str) -> MetricDirection {
    let name = metric.split_once('.').map_or(metric, |(_, name)| name);
    match CaseOutcome::named(name) {
        Some(_) => MetricDirection::Count,
        None => MetricDirection::of(Dimension::of_unit(unit)),
    }
}

/// Fills in the conclusions that are still without a reason. Returns the number of ratios with an interval.
fn conclude(rows: &mut [ComparedRow], confidence: f64) -> usize {
    let places: Vec<(usize, usize)> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.direction != MetricDirection::Count)
        .flat_map(|(at, row)| (0..row.against.len()).map(move |other| (at, other)))
        .filter(|(at, other)| rows[*at].against[*other].reason.code == Code::Unset)
        .collect();
    let pair = |(at, other): &(usize, usize)| {
        let samples = &rows[*at].samples;
        [samples[0].values.as_slice(), samples[other + 1].values.as_slice()]
    };
    let pairs: Vec<[&[f64]; 2]> = places.iter().map(pair).collect();
    let found = statistics::ratios_together(&pairs, confidence);
    let ratios = found.iter().filter(|one| one.is_ok()).count();
    for ((at, other), estimate) in places.into_iter().zip(found) {
        let row = &mut rows[at];
        let counts = [0, other + 1].map(|campaign| row.samples[campaign].values.len());
        let concluded = match estimate {
            Ok(estimate) => of_ratio(row.direction, &estimate, counts, ratios, confidence),
            Err(why) => without_ratio(why, counts),
        };
        let caution = row.against[other].caution.take();
        row.against[other] = RowConclusion { caution, ..concluded };
    }
    for row in rows.iter_mut().filter(|row| row.direction == MetricDirection::Count) {
        count_conclusions(row);
    }
    ratios
}

fn with_counts(code: Code, [baseline, other]: [usize; 2]) -> Reason {
    reason!(CountsCompared { n_reference: baseline, n: other, ..Reason::new(code) })
}

fn without_ratio(why: NoRatio, counts: [usize; 2]) -> RowConclusion {
    not_comparable(match why {
        NoRatio::TooFew => with_counts(Code::TooFewToCompare, counts),
        NoRatio::NoVariability => with_counts(Code::NoVariabilityToCompare, counts),
        NoRatio::NotPositive => reason!(RatioNotPositive),
    })
}

/// The conclusion by the interval that holds for all ratios together.
fn of_ratio(
    direction: MetricDirection,
    estimate: &RatioEstimate,
    counts: [usize; 2],
    ratios: usize,
    confidence: f64,
) -> RowConclusion {
    let RatioEstimate { ratio, alone, together } = *estimate;
    let is_more = together.low > 1.0;
    let (conclusion, code) = match (direction, is_more || together.high < 1.0) {
        (_, false) => (Conclusion::NoDifferenceShown, Code::NoDifferenceShown),
        (MetricDirection::HigherIsFaster, true) if is_more => (Conclusion::Faster, Code::ComparedFaster),
        (MetricDirection::LowerIsFaster, true) if !is_more => (Conclusion::Faster, Code::ComparedFaster),
        (MetricDirection::HigherIsFaster | MetricDirection::LowerIsFaster, true) => {
            (Conclusion::Slower, Code::ComparedSlower)
        }
        _ if is_more => (Conclusion::Larger, Code::ComparedLarger),
        _ => (Conclusion::Smaller, Code::ComparedSmaller),
    };
    let mut reason = reason!(ComparedFaster {
        ratio,
        ratios,
        confidence,
        ratio_low: together.low,
        ratio_high: Some(together.high).filter(|high| high.is_finite()),
        ..with_counts(code, counts)
    });
    let excludes_one = |interval: Interval| interval.low > 1.0 || interval.high < 1.0;
    if code == Code::NoDifferenceShown && excludes_one(alone) && alone.high.is_finite() {
        reason = reason!(NoDifferenceShown { alone_low: alone.low, alone_high: alone.high, ..reason });
    }
    RowConclusion {
        conclusion,
        reason,
        ratio: Some(ratio),
        alone: Some(alone),
        together: Some(together),
        caution: None,
    }
}

/// Counts are exact: the counts for each repetition decide.
fn count_conclusions(row: &mut ComparedRow) {
    let sum = |sample: &RowSample| sample.values.iter().sum::<f64>();
    for other in 0..row.against.len() {
        let (one, another) = (&row.samples[0], &row.samples[other + 1]);
        if row.against[other].reason.code != Code::Unset {
            continue;
        }
        let counts = [one.values.len(), another.values.len()];
        let each = [one, another].map(|sample| sum(sample) / sample.values.len() as f64);
        let conclusion = match each[1].total_cmp(&each[0]) {
            std::cmp::Ordering::Equal => Conclusion::SameCount,
            std::cmp::Ordering::Greater => Conclusion::MoreCounted,
            std::cmp::Ordering::Less => Conclusion::FewerCounted,
        };
        let caution = row.against[other].caution.take();
        let reason = reason!(CountsCompared {
            counted_reference: sum(one),
            counted: sum(another),
            ..with_counts(Code::CountsCompared, counts)
        });
        row.against[other] = RowConclusion { conclusion, caution, ..not_comparable(reason) };
    }
}

/// The verdicts of all campaigns. If a metric of a test has several criteria, they are compared in their
/// order.
fn clauses(campaigns: &[CampaignToCompare<'_>]) -> Vec<ComparedClause> {
    let mut all: Vec<ComparedClause> = Vec::new();
    let mut places: BTreeMap<(String, String, usize), usize> = BTreeMap::new();
    for (at, one) in campaigns.iter().enumerate() {
        let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
        for verdict in &Verdict::of_clauses(&one.campaign.verdicts) {
            // The criteria of a clause of the contract may change.
            let metric = if verdict.contract_clause.is_some() { "" } else { &verdict.metric };
            let name = (verdict.test.clone(), metric.to_owned());
            let number = numbers.entry(name.clone()).and_modify(|number| *number += 1).or_insert(1);
            let key = (name.0, name.1, *number);
            let place = *places.entry(key).or_insert_with(|| {
                all.push(ComparedClause {
                    test: verdict.test.clone(),
                    clause: verdict.clause.clone(),
                    metric: verdict.metric.clone(),
                    verdicts: vec![None; campaigns.len()],
                });
                all.len() - 1
            });
            all[place].verdicts[at] = Some(ClauseVerdict {
                criterion: verdict.criterion.clone(),
                outcome: if one.is_usable { verdict.outcome } else { Outcome::Invalid },
                value: verdict.value.filter(|_| one.is_usable),
                unit: verdict.unit.clone(),
            });
        }
    }
    all
}
