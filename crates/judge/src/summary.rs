//! The results of a campaign that are not verdicts.
//!
//! Invariant: pure, like the verdicts. A value that cannot be used has no rate.
//! Never here: tables.

use std::collections::BTreeSet;

use crate::projection::{self, ProjectionStep};
use plan::{Plan, Role, Score, Test};
use results::reason::{Reason, reason};
use results::record::MetricRow;
use results::statistics;
use results::summary::{HeroRun, Rate, RateStep, Summary, SystemProjection};
use units::Dimension;

use crate::case::{TestCriterion, measuring};
use crate::findings::Findings;
use crate::index::{Index, phases};
use crate::verdicts::score;

/// The summary of a campaign.
pub(crate) fn of(index: &Index<'_>, findings: &Findings) -> Summary {
    let plan = index.plan;
    let of_tests = plan.tests.iter().flat_map(|test| rates(index, findings, test));
    let of_scores = plan.scores.iter().map(|score| of_score(index, findings, score));
    let rates: Vec<Rate> = of_tests.chain(of_scores).collect();
    Summary {
        layout: plan.layout.clone(),
        systems: plan.systems.clone(),
        measured_on: plan.measured_on.clone(),
        projections: plan.projections.iter().map(|asked| projection(index, findings, asked)).collect(),
        heroes: heroes(plan, &rates),
        rates,
        course: index.campaign.course.clone(),
        findings: findings.before.iter().chain(&findings.records).cloned().collect(),
    }
}

