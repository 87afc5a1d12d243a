//! `ls -lR` of many large trees at once: one walker on each rank, and their total rate.
//!
//! [`LsLrParameters`] are the parsed parameters. Events go to a [`LsLrListener`] on rank 0 and into records.
//! docs/explanation/metadata.md defines the numbers.
//!
//! Invariant: only trees that assay made are removed. A file in the root of each tree proves this. Never
//! here: the command line, text for people.

mod entry_paths;
mod list;
mod make;
mod marker;
mod observer;
mod parameters;
mod pending;
mod remove;
mod stamps;
#[cfg(test)]
mod tests;
mod walk;

use results::reason::{Reason, reason};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ranks::{CallFailure, Comm, FailureCause, Halt, Reduce};
use results::record::Phase;
use storage::{Listing, Names, Storage, call_error};

use crate::kit::caches::RanksOfNode;
use crate::kit::failed_call::{cause, failed_call, words};
use crate::kit::few;
use crate::kit::operations::OperationSetting;
use crate::kit::rank::Rank;
use list::RankWalk;
use make::Before;
use remove::TreeRemains;

pub use marker::{Marker, TreeState};
pub use observer::{LsLrEvent, LsLrListener, Shares, Walked, WalkerRow};
pub use parameters::{LsLrParameters, Trees};
pub use walk::EntryCalls;

/// The trees of a contract have more entries than this.
const LARGE: u64 = 100_000;
/// A walker that ended before this share of the longest walk left the others with less load for a long time.
pub const EARLY: f64 = 0.8;

/// The phase of notices that are about calls on directories and on entries.
const OF_THE_RUN: &str = "";

/// One rank of a run.
struct LsLrPart<'p, 'r> {
    parameters: &'p LsLrParameters,
    storage: &'p dyn Storage,
    names: &'p dyn Names,
    rank: &'p mut Rank<'r>,
    observer: &'p mut LsLrListener<'p>,
}

/// Runs `parameters` on every rank. Returns whether every tree had its expected entries and nothing failed;
/// the same on all ranks. Collective.
pub fn run(
    parameters: &LsLrParameters,
    storage: &dyn Storage,
    rank: &mut Rank<'_>,
    observer: &mut LsLrListener<'_>,
) -> Result<bool, Halt> {
    let names = storage.names().ok_or("this backend has no files and directories");
    let names = rank.comm.agree("backend", names)?;
    let mut nodes = RanksOfNode::new(rank.comm, Rc::clone(&rank.node), &parameters.client);
    let node_count = rank.node.count;
    observer.event(&LsLrEvent::Started { ranks: rank.comm.size(), nodes: node_count });
    for reason in rank.node_notices() {
        observer.event(&LsLrEvent::Notice(&reason));
    }
    let mut part = LsLrPart { parameters, storage, names, rank, observer };
    let (mut good, mut made) = (true, false);
    if parameters.make {
        (good, made) = part.make()?;
    }
    if parameters.walk && good {
        let listing =
            part.rank.comm.agree("backend", names.listing().ok_or("this backend cannot list directories"))?;
        for repetition in 0..parameters.repetitions {
            good &= part.walk(
                listing,
                &mut nodes,
                repetition,
                made && (parameters.shift == 0 || node_count == 1),
            )?;
        }
    }
    if parameters.remove {
        good &= part.remove()?;
    }
    Ok(good)
}

impl LsLrPart<'_, '_> {
    fn comm(&self) -> &dyn Comm {
        self.rank.comm
    }

    /// The tree that this rank creates and removes.
    fn own_tree(&self) -> PathBuf {
        self.parameters.tree(self.comm().rank())
    }

    fn setting(&self, phase: &str, repetition: u32) -> OperationSetting {
        let known = Phase {
            repetition,
            phase: phase.to_owned(),
            backend: command::POSIX.to_owned(),
            file_per_rank: true,
            path: self.parameters.tree(0).display().to_string(),
            ..Phase::default()
        };
        OperationSetting { known, keep_going: self.parameters.keep_going }
    }

