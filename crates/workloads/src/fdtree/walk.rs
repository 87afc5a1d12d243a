//! The names of a tree, one after the other, in fdtree's order.
//!
//! Directories are made from the top: all of a directory, the highest number first, then those below each.
//! Files come with their directory, before those below it. Directories are removed from the bottom: what is
//! below each, then all of a directory.
//!
//! Invariant: memory grows with the levels only, and all of it is there before the first name.

use std::path::Path;

use super::shape::FdtreeShape;
use crate::kit::path::PathBuffer;

/// Which names of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Directories, the base first.
    DirectoriesDown,
    Files,
    /// Directories, the base last.
    DirectoriesUp,
}

/// A directory that the walk is in.
#[derive(Clone, Copy, Debug)]
struct Frame {
    level: u64,
    /// Bytes of its path, with the slash.
    length: usize,
    /// Entries that are still to be named.
    entries: u64,
    /// Directories that are still to be walked.
    below: u64,
}

/// A walk through a tree.
#[derive(Debug)]
pub(super) struct TreeWalk {
    shape: FdtreeShape,
    which: Which,
    path: PathBuffer,
    frames: Vec<Frame>,
    /// Whether the base itself is still to be named.
    base: bool,
    level: u64,
}

impl TreeWalk {
    /// Begins in front of the first name of the tree `base`, whose shape has been checked.
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

    /// The name it is at; of a directory with a slash behind it, as fdtree has it.
    pub(super) fn path(&self) -> &PathBuffer {
        &self.path
    }

    /// The level of the directory it is at, or of the one that the file is in.
    pub(super) fn level(&self) -> u64 {
        self.level
    }

    fn enter(&mut self, level: u64) {
        let below = self.shape.dirs_at(level);
        let entries = if self.which == Which::Files { self.shape.files } else { below };
        self.frames.push(Frame { level, length: self.path.len(), entries, below });
    }

    /// Goes to the next name; false behind the last.
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
