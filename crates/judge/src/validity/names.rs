//! Whether files and directories were accessed on a node that created or accessed them in an earlier job.
//!
//! A record has the name of rank 0's node and the number of nodes. This decides if rank 0 is on the same node
//! again and accesses files that existed. Nothing is known about other nodes.
//!
//! Never here: what a workload itself reports about one job.

use command::PlannedLine;
use plan::Test;
use plan::line::Line;
use plan::schedule;
use results::folder::Job;
use results::reason::{Code, Reason, reason};

use super::dataset;
use crate::case::TestCriterion;
use crate::index::runs;

/// The caches that may have held the accessed files and directories.
pub(crate) enum CacheOrigin {
    /// The same node had them before.
    SameNode(Reason),
    /// The same node had them, but a command may have dropped its caches in between.
    MaybeDropped(Reason),
    /// Several nodes had them, and the records do not show whether they are the same.
    Unknown(Reason),
}

/// The origin for the first repetition for which it is known; `None` if the files came from other nodes, or
/// if the workload itself reports it.
pub(crate) fn origin(case: &TestCriterion<'_>) -> Option<CacheOrigin> {
    let Line::Tool(line) = &case.test.line else { return None };
    // `shared_open` creates its file within the phase. A walk that drops caches reports a failure to do so.
    if line.creates() || line.drops_caches() || case.phase() == "shared_open" {
        return None;
    }
    case.jobs().iter().find_map(|job| {
        let tests = earlier(case, job).filter_map(|(test, before)| between(case, job, &test.line, before));
        let dataset = dataset::made_for(case, job).and_then(|(dataset, maker, earlier)| {
            let found = between(case, job, &dataset.line, maker)?;
            Some(if earlier { found.of_earlier_campaign() } else { found })
        });
        tests.chain(dataset).min_by_key(|found| match found {
            CacheOrigin::SameNode(_) => 0,
            CacheOrigin::MaybeDropped(_) => 1,
            CacheOrigin::Unknown(_) => 2,
        })
    })
}

impl CacheOrigin {
    /// In an earlier campaign the node may have dropped them from its cache since.
    fn of_earlier_campaign(self) -> Self {
        let (Self::SameNode(reason) | Self::MaybeDropped(reason) | Self::Unknown(reason)) = self;
        let reason = Reason { code: Code::NamesOriginUnknown, ..reason };
        Self::Unknown(reason!(NamesOriginUnknown { earlier_campaign: true, ..reason }))
    }
}

/// Earlier jobs with the same files as `job`, with their tests.
fn earlier<'a>(case: &TestCriterion<'a>, job: &'a Job) -> impl Iterator<Item = (&'a Test, &'a Job)> {
    let (index, test) = (case.index, case.test);
    let plan = index.plan;
    let files = schedule::files(plan, test, job.info.repetition);
    let before = plan.tests.iter().take_while(|other| other.id != test.id);
    let same_fs = before.chain([test]).filter(|other| other.fs == test.fs);
    let worked = same_fs.flat_map(|other| index.jobs(&other.id).iter().map(move |job| (other, *job)));
    worked.filter(move |(other, before)| {
        let later = other.id == test.id && before.info.repetition >= job.info.repetition;
        !later && schedule::files(plan, other, before.info.repetition) == files
    })
}

/// The origin of the files of `job`, if the command line `had` used them on its nodes in `before`.
fn between(case: &TestCriterion<'_>, job: &Job, had: &Line, before: &Job) -> Option<CacheOrigin> {
    let Line::Tool(line) = &case.test.line else { return None };
    let had: &dyn PlannedLine = match had {
        Line::Tool(had) => &**had,
        Line::Ior(had) if line.reads_any_files() => &**had,
        _ => return None,
    };
    let (now, earlier) = (runs(&[job]).next()?, runs(&[before]).next()?);
    let is_maker = had.creates();
    let of = |code| {
        reason!(NamesOnOwnNode {
            repetition: job.info.repetition,
            made: is_maker.then_some(true),
            seen: (!is_maker).then_some(true),
            folder: &before.folder,
            host: &now.host,
            ..Reason::new(code)
        })
    };
    let (nodes, nodes_before) = (now.machines(), earlier.machines());
    let several = nodes > 1 && nodes_before > 1;
    if now.host.is_empty() || earlier.host.is_empty() {
        return None;
    }
    if now.host != earlier.host {
        let unknown =
            || reason!(NamesOriginUnknown { host_before: &earlier.host, ..of(Code::NamesOriginUnknown) });
        return (nodes > 1 || nodes_before > 1).then(|| CacheOrigin::Unknown(unknown()));
    }
    // Shifting twice over two nodes returns to the writer.
    let returns = nodes == 2 && case.phase() == "file_read";
    let moved = line.shift() != if had.creates() { 0 } else { had.shift() };
    if several && moved && !returns && !had.shares_names() {
        return None;
    }
    Some(match line.runs_commands() || had.runs_commands() {
        true => CacheOrigin::MaybeDropped(of(Code::NamesMaybeDropped)),
        false => CacheOrigin::SameNode(of(Code::NamesOnOwnNode)),
    })
}
