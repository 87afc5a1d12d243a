//! The memory of a walker: the entries of one directory, and the directories that it has not yet listed.

use std::ffi::CStr;

use storage::EntryKind;

use crate::kit::path_stack::PathStack;

/// The entries of one directory.
#[derive(Default)]
pub(super) struct Entries {
    /// All names, each with its final NUL.
    names: Vec<u8>,
    /// The start and the kind of each name.
    found: Vec<(usize, EntryKind)>,
}

impl Entries {
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.found.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    pub(super) fn push(&mut self, name: &CStr, kind: EntryKind) {
        self.found.push((self.names.len(), kind));
        self.names.extend_from_slice(name.to_bytes_with_nul());
    }

    pub(super) fn name(&self, index: usize) -> &CStr {
        named(&self.names, self.found[index].0)
    }

    /// The name that was added last.
    pub(super) fn last(&self) -> &CStr {
        self.found.last().map_or(c"", |(start, _)| named(&self.names, *start))
    }

    /// Sets the kind of an entry.
    pub(super) fn is(&mut self, index: usize, kind: EntryKind) {
        self.found[index].1 = kind;
    }

    /// Sorts the names by their bytes, as `ls` does in the locale C.
    pub(super) fn sort(&mut self) {
        let names = &self.names;
        self.found.sort_unstable_by(|a, b| named(names, a.0).cmp(named(names, b.0)));
    }

    /// The directories among them, in reverse order.
    pub(super) fn directories_backwards(&self) -> impl Iterator<Item = &CStr> {
        let directories = self.found.iter().rev().filter(|(_, kind)| *kind == EntryKind::Directory);
        directories.map(|(at, _)| named(&self.names, *at))
    }
}

fn named(names: &[u8], at: usize) -> &CStr {
    CStr::from_bytes_until_nul(&names[at..]).unwrap_or_default()
}

/// Directories not yet listed, with their depths. The next one is on top.
pub(super) type PendingDirectories = PathStack<usize>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::path::PathBuffer;
    use std::path::Path;

    #[test]
    fn directories_come_sorted_by_their_bytes_and_depth_first() {
        let mut entries = Entries::default();
        for (name, kind) in [
            (c"b", EntryKind::Directory),
            (c"a", EntryKind::Other),
            (c"B", EntryKind::Directory),
            (c"a1", EntryKind::Unknown),
        ] {
            entries.push(name, kind);
        }
        entries.is(3, EntryKind::Directory);
        entries.sort();
        let names: Vec<_> = (0..entries.len()).map(|index| entries.name(index)).collect();
        assert_eq!(names, [c"B", c"a", c"a1", c"b"]);
        let (mut pending, mut path) = (PendingDirectories::default(), PathBuffer::new(Path::new("t/")));
        for name in entries.directories_backwards() {
            path.cut(2);
            pending.push(path.push_name(name).as_c_str(), 1);
        }
        let mut order = Vec::new();
        while let Some(depth) = pending.pop(&mut path) {
            order.push((path.as_c_str().to_owned(), depth));
            if path.as_c_str() == c"t/a1" {
                pending.push(path.push("/x").as_c_str(), depth + 1);
            }
        }
        assert_eq!(
            order,
            [
                (c"t/B".to_owned(), 1),
                (c"t/a1".to_owned(), 1),
                (c"t/a1/x".to_owned(), 2),
                (c"t/b".to_owned(), 1)
            ]
        );
    }
}
