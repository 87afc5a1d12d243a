//! Whether a measurement is what the plan requires of it: bytes per node, durations, ranks, flushed data.
//!
//! Never here: the threshold, and how long a rate was sustained.

use std::collections::BTreeMap;

use plan::Requirements;
use results::folder::{Job, Machine};
use results::reason::{Reason, any, reason};
use results::record::{self, Counts, Phase, Run};

use super::window;
use crate::case::TestCriterion;
use crate::index::phases;

/// Whether every repetition is as the plan requires.
pub(super) fn met(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let required = &case.test.required;
    for job in case.jobs() {
        let missed = duration(required, job)
            .or_else(|| gap(case, required, job))
            .or_else(|| case.phases(job).find_map(|phase| ranks(case, required, phase)))
            .or_else(|| case.phases(job).find_map(|phase| bytes(case, required, job, phase)))
            .or_else(|| phases(job).find_map(|phase| flushed(required, phase)));
        if let Some(reason) = missed {
            return Err(reason.with(any::repetition, job.info.repetition));
        }
    }
    Ok(())
}

fn duration(required: &Requirements, job: &Job) -> Option<Reason> {
    let (needed, lasted) = (required.job_s?, job.info.seconds);
    (lasted < needed).then(|| reason!(RequirementNotMet { lasted, needed, .. }))
}

/// A job that began too long after its files were made, as far as the clocks of both jobs can show.
fn gap(case: &TestCriterion<'_>, required: &Requirements, job: &Job) -> Option<Reason> {
    let allowed = required.gap_s?;
    let maker = case.test.uses.as_ref()?.maker(case.index.plan);
    let gap = case.index.maker(case.test, job.info.repetition).and_then(|made| {
        let uncertain = window::uncertainty_s(made) + window::uncertainty_s(job);
        Some(window::recorded(job, "")?.from - window::recorded(made, "")?.to + uncertain)
    });
    match gap {
        None => Some(reason!(PartTimeUnknown { part: &case.test.id, other: &maker, .. })),
        Some(gap) => (gap > allowed).then(|| reason!(RequirementNotMet { gap, allowed, maker: &maker, .. })),
    }
}

/// Too few ranks for the cores of a node, or a number of ranks that is no power of two.
fn ranks(case: &TestCriterion<'_>, required: &Requirements, phase: &Phase) -> Option<Reason> {
    if required.power_of_two && !phase.ranks.is_power_of_two() {
        return Some(reason!(RequirementNotMet { all_ranks: phase.ranks, .. }));
    }
    let share = required.cores?;
    let Some((ranks, cores)) = fewest_of_a_node(phase).zip(cores(case)) else {
        return Some(reason!(RequirementNotMet { unknown: "ranks and cores", .. }));
    };
    (f64::from(ranks) < share * f64::from(cores))
        .then(|| reason!(RequirementNotMet { ranks, cores, share, .. }))
}

/// The ranks of the node that has the fewest.
fn fewest_of_a_node(phase: &Phase) -> Option<u32> {
    let each = phase.each_rank.as_ref()?;
    let mut of_node: BTreeMap<u32, u32> = BTreeMap::new();
    for rank in 0..each.ranks {
        *of_node.entry(each.node.of(rank)?).or_default() += 1;
    }
    of_node.into_values().min()
}

/// Too few bytes per node.
fn bytes(case: &TestCriterion<'_>, required: &Requirements, job: &Job, phase: &Phase) -> Option<Reason> {
    let wanted = required.bytes_per_node.filter(|_| phase.counts == Counts::Bytes)?;
    let Some(least) = wanted.bytes(memory(case)) else {
        return Some(reason!(RequirementNotMet { unknown: "bytes of memory", .. }));
    };
    let nodes = record::runs(&job.records).next().map_or(1, Run::machines);
    let per_node = phase.bytes.saturating_sub(phase.repeated_bytes) as f64 / f64::from(nodes);
    let phase = &phase.phase;
    (per_node < least).then(|| reason!(RequirementNotMet { phase, per_node, least, .. }))
}

/// Written data that may be in the memory of clients when the time ends.
fn flushed(required: &Requirements, phase: &Phase) -> Option<Reason> {
    let missed = required.persistent && phase.writes() && !phase.persisted;
    missed.then(|| reason!(RequirementNotMet { phase: &phase.phase, .. }))
}

/// The machine of the campaign before its first job.
fn machine<'a>(case: &TestCriterion<'a>) -> Option<&'a Machine> {
    case.index.campaign.before.as_ref()
}

/// The memory of a node, bytes: what the plan states, or the campaign's node has, if that is more.
fn memory(case: &TestCriterion<'_>) -> Option<u64> {
    let found = machine(case).map(|machine| machine.memory_bytes).filter(|bytes| *bytes > 0);
    case.index.plan.clients.memory_bytes.max(found)
}

/// The cores of a node, in the same way.
fn cores(case: &TestCriterion<'_>) -> Option<u32> {
    let found = machine(case).map(|machine| machine.cores).filter(|cores| *cores > 0);
    case.index.plan.clients.cores.max(found)
}
