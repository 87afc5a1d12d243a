//! Promises of POSIX and flock(2) to programs on many ranks, without MPI files.

mod append;
mod exclusion;
mod flock;
mod killed;
mod locks;
mod mmap;
mod namespace;
mod races;
mod sparse;
mod visibility;

use std::io::{Error, ErrorKind};

use super::case::ConformanceCase;
use super::problem::CaseProblem;

pub use killed::hold_lock;

/// The cases of these groups.
pub(super) fn cases() -> Vec<ConformanceCase> {
    let groups = [
        append::cases(),
        namespace::cases(),
        races::cases(),
        locks::cases(),
        flock::cases(),
        visibility::cases(),
        mmap::cases(),
        sparse::cases(),
    ];
    groups.into_iter().flatten().collect()
}

/// The problem of a link that could not be made. With `EPERM` a file system reports that it supports no
/// links.
pub(super) fn link_problem(error: Error) -> CaseProblem {
    match error.kind() {
        ErrorKind::PermissionDenied => CaseProblem::Unsupported(format!("link: {error}")),
        _ => CaseProblem::from(error).context("link"),
    }
}
