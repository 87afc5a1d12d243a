//! Verdicts: what the records of a campaign say to each criterion of its plan.
//!
//! In this order: was anything measured; may it be used; does the criterion hold literally; do the
//! repetitions support that. What a reader of the number has to know besides goes into its warnings and
//! notes.
//!
//! Invariant: pure. The same plan and folder give the same verdicts, today and in ten years.
//! Never here: running, reading files, printing.

mod cases;
mod clients;
mod cold;
mod dataset;
mod decide;
mod goal;
mod group;
mod home;
mod lints;
mod placed;
mod state;
mod steady;
mod stragglers;
mod summary;
mod sustained;
mod trend;
mod usable;
mod warnings;
mod window;
mod wrong;

use results::folder::{Campaign, Job};
use results::record::{self, Outcome as CaseOutcome, Phase};
use results::summary::Summary;
use results::{Outcome, Stretch, Verdict};
use units::{Dimension, Quantity};

use crate::lint::Finding;
use decide::Decision;
pub(crate) use group::moved_at_once;
use plan::line::Line;
use plan::{Criterion, Goal, Op, Plan, Stat, Test};
pub(crate) use steady::is_steady;
use warnings::Told;
pub(crate) use window::{Span, from_start_to_end, of_job, of_phase};

/// Judges every criterion of `plan` by what `campaign` holds, in the order of the plan.
pub fn judge(plan: &Plan, campaign: &Campaign) -> Vec<Verdict> {
    verdicts(plan, campaign, &lints::findings(plan, campaign))
}

/// What `campaign` comes to besides its verdicts.
pub fn summary(plan: &Plan, campaign: &Campaign) -> Summary {
    summary::of(plan, campaign, &lints::findings(plan, campaign))
}

/// Both of these, for which the linter looks once.
pub fn judged(plan: &Plan, campaign: &Campaign) -> (Vec<Verdict>, Summary) {
    let findings = lints::findings(plan, campaign);
    (verdicts(plan, campaign, &findings), summary::of(plan, campaign, &findings))
}

fn verdicts(plan: &Plan, campaign: &Campaign, findings: &[Finding]) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (index, test) in plan.tests.iter().enumerate() {
        let own = test.criteria.iter();
        verdicts.extend(own.map(|criterion| Case { plan, campaign, findings, test, criterion }.verdict()));
        let group =
            test.part.map(|part| &plan.groups[part]).filter(|group| group.tests.last() == Some(&index));
        let sums = group.into_iter().flat_map(|group| group.criteria.iter().map(move |sum| (group, sum)));
        verdicts.extend(sums.map(|(group, sum)| group::verdict(plan, campaign, findings, group, sum)));
    }
    verdicts
}

/// What is judged of each repetition, whatever the linter says to it; empty where nothing may be judged.
pub(crate) fn values(plan: &Plan, campaign: &Campaign, test: &Test, criterion: &Criterion) -> Vec<f64> {
    let case = Case { plan, campaign, findings: &[], test, criterion };
    usable::measured(&case, &case.jobs()).unwrap_or_default()
}

/// A criterion that asks for no more than the values of a metric.
fn measuring(metric: &str, dimension: Dimension) -> Criterion {
    Criterion {
        metric: metric.to_owned(),
        stat: Stat::Mean,
        op: Op::AtLeast,
        goal: Goal::Value(Quantity { value: 0.0, dimension }),
        written: String::new(),
    }
}

/// One criterion and everything it is judged by.
#[derive(Clone, Copy)]
struct Case<'a> {
    plan: &'a Plan,
    campaign: &'a Campaign,
    /// What the linter says to all of it.
    findings: &'a [Finding],
    test: &'a Test,
    criterion: &'a Criterion,
}

impl<'a> Case<'a> {
    fn verdict(&self) -> Verdict {
        let jobs = self.jobs();
        let goal = goal::of(self);
        let decision = match usable::measured(self, &jobs).and_then(|values| Ok((values, goal.clone()?))) {
            Ok((values, goal)) => {
                let decision = decide::decide(self.criterion, self.test, &goal, &values);
                decide::of_compared(self, &jobs, decision)
            }
            Err((outcome, reason)) => Decision { outcome, reason, value: None, statistics: None },
        };
        let wrong = wrong::found(self, &jobs);
        let decision = wrong::counted(self, wrong.as_ref(), decision);
        let (decision, told) = clients::limited(self, decision);
        let told = match decision.outcome {
            Outcome::NotRun => Told::default(),
            _ => told.and(warnings::all(self, &jobs, decision.statistics.as_ref())),
        };
        let changed = wrong.as_ref().and_then(|wrong| wrong.told(&decision.reason));
        let mut verdict = Verdict {
            test: self.test.id.clone(),
            clause: self.test.clause.clone(),
            metric: self.criterion.metric.clone(),
            criterion: self.criterion.to_string(),
            outcome: decision.outcome,
            reason: decision.reason,
            value: decision.value,
            threshold: goal.ok().map(|goal| goal.threshold.value),
            unit: self.criterion.goal.dimension().unit().to_owned(),
            statistics: decision.statistics,
            warnings: changed.into_iter().chain(told.warnings).collect(),
            notes: told.notes,
            jobs: jobs.iter().map(|job| job.folder.clone()).collect(),
            stretches: self.stretches(&jobs),
        };
        lints::apply(&lints::grave(self), wrong.as_ref(), &mut verdict);
        verdict
    }

    /// What was looked at besides whole phases.
    fn stretches(&self, jobs: &[&Job]) -> Vec<Stretch> {
        [sustained::stretches, steady::stretches, group::stretches].map(|of| of(self, jobs)).concat()
    }

    /// The jobs of the test, in the order of their repetitions.
    fn jobs(&self) -> Vec<&'a Job> {
        self.campaign.jobs.iter().filter(|job| job.info.test == self.test.id).collect()
    }

    /// Whether what was measured may be judged, whatever the linter says to it.
    fn is_usable(&self) -> bool {
        usable::measured(self, &self.jobs()).is_ok()
    }

    /// Whether the test measures the metric at all.
    fn yields(&self) -> bool {
        match &self.test.line {
            Line::App(app) => app.dimension(&self.criterion.metric).is_ok(),
            line => line.phases().iter().any(|phase| phase == self.metric().0),
        }
    }

    /// The phase and the metric's name within it.
    fn metric(&self) -> (&'a str, &'a str) {
        self.criterion.metric.split_once('.').unwrap_or(("", &self.criterion.metric))
    }

    /// Whether the criterion counts wrong data, failures or cases, instead of measuring speed.
    fn counts_errors(&self) -> bool {
        matches!(self.metric().1, "errors" | "failures") || self.counts_cases().is_some()
    }

    /// The outcome of cases that the criterion counts, if it does.
    fn counts_cases(&self) -> Option<CaseOutcome> {
        CaseOutcome::named(self.metric().1)
    }

    /// The phases of `job` that the criterion is about.
    fn phases<'j>(&self, job: &'j Job) -> impl Iterator<Item = &'j Phase> + use<'j, 'a> {
        let wanted = self.metric().0;
        phases(job).filter(move |phase| phase.phase == wanted)
    }
}

/// All phases of a job.
fn phases(job: &Job) -> impl Iterator<Item = &Phase> {
    record::phases(&job.records)
}
