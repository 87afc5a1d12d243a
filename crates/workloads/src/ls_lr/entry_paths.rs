//! The paths of the entries of a tree that assay makes.
//!
//! Directories are numbered level by level: the root is 0, and the parent of directory k is directory (k - 1)
//! / fan-out. Each holds `per_dir` files until the tree has the requested number of entries. Names are short,
//! so that deep trees stay below the longest path of the system: `d` or `f`, and a number.
//!
//! Invariant: a tree has exactly `entries` entries without the root. No two have the same path.

use std::path::Path;

use command::ls_lr::LsLrShape;

use crate::kit::path::PathBuffer;

/// The paths of the entries of a tree, one at a time.
pub(super) struct EntryPaths {
    shape: LsLrShape,
    path: PathBuffer,
    root: usize,
    /// The directory at the start of the path, and the length of that part.
    at: Option<(u64, usize)>,
    /// Numbers of the directories from the current one up to the root.
    way: Vec<u64>,
}

impl EntryPaths {
    pub(super) fn new(root: &Path, shape: LsLrShape) -> Self {
        let path = PathBuffer::new(root);
        Self { shape, root: path.len(), path, at: None, way: Vec::with_capacity(shape.depth() as usize) }
    }

    /// The path of a directory, from 0 for the root.
    pub(super) fn directory(&mut self, number: u64) -> &PathBuffer {
        match self.at {
            Some((at, length)) if at == number => self.path.cut(length),
            _ => self.walk_to(number),
        }
        &self.path
    }

    fn walk_to(&mut self, number: u64) {
        self.way.clear();
        let mut directory = number;
        while directory > 0 {
            self.way.push((directory - 1) % self.shape.fan_out);
            directory = (directory - 1) / self.shape.fan_out;
        }
        self.path.cut(self.root);
        for child in self.way.iter().rev() {
            self.path.push("/d").number(*child);
        }
        self.at = Some((number, self.path.len()));
    }

    /// The directory that holds file `number`, from 0.
    pub(super) fn directory_of(&self, number: u64) -> u64 {
        number / self.shape.per_dir.max(1)
    }

    /// The path of a file, from 0.
    pub(super) fn file(&mut self, number: u64) -> &PathBuffer {
        self.directory(self.directory_of(number));
        self.path.push("/f").number(number % self.shape.per_dir.max(1))
    }

    /// The path that was requested last.
    pub(super) fn path(&self) -> &PathBuffer {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_shape_has_exactly_its_entries_each_below_a_directory_that_comes_before_it() {
        for entries in 1..60 {
            for (per_dir, fan_out) in [(0, 1), (0, 3), (1, 1), (1, 2), (5, 1), (5, 3), (100, 10)] {
                let shape = LsLrShape { entries, per_dir, fan_out, bytes: 0 };
                let mut places = EntryPaths::new(Path::new("/t"), shape);
                let mut seen = BTreeSet::from(["/t".to_owned()]);
                let text = |path: &PathBuffer| path.as_path().to_str().unwrap().to_owned();
                for number in 0..shape.directories() {
                    let path = text(places.directory(number));
                    assert!(number == 0 || seen.contains(path.rsplit_once('/').unwrap().0), "{path}");
                    assert_eq!(seen.insert(path), number > 0, "{shape:?}");
                }
                for number in 0..shape.files() {
                    let path = text(places.file(number));
                    assert!(
                        seen.contains(path.rsplit_once('/').unwrap().0) && seen.insert(path),
                        "{shape:?}"
                    );
                }
                assert_eq!(seen.len() as u64, entries + 1, "{shape:?}");
                let deepest = seen.iter().map(|path| path.matches("/d").count()).max();
                assert_eq!(deepest, Some(shape.depth() as usize), "{shape:?}");
            }
        }
    }
}
