//! The warnings and notes for a reader of a number.
//!
//! Each kind appears once, with the worst of all repetitions. A warning speaks against the number. A note
//! explains how it was measured.
//!
//! Never here: outcomes.

mod course;
mod evenness;

use plan::deferred;
use plan::launcher::LaunchKind;
use results::Statistics;
use results::folder;
use results::reason::{Code, Reason, reason};
use results::record::{CACHED_SHARE, CaseOutcome, Counts, Phase, Record, Run};

pub(crate) use evenness::{Slowest, slowest_part};

use crate::attribution;
use crate::case::TestCriterion;
use crate::clients::Remarks;
use crate::findings::{losses, rates};
use crate::index::runs;
use crate::validity::cached::{self, WARM_NAMES};
use crate::validity::kernel::{MEMORY_MULTIPLE, bypasses_cache};
use crate::validity::names::{self, CacheOrigin};
use crate::validity::{dataset, errors, reported, state};

pub(crate) use course::order;

/// Notices that are summarized here instead.
const SUMMED: &[Code] = &[Code::CachedRead, Code::OutOfData];
/// The maximum number of listed cases.
const NAMED: usize = 5;

/// All warnings and notes of one verdict.
pub(crate) fn all(case: &TestCriterion<'_>, statistics: Option<&Statistics>) -> Remarks {
    let mut remarks = Remarks::default();
    warnings(case, statistics).into_iter().for_each(|reason| remarks.warn(reason));
    notes(case).into_iter().for_each(|reason| remarks.note(reason));
    match case.counts_errors() {
        true => remarks,
        false => remarks.and(course::sustained(case)).and(course::at_once(case)),
    }
}

fn notes(case: &TestCriterion<'_>) -> Vec<Reason> {
    let mut all = states(case);
    all.extend(dataset_origin(case));
    all.extend(nothing_compared(case));
    if !case.counts_errors() {
        let optimum = searched(case).and_then(Result::ok);
        let slowest = evenness::slowest(case);
        let of_rates = [course::steady(case), optimum, inner_repetitions(case), all_trees(case), slowest];
        all.extend(of_rates.into_iter().flatten());
    }
    all
}

fn warnings(case: &TestCriterion<'_>, statistics: Option<&Statistics>) -> Vec<Reason> {
    let phases = case.all_phases();
    let mut all: Vec<Reason> =
        [cached(case, &phases), incomplete(case, &phases), simulated(case)].into_iter().flatten().collect();
    if !case.counts_errors() {
        let of_rates = [
            out_of_data(&phases),
            not_flushed(case, &phases),
            reported_unflushed(case),
            in_memory(case, &phases),
            fits_memory(case, &phases),
            searched(case).and_then(Result::err),
        ];
        all.extend(of_rates.into_iter().flatten());
        let find = || attribution::of(&phases);
        all.extend(case.index.slow_ranks(case.test, case.phase(), find));
        all.extend(order(case, statistics));
        all.extend(rates::harmonic(case));
        all.extend(course::warm_up(case));
        let high = variability(statistics, case.criterion.terms.cov_max);
        all.extend([high, one_node(case), names_origin(case)].into_iter().flatten());
    }
    all.extend(conformance(case));
    all.extend(losses(case.index, case.test));
    all.extend(notices(case));
    all.extend(stopped_attempts(case));
    all
}

/// A warning about high variability, or about a single repetition.
pub(crate) fn variability(statistics: Option<&Statistics>, cov_max: Option<f64>) -> Option<Reason> {
    let values = &statistics?.values;
    rates::missing_variability(values.len()).or_else(|| rates::variability(values, cov_max))
}

/// The states in which the test ran.
fn states(case: &TestCriterion<'_>) -> Vec<Reason> {
    let made = case.test.states.iter().map(|at| case.index.plan.states[*at].job());
    let reached = made.filter_map(|name| {
        let state = state::last(case, &name)?;
        let extents = state.extents.as_ref().filter(|extents| extents.files > 0);
        let fragmented = extents.map(|extents| extents.share_fragmented());
        Some(reason!(StateReached {
            blocks: state.blocks,
            inodes: state.inodes,
            cycles: state.cycles,
            state: name,
            fragmented
        }))
    });
    reached.collect()
}

