//! Metadata operations: who stats whose files, in which directories, and how many.

use command::{PlannedLine, WorkloadLine};
use results::finding::Finding;
use results::finding::Severity::{Info, NeedsWaiver};
use results::reason;

use crate::subject::{LineSubject, PlanSubject};

/// Below this number of items, a metadata rate measures caches and start-up (NERSC-10).
const ITEMS: u64 = 1_000_000;
/// The walk that Purple required: entries of one tree, and trees at the same time.
const ENTRIES: u64 = 100_000;
const TREES: u64 = 10;

/// md-same-node; the records decide it too
pub(crate) fn same_node(subject: &LineSubject) -> Option<Finding> {
    let line = subject.mdtest().filter(|line| line.create && (line.looks_up() || line.remove))?;
    if line.runs_commands() || subject.cache_warm {
        return None;
    }
    let reason = match (subject.nodes(), line.rank_shift()) {
        (Some(1), _) => reason!(MdSameNode { nodes: 1_u64 }),
        (_, Some(0)) => reason!(MdSameNode),
        _ => return None,
    };
    Some(Finding::new(Info, reason))
}

/// md-too-short, from the command line alone; the records decide it too
pub(crate) fn too_few(subject: &LineSubject) -> Option<Finding> {
    let line = subject.mdtest().filter(|line| line.deadline == 0)?;
    let ranks = subject.ranks()?;
    let all = line.items_known()?.saturating_mul(ranks);
    if subject.reported || all >= ITEMS || all == 0 {
        return None;
    }
    let reason = reason!(MdTooShort { items: all, least: ITEMS, per_rank: ITEMS.div_ceil(ranks) });
    Some(Finding::new(Info, reason))
}

/// ls-walk, from the command line alone. The records decide how many entries a walk lists, and from where.
pub(crate) fn walk(subject: &LineSubject) -> Vec<Finding> {
    let line = match &subject.line {
        Some(WorkloadLine::Ls(_)) => {
            return vec![Finding::new(NeedsWaiver, reason!(LsWalk { command: "ls" }))];
        }
        Some(WorkloadLine::LsLr(line)) => line,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    if line.make && line.entries < ENTRIES {
        found.push(Finding::new(Info, reason!(LsWalk { entries: line.entries, least: ENTRIES })));
    }
    let has_criterion = subject.has_criterion_on("list.");
    if let Some(ranks) = subject.ranks().filter(|ranks| *ranks < TREES && has_criterion) {
        found.push(Finding::new(NeedsWaiver, reason!(LsWalk { walks: ranks, least_walks: TREES })));
    }
    if has_criterion && (!line.make || line.walk) && !line.cold && line.shift == 0 && !subject.cache_warm {
        found.push(Finding::new(Info, reason!(LsWalk)));
    }
    found
}

/// Whether a command line creates or stats files or directories, or its operations are unknown.
pub(crate) fn is_of_names(line: &Option<WorkloadLine>) -> bool {
    !matches!(line, Some(WorkloadLine::Ior(_)))
}

/// not-aged, from the plan alone. The utilization of the file system is known when it is checked.
pub(crate) fn aged(subject: &LineSubject) -> Option<Finding> {
    let rates = |metric: &str| metric.ends_with(".rate") || metric.ends_with(".iops");
    let judged = subject.criteria.iter().any(|criterion| rates(&criterion.metric));
    let unstated = is_of_names(&subject.line) && judged && !subject.has_state;
    unstated.then(|| Finding::new(NeedsWaiver, reason!(NotAged)))
}

/// fill-is-not-age, from the plan alone
pub(crate) fn only_filled(plan: &PlanSubject) -> Vec<Finding> {
    let found = plan
        .only_filled
        .iter()
        .map(|(name, words)| Finding::new(NeedsWaiver, reason!(FillIsNotAge { options: words })).about(name));
    found.collect()
}

/// The directories of an mdtest command line, as data names them.
pub(super) fn directories(unique: bool) -> &'static str {
    if unique { "separate" } else { "shared" }
}

/// shared-unique-pair, where all command lines that create use the same kind of directories
pub(crate) fn pair(plan: &PlanSubject) -> Vec<Finding> {
    let judged = plan.lines.iter().filter(|line| !line.criteria.is_empty() || line.reported);
    let of_mdtest = judged.filter_map(|line| Some((line, line.mdtest()?)));
    let creating: Vec<_> = of_mdtest.filter(|(_, line)| line.create).collect();
    let Some((first, line)) = creating.first() else { return Vec::new() };
    if creating.iter().any(|(_, other)| other.unique_dir != line.unique_dir) {
        return Vec::new();
    }
    let reason = reason!(SharedUniquePair {
        directories: directories(line.unique_dir),
        other: directories(!line.unique_dir)
    });
    vec![Finding::new(NeedsWaiver, reason).about(&first.id).at(first.place())]
}
