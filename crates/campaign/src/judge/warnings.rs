//! What a reader of a number has to know besides the number: one short sentence each.
//!
//! Each kind appears once, with the worst of all repetitions. A warning speaks against the number; a note
//! says how it came about.
//!
//! Never here: outcomes.

use results::Statistics;
use results::folder::{self, Job};
use results::record::{Counts, Notice, Phase, Record, Run};
use units::{bytes_binary, duration, several};

use plan::late;

use crate::lint;

use super::cold::{self, CACHED_SHARE, WARM_NAMES};
use super::{Case, cases, dataset, group, placed, state, steady, stragglers, sustained, trend};

/// Scatter above which the reader is told.
const COV: f64 = 0.10;
/// Data below this multiple of a node's memory may stay in it.
const MEMORY_MULTIPLE: f64 = 1.5;
/// Notices that are told here in sums instead.
const SUMMED: &[&str] = &["cached-read", "ran-dry"];

/// What is said of one verdict.
#[derive(Default)]
pub(super) struct Told {
    pub(super) warnings: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl Told {
    /// Adds what else is said.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.warnings.extend(other.warnings);
        self.notes.extend(other.notes);
        self
    }
}

/// All that is said of one verdict.
pub(super) fn all(case: &Case<'_>, jobs: &[&Job], statistics: Option<&Statistics>) -> Told {
    let told = Told { warnings: warnings(case, jobs, statistics), notes: notes(case, jobs) };
    match case.counts_errors() {
        true => told,
        false => told.and(sustained::told(case, jobs)).and(group::told(case, jobs)),
    }
}

fn notes(case: &Case<'_>, jobs: &[&Job]) -> Vec<String> {
    let phases: Vec<&Phase> = jobs.iter().flat_map(|job| case.phases(job)).collect();
    let mut all = state::told(case);
    all.extend(dataset::told(case));
    if !case.counts_errors() {
        let optimum = searched(case).and_then(Result::ok);
        let of_rates = [steady::told(case, jobs), optimum, inner_repetitions(case), all_trees(case, &phases)];
        all.extend(of_rates.into_iter().flatten());
    }
    all
}

fn warnings(case: &Case<'_>, jobs: &[&Job], statistics: Option<&Statistics>) -> Vec<String> {
    let phases: Vec<&Phase> = jobs.iter().flat_map(|job| case.phases(job)).collect();
    let mut all = vec![cached(case, &phases), incomplete(case, &phases), placed::told(case)];
    if !case.counts_errors() {
        all.extend([
            ran_dry(&phases),
            not_persisted(case, &phases),
            in_memory(case, &phases),
            fits_memory(case, jobs, &phases),
            searched(case).and_then(Result::err),
        ]);
        all.extend(stragglers::told(&phases).into_iter().map(Some));
        all.extend(trend::told(case, jobs, statistics).into_iter().map(Some));
        all.extend([scatter(statistics), one_node(case, jobs), cold::told(case, jobs)]);
    }
    let mut all: Vec<String> = all.into_iter().flatten().collect();
    all.extend(cases::told(case, jobs));
    all.extend(lint::losses(case.plan, case.campaign, case.test));
    all.extend(notices(case, jobs));
    all.extend(killed(case));
    all
}

/// The element with the largest key, if there is one.
fn worst<'p>(phases: &[&'p Phase], key: impl Fn(&Phase) -> Option<f64>) -> Option<(&'p Phase, f64)> {
    let keyed = phases.iter().filter_map(|phase| key(phase).map(|key| (*phase, key)));
    keyed.max_by(|a, b| a.1.total_cmp(&b.1))
}

fn cached(case: &Case<'_>, phases: &[&Phase]) -> Option<String> {
    let (phase, share) = worst(phases, |phase| phase.cached_before)?;
    let told = share > CACHED_SHARE && !cold::wants_data(case);
    let percent = share * 100.0;
    told.then(|| {
        format!("{}: {percent:.0} % of the data was in this client's page cache beforehand", phase.phase)
    })
}

