//! Whether a job ran on the planned numbers of ranks and nodes.
//!
//! Never here: its results.

use plan::launcher::{Launch, LaunchKind};
use plan::line::Line;
use plan::{Placement, Uses};
use results::folder::Job;
use results::reason::{Reason, any, reason};
use results::record::Run;

use crate::case::TestCriterion;
use crate::index::runs;

/// How a job of the test, or of its dataset, differs from the plan.
pub(super) fn as_planned(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let TestCriterion { index, test, .. } = case;
    for job in case.jobs() {
        differs(index.plan.launch_of(test), &test.line, index.placed(test), job)
            .map_err(|reason| reason.with(any::repetition, job.info.repetition))?;
    }
    let (maker, line, placement, launch) = match &test.uses {
        None => return Ok(()),
        Some(Uses::Dataset(at)) => {
            let dataset = &index.plan.datasets[*at];
            (dataset.job(), &dataset.line, &dataset.placement, &index.plan.launch)
        }
        Some(Uses::Test(at)) => {
            let made = &index.plan.tests[*at];
            (made.id.clone(), &made.line, index.placed(made), index.plan.launch_of(made))
        }
    };
    let mut jobs = index.jobs(&maker).iter();
    jobs.try_for_each(|job| differs(launch, line, placement, job))
        .map_err(|reason| reason.with(any::job, maker))
}

fn differs(launch: &Launch, line: &Line, placement: &Placement, job: &Job) -> Result<(), Reason> {
    let local = launch.kind == LaunchKind::Local;
    let fewer = line.takes_fewer_ranks();
    runs(&[job]).find_map(|run| difference(placement, run, local, fewer)).map_or(Ok(()), Err)
}

/// The difference between `run` and the plan. For `local` ranks nodes do not matter.
fn difference(asked: &Placement, run: &Run, local: bool, takes_fewer: bool) -> Option<Reason> {
    if run.ranks != asked.ranks && !(takes_fewer && run.ranks < asked.ranks) {
        return Some(reason!(RanksDiffer { ranks: run.ranks, planned: asked.ranks }));
    }
    // An external program records no nodes.
    let nodes = asked.nodes.filter(|nodes| *nodes != run.nodes && run.nodes > 0 && !local)?;
    Some(reason!(NodesDiffer { nodes: run.nodes, planned: nodes }))
}

#[cfg(test)]
mod tests {
    use results::reason::{Code, row};

    use super::*;

    #[test]
    fn a_job_that_ran_on_other_numbers_of_ranks_or_nodes_is_found() {
        let asked = |nodes| Placement { ranks: 8, nodes, ppn: None, rule: None };
        let run = |ranks, nodes| Run { ranks, nodes, ..Run::default() };
        let of = |nodes, run: &Run, local| {
            difference(&asked(nodes), run, local, false)
                .map(|reason| (reason.code, reason.get(row::NodesDiffer::planned)))
        };
        assert_eq!(of(Some(4), &run(8, 4), false), None);
        assert_eq!(of(None, &run(8, 2), false), None, "left to the launcher");
        assert_eq!(of(Some(4), &run(8, 0), false), None, "an external program");
        assert_eq!(of(Some(4), &run(8, 1), true), None, "local ranks have a single node");
        assert_eq!(of(None, &run(1, 1), false), Some((Code::RanksDiffer, Some(8.0))));
        assert_eq!(of(Some(4), &run(8, 2), false), Some((Code::NodesDiffer, Some(4.0))));
        assert_eq!(difference(&asked(None), &run(2, 1), false, true), None, "its command line has -N 2");
    }
}
