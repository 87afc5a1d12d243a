//! The entries that a rank has found and not yet examined. It examines the last one first, and gives the
//! first ones to others, because these have the largest trees below them.

use std::ffi::CStr;

use storage::EntryKind;

use crate::kit::path::PathBuffer;

/// The most bytes that are given at once: MPI sends messages of this length while the receiver waits shortly.
const GIVEN_BYTES_MAX: usize = 1 << 16;

/// The kinds in messages, by their numbers.
const KINDS: [EntryKind; 4] = [EntryKind::Directory, EntryKind::Link, EntryKind::Other, EntryKind::Unknown];

/// Entries by their paths, the last one on top.
#[derive(Default)]
pub(super) struct PendingEntries {
    /// All paths, each with its final NUL.
    paths: Vec<u8>,
    /// The start and the kind of each.
    starts: Vec<(usize, EntryKind)>,
}

impl PendingEntries {
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Adds a directory by its path.
    pub(super) fn push_directory(&mut self, path: &PathBuffer) {
        self.starts.push((self.paths.len(), EntryKind::Directory));
        self.paths.extend_from_slice(path.as_c_str().to_bytes_with_nul());
    }

    /// Adds the entry with this name in the directory `base`, which ends with a slash.
    pub(super) fn push(&mut self, base: &PathBuffer, name: &CStr, kind: EntryKind) {
        self.starts.push((self.paths.len(), kind));
        self.paths.extend_from_slice(base.as_c_str().to_bytes());
        self.paths.extend_from_slice(name.to_bytes_with_nul());
    }

    /// Sets `path` to the last entry, removes it and returns its kind. `None` if there is none.
    pub(super) fn pop(&mut self, path: &mut PathBuffer) -> Option<EntryKind> {
        let (start, kind) = self.starts.pop()?;
        path.cut(0);
        path.push_name(CStr::from_bytes_until_nul(&self.paths[start..]).unwrap_or_default());
        self.paths.truncate(start);
        Some(kind)
    }

    /// Removes the first half and returns it as a message: for each entry its kind and its path.
    pub(super) fn take_half(&mut self) -> Vec<u8> {
        let half = self.starts.len().div_ceil(2);
        let ends = self.starts[..half].iter().map(|(start, _)| *start).skip(1);
        let fitting = ends.take_while(|end| *end <= GIVEN_BYTES_MAX).count();
        let count = if fitting + 1 == half { half } else { fitting.max(1) };
        let end = self.starts.get(count).map_or(self.paths.len(), |(start, _)| *start);
        let mut message = Vec::with_capacity(end + count);
        for (at, (start, kind)) in self.starts[..count].iter().enumerate() {
            let next = self.starts.get(at + 1).map_or(self.paths.len(), |(start, _)| *start);
            message.push(KINDS.iter().position(|known| known == kind).expect("all kinds are listed") as u8);
            message.extend_from_slice(&self.paths[*start..next]);
        }
        self.paths.drain(..end);
        self.starts.drain(..count);
        self.starts.iter_mut().for_each(|(start, _)| *start -= end);
        message
    }

    /// Adds the entries of a message, and returns their number.
    pub(super) fn add(&mut self, mut message: &[u8]) -> u64 {
        let before = self.starts.len();
        while let [kind, rest @ ..] = message {
            let length = rest.iter().position(|byte| *byte == 0).map_or(rest.len(), |nul| nul + 1);
            self.starts.push((self.paths.len(), KINDS[usize::from(*kind)]));
            self.paths.extend_from_slice(&rest[..length]);
            message = &rest[length..];
        }
        (self.starts.len() - before) as u64
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

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
                from.push(&base, &name, kinds[number % 4]);
            }
            let all = |range: std::ops::Range<usize>| -> Vec<String> {
                range.rev().map(|number| format!("/t/e{number} {:?}", kinds[number % 4])).collect()
            };
            let half = count.div_ceil(2);
            assert_eq!(to.add(&from.take_half()), half as u64);
            assert_eq!((popped(&mut to), popped(&mut from)), (all(0..half), all(half..count)));
        }
    }

    #[test]
    fn no_more_is_given_at_once_than_the_limit() {
        let mut from = PendingEntries::default();
        let base = PathBuffer::new(Path::new(&format!("/{}/", "n".repeat(4000))));
        (0..1000).for_each(|_| from.push(&base, c"x", EntryKind::Other));
        let mut given = 0;
        while from.len() > 0 {
            let message = from.take_half();
            assert!(!message.is_empty() && message.len() <= GIVEN_BYTES_MAX + 5000);
            given += PendingEntries::default().add(&message);
        }
        assert_eq!(given, 1000);
    }
}
