//! Operations beyond those of mdtest 4.1. Each restores the names that it found. After the phase, outside of
//! any clock, it removes the names and extended attributes that it added. `chmod` and `truncate` do not
//! restore what they set.

use std::ffi::CStr;
use std::io;
use std::path::Path;

use command::mdtest::{ItemOperation, Request};
use ranks::{Comm, Halt};
use storage::{Mode, Names, Storage};

use super::directories::one_call;
use super::items::{Items, Stem, shifted};
use super::names::{self, TreeShape};
use super::phase::{self, PhasePlan, untimed};
use super::state::{MdtestRun, ShiftTurn};
use crate::kit::beneath::alone;
use crate::kit::failed_call::call_failed;
use crate::kit::operations::Operation;
use crate::kit::path::PathBuffer;

/// The mode that `chmod` sets: fewer permissions than files are created with.
const PERMISSIONS: u32 = 0o600;
/// The length to which files without data are extended.
const LENGTHENED: u64 = 4096;
/// The attribute that is set, and its length.
const ATTRIBUTE: &CStr = c"user.mdtest";
const ATTRIBUTE_BYTES: usize = 32;
/// The error number for a file without this attribute.
const ENODATA: i32 = 61;

pub(super) fn statx(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    simple(run, row, "statx", |names, path| names.statx(path).map(drop))
}

pub(super) fn chmod(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    simple(run, row, "chmod", |names, path| names.chmod(path, PERMISSIONS))
}

/// Cuts files with data to no length, and extends empty files.
pub(super) fn truncate(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let bytes = if run.parameters.write_bytes > 0 { 0 } else { LENGTHENED };
    simple(run, row, "truncate", move |names, path| names.truncate(path, bytes))
}

pub(super) fn set_attribute(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    simple(run, row, "setxattr", set)?;
    clear_attributes(run, row)
}

pub(super) fn get_attribute(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let (names, mut items, count) = (run.names, run.own(ShiftTurn::Stat, Stem::File), run.items);
    let keep_going = run.parameters.keep_going;
    untimed(run, row.label, count, |item| {
        items.go(item);
        match set(names, items.c_path()) {
            // In that case getting it fails too, and that failure is counted.
            Err(error) if !keep_going => Err(call_failed("setxattr", items.path(), &error)),
            _ => Ok(()),
        }
    })?;
    simple(run, row, "getxattr", |names, path| {
        let mut value = [0; ATTRIBUTE_BYTES];
        match names.get_attribute(path, ATTRIBUTE, &mut value)? {
            ATTRIBUTE_BYTES => Ok(()),
            other => Err(storage::call_error::short(format!(
                "the attribute has {other} of {ATTRIBUTE_BYTES} bytes"
            ))),
        }
    })?;
    clear_attributes(run, row)
}

fn set(names: &dyn Names, path: &CStr) -> io::Result<()> {
    names.set_attribute(path, ATTRIBUTE, &[b'm'; ATTRIBUTE_BYTES])
}

/// All ranks remove the attribute. On a shared file, the first rank removes it.
fn clear_attributes(run: &mut MdtestRun<'_>, row: &ItemOperation) -> Result<(), Halt> {
    let (names, mut items, count) = (run.names, run.own(ShiftTurn::Stat, Stem::File), run.items);
    let shared = run.parameters.shared_file || run.parameters.keep_going;
    untimed(run, row.label, count, |item| {
        items.go(item);
        match names.remove_attribute(items.c_path(), ATTRIBUTE) {
            Err(error) if !(shared && has_none(names, items.c_path())) => {
                Err(call_failed("removexattr", items.path(), &error))
            }
            _ => Ok(()),
        }
    })
}

/// Whether the attribute is missing: never set, or removed by another rank.
fn has_none(names: &dyn Names, path: &CStr) -> bool {
    let got = names.get_attribute(path, ATTRIBUTE, &mut [0; ATTRIBUTE_BYTES]);
    got.is_err_and(|error| {
        error.raw_os_error() == Some(ENODATA)
            || matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::Unsupported)
    })
}

