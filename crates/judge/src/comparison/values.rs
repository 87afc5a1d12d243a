//! The metrics of one campaign and their values, by the rules of verdicts.
//!
//! Never here: other campaigns.

use std::cell::OnceCell;

use plan::{Group, Plan, Test};
use results::comparison::RowSample;
use results::folder::Campaign;
use results::reason::{Code, Reason, any, reason};
use results::record::MetricRow;
use results::statistics;
use units::Dimension;

use super::CampaignToCompare;
use crate::case::{TestCriterion, measuring};
use crate::findings::{self, Findings};
use crate::index::Index;
use crate::verdicts::score;
use crate::{parameters, summary, verdicts, waivers};

/// A campaign with its index.
pub(super) struct CampaignValues<'a> {
    pub(super) plan: &'a Plan,
    pub(super) campaign: &'a Campaign,
    /// Test, group or score, metric and dimension, in the order of the plan; scores come last.
    pub(super) metrics: Vec<(String, String, Dimension)>,
    pub(super) index: Index<'a>,
    findings: OnceCell<Findings>,
    rejected: Option<&'a Reason>,
}

impl<'a> CampaignValues<'a> {
    pub(super) fn of(one: &CampaignToCompare<'a>) -> Self {
        let index = Index::of(one.plan, one.campaign);
        Self {
            plan: one.plan,
            campaign: one.campaign,
            metrics: metrics(&index),
            index,
            findings: OnceCell::new(),
            rejected: (!one.is_usable).then_some(one.evidence),
        }
    }

    /// The values of a metric in the campaign with this letter.
    pub(super) fn sample(&self, letter: String, test: &str, metric: &str) -> RowSample {
        let dimension = self.dimension(test, metric);
        let unit = dimension.map_or(String::new(), |dimension| dimension.unit().to_owned());
        match dimension.map_or(Err(None), |dimension| self.values(test, metric, dimension).map_err(Some)) {
            Ok(values) => RowSample { mean: statistics::mean(&values), values, unit, why: None },
            Err(cause) => {
                let code = if cause.is_some() { Code::UnusableInCampaign } else { Code::NotInCampaign };
                let why =
                    reason!(NotInCampaign { campaign: letter, ..Reason::new(code) }).with(any::cause, cause);
                RowSample { why: Some(why), unit, ..RowSample::default() }
            }
        }
    }

    /// The requirement text of a test, a group or a score.
    pub(super) fn clause(&self, id: &str) -> Option<&str> {
        let test = self.plan.test(id).map(|test| test.clause.as_str());
        let group = || self.group(id).map(|group| group.clause.as_str());
        let score = || parameters::score(self.plan, id).map(|score| score.clause.as_str());
        test.or_else(group).or_else(score).filter(|clause| !clause.is_empty())
    }

    fn group(&self, id: &str) -> Option<&'a Group> {
        self.plan.groups.iter().find(|group| group.id == id)
    }

    /// The dimension of a metric of a test that the plan has. A metric that no criterion of it names has the
    /// dimension of its records.
    fn dimension(&self, test: &str, metric: &str) -> Option<Dimension> {
        let own = self.metrics.iter().find(|(id, name, _)| id == test && name == metric);
        if let Some((_, _, dimension)) = own {
            return Some(*dimension);
        }
        let test = self.plan.test(test)?;
        if let Some(app) = test.line.as_app() {
            return app.dimension(metric).ok();
        }
        let name = metric.split_once('.').map_or(metric, |(_, name)| name);
        let counts = test.line.counts().unwrap_or_default();
        Some(MetricRow::named(name).map_or(Dimension::BytesPerSecond, |row| row.dimension(counts)))
    }

    fn values(&self, id: &str, metric: &str, dimension: Dimension) -> Result<Vec<f64>, Reason> {
        if let Some(rejected) = self.rejected {
            return Err(rejected.clone());
        }
        let criterion = measuring(metric, dimension);
        let case = |test| TestCriterion { index: &self.index, test, criterion: &criterion };
        let usable = |test| self.findings().usable(&case(test)).map_err(|(_, reason)| reason);
        match (self.plan.test(id), self.group(id)) {
            (Some(test), _) => usable(test),
            (None, Some(group)) => {
                let cases: Vec<_> = self.plan.parts(group).map(case).filter(TestCriterion::yields).collect();
                let usable = |case: &TestCriterion<'_>| self.findings().usable(case);
                let found = verdicts::group::values(group, &cases, usable);
                found.map(|found| found.values).map_err(|(_, reason)| reason)
            }
            (None, None) => match parameters::score(self.plan, id) {
                Some(of) => score::reported(&self.index, self.findings(), of).map_err(|(_, reason)| reason),
                None => Err(reason!(NoValues)),
            },
        }
    }

    fn findings(&self) -> &Findings {
        self.findings.get_or_init(|| waivers::with_waivers(&self.index, findings::all(&self.index)))
    }
}

/// The metrics of all tests and groups, in the order of the plan; those of a group follow its last part. Then
/// all scores.
fn metrics(index: &Index<'_>) -> Vec<(String, String, Dimension)> {
    let mut all = Vec::new();
    for (at, test) in index.plan.tests.iter().enumerate() {
        let own = summary::metrics(index, test).into_iter();
        // The variability of repetitions is a statistic of the same values.
        let own = own
            .map(|(metric, dimension)| (test.id.clone(), metric.clone(), value_of(test, &metric, dimension)));
        all.extend(own);
        let group = test.part.map(|part| &index.plan.groups[part]);
        let group = group.filter(|group| group.tests.last() == Some(&at));
        let sums = group.into_iter().flat_map(|group| &group.criteria);
        let id = group.map(|group| group.id.clone()).unwrap_or_default();
        all.extend(sums.map(|sum| (id.clone(), sum.metric.clone(), sum.dimension)));
    }
    let scores = index.plan.scores.iter();
    all.extend(scores.map(|score| (score.id.clone(), summary::SCORE.to_owned(), score.dimension)));
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|(test, metric, _)| seen.insert((test.clone(), metric.clone())));
    all
}

/// The dimension of the values of a metric, which differs from that of a threshold of their variability.
fn value_of(test: &Test, metric: &str, dimension: Dimension) -> Dimension {
    let criterion = test.criteria.iter().find(|criterion| criterion.metric == metric);
    criterion.map_or(dimension, |criterion| criterion.dimension)
}
