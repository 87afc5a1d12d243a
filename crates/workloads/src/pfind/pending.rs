//! The entries that a rank has found and not yet examined. It examines the last one first, and gives the
//! first ones to others, because these have the largest trees below them.

use std::ffi::CStr;

use storage::EntryKind;

use crate::kit::path_stack::PathStack;

/// The most bytes that are given at once: MPI sends messages of this length while the receiver waits shortly.
const GIVEN_BYTES_MAX: usize = 1 << 16;

/// The kinds in messages, by their numbers.
const KINDS: [EntryKind; 4] = [EntryKind::Directory, EntryKind::Link, EntryKind::Other, EntryKind::Unknown];

/// Entries by their paths, the last one on top.
pub(super) type PendingEntries = PathStack<EntryKind>;

/// Removes the first half and returns it as a message: for each entry its kind and its path.
pub(super) fn take_half(entries: &mut PendingEntries) -> Vec<u8> {
    let mut message = Vec::new();
    entries.take_first(entries.len().div_ceil(2), GIVEN_BYTES_MAX, |kind, path| {
        message.push(KINDS.iter().position(|known| *known == kind).expect("all kinds are listed") as u8);
        message.extend_from_slice(path.to_bytes_with_nul());
    });
    message
}

/// Adds the entries of a message, and returns their number.
pub(super) fn add(entries: &mut PendingEntries, mut message: &[u8]) -> u64 {
    let before = entries.len();
    while let [kind, rest @ ..] = message {
        let path = CStr::from_bytes_until_nul(rest).expect("each path has its end");
        entries.push(path, KINDS[usize::from(*kind)]);
        message = &rest[path.to_bytes_with_nul().len()..];
    }
    (entries.len() - before) as u64
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::kit::path::PathBuffer;

    fn popped(entries: &mut PendingEntries) -> Vec<String> {
        let mut path = PathBuffer::default();
        let pop = || entries.pop(&mut path).map(|kind| format!("{} {kind:?}", path.as_path().display()));
        std::iter::from_fn(pop).collect()
    }

    #[test]
    fn entries_that_are_given_are_the_first_ones_and_arrive_as_they_were() {
        for count in [1, 2, 3, 50] {
            let (mut from, mut to) = (PendingEntries::default(), PendingEntries::default());
            let base = PathBuffer::new(Path::new("/t/"));
            let kinds = [EntryKind::Directory, EntryKind::Other, EntryKind::Unknown, EntryKind::Link];
            for number in 0..count {
                let name = std::ffi::CString::new(format!("e{number}")).unwrap();
                from.push_name(&base, &name, kinds[number % 4]);
            }
            let all = |range: std::ops::Range<usize>| -> Vec<String> {
                range.rev().map(|number| format!("/t/e{number} {:?}", kinds[number % 4])).collect()
            };
            let half = count.div_ceil(2);
            assert_eq!(add(&mut to, &take_half(&mut from)), half as u64);
            assert_eq!((popped(&mut to), popped(&mut from)), (all(0..half), all(half..count)));
        }
    }

    #[test]
    fn no_more_is_given_at_once_than_the_limit() {
        let mut from = PendingEntries::default();
        let base = PathBuffer::new(Path::new(&format!("/{}/", "n".repeat(4000))));
        (0..1000).for_each(|_| from.push_name(&base, c"x", EntryKind::Other));
        let mut given = 0;
        while from.len() > 0 {
            let message = take_half(&mut from);
            assert!(!message.is_empty() && message.len() <= GIVEN_BYTES_MAX + 5000);
            given += add(&mut PendingEntries::default(), &message);
        }
        assert_eq!(given, 1000);
    }
}
