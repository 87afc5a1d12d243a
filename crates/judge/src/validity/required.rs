//! Whether a measurement is what the plan requires of it: bytes per node, durations, ranks, flushed data.
//!
//! Never here: the threshold, and how long a rate was sustained.

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
            .or_else(|| ranks(case, required, job))
            .or_else(|| case.phases(job).find_map(|phase| bytes(case, required, job, phase)))
            .or_else(|| case.phases(job).find_map(|phase| flushed(required, phase)));
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
    let (index, repetition) = (case.index, job.info.repetition);
    let maker = case.test.uses.as_ref()?.maker(index.plan);
    let planned = index.planned(&case.test.id).find(|planned| planned.repetition == repetition);
    let made = planned.and_then(|planned| index.job(&maker, planned.repetition_of(&maker)));
    let gap = made.and_then(|made| {
        let (made_in, used_in) = (window::of_job(made, "")?, window::of_job(job, "")?);
        Some(used_in.from - made_in.to + uncertainty_s(made) + uncertainty_s(job))
    });
    match gap {
        None => Some(reason!(PartTimeUnknown { part: &case.test.id, other: &maker, .. })),
        Some(gap) => (gap > allowed).then(|| reason!(RequirementNotMet { gap, allowed, maker: &maker, .. })),
    }
}

/// How much the clocks of a job may differ, seconds.
fn uncertainty_s(job: &Job) -> f64 {
    let each = phases(job).filter_map(|phase| phase.moments).map(|moments| moments.uncertainty_ns);
    each.max().unwrap_or(0) as f64 * 1e-9
}

/// Too few ranks for the cores of a node, or a number of ranks that is no power of two.
fn ranks(case: &TestCriterion<'_>, required: &Requirements, job: &Job) -> Option<Reason> {
    let run = record::runs(&job.records).next()?;
    if required.power_of_two && !run.ranks.is_power_of_two() {
        return Some(reason!(RequirementNotMet { all_ranks: run.ranks, .. }));
    }
    let (share, cores) = (required.cores?, cores(case)?);
    let ranks = run.ranks / run.machines();
    (f64::from(ranks) < share * f64::from(cores))
        .then(|| reason!(RequirementNotMet { ranks, cores, share, .. }))
}

/// Too few bytes per node.
fn bytes(case: &TestCriterion<'_>, required: &Requirements, job: &Job, phase: &Phase) -> Option<Reason> {
    let wanted = required.bytes_per_node.filter(|_| phase.counts == Counts::Bytes)?;
    let least = wanted.of(memory(case))?;
    let nodes = record::runs(&job.records).next().map_or(1, Run::machines);
    let per_node = phase.bytes.saturating_sub(phase.repeated_bytes) as f64 / f64::from(nodes);
    let phase = &phase.phase;
    (per_node < least).then(|| reason!(RequirementNotMet { phase, per_node, least, .. }))
}

/// Written data that may be in the memory of clients when the time ends.
fn flushed(required: &Requirements, phase: &Phase) -> Option<Reason> {
    let writes =
        phase.counts == Counts::Bytes && phase.phase.contains("write") && !phase.phase.contains("check");
    let phase_name = &phase.phase;
    (required.persistent && writes && !phase.persisted)
        .then(|| reason!(RequirementNotMet { phase: phase_name, .. }))
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