fn simple(
    run: &mut MdtestRun<'_>,
    row: &'static ItemOperation,
    call: &'static str,
    act: impl Fn(&dyn Names, &CStr) -> io::Result<()>,
) -> Result<(), Halt> {
    let plan = PhasePlan::new(run, row, run.items);
    let items = run.own(ShiftTurn::Stat, Stem::File);
    one_call(run, &plan, items, call, act)
}

/// How a second name is made from the name of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Second {
    /// A hard link in the same directory.
    Link,
    /// A symbolic link in the same directory.
    Symlink,
    /// The same name in the test directory: a move and a move back.
    Across,
}

impl Second {
    fn call(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Symlink => "symlink",
            Self::Across => "rename",
        }
    }
}

pub(super) fn link(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    second_names(run, row, Second::Link)
}

pub(super) fn symlink(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    second_names(run, row, Second::Symlink)
}

/// Moves each item to the test directory. When all are there, moves each back.
pub(super) fn rename_across(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    second_names(run, row, Second::Across)
}

fn second_names(run: &mut MdtestRun<'_>, row: &'static ItemOperation, kind: Second) -> Result<(), Halt> {
    let across = kind == Second::Across;
    // Only one rank can move files that all ranks share.
    let idle = across && run.parameters.shared_file && run.rank.comm.rank() > 0;
    let once = if idle { 0 } else { run.items };
    let times = if across { 2 } else { 1 };
    let plan = PhasePlan { announced: run.items * times, ..PhasePlan::new(run, row, once * times) };
    let mut pair = Pair {
        names: run.names,
        items: run.own(ShiftTurn::Stat, Stem::File),
        kind,
        once: once.max(1),
        second: PathBuffer::default(),
        dir: None,
        back: false,
    };
    let done = phase::perform(run, &plan, &mut pair, None)?;
    phase::conclude(run, &plan, done)?;
    if across {
        return Ok(());
    }
    let (names, keep_going) = (run.names, run.parameters.keep_going);
    untimed(run, row.label, once, |item| {
        pair.before(item);
        match names.unlink(pair.second.as_c_str()) {
            Err(error) if keep_going && error.kind() == io::ErrorKind::NotFound => Ok(()),
            gone => gone.map_err(|error| call_failed("unlink", pair.second.as_path(), &error)),
        }
    })
}

struct Pair<'r> {
    names: &'r dyn Names,
    items: Items<'r>,
    kind: Second,
    /// Number of items. Each comes twice if items are moved and moved back.
    once: u64,
    second: PathBuffer,
    /// The test directory that `second` begins with, and the length of its path.
    dir: Option<(u64, usize)>,
    back: bool,
}

impl Operation for Pair<'_> {
    fn before(&mut self, item: u64) {
        self.back = item >= self.once;
        self.items.go(item % self.once);
        if self.kind == Second::Across {
            let at = self.items.test_dir();
            if self.dir.is_none_or(|(known, _)| known != at) {
                let owners = self.items.owners();
                let dir = names::test_dir(owners.parameters, owners.rank, owners.iteration, at);
                self.second = PathBuffer::new(Path::new(&dir));
                self.second.push("/");
                self.dir = Some((at, self.second.len()));
            }
            self.second.cut(self.dir.map_or(0, |(_, length)| length));
            self.second.push_name(self.items.name());
            return;
        }
        self.second.copy(self.items.buffer());
        // For a shared file each rank makes its own names.
        self.second.push(if self.kind == Second::Link { ".link." } else { ".symlink." });
        self.second.number(self.items.owners().rank.into());
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        let (first, second) = (self.items.c_path(), self.second.as_c_str());
        match self.kind {
            Second::Link => self.names.link(first, second),
            Second::Symlink => self.names.symlink(self.items.name(), second),
            Second::Across if self.back => self.names.rename(second, first),
            Second::Across => self.names.rename(first, second),
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        let path = if self.back { self.second.as_path() } else { self.items.path() };
        (self.kind.call(), path)
    }
}