/// The metrics of a test in the summary: those of its criteria, or without criteria those of its phases.
pub(crate) fn metrics(index: &Index<'_>, test: &Test) -> Vec<(String, Dimension)> {
    let mut metrics: Vec<(String, Dimension)> = Vec::new();
    for criterion in &test.criteria {
        let metric = (criterion.metric.clone(), criterion.goal.dimension());
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    if metrics.is_empty() { of_phases(index, test) } else { metrics }
}

/// The usual metrics of a test without criteria: bytes or operations per second of its phases.
fn of_phases(index: &Index<'_>, test: &Test) -> Vec<(String, Dimension)> {
    if let Some(app) = test.line.as_app() {
        let metric = |metric: &plan::app::AppMetric| Some((metric.name.clone(), metric.dimension().ok()?));
        return app.metrics.iter().filter_map(metric).collect();
    }
    let mut seen = BTreeSet::new();
    let mut metrics = Vec::new();
    let all = index.jobs(&test.id).iter().flat_map(|job| phases(job));
    for phase in all.filter(|phase| !phase.phase.ends_with("_check")) {
        let rate = MetricRow::rate_of(phase.counts);
        if seen.insert(phase.phase.clone()) {
            metrics.push((format!("{}.{}", phase.phase, rate.name), rate.dimension(phase.counts)));
        }
    }
    metrics
}

/// The values of the repetitions of a test for a metric, by the rules of verdicts.
fn values(
    index: &Index<'_>,
    findings: &Findings,
    test: &Test,
    (metric, dimension): (&str, Dimension),
) -> Result<Vec<f64>, Reason> {
    let criterion = measuring(metric, dimension);
    findings.usable(&TestCriterion { index, test, criterion: &criterion }).map_err(|(_, reason)| reason)
}

/// The rates of a test.
fn rates(index: &Index<'_>, findings: &Findings, test: &Test) -> Vec<Rate> {
    let metrics = metrics(index, test).into_iter();
    metrics.map(|(metric, dimension)| rate(index, findings, test, (&metric, dimension))).collect()
}

fn rate(index: &Index<'_>, findings: &Findings, test: &Test, metric: (&str, Dimension)) -> Rate {
    let step = test.step.as_ref().map(|step| {
        let series = &index.plan.series[step.series];
        let (name, over) = (test.name.clone(), series.over.clone());
        RateStep { series: series.id.clone(), name, over, at: step.value }
    });
    Rate {
        test: test.id.clone(),
        purpose: test.clause.clone(),
        role: match test.role {
            Role::Contract => "contract",
            Role::Reported => "reported",
            Role::Hero(_) => "hero",
        }
        .to_owned(),
        jobs: index.jobs(&test.id).iter().map(|job| job.folder.clone()).collect(),
        step,
        ..rate_of(values(index, findings, test, metric), metric)
    }
}

/// A rate without its identification.
fn rate_of(values: Result<Vec<f64>, Reason>, (metric, dimension): (&str, Dimension)) -> Rate {
    let (values, why) = match values {
        Ok(values) => (values, None),
        Err(why) => (Vec::new(), Some(why)),
    };
    Rate {
        metric: metric.to_owned(),
        mean: statistics::mean(&values),
        cov: statistics::cov(&values),
        values,
        unit: dimension.unit().to_owned(),
        why,
        ..Rate::default()
    }
}

/// The metric of scores.
pub(crate) const SCORE: &str = "score";

/// A score, as a rate.
fn of_score(index: &Index<'_>, findings: &Findings, score: &Score) -> Rate {
    let values = score::reported(index, findings, score).map_err(|(_, why)| why);
    let jobs = score.parts.iter().flat_map(|part| index.jobs(&index.plan.tests[part.test].id));
    Rate {
        test: score.id.clone(),
        purpose: if score.clause.is_empty() { score.id.clone() } else { score.clause.clone() },
        role: if score.criterion.is_some() { "contract" } else { "reported" }.to_owned(),
        jobs: jobs.map(|job| job.folder.clone()).collect(),
        ..rate_of(values, (SCORE, score.dimension))
    }
}

/// Each hero run with its contract test, for the metrics that both have.
fn heroes(plan: &Plan, rates: &[Rate]) -> Vec<HeroRun> {
    let mut heroes = Vec::new();
    for test in &plan.tests {
        let Role::Hero(contract) = test.role else { continue };
        let contract = &plan.tests[contract].id;
        for own in rates.iter().filter(|rate| rate.test == test.id) {
            let others = rates.iter().filter(|rate| rate.test == *contract && rate.metric == own.metric);
            heroes.extend(others.filter_map(|other| {
                Some(HeroRun {
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

/// A projection from the usable values of its steps.
pub(crate) fn projection(
    index: &Index<'_>,
    findings: &Findings,
    asked: &plan::Projection,
) -> SystemProjection {
    let plan = index.plan;
    let mut projected = SystemProjection {
        test: plan.tests[asked.test].id.clone(),
        metric: asked.metric.clone(),
        system: asked.system.clone(),
        from: asked.from.clone(),
        over: asked.over.clone(),
        is_simulated: asked.is_simulated,
        to: asked.question.to,
        confidence: asked.question.confidence,
        threshold: asked.question.threshold,
        unit: asked.question.dimension.unit().to_owned(),
        ..SystemProjection::default()
    };
    let mut steps = Vec::new();
    for at in &asked.steps {
        let test = &plan.tests[*at];
        let at = test.step.as_ref().map_or(0.0, |step| step.value);
        match values(index, findings, test, (&asked.metric, asked.question.dimension)) {
            Ok(values) => steps.push(ProjectionStep { at, values }),
            Err(cause) => {
                projected.rejection = Some(reason!(StepUnusable { test: &test.id, cause }));
                return projected;
            }
        }
    }
    let mean = |step: &ProjectionStep| Some((step.at, statistics::mean(&step.values)?));
    projected.steps = steps.iter().filter_map(mean).collect();
    let found = projection::project(&steps, &asked.question);
    projected.factor = found.factor;
    projected.model = found.fit;
    projected.residual = found.residual;
    projected.held_out_error = found.held_out_error;
    if let Some(prediction) = found.prediction {
        (projected.rate, projected.low, projected.high) =
            (Some(prediction.rate), Some(prediction.low), Some(prediction.high));
    }
    projected.rejection = found.rejection;
    projected
}
