//! The directories around the items: those of `-d`, test directories, and the trees in them.
//!
//! Invariant: a directory that existed before is removed only by the phase that removes its tree. A directory
//! with any other entry is never removed.

use command::mdtest::{ItemOperation, Request, When};
use ranks::FailureCause;
use results::reason;
use std::ffi::CStr;
use std::io;
use std::path::Path;
use storage::call_error;

use ranks::{Comm, Halt};
use storage::Names;

use super::left_out::{self, LeftOut};
use super::names::{self, TreeShape};
use super::observer::{MdtestEvent, MdtestListener};
use super::phase::{self, PhasePlan, TREES_AT};
use super::state::{MdtestRun, stop_at_warning};
use crate::kit::failed_call::call_failed;
use crate::kit::failed_call::words;
use crate::kit::few;
use crate::kit::operations::Operation;
use crate::kit::path::PathBuffer;

/// The mode of new directories, before the umask.
pub(super) const PERMISSIONS: u32 = 0o775;

/// Creates the missing directories of `-d`, one level deep, each by one rank. Returns whether this rank
/// created one. Collective.
pub(super) fn make_own_dirs(parameters: &Request, names: &dyn Names, comm: &dyn Comm) -> Result<bool, Halt> {
    let makes = parameters.create && (comm.rank() as usize) < parameters.dirs.len();
    let made = if makes { make(names, names::own_dir(parameters, comm.rank())) } else { Ok(false) };
    comm.agree("directory", made)
}

/// Removes the directories that this run created. Collective.
pub(super) fn remove_own_dirs(
    parameters: &Request,
    names: &dyn Names,
    comm: &dyn Comm,
    made: bool,
    observer: &mut MdtestListener<'_>,
) -> Result<(), Halt> {
    let dir = names::own_dir(parameters, comm.rank());
    let removed = if made { remove_if_empty(names, dir) } else { Ok(true) };
    let removed = comm.agree("directory", removed)?;
    let left = few::collect(comm, (!removed).then_some(dir))?;
    let warnings = left.parcels.iter().map(|(_, dir)| format!("{dir} is not empty and is not removed"));
    let warnings: Vec<String> = warnings.collect();
    warnings.iter().for_each(|text| observer.event(&MdtestEvent::Warning(text)));
    stop_at_warning(parameters, comm, warnings.first())
}

/// Creates the missing test directories of an iteration. Collective.
pub(super) fn make_test_dirs(run: &mut MdtestRun<'_>) -> Result<(), Halt> {
    let mut new = 0;
    let made = each_test_dir(run, &mut |names, path| {
        new += u64::from(make(names, path)?);
        Ok(())
    });
    let new = run.sum(new)?;
    run.found_dirs = run.counts.loops * run.parameters.dirs.len() as u64 - new;
    run.made = new > 0;
    run.rank.comm.agree("test directory", made)?;
    run.made = true;
    Ok(())
}

/// Removes them. One that holds foreign names is kept and reported. Any other that cannot be removed counts
/// as a failure, and so does a missing one that this run created. One that is missing on its second path
/// does not. Collective.
pub(super) fn remove_test_dirs(run: &mut MdtestRun<'_>) -> Result<(), Halt> {
    let (mut failed, mut missing, mut kept): (KeptDirs, KeptDirs, KeptDirs) = Default::default();
    let created = run.parameters.create;
    let done = each_test_dir(run, &mut |names, path| {
        let known = PathBuffer::new(Path::new(path));
        let Err(error) = names.remove_dir(known.as_c_str()) else { return Ok(()) };
        match error.kind() {
            io::ErrorKind::NotFound if !created => {}
            io::ErrorKind::NotFound => missing.add(call_failed("rmdir", known.as_path(), &error)),
            io::ErrorKind::DirectoryNotEmpty => match left_out::foreign(names, known.as_c_str()) {
                Ok(Some(name)) => kept.add(name.display().to_string().into()),
                _ => failed.add(call_failed("rmdir", known.as_path(), &error)),
            },
            _ => failed.add(call_failed("rmdir", known.as_path(), &error)),
        }
        Ok(())
    });
    run.rank.comm.agree("test directory", done)?;
    let (kept, foreign) = kept.over_ranks(run)?;
    let (failed, failure) = failed.over_ranks(run)?;
    let (missing, first_missing) = missing.over_ranks(run)?;
    let left = failed + missing.saturating_sub(run.found_dirs);
    let FailureCause { text: why, call } = if failed > 0 { failure } else { first_missing };
    run.summary.failed += left;
    run.made = left + kept > 0;
    if kept > 0 {
        run.notice("tree_removal", &reason!(Kept { directories: kept, first: foreign.to_string() }))?;
    }
    if left > 0 {
        let reason = reason!(Left { directories: left, why });
        run.observer.event(&MdtestEvent::Notice(&reason));
        run.rank.notice_of_call(run.iteration, "tree_removal", &reason, call)?;
    }
    Ok(())
}

/// The number of test directories that stay for one reason, and why the first one does.
#[derive(Default)]
struct KeptDirs {
    count: u64,
    first: Option<FailureCause>,
}

impl KeptDirs {
    fn add(&mut self, why: FailureCause) {
        self.count += 1;
        self.first.get_or_insert(why);
    }

