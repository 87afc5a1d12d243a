//! A search of one directory tree by all ranks, as the parallel find of IO500 does it.
//!
//! Files are counted, and those that meet all conditions. [`PfindParameters`] are the parsed parameters.
//! Events go to a [`PfindListener`] on rank 0 and into records. docs/explanation/metadata.md defines the
//! numbers.
//!
//! Invariant: the tree is searched completely, or a failed call is reported. Nothing is changed. Never here:
//! the command line, text for people.

mod observer;
mod parameters;
mod pending;
mod sharing;
#[cfg(test)]
mod tests;
mod walk;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;

use measure::Clock;
use ranks::{FailureCause, Halt, Reduce};
use results::reason::{Reason, reason};
use results::record::{Balance, Phase};
use storage::{Listing, Storage};

use crate::kit::balance::RankWork;
use crate::kit::caches::RanksOfNode;
use crate::kit::drive::Stop;
use crate::kit::failed_call::path_and_words;
use crate::kit::operations::{self, Operating, OperationSetting, OperationsDone};
use crate::kit::order::TransferOrder;
use crate::kit::rank::Rank;
use crate::kit::reduce;
use sharing::Sharing;
use walk::{Seen, Walker};

use parameters::Conditions;

pub use observer::{FinderRow, Found, PfindEvent, PfindListener};
pub use parameters::PfindParameters;

/// More steps than a search has.
const STEPS_MAX: u64 = 1 << 62;

/// The phase of notices about the whole run.
const OF_THE_RUN: &str = "";

/// Runs `parameters` on every rank. Returns whether nothing failed, and a file met the conditions; the same
/// on all ranks. Collective.
pub fn run(
    parameters: &PfindParameters,
    storage: &dyn Storage,
    rank: &mut Rank<'_>,
    observer: &mut PfindListener<'_>,
) -> Result<bool, Halt> {
    let listing = storage.names().and_then(|names| names.listing());
    let listing = rank.comm.agree("backend", listing.ok_or("this backend cannot list directories"))?;
    run_with(parameters, listing, rank, observer)
}

fn run_with(
    parameters: &PfindParameters,
    listing: &dyn Listing,
    rank: &mut Rank<'_>,
    observer: &mut PfindListener<'_>,
) -> Result<bool, Halt> {
    let (ranks, nodes) = (rank.comm.size(), rank.node.count);
    observer.event(&PfindEvent::Started { ranks, nodes });
    for reason in rank.node_notices() {
        observer.event(&PfindEvent::Notice(&reason));
    }
    let conditions = Conditions { parameters, changed_from: changed_from(parameters, rank)? };
    let mut nodes = RanksOfNode::new(rank.comm, Rc::clone(&rank.node), &parameters.client);
    let (dropped, not_dropped) = nodes.forget_if(parameters.cold)?;
    let found = search(rank, conditions, listing, &mut nodes, dropped)?;
    rank.record_phase(&found.find)?;
    rank.record_phase(&found.directories)?;
    observer.event(&PfindEvent::Found(&found));
    // Only rank 0 has the failures.
    let complete = rank.comm.reduce_one(found.find.failed.is_none().into(), Reduce::Min)? > 0;
    let mut notices: Vec<Reason> = not_dropped.into_iter().chain(found.caches.warm(false, false)).collect();
    if parameters.has_conditions() && found.matched == 0 && complete {
        notices.push(reason!(NothingFound { path: parameters.dir.display().to_string() }));
    }
    for reason in &notices {
        observer.event(&PfindEvent::Notice(reason));
        rank.notice(0, OF_THE_RUN, reason)?;
    }
    Ok(complete && (found.matched > 0 || !parameters.has_conditions()))
}

/// When the status of the file of `newer` changed, as rank 0 sees it. Collective.
fn changed_from(parameters: &PfindParameters, rank: &Rank<'_>) -> Result<Option<(i64, i64)>, Halt> {
    let Some(newer) = &parameters.newer else { return Ok(None) };
    reduce::from_rank_0(rank.comm, "newer", || {
        let found = newer.symlink_metadata().map_err(|error| path_and_words(newer, &error))?;
        Ok(Some((found.ctime(), found.ctime_nsec())))
    })
}

