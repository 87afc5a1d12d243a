//! The state of a run on one rank, which all phases share.

use std::fmt;

use command::mdtest::{ItemCounts, Request};
use ranks::{Comm, Halt, Reduce};
use results::reason::Reason;
use storage::{Names, Storage};

use super::items::{ItemOwners, Items, Stem, shifted};
use super::observer::{MdtestEvent, MdtestListener};
use crate::kit::payload::DataKey;
use crate::kit::rank::Rank;

/// The result of a run that did not halt; the same on every rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MdtestSummary {
    /// Items that held wrong data, over all ranks, phases and iterations.
    pub wrong: u64,
    /// Operations that failed while the run continued.
    pub failed: u64,
}

/// A run on one number of ranks.
pub(super) struct MdtestRun<'r> {
    pub(super) parameters: &'r Request,
    pub(super) storage: &'r dyn Storage,
    pub(super) names: &'r dyn Names,
    pub(super) rank: Rank<'r>,
    pub(super) observer: &'r mut MdtestListener<'r>,
    pub(super) counts: ItemCounts,
    /// Number of ranks by which the items shift from phase to phase.
    pub(super) shift: i64,
    /// The seed of the data.
    pub(super) signature: i32,
    /// What keys stamped data.
    pub(super) key: Option<DataKey>,
    /// The seed of this rank's order in the phases that `-R` shuffles.
    pub(super) order_seed: Option<u64>,
    /// Number of the run among those of `-f`, `-l`, `-s`.
    pub(super) test: u32,
    pub(super) iteration: u32,
    /// Existing items of one rank in the current test.
    pub(super) items: u64,
    /// Directories of one rank that were created until the deadline of `-W`, before the files are created.
    pub(super) directories_made: Option<u64>,
    pub(super) summary: MdtestSummary,
    /// Whether some created names are not yet removed.
    pub(super) made: bool,
    /// Test directories of the iteration that this run found and did not make, over all ranks. Two paths of
    /// `-d` may lead to the same directory.
    pub(super) found_dirs: u64,
}

/// The turn of a phase. Each turn shifts the items once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShiftTurn {
    Create = 0,
    Stat = 1,
    Read = 2,
    Remove = 3,
}

impl<'r> MdtestRun<'r> {
    /// Number of ranks that take part.
    pub(super) fn ranks(&self) -> u32 {
        self.rank.comm.size()
    }

    /// The items that this rank uses in `turn`.
    pub(super) fn own(&self, turn: ShiftTurn, stem: Stem) -> Items<'r> {
        let by = self.shift * turn as i64;
        let first_owner = shifted(self.rank.comm.rank(), by, self.ranks());
        Items::new(ItemOwners { first_owner, ..self.owners() }, stem)
    }

    /// With `-u -N` items are in the next rank's tree. With `-c` they are not, because rank 0 creates them
    /// all.
    pub(super) fn tree_shift(&self) -> i64 {
        if self.parameters.collective { 0 } else { self.shift }
    }

    fn owners(&self) -> ItemOwners<'r> {
        ItemOwners {
            parameters: self.parameters,
            counts: self.counts,
            iteration: self.iteration,
            rank: self.rank.comm.rank(),
            ranks: self.ranks(),
            tree_shift: self.tree_shift(),
            first_owner: 0,
            each: self.items,
        }
    }

    /// The items that this rank creates or removes, and their number. With `-c` rank 0 does it for all ranks,
    /// one rank after the other.
    pub(super) fn share(&self, turn: ShiftTurn, stem: Stem) -> (Items<'r>, u64) {
        let alone = self.rank.comm.rank() == 0;
        let all = u64::from(self.ranks()) * self.items;
        match self.parameters.collective {
            true => (Items::new(self.owners(), stem), if alone { all } else { 0 }),
            false => (self.own(turn, stem), self.items),
        }
    }

    /// Reports and records a notice for the reader of the numbers. Collective.
    pub(super) fn notice(&mut self, phase: &str, reason: &Reason) -> Result<(), Halt> {
        self.observer.event(&MdtestEvent::Notice(reason));
        self.rank.notice(self.iteration, phase, reason)
    }

    /// The sum over all ranks. Collective.
    pub(super) fn sum(&self, mine: u64) -> Result<u64, Halt> {
        self.rank.comm.reduce_one(mine, Reduce::Sum)
    }
}

/// With `--warningAsErrors`, halts all ranks if one has a warning. Collective.
pub fn stop_at_warning(
    parameters: &Request,
    comm: &dyn Comm,
    warning: Option<impl fmt::Display>,
) -> Result<(), Halt> {
    if !parameters.warnings_fail {
        return Ok(());
    }
    comm.agree("--warningAsErrors", warning.map_or(Ok(()), |text| Err(text.to_string())))
}