/// Another amount than the line asks for, where no deadline, no least time and no earlier count explains it.
fn incomplete(case: &Case<'_>, phases: &[&Phase]) -> Option<String> {
    let short = |phase: &Phase| {
        // A mix divides by chance, and what moved within the ramp is not in the sum.
        let partly = phase.ramp_s > 0.0 || phase.phase.starts_with("mixed_");
        let explained = partly
            || phase.stonewall.is_some()
            || case.test.line.as_ior().is_some_and(|line| {
                line.status_file.is_some() || line.min_time && phase.bytes > phase.expected_bytes
            });
        let missing = phase.expected_bytes.abs_diff(phase.bytes);
        (missing > 0 && !explained).then_some(missing as f64)
    };
    let (phase, _) = worst(phases, short)?;
    let (moved, asked) = (bytes_binary(phase.bytes as f64), bytes_binary(phase.expected_bytes as f64));
    Some(format!("{}: moved {moved}, the line asks for {asked}", phase.phase))
}

fn ran_dry(phases: &[&Phase]) -> Option<String> {
    let (phase, ranks) = worst(phases, |phase| {
        phase.stonewall.as_ref().map(|wall| f64::from(wall.ran_dry)).filter(|ranks| *ranks > 0.0)
    })?;
    let deadline = duration(phase.stonewall.as_ref()?.deadline_s);
    Some(format!(
        "{}: {ranks} of {} ran dry before the deadline of {deadline}",
        phase.phase,
        several(phase.ranks.into(), "rank")
    ))
}

/// Whether the phase writes bytes: of `ior`, or a file of `flash-io`.
fn writes(phase: &Phase) -> bool {
    let reads = phase.phase.contains("read") || phase.phase.ends_with("_check");
    phase.counts == Counts::Bytes && !reads
}

fn not_persisted(case: &Case<'_>, phases: &[&Phase]) -> Option<String> {
    let phase = phases.iter().find(|phase| writes(phase) && !phase.persisted && !phase.direct)?;
    let without = if case.test.line.as_ior().is_some() { " (no -e, -Y, O_DIRECT)" } else { "" };
    Some(format!("{}: the data was not made durable within the time measured{without}", phase.phase))
}

/// Files and names in memory, which no fsync makes durable.
fn in_memory(case: &Case<'_>, phases: &[&Phase]) -> Option<String> {
    let fs = case.campaign.before.as_ref()?.file_system(&case.test.fs)?;
    let kind = Some(fs.kind.as_str()).filter(|kind| matches!(*kind, "tmpfs" | "ramfs"))?;
    phases.iter().find_map(|phase| match phase.counts {
        Counts::Operations => Some(format!("{}: {kind} is memory, so no storage took part", phase.phase)),
        Counts::Bytes if writes(phase) => {
            Some(format!("{}: {kind} is memory, so nothing was made durable", phase.phase))
        }
        Counts::Bytes => None,
    })
}

/// Data that a client's memory can hold, where nothing proves that it was not there.
fn fits_memory(case: &Case<'_>, jobs: &[&Job], phases: &[&Phase]) -> Option<String> {
    let memory =
        case.campaign.before.as_ref().map(|machine| machine.memory_bytes).filter(|bytes| *bytes > 0)?;
    let nodes = runs(jobs).map(|run| run.nodes.max(1)).min()?;
    let unproven = |phase: &&&Phase| match phase.counts {
        Counts::Operations => false,
        Counts::Bytes if writes(phase) => !phase.persisted && !phase.direct,
        Counts::Bytes => phase.cached_before.is_none() && !phase.direct,
    };
    let phase = phases.iter().find(unproven)?;
    let per_node = phase.bytes as f64 / f64::from(nodes);
    (per_node < MEMORY_MULTIPLE * memory as f64).then(|| {
        let (part, whole) = (bytes_binary(per_node), bytes_binary(memory as f64));
        format!("{}: {part} per node fits a client's memory of {whole}", phase.phase)
    })
}

pub(super) fn scatter(statistics: Option<&Statistics>) -> Option<String> {
    let statistics = statistics?;
    match statistics.cov {
        None if statistics.values.len() == 1 => Some("one repetition says nothing about scatter".to_owned()),
        Some(cov) if cov > COV => {
            let (percent, n) = (cov * 100.0, statistics.values.len());
            Some(format!("the {n} repetitions scatter by {percent:.1} % (COV)"))
        }
        _ => None,
    }
}

