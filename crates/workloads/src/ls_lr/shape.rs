//! The shape of a tree that assay makes: the number of entries, and the path of each.
//!
//! Directories are numbered level by level: the root is 0, and the parent of directory k is directory (k - 1)
//! / fan-out. Each holds `per_dir` files until the tree has the requested number of entries. Names are short,
//! so that deep trees stay below the longest path of the system: `d` or `f`, and a number.
//!
//! Invariant: a tree has exactly `entries` entries without the root. No two have the same path.

use std::path::Path;

use units::Usage;

use crate::kit::path::PathBuffer;

/// The longest path that Linux accepts, bytes.
const LONGEST: u64 = 4095;

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LsLrShape {
    /// Files and directories, without the root.
    pub entries: u64,
    /// Files in each directory; with 0 there are only directories.
    pub per_dir: u64,
    /// Directories in each directory, as long as more are needed.
    pub fan_out: u64,
    /// Bytes in each file.
    pub bytes: u64,
}

impl Default for LsLrShape {
    fn default() -> Self {
        Self { entries: 101_000, per_dir: 100, fan_out: 10, bytes: 0 }
    }
}

impl LsLrShape {
    /// Directories, with the root.
    pub fn directories(&self) -> u64 {
        (self.entries + 1).div_ceil(self.per_dir + 1)
    }

    /// Files.
    pub fn files(&self) -> u64 {
        self.entries + 1 - self.directories()
    }

    /// Number of directories above the deepest one, including the root.
    pub fn depth(&self) -> u64 {
        let mut directory = self.directories() - 1;
        let mut depth = 0;
        while directory > 0 {
            directory = (directory - 1) / self.fan_out;
            depth += 1;
        }
        depth
    }

    /// Rejects trees that cannot be created below `root`.
    pub fn check(&self, root: &Path) -> Result<(), Usage> {
        let Self { entries, per_dir, fan_out, .. } = *self;
        if entries == 0 || entries > 1 << 40 {
            return Err(Usage(format!("--entries {entries}: give a number from 1 to 2^40")));
        }
        if per_dir > 1 << 40 {
            return Err(Usage(format!("--per-dir {per_dir}: give a number up to 2^40")));
        }
        if fan_out == 0 || fan_out > 1 << 40 {
            return Err(Usage(format!("--fan-out {fan_out}: give a number from 1 to 2^40")));
        }
        let digits = |number: u64| u64::from(number.max(1).ilog10()) + 1;
        let longest = root.as_os_str().len() as u64
            + self.depth() * (2 + digits(fan_out - 1))
            + 2
            + digits(per_dir.saturating_sub(1));
        if longest > LONGEST {
            return Err(Usage(format!(
                "--fan-out {fan_out}: {} directories are then {} levels deep, and paths are longer than \
                 {LONGEST} bytes. Give a larger --fan-out or --per-dir",
                self.directories(),
                self.depth()
            )));
        }
        Ok(())
    }
}

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

    #[test]
    fn the_shape_of_nothing_said_is_that_of_the_contract_and_a_bit() {
        let shape = LsLrShape::default();
        assert_eq!((shape.directories(), shape.files(), shape.depth()), (1001, 100_000, 3));
        assert!(shape.check(Path::new("/scratch")).is_ok());
    }

    #[test]
    fn paths_that_would_be_too_long_are_rejected_beforehand() {
        let chain = |entries| LsLrShape { entries, per_dir: 0, fan_out: 1, bytes: 0 };
        assert!(chain(500).check(Path::new("/tmp")).is_ok());
        let no = chain(2000).check(Path::new("/tmp")).unwrap_err().0;
        assert!(no.starts_with("--fan-out 1: 2001 directories are then 2000 levels deep"), "{no}");
        for (shape, wanted) in [
            (LsLrShape { entries: 0, ..LsLrShape::default() }, "--entries 0"),
            (LsLrShape { fan_out: 0, ..LsLrShape::default() }, "--fan-out 0"),
            (LsLrShape { per_dir: u64::MAX, ..LsLrShape::default() }, "--per-dir"),
        ] {
            assert!(shape.check(Path::new("/tmp")).unwrap_err().0.starts_with(wanted));
        }
    }
}
