//! What POSIX owes programs on many ranks, without MPI's files.

mod append;
mod locks;
mod mapped;
mod names;
mod races;
mod sparse;
mod visible;

use std::io::{Error, ErrorKind};

use super::case::Case;
use super::stop::Trouble;

/// The cases of this group.
pub(super) fn cases() -> Vec<Case> {
    let groups = [
        append::cases(),
        names::cases(),
        races::cases(),
        locks::cases(),
        visible::cases(),
        mapped::cases(),
        sparse::cases(),
    ];
    groups.into_iter().flatten().collect()
}

/// Of a link that was not made: `EPERM` is how POSIX has a file system say that it knows none.
pub(super) fn no_links(error: Error) -> Trouble {
    match error.kind() {
        ErrorKind::PermissionDenied => Trouble::Unsupported(format!("link: {error}")),
        _ => Trouble::from(error).of("link"),
    }
}
