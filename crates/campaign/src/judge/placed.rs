//! Whether a job ran on as many ranks and nodes as the plan asks for.
//!
//! Never here: how well it ran.

use results::folder::Job;
use results::record::Run;
use units::several;

use super::{Case, warnings};
use plan::late;
use plan::launcher::LaunchKind;
use plan::line::Line;
use plan::{Placement, Plan, Uses};

/// Why one of the test's jobs, or of those that it needs, ran otherwise than planned.
pub(super) fn as_planned(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    let Case { plan, campaign, test, .. } = case;
    let records = |test: &str, repetition| late::records_of(campaign, test, repetition);
    for job in jobs {
        let who = format!("repetition {}", job.info.repetition);
        differs(plan, &test.line, late::placed(plan, test, &records), job, &who)?;
    }
    let (maker, line, placement) = match &test.uses {
        None => return Ok(()),
        Some(Uses::Dataset(index)) => {
            (plan.datasets[*index].job(), &plan.datasets[*index].line, &plan.datasets[*index].placement)
        }
        Some(Uses::Test(index)) => {
            let made = &plan.tests[*index];
            (made.id.clone(), &made.line, late::placed(plan, made, &records))
        }
    };
    for job in campaign.jobs.iter().filter(|job| job.info.test == maker) {
        differs(plan, line, placement, job, &format!("{maker}, whose files it reads,"))?;
    }
    Ok(())
}

/// What a reader has to know of nodes that were none.
pub(super) fn told(case: &Case<'_>) -> Option<String> {
    let records = |test: &str, repetition| late::records_of(case.campaign, test, repetition);
    let nodes = late::placed(case.plan, case.test, &records).nodes.filter(|nodes| *nodes > 1)?;
    (case.plan.launch.kind == LaunchKind::Local).then(|| {
        format!("launch.kind `local` has one node: the {nodes} of the plan were groups of its ranks")
    })
}

fn differs(plan: &Plan, line: &Line, placement: &Placement, job: &Job, who: &str) -> Result<(), String> {
    let local = plan.launch.kind == LaunchKind::Local;
    let why = warnings::runs(&[job]).find_map(|run| difference(placement, run, local, takes_fewer(line)));
    why.map_or(Ok(()), |why| Err(format!("{who} {why}")))
}

/// Whether the line itself takes fewer ranks than are launched.
fn takes_fewer(line: &Line) -> bool {
    let fewer = |word: &String| {
        word.starts_with("-N") || word.starts_with("--numTasks") || word.contains("numTasks=")
    };
    line.as_ior().is_some() && line.words().iter().any(fewer)
}

/// How `run` differs from what was asked, in words that follow its name. On `local` ranks nodes are no
/// matter.
pub(super) fn difference(asked: &Placement, run: &Run, local: bool, takes_fewer: bool) -> Option<String> {
    let ranks = several(run.ranks.into(), "rank");
    if run.ranks != asked.ranks && !(takes_fewer && run.ranks < asked.ranks) {
        return Some(format!("ran on {ranks}, and the plan asks for {}", asked.ranks));
    }
    let nodes = asked.nodes.filter(|nodes| *nodes != run.nodes && !local)?;
    Some(format!("ran on {}, and the plan asks for {nodes}", several(run.nodes.into(), "node")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_ran_elsewhere_than_planned_is_told_in_a_sentence() {
        let asked = |nodes| Placement { ranks: 8, nodes, ppn: None, rule: None };
        let run = |ranks, nodes| Run { ranks, nodes, ..Run::default() };
        let said = |nodes, run: &Run, local| difference(&asked(nodes), run, local, false);
        assert_eq!(said(Some(4), &run(8, 4), false), None);
        assert_eq!(said(None, &run(8, 2), false), None, "left to the launcher");
        assert_eq!(said(Some(4), &run(8, 1), true), None, "one node is all there is");
        let singletons = said(None, &run(1, 1), false).unwrap();
        assert_eq!(singletons, "ran on 1 rank, and the plan asks for 8");
        let packed = said(Some(4), &run(8, 2), false).unwrap();
        assert_eq!(packed, "ran on 2 nodes, and the plan asks for 4");
        assert_eq!(difference(&asked(None), &run(2, 1), false, true), None, "its line has -N 2");
    }
}