/// Searches the tree. Collective.
fn search(
    rank: &mut Rank<'_>,
    conditions: Conditions<'_>,
    listing: &dyn Listing,
    nodes: &mut RanksOfNode<'_>,
    dropped: bool,
) -> Result<Found, Halt> {
    let parameters = conditions.parameters;
    let mut sharing = Sharing::new(rank.comm, parameters.asks_previous);
    let mut walker = Walker::new(parameters, conditions, listing, rank.clock, &mut sharing);
    nodes.before();
    let known = Phase {
        phase: "find".to_owned(),
        backend: command::POSIX.to_owned(),
        path: parameters.dir.display().to_string(),
        ..Phase::default()
    };
    let setting = OperationSetting { known, keep_going: parameters.keep_going };
    let mut doing = Operating::begin(rank, setting, None)?;
    let waited = walk(rank, &mut doing, &mut walker, &parameters.dir)?;
    let Walker { seen, halted, .. } = walker;
    if let Some(halt) = halted {
        return Err(halt);
    }
    let taken = sharing.taken;
    let own_ns = rank.clock.scale().ns(rank.clock.now().0 - doing.begun().0);
    let done = doing.end(rank, || sharing.end().map_err(|halt| FailureCause::from(halt.to_string())))?;
    let waited_ns = rank.clock.scale().ns(waited);
    combine(rank, done, seen, [own_ns, taken, waited_ns], nodes, dropped)
}

/// Examines entries until none is left on any rank. Returns the ticks of waits for work.
fn walk(
    rank: &Rank<'_>,
    doing: &mut Operating,
    walker: &mut Walker<'_, '_>,
    root: &Path,
) -> Result<u64, Halt> {
    let mut waited = 0;
    if rank.comm.rank() == 0 {
        walker.begin(root);
    }
    loop {
        let mut order = TransferOrder::items(STEPS_MAX);
        doing.run(rank, walker, &mut order, 0, Stop::after(STEPS_MAX));
        let has_alarm = || rank.comm.alarm_raised();
        if walker.halted.is_some() || doing.has_failed() || has_alarm() {
            return Ok(waited);
        }
        let begin = rank.clock.now();
        let goes_on = walker.obtain(has_alarm)?;
        waited += rank.clock.now().0 - begin.0;
        if !goes_on {
            return Ok(waited);
        }
    }
}

/// The results of all ranks together. Collective.
fn combine(
    rank: &Rank<'_>,
    done: OperationsDone,
    seen: Seen,
    [own_ns, taken, waited_ns]: [u64; 3],
    nodes: &RanksOfNode<'_>,
    dropped: bool,
) -> Result<Found, Halt> {
    let directories = seen.directories.count();
    // Each directory that is opened is a name, too.
    let caches = nodes.after(dropped, seen.queried + directories)?;
    let row = [done.operations, seen.matched, directories, seen.queried, taken, waited_ns];
    let rows = reduce::gather_named(rank.comm, row, rank.comm.node_name())?.unwrap_or_default();
    let ranks = rows.into_iter().map(|([files, matched, directories, queried, taken, waited_ns], node)| {
        let waited_s = waited_ns as f64 * 1e-9;
        FinderRow { node, files, matched, directories, queried, taken, waited_s }
    });
    let mut sums = [seen.matched, seen.entries, seen.unknown];
    rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [matched, entries, unknown] = sums;
    // Who has work depends on who asks first: the work of the ranks says nothing about them.
    let unranked = |phase| Phase { balance: Balance::default(), each_rank: None, ..phase };
    let find = unranked(Phase { matched: Some(matched), ..done.phase });
    let work = RankWork { amount: directories, ns: own_ns, given: directories > 0 };
    let directories = operations::beside(rank, &find, "directories", work, seen.directories, seen.unread)?;
    let directories = unranked(directories);
    Ok(Found { find, directories, matched, entries, unknown, ranks: ranks.collect(), caches })
}
