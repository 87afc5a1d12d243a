//! Series over servers: what the steps are divided by.

use crate::lint::subject::{PlanSubject, Series, Step};
use crate::lint::{Found, Place};

/// linearity-base
pub(crate) fn base(plan: &PlanSubject) -> Vec<Found> {
    plan.series
        .iter()
        .flat_map(|series| of(series).into_iter().map(move |found| found.about(&series.id)))
        .collect()
}

fn of(series: &Series) -> Vec<Found> {
    let place = series.at.map(|(line, column)| Place::Plan(line, column));
    let mut found = Vec::new();
    let mut tell = |what: String, remedy: &str| found.push(Found::new(what, remedy).at(place.clone()));
    for step in &series.steps {
        if let (Some(servers), Some(all)) = (step.servers, series.servers)
            && servers > all
        {
            let whose = if step.nodes == Some(servers) { ": that is the number of client nodes" } else { "" };
            tell(
                format!("step {} has {servers} servers, and the file system has {all}{whose}", step.label),
                "say how many servers are at work at this step",
            );
        } else if step.servers.is_some() && step.servers == step.nodes {
            let servers = step.servers.unwrap_or(0);
            tell(
                format!(
                    "step {} has {servers} servers and as many client nodes; is one of them the other?",
                    step.label
                ),
                "count the servers, and give `servers` of the file system",
            );
        }
    }
    if series.steps.first().is_some_and(|step| step.servers.is_none_or(|servers| servers > 1)) {
        tell(
            "its first step is no single server, so what one server does is not known".to_owned(),
            "begin with one",
        );
    }
    if !series.counted {
        tell(
            "how many servers are at work is asked for, and not counted".to_owned(),
            "give a hook that counts them",
        );
    }
    if let Some((few, many)) = thins(&series.steps) {
        let per = |step: &Step| {
            step.nodes.zip(step.servers).map_or(0.0, |(nodes, servers)| nodes as f64 / servers as f64)
        };
        tell(
            format!(
                "step {} has {:.2} client nodes for each server, and step {} has {:.2}: the clients may be \
                 the limit",
                few.label,
                per(few),
                many.label,
                per(many)
            ),
            "give every step as many nodes for each server",
        );
    }
    found
}

/// A step with fewer nodes for each server than one before it.
fn thins(steps: &[Step]) -> Option<(&Step, &Step)> {
    let per = |step: &Step| Some(step.nodes? as f64 / step.servers.filter(|servers| *servers > 0)? as f64);
    steps.iter().enumerate().find_map(|(at, step)| {
        let own = per(step)?;
        let before = steps[..at].iter().find(|before| per(before).is_some_and(|per| own < 0.99 * per))?;
        Some((step, before))
    })
}