/// Errors of phases that compared no data: they are failed calls.
fn nothing_compared(case: &TestCriterion<'_>) -> Option<Reason> {
    let phases = case.all_phases();
    let compared = phases.iter().any(|phase| phase.check.is_some() || phase.sampled.is_some());
    let first = phases.first().filter(|_| case.metric() == "errors" && !compared)?;
    Some(reason!(NothingCompared { phase: &first.phase }))
}

/// The origin of the dataset, unless it is a job of this campaign alone.
fn dataset_origin(case: &TestCriterion<'_>) -> Option<Reason> {
    let (dataset, job) = dataset::made(case)?;
    let made = job.dataset.as_ref()?;
    if let Some(reused) = &made.reused {
        return Some(reason!(DatasetReused {
            dataset: dataset.job(),
            campaign: &made.campaign,
            made: &made.made,
            files: reused.files,
            samples: reused.samples,
            bytes: made.counted.is_empty().then_some(made.bytes),
        }));
    }
    let cause = made.instead_of.clone()?;
    Some(reason!(DatasetRecreated { dataset: dataset.job(), cause }))
}

/// The element with the largest key, if there is one.
fn worst<'p>(phases: &[&'p Phase], key: impl Fn(&Phase) -> Option<f64>) -> Option<(&'p Phase, f64)> {
    let keyed = phases.iter().filter_map(|phase| key(phase).map(|key| (*phase, key)));
    keyed.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn cached(case: &TestCriterion<'_>, phases: &[&Phase]) -> Option<Reason> {
    let (phase, share) = worst(phases, |phase| phase.cached_before)?;
    let counts = share > CACHED_SHARE && !cached::needs_cold_data(case);
    counts.then(|| reason!(CachedRead { phase: &phase.phase, share }))
}

/// The amount differs from the command line, and no deadline, minimum time or earlier count explains it.
fn incomplete(case: &TestCriterion<'_>, phases: &[&Phase]) -> Option<Reason> {
    let short = |phase: &Phase| {
        // A mixed phase divides its transfers at random, and transfers in the ramp are excluded.
        let partly = phase.ramp_s > 0.0 || phase.phase.starts_with("mixed_");
        let explained = partly
            || phase.stonewall.is_some()
            || case.test.line.as_ior().is_some_and(|line| {
                line.status_file.is_some() || line.has_minimum_time() && phase.bytes > phase.expected_bytes
            });
        let missing = phase.expected_bytes.abs_diff(phase.bytes);
        (missing > 0 && !explained).then_some(missing as f64)
    };
    let (phase, _) = worst(phases, short)?;
    Some(reason!(MovedOtherAmount { phase: &phase.phase, moved: phase.bytes, asked: phase.expected_bytes }))
}

fn out_of_data(phases: &[&Phase]) -> Option<Reason> {
    let (phase, _) = worst(phases, |phase| {
        phase.stonewall.as_ref().map(|wall| f64::from(wall.ran_dry)).filter(|ranks| *ranks > 0.0)
    })?;
    let wall = phase.stonewall.as_ref()?;
    Some(reason!(OutOfData {
        phase: &phase.phase,
        ranks: wall.ran_dry,
        of: phase.ranks,
        deadline: wall.deadline_s
    }))
}

fn not_flushed(case: &TestCriterion<'_>, phases: &[&Phase]) -> Option<Reason> {
    let phase =
        phases.iter().find(|phase| phase.writes() && !phase.persisted && !bypasses_cache(case, phase))?;
    let ior = case.test.line.as_ior().map(|_| true);
    Some(reason!(NotFlushed { phase: &phase.phase, ior }))
}

/// Data of an external IOR that was not flushed, by the command line that it printed.
fn reported_unflushed(case: &TestCriterion<'_>) -> Option<Reason> {
    let app = case.test.line.as_app().filter(|_| case.phase() == "write")?;
    let mut lines = case.jobs().iter().filter_map(|job| app.ior_line(reported::reported(job)?));
    lines.find(|line| line.parsed.script.is_none() && !line.persists())?;
    Some(reason!(NotFlushed { phase: "write", ior: true }))
}

/// Files in a memory file system, which no fsync flushes to storage.
fn in_memory(case: &TestCriterion<'_>, phases: &[&Phase]) -> Option<Reason> {
    let fs = case.index.file_system(&case.test.fs)?;
    let kind = Some(fs.kind.as_str()).filter(|kind| folder::is_memory(kind))?;
    let phase = phases.iter().find(|phase| phase.counts == Counts::Operations || phase.writes())?;
    Some(reason!(MemoryFileSystem { phase: &phase.phase, kind }))
}

/// Data that may fit in a client's memory, without evidence that it was not there.
fn fits_memory(case: &TestCriterion<'_>, phases: &[&Phase]) -> Option<Reason> {
    let machine = case.index.campaign.before.as_ref()?;
    let memory = Some(machine.memory_bytes).filter(|bytes| *bytes > 0)?;
    let nodes = runs(case.jobs()).map(Run::machines).min()?;
    let unproven = |phase: &&&Phase| match phase.counts {
        Counts::Operations => false,
        Counts::Bytes if phase.writes() => !phase.persisted && !bypasses_cache(case, phase),
        Counts::Bytes => phase.cached_before.is_none() && !bypasses_cache(case, phase),
    };
    let phase = phases.iter().find(unproven)?;
    let per_node = phase.bytes as f64 / f64::from(nodes);
    (per_node < MEMORY_MULTIPLE * memory as f64)
        .then(|| reason!(FitsMemory { phase: &phase.phase, per_node, memory }))
}

fn one_node(case: &TestCriterion<'_>) -> Option<Reason> {
    // An external program does not say where it ran.
    let run = runs(case.jobs()).find(|run| run.machines() == 1 && !run.host.is_empty())?;
    let delivered = case.index.plan.clients.delivered;
    (delivered != Some(1)).then(|| reason!(SingleClient { host: &run.host, delivered }))
}

/// Nodes of the plan that were only simulated.
fn simulated(case: &TestCriterion<'_>) -> Option<Reason> {
    let nodes = case.index.placed(case.test).nodes.filter(|nodes| *nodes > 1)?;
    if case.index.plan.launch_of(case.test).kind == LaunchKind::Local {
        return Some(reason!(SimulatedNodes { nodes }));
    }
    let kernels = |run: &Run| run.clients.as_ref()?.kernels().filter(|kernels| *kernels < run.nodes);
    let fewest = runs(case.jobs()).filter_map(|run| Some((kernels(run)?, run.nodes))).min();
    let (kernels, nodes) = fewest.filter(|_| case.index.plan.clients.simulated)?;
    Some(reason!(SimulatedNodes { nodes, kernels }))
}

/// An earlier job that had the files and directories, if the verdict is not INVALID for that.
fn names_origin(case: &TestCriterion<'_>) -> Option<Reason> {
    match names::origin(case).filter(|_| cached::is_metadata_read(case))? {
        CacheOrigin::SameNode(reason) => case.test.cache_warm.then_some(reason),
        CacheOrigin::MaybeDropped(reason) | CacheOrigin::Unknown(reason) => Some(reason),
    }
}

/// The repetitions of the phase within one job. A command line may repeat only some of its phases.
fn inner_repetitions(case: &TestCriterion<'_>) -> Option<Reason> {
    let recorded = case.jobs().iter().map(|job| case.phases(job).count() as u64).max()?;
    let inner = recorded.min(case.test.line.repetitions());
    (inner > 1).then(|| reason!(InnerRepetitions { inner }))
}

/// The result of the search for the number of nodes, or why the optimum is not known.
fn searched(case: &TestCriterion<'_>) -> Option<Result<Reason, Reason>> {
    let search = case.test.search.as_ref()?;
    Some(deferred::searched(case.index.plan, search, &|test, repetition| {
        case.index.records(test, repetition)
    }))
}

/// The trees of all ranks. The table of mdtest counts only one of them.
fn all_trees(case: &TestCriterion<'_>) -> Option<Reason> {
    let phase = case.all_phases().into_iter().find(|phase| phase.ranks > 1)?;
    let counted = matches!(case.phase(), "tree_creation" | "tree_removal")
        && case.is_rate()
        && case.test.line.has_own_trees();
    counted.then(|| reason!(AllTrees { phase: &phase.phase, ranks: phase.ranks }))
}

/// Cases that failed, and cases that say nothing about the file system.
fn conformance(case: &TestCriterion<'_>) -> Vec<Reason> {
    if case.counts_cases().is_none() {
        return Vec::new();
    }
    let kinds = [
        (CaseOutcome::Fail, Code::CasesFailed),
        (CaseOutcome::Undecided, Code::CasesOutOfTime),
        (CaseOutcome::Library, Code::CasesOfLibrary),
        (CaseOutcome::Unsupported, Code::CasesUnsupported),
        (CaseOutcome::Skipped, Code::CasesSkipped),
    ];
    kinds.into_iter().filter_map(|(outcome, code)| of_outcome(case, outcome, code)).collect()
}

/// The cases of one outcome, for the job with most of them.
fn of_outcome(case: &TestCriterion<'_>, outcome: CaseOutcome, code: Code) -> Option<Reason> {
    let of = |job| errors::matching_cases(case, job).filter(|one| one.outcome == outcome);
    let job = case.jobs().iter().max_by_key(|job| of(job).count())?;
    let found: Vec<_> = of(job).collect();
    let first = found.first()?;
    let names: Vec<&String> = found.iter().take(NAMED).map(|one| &one.name).collect();
    let more = Some(found.len() - names.len()).filter(|more| *more > 0);
    let reason = reason!(CasesSkipped {
        cases: found.len(),
        of: errors::matching_cases(case, job).count(),
        names,
        more,
        ..Reason::new(code)
    });
    Some(match (&first.evidence, first.why.as_str()) {
        (Some(seen), _) if outcome == CaseOutcome::Fail => {
            reason!(CasesSkipped { rank: seen.rank, step: &seen.step, seen: &seen.what, ..reason })
        }
        (_, "") => reason,
        (_, why) => reason!(CasesSkipped { error: why, ..reason }),
    })
}

/// The notices of the workload, each kind once.
fn notices(case: &TestCriterion<'_>) -> Vec<Reason> {
    // If they make the clause INVALID, its reason states them.
    let is_reason = |code| cached::needs_cold_metadata(case) && WARM_NAMES.contains(&code);
    let mut kinds: Vec<Reason> = Vec::new();
    for record in case.jobs().iter().flat_map(|job| &job.records) {
        if let Record::Notice(notice) = record
            && (notice.phase.is_empty() || notice.phase == case.phase())
            && !SUMMED.contains(&notice.reason.code)
            && !is_reason(notice.reason.code)
            && !kinds.iter().any(|known| known.code == notice.reason.code)
        {
            kinds.push(notice.reason.clone());
        }
    }
    kinds
}

fn stopped_attempts(case: &TestCriterion<'_>) -> Vec<Reason> {
    let attempts = case.index.attempts(case.test).into_iter();
    let (again, not): (Vec<&str>, Vec<&str>) = attempts.partition(|attempt| case.index.was_repeated(attempt));
    let all = [(again, Code::AttemptsRepeated), (not, Code::AttemptsOpen)];
    let some = all.into_iter().filter(|(attempts, _)| !attempts.is_empty());
    some.map(|(attempts, code)| reason!(AttemptsOpen { folders: attempts, ..Reason::new(code) })).collect()
}
