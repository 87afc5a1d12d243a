//! Whether names and attributes come from a client's own memory.
//!
//! A query of a single entry would bring it into memory. But the kernel reports the number of cached entries.
//! A walk does not increase this number for entries that were cached before.

use std::rc::Rc;

use ranks::{Comm, Halt, Reduce};
use results::reason::{Reason, reason};
use storage::Client;

use super::failed_call::path_and_words;
use super::few;
use super::node::Node;

/// Shares are sent in millionths.
const WHOLE: u64 = 1_000_000;

/// If fewer names than this share were new to a client, a walk measured the client's memory.
const NEW_SHARE_MIN: f64 = 0.5;

/// What is known about the clients' caches before a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Caches {
    /// They were dropped on every node.
    pub dropped: bool,
    /// Names that were new to a client, as a share of those that its ranks requested, 0 to 1. This is the
    /// lowest share of all nodes. `None` if no kernel reported it.
    pub new_names: Option<f64>,
}

impl Caches {
    /// Why a walk measured a client's memory, or may have done so. `walked` says whether the same names were
    /// walked before in this run, and `made` whether it has just created some of them.
    pub(crate) fn warm(&self, walked: bool, made: bool) -> Option<Reason> {
        match self.new_names {
            Some(share) if share < NEW_SHARE_MIN => Some(reason!(Warm { new_names: share })),
            _ if self.dropped => None,
            _ if walked => Some(reason!(Warm { walked: true })),
            _ => made.then(|| reason!(Warm)),
        }
    }
}

/// The ranks of one node. The first of them queries the kernel.
pub(crate) struct RanksOfNode<'a> {
    all: &'a dyn Comm,
    node: Rc<Node>,
    client: &'a Client,
    before: Option<u64>,
}

impl<'a> RanksOfNode<'a> {
    pub(crate) fn new(all: &'a dyn Comm, node: Rc<Node>, client: &'a Client) -> Self {
        Self { all, node, client, before: None }
    }

    /// Drops the caches of every node. Returns whether all were dropped and, on rank 0, the reason of a
    /// failure. Collective.
    fn forget(&self) -> Result<(bool, Option<String>), Halt> {
        let mine = if self.node.leads() { self.client.drop_all_caches() } else { Ok(()) };
        let why = mine.err().map(|error| path_and_words(&self.client.drop_caches, &error));
        let collected = few::collect(self.all, why.as_deref())?;
        Ok((collected.total == 0, collected.parcels.into_iter().next().map(|(_, text)| text)))
    }

    /// Drops the caches of every node, if that is `wanted`. Returns whether all were dropped, and a notice if
    /// they were not. Collective.
    pub(crate) fn forget_if(&self, wanted: bool) -> Result<(bool, Option<Reason>), Halt> {
        if !wanted {
            return Ok((false, None));
        }
        let (dropped, why) = self.forget()?;
        let notice = (!dropped).then(|| reason!(CachesNotDropped { why: why.unwrap_or_default() }));
        Ok((dropped, notice))
    }

    /// Stores the number of names that each node has in memory. Not collective.
    pub(crate) fn before(&mut self) {
        self.before = if self.node.leads() { self.client.dentries_in_memory() } else { None };
    }

    /// The share of new names after a walk in which this rank requested `names` names. Collective.
    pub(crate) fn after(&self, dropped: bool, names: u64) -> Result<Caches, Halt> {
        let now = if self.node.leads() { self.client.dentries_in_memory() } else { None };
        let names = self.node.ranks.reduce_one(names, Reduce::Sum)?;
        let grown = self.before.zip(now).map(|(before, now)| now.saturating_sub(before).min(names));
        let share = grown.filter(|_| names > 0).map(|grown| grown * WHOLE / names);
        let least = self.all.reduce_one(share.unwrap_or(u64::from(u32::MAX)), Reduce::Min)?;
        let new_names = (least <= WHOLE).then_some(least as f64 / WHOLE as f64);
        Ok(Caches { dropped, new_names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_become_more_were_in_memory() {
        let dir = tempfile::tempdir().unwrap();
        let client = Client { drop_caches: dir.path().join("none/d"), dentry_state: dir.path().join("s") };
        let names = |number: u32| std::fs::write(&client.dentry_state, format!("{number}\t5\n")).unwrap();
        for (before, after, share) in [(500, 700, Some(1.0)), (500, 550, Some(0.25)), (500, 400, Some(0.0))] {
            names(before);
            let all = ranks::local::run(2, |comm| {
                let mut nodes = RanksOfNode::new(comm, Rc::new(Node::find(comm)?), &client);
                let (dropped, why) = nodes.forget()?;
                assert!(!dropped && why.is_some() == (comm.rank() == 0));
                nodes.before();
                comm.barrier()?;
                if comm.rank() == 0 {
                    names(after);
                }
                nodes.after(dropped, 100)
            });
            for caches in all {
                let wanted = Caches { dropped: false, new_names: share };
                assert_eq!(caches.unwrap().unwrap(), wanted, "{before} {after}");
            }
        }
        std::fs::remove_file(&client.dentry_state).unwrap();
        let alone = ranks::local::alone();
        let mut nodes = RanksOfNode::new(&alone, Rc::new(Node::find(&alone).unwrap()), &client);
        nodes.before();
        assert_eq!(nodes.after(true, 100).unwrap(), Caches { dropped: true, new_names: None });
    }

    #[test]
    fn what_the_kernel_counted_is_said_as_known_and_what_is_inferred_as_possible() {
        let caches = |new_names, dropped| Caches { dropped, new_names };
        assert_eq!(caches(Some(0.1), true).warm(false, false), Some(reason!(Warm { new_names: 0.1 })));
        for (walked, made, wanted) in
            [(true, false, reason!(Warm { walked: true })), (false, true, reason!(Warm))]
        {
            for new_names in [None, Some(0.95)] {
                assert_eq!(caches(new_names, false).warm(walked, made), Some(wanted.clone()));
            }
            assert_eq!(caches(None, true).warm(walked, made), None);
        }
        assert_eq!(caches(Some(0.95), false).warm(false, false), None);
    }
}
