//! The directories of a rank's tree: the parent of each, and the directory of the next name.
//!
//! The probability that a directory gets the next subdirectory is proportional to its subdirectories plus an
//! offset. The same rule holds for files. So a few directories hold many, as on real file systems.
//!
//! Invariant: a directory's number is greater than that of its parent. Memory: 5 bytes per directory.

use measure::statistics::Dice;

use super::profile::TreeProfile;
use crate::kit::path::PathBuffer;

/// Attempts to find a directory that is not too deep. After them a directory near the root is used.
const THROWS_MAX: u32 = 64;

/// The directories; number 0 is the root, which exists from the start.
#[derive(Clone, Debug)]
pub(super) struct DirectoryTree {
    profile: TreeProfile,
    parents: Vec<u32>,
    depths: Vec<u8>,
}

impl DirectoryTree {
    pub(super) fn new(profile: TreeProfile) -> Self {
        Self { profile, parents: vec![0], depths: vec![0] }
    }

    /// The number of directories, with the root.
    pub(super) fn count(&self) -> u64 {
        self.parents.len() as u64
    }

    /// The parent of `dir`; the root is its own parent.
    pub(super) fn parent(&self, dir: u32) -> Option<u32> {
        self.parents.get(dir as usize).copied()
    }

    /// Adds a directory and returns its number.
    pub(super) fn grow(&mut self, dice: &mut Dice) -> u32 {
        let mut parent = 0;
        for _ in 0..THROWS_MAX {
            let candidate = self.next_parent(dice);
            if u32::from(self.depths[candidate as usize]) < self.profile.depth_max {
                parent = candidate;
                break;
            }
        }
        self.parents.push(parent);
        self.depths.push(self.depths[parent as usize] + 1);
        (self.parents.len() - 1) as u32
    }

    /// One of n directories, each with c subdirectories, is chosen with a probability of c + offset. The sum
    /// of all c is n - 1: one for each directory except the root.
    fn next_parent(&self, dice: &mut Dice) -> u32 {
        let children = self.count() - 1;
        let offsets = self.count() as f64 * self.profile.dir_offset;
        if dice.share() * (children as f64 + offsets) < children as f64 {
            self.parents[1 + dice.below(children as usize)]
        } else {
            dice.below(self.parents.len()) as u32
        }
    }

    /// The directory of the next file, from the number of files and the directory of each.
    pub(super) fn place(&self, files: usize, dir_of: impl Fn(usize) -> u32, dice: &mut Dice) -> u32 {
        let offsets = self.count() as f64 * self.profile.file_offset;
        if dice.share() * (files as f64 + offsets) < files as f64 {
            dir_of(dice.below(files))
        } else {
            dice.below(self.parents.len()) as u32
        }
    }

    /// Appends the numbers of the directories from below the root down to `dir`.
    pub(super) fn way(&self, mut dir: u32, way: &mut Vec<u32>) {
        let from = way.len();
        while dir != 0 {
            way.push(dir);
            dir = self.parents[dir as usize];
        }
        way[from..].reverse();
    }

    /// Sets `path`, whose first `root` bytes are the root's, to that of a directory.
    pub(super) fn path(&self, dir: u32, (path, root): (&mut PathBuffer, usize), way: &mut Vec<u32>) {
        path.cut(root);
        way.clear();
        self.way(dir, way);
        way.iter().for_each(|dir| {
            path.push("/d").number((*dir).into());
        });
    }

    /// The depth of a directory below the root.
    #[cfg(test)]
    pub(super) fn depth(&self, dir: u32) -> u32 {
        self.depths[dir as usize].into()
    }
}
