//! The names of a tree, one after the other, in fdtree's order.
//!
//! For creation, each directory's subdirectories come first, the highest number first. The contents of each
//! of them follow. The files of a directory come before the files below it. For removal, the contents of a
//! directory come before the directory itself.
//!
//! Invariant: memory grows only with the number of levels. All of it is allocated before the first name.

use std::path::Path;

use command::fdtree::FdtreeShape;

use crate::kit::path::PathBuffer;

/// The names that a walk visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Directories, the base first.
    DirectoriesDown,
    Files,
    /// Directories, the base last.
    DirectoriesUp,
}

/// A directory on the way to the current name.
#[derive(Clone, Copy, Debug)]
struct Frame {
    level: u64,
    /// Length of its path with the final slash, bytes.
    length: usize,
    /// Number of entries not yet visited.
    entries: u64,
    /// Number of subdirectories not yet entered.
    below: u64,
}

/// A walk through a tree.
#[derive(Debug)]
pub(super) struct TreeWalk {
    shape: FdtreeShape,
    which: Which,
    path: PathBuffer,
    frames: Vec<Frame>,
    /// Whether the base itself is not yet visited.
    base: bool,
    level: u64,
}

impl TreeWalk {
    /// A walk before its first name, in the tree `base`. The shape must have passed its check.
    pub(super) fn new(shape: FdtreeShape, which: Which, base: &str) -> Self {
        let depth = if shape.dirs == 0 { 1 } else { shape.levels as usize + 1 };
        let mut path = PathBuffer::new(Path::new(base));
        path.push("/");
        let mut walk = Self {
            shape,
            which,
            path,
            frames: Vec::with_capacity(depth),
            base: which != Which::Files,
            level: shape.levels,
        };
        walk.enter(shape.levels);
        walk
    }

    /// The path of the current name. A directory has a final slash, as in fdtree's output.
    pub(super) fn path(&self) -> &PathBuffer {
        &self.path
    }

    /// The level of the current directory, or of the directory that holds the current file.
    pub(super) fn level(&self) -> u64 {
        self.level
    }

    fn enter(&mut self, level: u64) {
        let below = self.shape.dirs_at(level);
        let entries = if self.which == Which::Files { self.shape.files } else { below };
        self.frames.push(Frame { level, length: self.path.len(), entries, below });
    }

    /// Moves to the next name. Returns false after the last one.
    pub(super) fn advance(&mut self) -> bool {
        if self.base && self.which == Which::DirectoriesDown {
            self.base = false;
            return true;
        }
        while let Some(top) = self.frames.last_mut() {
            let frame = *top;
            let first = self.which != Which::DirectoriesUp || frame.below == 0;
            if frame.entries > 0 && first {
                top.entries -= 1;
                self.name(&frame, self.which == Which::Files, frame.entries);
                return true;
            }
            self.path.cut(frame.length);
            if frame.below > 0 {
                top.below -= 1;
                self.name(&frame, false, frame.below);
                self.enter(frame.level - 1);
            } else {
                self.frames.pop();
            }
        }
        self.level = self.shape.levels;
        std::mem::take(&mut self.base)
    }

    #[inline]
    fn name(&mut self, frame: &Frame, file: bool, number: u64) {
        self.path.cut(frame.length);
        self.path.push("L").number(frame.level).push(if file { "F" } else { "D" }).number(number);
        self.level = frame.level;
        if !file {
            self.path.push("/");
            self.level -= 1;
        }
    }
}
