//! The operations on items that are directories.

use std::ffi::CStr;
use std::io;
use std::path::Path;

use command::mdtest::ItemOperation;
use ranks::Halt;
use storage::Names;

use super::items::{Items, Stem};
use super::left_out;
use super::names;
use super::phase::{self, PhasePlan};
use super::state::{MdtestRun, ShiftTurn};
use super::status;
use super::tree::PERMISSIONS;
use crate::kit::operations::Operation;
use crate::kit::path::PathBuffer;

/// One call on each item.
pub(super) struct OneCall<'r, F> {
    pub(super) names: &'r dyn Names,
    pub(super) items: Items<'r>,
    pub(super) call: &'static str,
    pub(super) act: F,
}

impl<F: Fn(&dyn Names, &CStr) -> io::Result<()>> Operation for OneCall<'_, F> {
    #[inline]
    fn before(&mut self, item: u64) {
        self.items.go(item);
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        (self.act)(self.names, self.items.c_path())
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.items.path())
    }
}

/// The phase in which this rank makes one call on each of `items`.
pub(super) fn one_call<'r>(
    run: &mut MdtestRun<'r>,
    plan: &PhasePlan,
    items: Items<'r>,
    call: &'static str,
    act: impl Fn(&dyn Names, &CStr) -> io::Result<()>,
) -> Result<(), Halt> {
    let mut operation = OneCall { names: run.names, items, call, act };
    let done = phase::perform(run, plan, &mut operation, None)?;
    phase::conclude(run, plan, done)
}

pub(super) fn create(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let (items, count) = run.share(ShiftTurn::Create, Stem::Directory);
    let deadline = run.parameters.deadline > 0;
    let mut plan = PhasePlan { deadline, ..PhasePlan::new(run, row, count) };
    let act = |names: &dyn Names, path: &CStr| names.make_dir(path, PERMISSIONS);
    let mut operation = OneCall { names: run.names, items, call: "mkdir", act };
    let mut done = phase::perform(run, &plan, &mut operation, None)?;
    phase::stonewalled(run, &mut plan, &mut done);
    if deadline {
        status::leave(run, Stem::Directory)?;
    }
    phase::conclude(run, &plan, done)
}

pub(super) fn stat(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let plan = PhasePlan { shuffled: true, ..PhasePlan::new(run, row, run.items) };
    let items = run.own(ShiftTurn::Stat, Stem::Directory);
    one_call(run, &plan, items, "stat", |names, path| names.stat(path).map(drop))
}

pub(super) fn remove(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let (items, count) = run.share(ShiftTurn::Remove, Stem::Directory);
    let plan = PhasePlan::new(run, row, count);
    left_out::remove(run, &plan, items, "rmdir", |names, path| names.remove_dir(path))
}

/// Renames in a ring. The first directory is renamed out of the way. Each other takes the name of the one
/// before it, and the first takes the last free name. Afterwards the names are the same as before.
pub(super) fn rename(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let count = if run.items > 1 { run.items } else { 0 };
    let plan = PhasePlan { announced: count, ..PhasePlan::new(run, row, count) };
    let items = run.own(ShiftTurn::Stat, Stem::Directory);
    let mut ring =
        RenameRing { names: run.names, items, count, from: PathBuffer::default(), to: PathBuffer::default() };
    let done = phase::perform(run, &plan, &mut ring, None)?;
    phase::conclude(run, &plan, done)
}

/// Renames the items in order. The old name of one is the new name of the next.
struct RenameRing<'r> {
    names: &'r dyn Names,
    items: Items<'r>,
    count: u64,
    from: PathBuffer,
    to: PathBuffer,
}

impl Operation for RenameRing<'_> {
    fn before(&mut self, item: u64) {
        std::mem::swap(&mut self.from, &mut self.to);
        let first = item == 0;
        let last = item > 0 && item + 1 == self.count;
        self.items.go(if last { 0 } else { item });
        self.from.copy(self.items.buffer());
        if first {
            self.to.copy(self.items.buffer()).push(names::ASIDE);
        } else if last {
            self.from.push(names::ASIDE);
        }
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        self.names.rename(self.from.as_c_str(), self.to.as_c_str())
    }

    fn failed(&self) -> (&'static str, &Path) {
        ("rename", self.from.as_path())
    }
}