    fn notice(&mut self, repetition: u32, phase: &str, reason: &Reason) -> Result<(), Halt> {
        self.observer.event(&LsLrEvent::Notice(reason));
        self.rank.notice(repetition, phase, reason)
    }

    /// Creates the trees and counts them. Returns whether none failed, and whether any was incomplete before.
    /// Collective.
    fn make(&mut self) -> Result<(bool, bool), Halt> {
        let (root, shape) = (self.own_tree(), self.parameters.shape);
        let there = make::begin(self.names, &root, shape)
            .map_err(|error| cause("mkdir", &root, &error, words(&error)));
        let there = self.comm().agree("make", there)?;
        let wanted = there != Before::Whole;
        let setting = self.setting("make", 0);
        let tree = (&*root, shape, wanted);
        let done = make::entries(self.storage, self.names, self.rank, self.observer, setting, tree)?;
        self.rank.record_phase(&done.phase)?;
        let whole = done.phase.failed.is_none();
        let counted = if whole { make::end(self.names, &root, shape) } else { Ok(0) };
        let counted = self
            .comm()
            .agree("make", counted.map_err(|error| cause("list", &root, &error, words(&error))))?;
        let mut sums = [counted, u64::from(!wanted), u64::from(there == Before::Part)];
        self.comm().all_reduce(&mut sums, Reduce::Sum)?;
        let [counted, before, parts] = sums;
        self.observer.event(&LsLrEvent::Made { phase: &done.phase, counted, before });
        if parts > 0 {
            self.notice(0, "make", &reason!(MakeResumed { trees: parts }))?;
        }
        Ok((whole, before < self.comm().size().into()))
    }

    /// The number of entries with which the walked tree was created; `None` for a given tree without
    /// a marker.
    fn expected(&self, root: &Path) -> Result<Option<u64>, FailureCause> {
        let at = |why: &str| format!("{}: {why}", root.display());
        let given = matches!(self.parameters.trees, Trees::Given(_));
        match Marker::load(root) {
            Ok(Some(Marker { state: TreeState::Whole, shape })) => Ok(Some(shape.entries)),
            _ if given => Ok(None),
            Err(error) => Err(cause("open", root, &error, at(&words(&error)))),
            Ok(Some(_)) => {
                Err(at("this tree is incomplete. Complete it with --make, or remove it with --remove").into())
            }
            Ok(None) => Err(at("no tree of ls-lr. Create it with --make").into()),
        }
    }

    /// Walks all trees once. Returns whether each had its expected entries and nothing failed. `made_here`
    /// says whether this run has just created some of them.
    fn walk(
        &mut self,
        listing: &dyn Listing,
        nodes: &mut RanksOfNode<'_>,
        repetition: u32,
        made_here: bool,
    ) -> Result<bool, Halt> {
        let number = self.parameters.walked_by(self.comm().rank(), self.comm().size());
        let root = self.parameters.tree(number);
        let expected = self.comm().agree("list", self.expected(&root))?;
        let (dropped, not_dropped) = nodes.forget_if(self.parameters.cold)?;
        if let Some(reason) = not_dropped {
            self.notice(repetition, OF_THE_RUN, &reason)?;
        }
        self.observer.event(&LsLrEvent::Walks { repetition });
        let setting = self.setting("list", repetition);
        let walk = RankWalk { listing, calls: self.parameters.calls, number, root: &root, expected };
        let walked = list::repetition(self.rank, setting, &walk, nodes, dropped)?;
        self.rank.record_phase(&walked.list)?;
        self.rank.record_phase(&walked.directories)?;
        self.observer.event(&LsLrEvent::Walked(&walked));
        self.notices(&walked, repetition, made_here)?;
        Ok(walked.mismatches == 0 && walked.list.failed.is_none())
    }

