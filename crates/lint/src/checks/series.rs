//! Series over servers: the base of their comparison.

use results::finding::{Finding, Severity, SourcePosition};
use results::reason::{Reason, reason};

use crate::subject::{PlanSubject, SeriesFacts, StepFacts};

/// linearity-base
pub(crate) fn base(plan: &PlanSubject) -> Vec<Finding> {
    plan.series
        .iter()
        .flat_map(|series| {
            let place = series.at.map(|(line, column)| SourcePosition::Plan(line, column));
            let found = move |reason| Finding::new(Severity::Error, reason).at(place.clone());
            of(series).into_iter().map(found).map(|found| found.about(&series.id))
        })
        .collect()
}

fn of(series: &SeriesFacts) -> Vec<Reason> {
    let mut found = Vec::new();
    for step in &series.steps {
        let Some(servers) = step.servers else { continue };
        let same = step.nodes.filter(|nodes| *nodes == servers);
        match series.servers {
            Some(all) if servers > all => {
                found.push(reason!(LinearityBase {
                    step: &step.label,
                    servers,
                    available: all,
                    nodes: same
                }));
            }
            _ => found.extend(same.map(|nodes| reason!(LinearityBase { step: &step.label, servers, nodes }))),
        }
    }
    let first = series.steps.first();
    if let Some(first) = first.filter(|step| step.servers.is_none_or(|servers| servers > 1)) {
        found.push(reason!(LinearityBase { first_step: &first.label }));
    }
    if !series.counted {
        found.push(reason!(LinearityBase));
    }
    if let Some((step, before)) = thins(&series.steps) {
        let per = |step: &StepFacts| nodes_per_server(step).unwrap_or(0.0);
        found.push(reason!(LinearityBase {
            step: &step.label,
            nodes_per_server: per(step),
            before: &before.label,
            nodes_per_server_before: per(before)
        }));
    }
    found
}

fn nodes_per_server(step: &StepFacts) -> Option<f64> {
    Some(step.nodes? as f64 / step.servers.filter(|servers| *servers > 0)? as f64)
}

/// A step with fewer nodes per server than an earlier step, and that step.
fn thins(steps: &[StepFacts]) -> Option<(&StepFacts, &StepFacts)> {
    steps.iter().enumerate().find_map(|(at, step)| {
        let own = nodes_per_server(step)?;
        let fewer = |before: &&StepFacts| nodes_per_server(before).is_some_and(|per| own < 0.99 * per);
        Some((step, steps[..at].iter().find(fewer)?))
    })
}
