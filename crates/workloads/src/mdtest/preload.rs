//! Files that exist before the items are created, so that directories are as full as in a system with a long
//! history.
//!
//! All ranks create and remove them together, outside of any clock, and a listing counts them. The run ends
//! if a directory does not have the requested number.

use ranks::FailureCause;
use results::reason;
use std::ffi::CStr;
use std::io;

use measure::Clock;
use ranks::{Halt, Reduce};
use results::Record;
use results::record::ReachedState;
use storage::Names;

use super::names::{self, TreeShape};
use super::observer::MdtestEvent;
use super::phase::untimed;
use super::state::MdtestRun;
use crate::kit::failed_call::{call_failed, named, wrong_count};
use crate::kit::path::PathBuffer;

pub(super) const STEM: &str = "preload.mdtest.";
const PERMISSIONS: u32 = 0o600;

/// The directories, and this rank's part of the work.
struct PreloadShare {
    /// All directories that hold items, of one tree in each test directory.
    directories: u64,
    /// The files of a directory that this rank makes: `first`, `first + step`, …
    first: u64,
    step: u64,
}

impl PreloadShare {
    /// With their own trees, ranks do all the work there. In one tree for all ranks, they take turns.
    fn of(run: &MdtestRun<'_>) -> Self {
        let directories = run.counts.holders * run.counts.loops;
        match run.parameters.unique_dir {
            true => Self { directories, first: 0, step: 1 },
            false => Self { directories, first: run.rank.comm.rank().into(), step: run.ranks().into() },
        }
    }
}

fn directory(run: &MdtestRun<'_>, number: u64) -> PathBuffer {
    let (counts, rank) = (run.counts, run.rank.comm.rank());
    let shape = TreeShape::of(run.parameters, counts);
    let node = counts.first_holder() + number % counts.holders;
    names::node(run.parameters, shape, (run.iteration, number / counts.holders), (rank, rank), node)
}

/// Creates and counts the files, and reports the count. Collective.
pub(super) fn fill(run: &mut MdtestRun<'_>) -> Result<(), Halt> {
    let begun = run.rank.clock.now();
    each_file(run, "mknod", &|names, path| names.make_node(path, PERMISSIONS))?;
    let share = PreloadShare::of(run);
    run.rank.comm.agree("preload", count(run, &share))?;
    // All directories have the same number, because any other would have been an error.
    let files_each = run.parameters.preload;
    let trees = if run.parameters.unique_dir { u64::from(run.ranks()) } else { 1 };
    let directories = share.directories * trees;
    let ns = run.rank.clock.scale().ns(run.rank.clock.now().0 - begun.0);
    let ns = run.rank.comm.reduce_one(ns, Reduce::Max)?;
    let seconds = ns as f64 * 1e-9;
    run.observer.event(&MdtestEvent::Preloaded { directories, files_each, seconds });
    run.rank.notice(run.iteration, "", &reason!(Preload { files: files_each, directories }))?;
    run.rank.record(&Record::State(Box::new(ReachedState {
        kind: "preload".to_owned(),
        dir: run.parameters.dirs.join("@"),
        files: files_each * directories,
        directories,
        seconds,
        ..ReachedState::default()
    })))
}

/// Counts the files of this rank's part of the directories. A number other than the requested one is an
/// error.
fn count(run: &MdtestRun<'_>, share: &PreloadShare) -> Result<(), FailureCause> {
    let wanted = run.parameters.preload;
    for number in (share.first..share.directories).step_by(share.step as usize) {
        let path = directory(run, number);
        let found = listed(run.names, path.as_c_str());
        let found = found.map_err(|error| call_failed("list", path.as_path(), &error))?;
        if found != wanted {
            let text = format!("{wanted} files were created, but {found} are listed");
            return Err(named("list", path.as_path(), &wrong_count(found, wanted, text)));
        }
    }
    Ok(())
}

/// Number of preloaded files in a directory.
pub(super) fn listed(names: &dyn Names, directory: &CStr) -> io::Result<u64> {
    let mut found = 0;
    names.list(directory, &mut |name, _| {
        found += u64::from(name.to_bytes().starts_with(STEM.as_bytes()));
    })?;
    Ok(found)
}

/// Removes the preloaded files. Collective.
pub(super) fn empty(run: &mut MdtestRun<'_>) -> Result<(), Halt> {
    let created = run.parameters.create;
    each_file(run, "unlink", &|names, path| match names.unlink(path) {
        // Files that an earlier removal has already removed.
        Err(error) if !created && error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    })
}

/// Makes one call on each of this rank's files. Collective.
fn each_file(
    run: &MdtestRun<'_>,
    call: &str,
    act: &dyn Fn(&dyn Names, &CStr) -> io::Result<()>,
) -> Result<(), Halt> {
    let share = PreloadShare::of(run);
    let in_each = run.parameters.preload.saturating_sub(share.first).div_ceil(share.step);
    let (mut path, mut length) = (PathBuffer::default(), 0);
    untimed(run, "preload", share.directories * in_each, |number| {
        let file = number % in_each;
        if file == 0 {
            path = directory(run, number / in_each);
            path.push("/").push(STEM);
            length = path.len();
        }
        path.cut(length);
        path.number(share.first + file * share.step);
        act(run.names, path.as_c_str()).map_err(|error| call_failed(call, path.as_path(), &error))
    })
}