/// Each rank lists every directory with items in its tree.
pub(super) fn list(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let (parameters, counts) = (run.parameters, run.counts);
    let count = counts.holders * counts.loops;
    let rank = run.rank.comm.rank();
    let tree = shifted(rank, run.shift * ShiftTurn::Stat as i64 + run.tree_shift(), run.ranks());
    let owners = if parameters.unique_dir || parameters.shared_file { 1 } else { u64::from(run.ranks()) };
    // A rank knows the number of items only if this run created all of them.
    let known = parameters.create && !parameters.keep_going && run.items == counts.items();
    let known = known && !parameters.keeps_nothing();
    let items = known.then(|| counts.per_dir * owners + parameters.preload);
    let mut listing = List {
        names: run.names,
        parameters,
        shape: TreeShape::of(parameters, counts),
        iteration: run.iteration,
        holders: counts.holders,
        ranks: (rank, tree),
        items,
        least: 0,
        path: PathBuffer::default(),
    };
    let plan = PhasePlan { announced: count, ..PhasePlan::new(run, row, count) };
    let done = phase::perform(run, &plan, &mut listing, None)?;
    phase::conclude(run, &plan, done)
}

struct List<'r> {
    names: &'r dyn Names,
    parameters: &'r Request,
    shape: TreeShape,
    iteration: u32,
    holders: u64,
    /// This rank, and the rank that owns the tree.
    ranks: (u32, u32),
    /// Number of items and preloaded files in each directory, if known.
    items: Option<u64>,
    /// Number of entries that the current directory has at least.
    least: u64,
    path: PathBuffer,
}

impl Operation for List<'_> {
    fn before(&mut self, item: u64) {
        let node = self.shape.directories - self.holders + item % self.holders;
        let at = (self.iteration, item / self.holders);
        self.path = names::node(self.parameters, self.shape, at, self.ranks, node);
        self.least = self.items.map_or(0, |items| items + self.shape.children(node));
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        let found = self.names.list(self.path.as_c_str(), &mut |_, _| ())?;
        match found >= self.least {
            true => Ok(()),
            false => Err(storage::call_error::short(format!(
                "{found} of at least {} entries were listed",
                self.least
            ))),
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        ("list", self.path.as_path())
    }
}

/// All ranks open and close one file, once for each item. Rank 0 creates it before and removes it after the
/// phase.
pub(super) fn shared_open(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let dir = names::test_dir(run.parameters, 0, run.iteration, 0);
    let path = PathBuffer::new(Path::new(&format!("{dir}/file.mdtest.shared-open")));
    let alone = u64::from(run.rank.comm.rank() == 0);
    let names = run.names;
    untimed(run, row.label, alone, |_| {
        names
            .make_node(path.as_c_str(), PERMISSIONS)
            .map_err(|error| call_failed("mknod", path.as_path(), &error))
    })?;
    let mut opening = OpenOne { storage: run.storage, comm: run.rank.comm, path: path.clone(), call: "open" };
    let plan = PhasePlan::new(run, row, run.items);
    let done = phase::perform(run, &plan, &mut opening, None)?;
    phase::conclude(run, &plan, done)?;
    untimed(run, row.label, alone, |_| {
        names.unlink(path.as_c_str()).map_err(|error| call_failed("unlink", path.as_path(), &error))
    })
}

struct OpenOne<'r> {
    storage: &'r dyn Storage,
    comm: &'r dyn Comm,
    path: PathBuffer,
    call: &'static str,
}

impl Operation for OpenOne<'_> {
    fn before(&mut self, _item: u64) {
        self.call = "open";
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        let file = self.storage.open(self.comm, self.path.as_path(), alone(Mode::Read, 0))?;
        self.call = "close";
        file.close()
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.path.as_path())
    }
}
