//! Whether a measurement is what the plan requires of it: bytes per node, durations, ranks, flushed data.
//!
//! Never here: the threshold, and how long a rate was sustained.

use std::collections::BTreeMap;

use plan::Requirements;
use results::folder::{Job, Machine};
use results::reason::{Reason, any, reason};
use results::record::{self, Counts, Phase, Run};

use super::window::{self, Span};
use crate::case::TestCriterion;
use crate::index::phases;

/// Whether every repetition is as the plan requires.
pub(super) fn met(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let required = &case.test.required;
    for job in case.jobs() {
        let missed = duration(required, job)
            .or_else(|| gap(case, required, job))
            .or_else(|| phase_gap(required, job))
            .or_else(|| nodes(required, job))
            .or_else(|| apart(case, required, job))
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

/// Two phases of a job with too much time between them.
fn phase_gap(required: &Requirements, job: &Job) -> Option<Reason> {
    let allowed = required.phase_gap_s?;
    let Some(mut spans) = phases(job).map(window::of_phase).collect::<Option<Vec<Span>>>() else {
        return Some(reason!(PartTimeUnknown { part: &job.info.test, other: &job.info.test, .. }));
    };
    spans.sort_by(|a, b| a.from.total_cmp(&b.from));
    let mut ended = spans.first()?.to;
    let mut phase_gap: f64 = 0.0;
    for span in spans {
        phase_gap = phase_gap.max(span.from - ended);
        ended = ended.max(span.to);
    }
    let phase_gap = phase_gap + window::uncertainty_s(job);
    (phase_gap > allowed).then(|| reason!(RequirementNotMet { phase_gap, allowed, .. }))
}

/// Too few client nodes.
fn nodes(required: &Requirements, job: &Job) -> Option<Reason> {
    let nodes_min = required.nodes?;
    let nodes = record::runs(&job.records).next().map_or(0, Run::machines);
    (nodes < nodes_min).then(|| reason!(RequirementNotMet { nodes, nodes_min, .. }))
}

/// Another job, or too much time, between this repetition and the one before.
fn apart(case: &TestCriterion<'_>, required: &Requirements, job: &Job) -> Option<Reason> {
    let number = job.info.repetition;
    let before = case.jobs().iter().find(|before| Some(before.info.repetition) == number.checked_sub(1));
    let before = before.filter(|_| required.consecutive)?;
    let spans = window::from_start_to_end(before).zip(window::from_start_to_end(job));
    let Some((first, second)) = spans.filter(|(first, second)| first.from < second.from) else {
        // A repetition that was repeated later, after the next one.
        return Some(reason!(RequirementNotMet { between: &job.info.test, .. }));
    };
    // The other parts of a group run at the same time.
    let is_part = |id: &str| {
        case.test.part.is_some() && case.index.plan.test(id).is_some_and(|test| test.part == case.test.part)
    };
    let between = case.index.campaign.jobs.iter().find(|other| {
        let start = window::from_start_to_end(other).map(|span| span.from);
        other.info.test != job.info.test
            && !is_part(&other.info.test)
            && start.is_some_and(|start| (first.from..second.from).contains(&start))
    });
    if let Some(between) = between {
        return Some(reason!(RequirementNotMet { between: &between.info.test, .. }));
    }
    let (pause, shortest) = (second.from - first.to, first.seconds().min(second.seconds()));
    (pause >= shortest).then(|| reason!(RequirementNotMet { pause, shortest, .. }))
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