fn one_node(case: &Case<'_>, jobs: &[&Job]) -> Option<String> {
    let run = runs(jobs).find(|run| run.nodes == 1)?;
    let delivered = case.plan.clients.delivered;
    (delivered != Some(1)).then(|| {
        let of = delivered.map(|nodes| format!(" of {nodes}")).unwrap_or_default();
        format!("measured from one client node{of} ({}), whose own limit may be what was found", run.host)
    })
}

fn inner_repetitions(case: &Case<'_>) -> Option<String> {
    let inner = case.test.line.repetitions();
    (inner > 1).then(|| {
        format!("the {inner} repetitions of -i share a launch, so each launch counts once, by their mean")
    })
}

/// How the number of nodes came about, or why it is not known to be the optimum.
fn searched(case: &Case<'_>) -> Option<Result<String, String>> {
    let search = case.test.search.as_ref()?;
    Some(late::searched(case.plan, search, &|test, repetition| {
        late::records_of(case.campaign, test, repetition)
    }))
}

/// Trees of mdtest, of which its own table counts one.
fn all_trees(case: &Case<'_>, phases: &[&Phase]) -> Option<String> {
    let phase = phases.iter().find(|phase| phase.ranks > 1)?;
    let counted = matches!(case.metric(), ("tree_creation" | "tree_removal", "rate" | "iops"));
    (counted && case.test.line.has_own_trees()).then(|| {
        let ranks = phase.ranks;
        format!(
            "{}: the trees of all {ranks} ranks are counted; the row of mdtest's own table counts one of \
             them (-u), and is about {ranks} times lower",
            phase.phase
        )
    })
}

/// What the program noticed itself, each kind once.
fn notices(case: &Case<'_>, jobs: &[&Job]) -> Vec<String> {
    let phase = case.metric().0;
    // Where they make the clause invalid, its reason says so.
    let reason = |id: &str| cold::wants_names(case) && WARM_NAMES.contains(&id);
    let mut kinds: Vec<&Notice> = Vec::new();
    for record in jobs.iter().flat_map(|job| &job.records) {
        if let Record::Notice(notice) = record
            && (notice.phase.is_empty() || notice.phase == phase)
            && !SUMMED.contains(&notice.id.as_str())
            && !reason(&notice.id)
            && !kinds.iter().any(|known| known.id == notice.id)
        {
            kinds.push(notice);
        }
    }
    kinds.into_iter().map(|notice| notice.text.clone()).collect()
}

fn killed(case: &Case<'_>) -> impl Iterator<Item = String> {
    let ran = |attempt: &&str| {
        case.campaign.jobs.iter().any(|job| folder::job_of(&job.folder) == folder::job_of(attempt))
    };
    let (again, not): (Vec<&str>, Vec<&str>) = attempts(case).into_iter().partition(ran);
    let told = [
        (again, "attempts that ended with the campaign were run again"),
        (not, "attempts that ended with the campaign, or still run, and were not run again yet"),
    ];
    let told = told.into_iter().filter(|(attempts, _)| !attempts.is_empty());
    told.map(|(attempts, what)| format!("{what}: {}", attempts.join(", ")))
}

/// Folders of attempts at the test that ended with the campaign.
pub(super) fn attempts<'a>(case: &Case<'a>) -> Vec<&'a str> {
    let id = &case.test.id;
    let own = |folder: &&str| {
        folder::job_of(folder)
            .rsplit_once("-r")
            .is_some_and(|(test, _)| test == id || *test == case.test.warm_up_job())
    };
    case.campaign.killed.iter().map(String::as_str).filter(own).collect()
}

/// What the jobs recorded of who measured.
pub(super) fn runs<'j>(jobs: &[&'j Job]) -> impl Iterator<Item = &'j Run> {
    jobs.iter().flat_map(|job| &job.records).filter_map(|record| match record {
        Record::Run(run) => Some(run),
        _ => None,
    })
}
