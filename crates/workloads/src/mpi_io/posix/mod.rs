//! What POSIX owes programs on many ranks, without MPI's files.

mod append;
mod locks;
mod mapped;
mod names;
mod races;
mod sparse;
mod visible;

use super::case::Case;

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
