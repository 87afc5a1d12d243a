//! Creates and removes the files of a repetition, and reports files that existed before.
//!
//! Invariant: a rank only touches its own file, or the shared file if it is rank 0.
//! Never here: opening files, clocks.

use ranks::FailureCause;
use results::reason;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ranks::Halt;
use storage::Storage;

use super::layout::layout;
use super::observer::IorEvent;
use super::test::RunningTest;
use super::{each_rank, names};
use crate::kit::failed_call::named;
use crate::kit::few;
use crate::kit::path::c_path;

/// The file that this rank writes.
pub(super) fn mine(test: &RunningTest<'_>, repetition: u32) -> PathBuf {
    names::file(test.parameters, test.rank.comm.rank(), repetition)
}

/// The file that this rank creates and removes, if any: its own, or the shared one on rank 0.
fn own(test: &RunningTest<'_>, repetition: u32) -> Option<PathBuf> {
    (test.parameters.file_per_rank || test.rank.comm.rank() == 0).then(|| mine(test, repetition))
}

/// Removes the files of a repetition. A missing file is not an error.
pub(super) fn remove(test: &mut RunningTest<'_>, repetition: u32) -> Result<(), Halt> {
    let own = own(test, repetition);
    let removed = match &own {
        Some(path) => {
            let same = test.mounts.same(test.storage, path).map_err(FailureCause::from);
            same.and_then(|()| remove_one(test.storage, path))
        }
        None => Ok(false),
    };
    let removed = test.rank.comm.agree("remove", removed)?;
    each_rank::report_files(test, "removing", own.as_deref().filter(|_| removed))
}

/// Removes a file if it exists; returns whether it existed.
fn remove_one(storage: &dyn Storage, path: &Path) -> Result<bool, FailureCause> {
    let exists = storage.size(path).map(|size| size.is_some());
    let removed =
        exists.and_then(|exists| if exists { storage.remove(path).map(|()| true) } else { Ok(false) });
    removed.map_err(|error| named("unlink", path, &error))
}

/// After a failed write: removes what this run made, unless the user wants to keep the files. Adds to the
/// halt which files could not be removed. Collective, because all ranks halt.
pub(super) fn clean_up(test: &RunningTest<'_>, repetition: u32, mut halt: Halt) -> Halt {
    let wanted = test.parameters.keep || test.parameters.keep_with_error || test.parameters.use_existing;
    let removed = match own(test, repetition).filter(|_| !wanted) {
        Some(path) => remove_one(test.storage, &path).map(drop),
        None => Ok(()),
    };
    // If the ranks cannot meet any more, the failure that led here is all that can be reported.
    let Ok(left) = few::collect(test.rank.comm, removed.err().as_ref().map(|cause| cause.text.as_str()))
    else {
        return halt;
    };
    if let Some((_, first)) = left.parcels.first() {
        let others = match left.total {
            1 => String::new(),
            total => format!(", and {} more", total - 1),
        };
        halt.why.push_str(&format!(" (not removed: {first}{others})"));
    }
    halt
}

/// `-u`: creates the directory of this rank's file.
pub(super) fn make_dirs(test: &RunningTest<'_>) -> Result<(), Halt> {
    let Some(dir) = names::unique_dir(test.parameters, test.rank.comm.rank()) else { return Ok(()) };
    let path = c_path(test.storage.system_path(&dir));
    let made = match test.storage.mounted().or_else(|| test.storage.names()) {
        Some(names) => match names.make_dir(&path, 0o700) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(named("mkdir", &dir, &error)),
            _ => Ok(()),
        },
        None => Err("-u needs directories, which this backend does not have. Leave out -u".into()),
    };
    test.rank.comm.agree("make directory", made)
}

/// Rejects a mixed phase on incomplete files, because it would read data that is not there.
pub(super) fn all_there(test: &RunningTest<'_>, repetition: u32) -> Result<(), Halt> {
    let needed = layout(test.parameters, test.rank.comm.size()).file_bytes();
    let keeps = test.parameters.abilities().keeps_data && !test.parameters.write;
    let own = own(test, repetition).filter(|_| keeps);
    let there = own.map_or(Ok(()), |path| match lacks(test.storage, &path, needed) {
        Ok(None) => Ok(()),
        Ok(Some(what)) => Err(format!("{}: {what}. Add -w to write the file first", path.display()).into()),
        Err(error) => Err(named("stat", &path, &error)),
    });
    test.rank.comm.agree("mixed", there)
}

/// What is missing of the first `needed` bytes of a file.
fn lacks(storage: &dyn Storage, path: &Path, needed: u64) -> std::io::Result<Option<String>> {
    let found = storage.size(path)?.unwrap_or(0);
    if found < needed {
        return Ok(Some(format!("the file has {found} bytes and --rwmix needs {needed}")));
    }
    let hole = storage.hole(path)?.filter(|hole| *hole < needed);
    Ok(hole.map(|hole| format!("the file has a hole at {hole}, which --rwmix would read")))
}

/// Reports which of the files to be written exist. If many ranks have one, only the first are listed.
pub(super) fn report_existing(test: &mut RunningTest<'_>) -> Result<(), Halt> {
    let repetitions = if test.parameters.multi_file { test.parameters.repetitions } else { 1 };
    let files = (0..repetitions).filter_map(|number| own(test, number));
    // A directory is not removed. The write rejects it.
    let is_dir = |path: &Path| {
        let names = test.storage.mounted();
        names
            .and_then(|names| names.stat(&c_path(test.storage.system_path(path))).ok())
            .is_some_and(|entry| entry.directory)
    };
    let there = |path: &PathBuf| test.storage.size(path).is_ok_and(|size| size.is_some()) && !is_dir(path);
    let found: Vec<PathBuf> = files.filter(there).collect();
    if test.parameters.refuse_existing {
        let refused = match found.first().map(|path| path.display()) {
            Some(path) => {
                let why =
                    format!("{path} exists, and --refuse-existing keeps it. Choose another -o, or remove it");
                Err(FailureCause::from(why))
            }
            None => Ok(()),
        };
        return test.rank.comm.agree("write", refused);
    }
    let kept = test.parameters.use_existing;
    let lines = few::whole_lines(found.iter().map(|path| path.display().to_string()), few::BYTES);
    let mine = (!found.is_empty()).then_some(lines.as_str());
    let few = few::collect(test.rank.comm, mine)?;
    for (_, paths) in &few.parcels {
        for path in paths.lines() {
            test.observer.event(&IorEvent::Exists { path, kept });
        }
    }
    if few.total > few::SLOTS as u64 {
        test.notice(&reason!(FilesExist { ranks: few.total, kept }))?;
    }
    Ok(())
}
