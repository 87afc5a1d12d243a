//! What a campaign comes to besides its verdicts.
//!
//! Invariant: pure, as the verdicts are; what may not be judged has no rate here either.
//! Never here: tables.

use std::collections::BTreeSet;

use results::folder::Campaign;
use results::record::Counts;
use results::statistics;
use results::summary::{Hero, Projection, Rate, Summary};
use units::{Dimension, Quantity};

use super::{Case, lints, measuring, phases, usable};
use crate::lint::Finding;
use plan::{Plan, Role, Test};
use results::projection::{self, Fit, Question, Step};

/// The summary of `campaign`, to which the linter says `findings`.
pub(super) fn of(plan: &Plan, campaign: &Campaign, findings: &[Finding]) -> Summary {
    let whole = Whole { plan, campaign, findings };
    let rates: Vec<Rate> = plan.tests.iter().flat_map(|test| whole.rates(test)).collect();
    Summary {
        layout: plan.layout.clone(),
        systems: plan.systems.clone(),
        measured_on: plan.measured_on.clone(),
        projections: plan.projections.iter().map(|asked| projection(&whole, asked)).collect(),
        heroes: heroes(plan, &rates),
        rates,
        findings: lints::kept(findings),
    }
}

/// What is told of a test: the metrics of its criteria, or where it has none of each of its phases.
pub(super) fn metrics(campaign: &Campaign, test: &Test) -> Vec<(String, Dimension)> {
    let mut metrics: Vec<(String, Dimension)> = Vec::new();
    for criterion in &test.criteria {
        let metric = (criterion.metric.clone(), criterion.goal.dimension());
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    if metrics.is_empty() { of_phases(campaign, test) } else { metrics }
}

/// What a test without criteria is best known by: bytes or operations per second of its phases.
fn of_phases(campaign: &Campaign, test: &Test) -> Vec<(String, Dimension)> {
    if let Some(app) = test.line.as_app() {
        let metric = |metric: &plan::app::Metric| Some((metric.name.clone(), metric.dimension().ok()?));
        return app.metrics.iter().filter_map(metric).collect();
    }
    let jobs = campaign.jobs.iter().filter(|job| job.info.test == test.id);
    let mut seen = BTreeSet::new();
    let mut metrics = Vec::new();
    for phase in jobs.flat_map(phases).filter(|phase| !phase.phase.ends_with("_check")) {
        let (name, dimension) = match phase.counts {
            Counts::Bytes => ("bw", Dimension::BytesPerSecond),
            Counts::Operations => ("rate", Dimension::PerSecond),
        };
        if seen.insert(phase.phase.clone()) {
            metrics.push((format!("{}.{name}", phase.phase), dimension));
        }
    }
    metrics
}

/// A plan with its campaign, and what the linter says to it.
#[derive(Clone, Copy)]
struct Whole<'a> {
    plan: &'a Plan,
    campaign: &'a Campaign,
    findings: &'a [Finding],
}

impl Whole<'_> {
    /// What the repetitions of a test say of a metric, by the rules of verdicts.
    fn values(&self, test: &Test, metric: &str, dimension: Dimension) -> Result<Vec<f64>, String> {
        let Self { plan, campaign, findings } = *self;
        let criterion = measuring(metric, dimension);
        let case = Case { plan, campaign, findings, test, criterion: &criterion };
        usable::values(&case, &case.jobs()).map_err(|(_, why)| why)
    }

    /// The rates of a test.
    fn rates(&self, test: &Test) -> Vec<Rate> {
        let metrics = metrics(self.campaign, test).into_iter();
        metrics.map(|(metric, dimension)| self.rate(test, &metric, dimension)).collect()
    }

    fn rate(&self, test: &Test, metric: &str, dimension: Dimension) -> Rate {
        let (values, why) = match self.values(test, metric, dimension) {
            Ok(values) => (values, String::new()),
            Err(why) => (Vec::new(), why),
        };
        let jobs = self.campaign.jobs.iter().filter(|job| job.info.test == test.id);
        Rate {
            test: test.id.clone(),
            purpose: test.clause.clone(),
            role: match test.role {
                Role::Contract => "contract",
                Role::Reported => "reported",
                Role::Hero(_) => "hero",
            }
            .to_owned(),
            metric: metric.to_owned(),
            mean: statistics::mean(&values),
            cov: statistics::cov(&values),
            values,
            unit: dimension.unit().to_owned(),
            why,
            jobs: jobs.map(|job| job.folder.clone()).collect(),
        }
    }
}

/// Each hero run beside its test of the contract, in the metrics that both have.
fn heroes(plan: &Plan, rates: &[Rate]) -> Vec<Hero> {
    let mut heroes = Vec::new();
    for test in &plan.tests {
        let Role::Hero(contract) = test.role else { continue };
        let contract = &plan.tests[contract].id;
        for own in rates.iter().filter(|rate| rate.test == test.id) {
            let others = rates.iter().filter(|rate| rate.test == *contract && rate.metric == own.metric);
            heroes.extend(others.filter_map(|other| {
                Some(Hero {
                    test: test.id.clone(),
                    contract: contract.clone(),
                    metric: own.metric.clone(),
                    hero_mean: own.mean?,
                    contract_mean: other.mean?,
                    unit: own.unit.clone(),
                })
            }));
        }
    }
    heroes
}

/// The model with its parameters, in words.
fn model(fit: &Fit, dimension: Dimension, over: &str) -> String {
    let one = Quantity { value: fit.scale.value, dimension };
    let mut text = format!("{}, {one} of each of the {over}", fit.model);
    for (name, parameter) in [("sigma", fit.sigma), ("kappa", fit.kappa)] {
        if let Some(error) = parameter.standard_error {
            text.push_str(&format!(", {name} {:.2e} ± {error:.0e}", parameter.value));
        }
    }
    text
}

fn projection(whole: &Whole<'_>, asked: &plan::Projection) -> Projection {
    let plan = whole.plan;
    let mut told = Projection {
        test: plan.tests[asked.test].id.clone(),
        metric: asked.metric.clone(),
        system: asked.system.clone(),
        from: asked.from.clone(),
        over: asked.over.clone(),
        to: asked.to,
        confidence: asked.confidence,
        unit: asked.dimension.unit().to_owned(),
        ..Projection::default()
    };
    let mut steps = Vec::new();
    for index in &asked.steps {
        let test = &plan.tests[*index];
        let at = test.step.as_ref().map_or(0.0, |step| step.value);
        match whole.values(test, &asked.metric, asked.dimension) {
            Ok(values) => steps.push(Step { at, values }),
            Err(why) => {
                told.refusal = format!("{} is not to be used: {why}", test.id);
                return told;
            }
        }
    }
    let mean = |step: &Step| Some((step.at, statistics::mean(&step.values)?));
    told.steps = steps.iter().filter_map(mean).collect();
    let question =
        Question { to: asked.to, threshold: asked.threshold, cap: asked.cap, confidence: asked.confidence };
    let found = projection::project(&steps, &question);
    told.factor = found.factor;
    told.model = found.fit.map(|fit| model(&fit, asked.dimension, &asked.over)).unwrap_or_default();
    told.residual = found.residual;
    told.held_out_error = found.held_out_error;
    if let Some(prediction) = found.prediction {
        (told.rate, told.low, told.high) =
            (Some(prediction.rate), Some(prediction.low), Some(prediction.high));
    }
    told.refusal = found.refusal.map(|refusal| refusal.to_string()).unwrap_or_default();
    told
}