    /// The number on all ranks, and the first reason. Collective.
    fn over_ranks(self, run: &MdtestRun<'_>) -> Result<(u64, FailureCause), Halt> {
        let count = run.sum(self.count)?;
        if count == 0 {
            return Ok((0, FailureCause::default()));
        }
        let first = self.first.map(|cause| cause.encode(run.rank.comm.node_name()));
        let firsts = few::collect(run.rank.comm, first.as_deref())?;
        let first = firsts.parcels.first().map(|(_, text)| FailureCause::decode(text).1);
        Ok((count, first.unwrap_or_default()))
    }
}

/// Calls a function with the path of each test directory of this iteration that this rank creates.
fn each_test_dir(
    run: &MdtestRun<'_>,
    what: &mut dyn FnMut(&dyn Names, &str) -> Result<(), FailureCause>,
) -> Result<(), FailureCause> {
    let rank = run.rank.comm.rank();
    if rank as usize >= run.parameters.dirs.len() {
        return Ok(());
    }
    let mut paths =
        (0..run.counts.loops).map(|number| names::test_dir(run.parameters, rank, run.iteration, number));
    paths.try_for_each(|path| what(run.names, &path))
}

fn make(names: &dyn Names, path: &str) -> Result<bool, FailureCause> {
    let known = PathBuffer::new(Path::new(path));
    match names.make_dir(known.as_c_str(), PERMISSIONS) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match names.stat(known.as_c_str()) {
            Ok(entry) if entry.directory => Ok(false),
            Ok(_) => Err(format!("{path}: is no directory").into()),
            Err(error) => Err(call_failed("stat", path.as_ref(), &error)),
        },
        Err(error) => Err(call_failed("mkdir", path.as_ref(), &error)),
    }
}

/// Whether the directory is removed; false if it is not empty.
fn remove_if_empty(names: &dyn Names, path: &str) -> Result<bool, FailureCause> {
    match names.remove_dir(PathBuffer::new(Path::new(path)).as_c_str()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(false),
        Err(error) => Err(call_failed("rmdir", path.as_ref(), &error)),
    }
}

/// The phases that create and remove the trees.
pub(super) fn each_directory(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    let down = row.when == When::Begin;
    let rank = run.rank.comm.rank();
    let trees = match (run.parameters.unique_dir, run.parameters.collective) {
        (true, false) => 1,
        (true, true) if rank == 0 => run.ranks(),
        (false, _) if rank == 0 => 1,
        _ => 0,
    };
    let shape = TreeShape::of(run.parameters, run.counts);
    let announced = shape.directories * run.counts.loops;
    let count = announced * u64::from(trees);
    let mut walk = TreesWalk {
        names: run.names,
        parameters: run.parameters,
        iteration: run.iteration,
        rank,
        trees: trees.into(),
        shape,
        down,
        node: 0,
        path: PathBuffer::default(),
        left_out: LeftOut::new(run.parameters),
    };
    let plan = PhasePlan { announced, names_at: TREES_AT, ..PhasePlan::new(run, row, count) };
    let done = phase::perform(run, &plan, &mut walk, None)?;
    if !down {
        walk.left_out.report(run, row)?;
    }
    phase::conclude(run, &plan, done)
}

/// Visits the directories of some trees, one tree after the other.
struct TreesWalk<'r> {
    names: &'r dyn Names,
    parameters: &'r Request,
    iteration: u32,
    rank: u32,
    /// Trees in each test directory that this rank creates.
    trees: u64,
    shape: TreeShape,
    /// Creates each directory before its children; otherwise removes each after its children.
    down: bool,
    node: u64,
    path: PathBuffer,
    left_out: LeftOut,
}

impl TreesWalk<'_> {
    /// The reason for a failed creation: who uses an existing directory.
    #[cold]
    fn explain(&self, error: io::Error) -> io::Error {
        // A run that continues counts the reason by the error number.
        if self.parameters.keep_going || error.kind() != io::ErrorKind::AlreadyExists {
            return error;
        }
        let why = "an earlier or running mdtest made it. Remove it with -r and the options of that run, or \
                   use another -d";
        call_error::reworded(&error, format!("{}: {why}", words(&error)))
    }
}

impl Operation for TreesWalk<'_> {
    fn before(&mut self, item: u64) {
        let (tree, within) = (item / self.shape.directories, item % self.shape.directories);
        self.node = match (within, self.down) {
            (0, true) => 0,
            (0, false) => self.shape.first_up(0),
            (_, true) => self.shape.next_down(self.node).unwrap_or(0),
            (_, false) => self.shape.next_up(self.node).unwrap_or(0),
        };
        let number = tree / self.trees;
        // A single tree belongs to this rank. Several are the trees of all ranks, created by rank 0.
        let owner = if self.trees > 1 { (tree % self.trees) as u32 } else { self.rank };
        let at = (self.iteration, number);
        self.path = names::node(self.parameters, self.shape, at, (self.rank, owner), self.node);
    }

    fn operate(&mut self, _item: u64) -> io::Result<()> {
        let path: &CStr = self.path.as_c_str();
        match self.down {
            true => self.names.make_dir(path, PERMISSIONS).map_err(|error| self.explain(error)),
            false => {
                self.names.remove_dir(path).map_err(|error| self.left_out.judge(self.names, path, error))
            }
        }
    }

    fn failed(&self) -> (&'static str, &Path) {
        (if self.down { "mkdir" } else { "rmdir" }, self.path.as_path())
    }
}