    /// Reports every reason why the rate is not the one that a contract requires.
    fn notices(&mut self, walked: &Walked, repetition: u32, made_here: bool) -> Result<(), Halt> {
        let parameters = self.parameters;
        let window = walked.list.window.unwrap_or_default();
        if walked.mismatches > 0 {
            let reason = reason!(EntriesMismatch { trees: walked.mismatches });
            self.observer.event(&LsLrEvent::Notice(&reason));
            let call = self.missing_entries(&walked.walkers);
            self.rank.notice_of_call(repetition, OF_THE_RUN, &reason, call)?;
        }
        if let Some(reason) = walked.caches.warm(repetition > 0, made_here) {
            self.notice(repetition, OF_THE_RUN, &reason)?;
        }
        let fewest = self.comm().reduce_one(walked.list.balance.bytes_min, Reduce::Min)?;
        if fewest <= LARGE {
            self.notice(repetition, "list", &reason!(SmallTree { entries: fewest, entries_min: LARGE }))?;
        }
        if window.seconds < parameters.least_window_s {
            let needed_s = parameters.least_window_s;
            self.notice(repetition, "list", &reason!(ShortWindow { window: window.seconds, needed_s }))?;
        }
        let longest = walked.list.spans.transfer_s;
        if window.seconds < EARLY * longest {
            let (walker, after) = (window.first_rank, window.seconds);
            self.notice(repetition, "list", &reason!(UnevenWalkers { walker, after, longest }))?;
        }
        Ok(())
    }

    /// The walk of the first tree with fewer entries than it was created with, on rank 0.
    fn missing_entries(&self, walkers: &[WalkerRow]) -> Option<Box<CallFailure>> {
        let walker = walkers.iter().find(|walker| walker.expected.is_some_and(|all| walker.entries < all))?;
        let root = self.parameters.tree(walker.tree);
        let error = call_error::short(format!("{} entries were listed", walker.entries));
        Some(Box::new(failed_call("getdents64", &root, None, &error)))
    }

    /// Removes the trees. Returns whether nothing is left and nothing failed.
    fn remove(&mut self) -> Result<bool, Halt> {
        let root = self.own_tree();
        let found = remove::begin(&root).map_err(|error| cause("stat", &root, &error, words(&error)));
        let found = self.comm().agree("remove", found)?;
        let setting = self.setting("remove", 0);
        let (done, stays, first) =
            remove::entries(self.names, self.rank, self.observer, setting, (&root, found))?;
        self.rank.record_phase(&done.phase)?;
        let whole = done.phase.failed.is_none();
        let end = whole && found != TreeRemains::Nothing;
        let gone = if end { remove::end(self.names, &root) } else { Ok(true) };
        let gone = self
            .comm()
            .agree("remove", gone.map_err(|error| cause("rmdir", &root, &error, words(&error))))?;
        let mine = stays > 0 || !gone;
        let left = self.comm().reduce_one(mine.into(), Reduce::Sum)?;
        let first = mine.then(|| first.unwrap_or_else(|| root.display().to_string()));
        let collected = few::collect(self.comm(), first.as_deref())?;
        let first_left = collected.parcels.first().map(|(_, path)| path.as_str());
        let parts = u64::from(matches!(found, TreeRemains::Part(_)));
        let parts = self.comm().reduce_one(parts, Reduce::Sum)?;
        self.observer.event(&LsLrEvent::Removed { phase: &done.phase, parts, left, first_left });
        if parts > 0 {
            self.notice(0, "remove", &reason!(RemovePartial { trees: parts }))?;
        }
        self.tell_others(found)?;
        Ok(whole && left == 0)
    }

    /// Reports the trees that do not exist, and those that no rank of this run may remove. Collective.
    fn tell_others(&mut self, found: TreeRemains) -> Result<(), Halt> {
        let ranks = self.comm().size();
        let next = self.parameters.tree(ranks);
        let stays = self.comm().rank() == 0 && next.symlink_metadata().is_ok();
        let mut sums = [u64::from(stays), u64::from(found != TreeRemains::Nothing)];
        self.comm().all_reduce(&mut sums, Reduce::Sum)?;
        let [stays, found] = sums;
        if found == 0 {
            let path = self.parameters.tree(0).display().to_string();
            self.notice(0, "remove", &reason!(NothingToRemove { path }))?;
        }
        if stays > 0 {
            self.notice(0, "remove", &reason!(TreesStay { path: next.display().to_string() }))?;
        }
        Ok(())
    }
}
