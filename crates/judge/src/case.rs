//! One criterion of a test, and the phases and metric that it is about.
//!
//! Never here: whether the criterion is met.

use plan::line::Line;
use plan::{Comparison, Criterion, CriterionTerms, Goal, Stat, Test};
use results::folder::Job;
use results::reason::{Reason, reason};
use results::record::{self, CaseOutcome, MetricKind, MetricRow, Phase};
use units::{Dimension, Quantity};

use crate::index::{self, Index};

/// One criterion, and everything that its evaluation needs.
#[derive(Clone, Copy)]
pub(crate) struct TestCriterion<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) test: &'a Test,
    pub(crate) criterion: &'a Criterion,
}

impl<'a> TestCriterion<'a> {
    /// The jobs of the test, in the order of the runs.
    pub(crate) fn jobs(&self) -> &'a [&'a Job] {
        self.index.jobs(&self.test.id)
    }

    /// Whether the test measures the metric at all.
    pub(crate) fn yields(&self) -> bool {
        match &self.test.line {
            Line::App(app) => app.dimension(&self.criterion.metric).is_ok(),
            line => line.phases().iter().any(|phase| phase == self.phase()),
        }
    }

    /// The phase of the metric.
    pub(crate) fn phase(&self) -> &'a str {
        self.criterion.metric.split_once('.').map_or("", |(phase, _)| phase)
    }

    /// The name of the metric within its phase.
    pub(crate) fn metric(&self) -> &'a str {
        self.criterion.metric.split_once('.').map_or(&self.criterion.metric, |(_, name)| name)
    }

    /// Whether the criterion counts wrong data, failures or cases, and does not measure speed.
    pub(crate) fn counts_errors(&self) -> bool {
        self.counts_failures() || self.counts_cases().is_some()
    }

    /// Whether the criterion counts the failed operations of its phase.
    pub(crate) fn counts_failures(&self) -> bool {
        self.kind() == Some(MetricKind::Errors)
    }

    /// The outcome of cases that the criterion counts, if any.
    pub(crate) fn counts_cases(&self) -> Option<CaseOutcome> {
        CaseOutcome::named(self.metric())
    }

    /// Whether the criterion is about bytes or operations per second of a phase.
    pub(crate) fn is_rate(&self) -> bool {
        self.kind() == Some(MetricKind::Rate)
    }

    /// What the metric states; `None` for cases, and for other names that an external program has.
    pub(crate) fn kind(&self) -> Option<MetricKind> {
        MetricRow::named(self.metric()).map(|row| row.kind)
    }

    /// The confidence level at the present look.
    pub(crate) fn confidence(&self) -> f64 {
        self.test.decide.confidence_of(self.criterion)
    }

    /// The phases of `job` that the criterion is about.
    pub(crate) fn phases<'j>(&self, job: &'j Job) -> impl Iterator<Item = &'j Phase> + use<'j, 'a> {
        let wanted = self.phase();
        index::phases(job).filter(move |phase| phase.phase == wanted)
    }

    /// The value of the metric that the external program of `job` printed.
    pub(crate) fn printed(&self, job: &Job) -> Option<f64> {
        let value = record::values(&job.records).find(|value| value.name == self.criterion.metric);
        value.map(|value| value.value)
    }

    /// The reason that a job did not record the metric.
    pub(crate) fn missing(&self, job: &Job) -> Reason {
        reason!(MetricMissing { repetition: job.info.repetition, metric: &self.criterion.metric })
    }

    /// The phases of all repetitions.
    pub(crate) fn all_phases(&self) -> Vec<&'a Phase> {
        self.jobs().iter().flat_map(|job| self.phases(job)).collect()
    }

    /// The phases of all repetitions, each with its repetition.
    pub(crate) fn numbered_phases(&self) -> impl Iterator<Item = (u32, &'a Phase)> + use<'a> {
        let case = *self;
        case.jobs().iter().flat_map(move |job| case.phases(job).map(|phase| (job.info.repetition, phase)))
    }
}

/// A criterion that only reads the values of a metric that the records of a test can have.
pub(crate) fn measuring_of(test: &Test, metric: &str) -> Option<Criterion> {
    let counts = test.line.counts().unwrap_or_default();
    Some(measuring(metric, MetricRow::in_phase(metric)?.dimension(counts)))
}

/// A criterion that only reads the values of a metric.
pub(crate) fn measuring(metric: &str, dimension: Dimension) -> Criterion {
    Criterion {
        metric: metric.to_owned(),
        stat: Stat::Mean,
        stat_named: false,
        op: Comparison::AtLeast,
        goal: Goal::Value(Quantity { value: 0.0, dimension }),
        written: String::new(),
        dimension,
        terms: CriterionTerms::default(),
    }
}
