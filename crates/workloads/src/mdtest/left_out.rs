//! What a removal leaves out: missing names, and directories with names that mdtest did not make.
//!
//! A user removes what an earlier run left, also if that run or another removal ended early. So in a run that
//! creates nothing, a missing name is not a failure. In a run that created the name, it is: the file system
//! lost it.
//!
//! Invariant: only names of this run's items are removed. A foreign name is reported and stays.

use command::mdtest::{ItemOperation, Request};
use results::reason;
use std::ffi::{CStr, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use ranks::{Halt, Reduce};
use storage::Names;

use super::items::Items;
use super::names;
use super::phase::{self, PhasePlan};
use super::preload;
use super::state::MdtestRun;
use crate::kit::operations::{NothingToDo, Operation};
use crate::kit::path::PathBuffer;

/// Counts what one rank leaves out in one phase.
pub(super) struct LeftOut {
    /// Whether this run created the names.
    created: bool,
    /// Whether files of `--preload` would explain why a directory is not empty: the run removes none.
    looks_for_preloaded: bool,
    missing: u64,
    /// The most files of `--preload` in a directory that was not empty.
    preloaded: u64,
}

impl LeftOut {
    pub(super) fn new(parameters: &Request) -> Self {
        let looks_for_preloaded = parameters.preload == 0;
        Self { created: parameters.create, looks_for_preloaded, missing: 0, preloaded: 0 }
    }

    /// The result of a failed removal of `path`: nothing to do, or the failure.
    #[cold]
    pub(super) fn judge(&mut self, names: &dyn Names, path: &CStr, error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::NotFound if !self.created => {
                self.missing += 1;
                NothingToDo::error()
            }
            io::ErrorKind::DirectoryNotEmpty => match foreign(names, path) {
                Ok(Some(_)) => NothingToDo::error(),
                _ => {
                    let looks = self.looks_for_preloaded;
                    let found = if looks { preload::listed(names, path).unwrap_or(0) } else { 0 };
                    self.preloaded = self.preloaded.max(found);
                    error
                }
            },
            _ => error,
        }
    }

    /// Reports how many of the names were missing, and what keeps directories. Collective.
    pub(super) fn report(&self, run: &mut MdtestRun<'_>, row: &ItemOperation) -> Result<(), Halt> {
        let mut sums = [self.missing, self.preloaded.min(1)];
        run.rank.comm.all_reduce(&mut sums, Reduce::Sum)?;
        let [missing, with_preloaded] = sums;
        if with_preloaded > 0 {
            let preloaded = run.rank.comm.reduce_one(self.preloaded, Reduce::Max)?;
            run.notice(row.phase, &reason!(Preloaded { label: row.label, files: preloaded }))?;
        }
        if missing == 0 {
            return Ok(());
        }
        let files = (row.phase == "file_removal").then_some(true);
        let (label, iteration) = (row.label, run.iteration);
        run.notice(row.phase, &reason!(Missing { label, iteration, missing, files }))
    }
}

/// Removes each item of a rank.
struct Removal<'r> {
    names: &'r dyn Names,
    items: Items<'r>,
    call: &'static str,
    act: fn(&dyn Names, &CStr) -> io::Result<()>,
    left_out: LeftOut,
}

impl Operation for Removal<'_> {
    #[inline]
    fn before(&mut self, item: u64) {
        self.items.go(item);
    }

    #[inline]
    fn operate(&mut self, _item: u64) -> io::Result<()> {
        let path = self.items.c_path();
        (self.act)(self.names, path).map_err(|error| self.left_out.judge(self.names, path, error))
    }

    fn failed(&self) -> (&'static str, &Path) {
        (self.call, self.items.path())
    }
}

/// The phase in which this rank removes each of `items` by `call`. Collective.
pub(super) fn remove<'r>(
    run: &mut MdtestRun<'r>,
    plan: &PhasePlan,
    items: Items<'r>,
    call: &'static str,
    act: fn(&dyn Names, &CStr) -> io::Result<()>,
) -> Result<(), Halt> {
    let left_out = LeftOut::new(run.parameters);
    let mut removal = Removal { names: run.names, items, call, act, left_out };
    let done = phase::perform(run, plan, &mut removal, None)?;
    removal.left_out.report(run, plan.row)?;
    phase::conclude(run, plan, done)
}

/// The first name in a directory, or in mdtest's directories below it, that mdtest did not make.
pub(super) fn foreign(names: &dyn Names, directory: &CStr) -> io::Result<Option<PathBuf>> {
    let (mut found, mut below) = (None, Vec::new());
    names.list(directory, &mut |name, is_directory| {
        if !is_own(name) {
            found.get_or_insert_with(|| name.to_owned());
        } else if is_directory.unwrap_or(true) {
            below.push(name.to_owned());
        }
    })?;
    let path_of = |name: &CStr| {
        let mut path = PathBuffer::new(Path::new(OsStr::from_bytes(directory.to_bytes())));
        path.push("/").push_name(name);
        path
    };
    if let Some(name) = found {
        return Ok(Some(path_of(&name).as_path().to_owned()));
    }
    // What is not a directory cannot be listed, and holds nothing.
    Ok(below.iter().find_map(|name| foreign(names, path_of(name).as_c_str()).ok().flatten()))
}

/// Whether a name has the form of those that mdtest makes.
fn is_own(name: &CStr) -> bool {
    let name = name.to_string_lossy();
    let stems = ["mdtest_tree.", "dir.mdtest.", "file.mdtest.shared.", "file.mdtest.", preload::STEM];
    let Some(numbers) = stems.iter().find_map(|stem| name.strip_prefix(stem)) else { return false };
    let numbers = numbers.strip_suffix(names::ASIDE).unwrap_or(numbers);
    !numbers.is_empty() && numbers.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_another_form_are_foreign() {
        let own = [
            c"mdtest_tree.0",
            c"mdtest_tree.3.12",
            c"dir.mdtest.0.7",
            c"dir.mdtest.0.0-XX",
            c"file.mdtest.1.2",
            c"file.mdtest.shared.4",
            c"preload.mdtest.9",
        ];
        assert!(own.into_iter().all(is_own));
        let foreign = [c"notes", c".nfs0001", c"file.mdtest.1.2.bak", c"file.mdtest.", c"xfile.mdtest.1.2"];
        assert!(!foreign.into_iter().any(is_own));
    }
}
