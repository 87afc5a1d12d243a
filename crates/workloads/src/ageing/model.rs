//! The sequence of operations and the resulting files. All of it follows from the start values. No event on
//! the file system changes it.
//!
//! So a killed run resumes by a replay of the sequence in memory, up to the unfinished operation. Numbers
//! that depend on the file system (how much must still be added or removed) are those of a [`Leg`], which are
//! stored.
//!
//! Invariant: the same start values and legs give the same operations. Memory: 16 bytes per file, 5 per
//! directory, and one deck of sizes.

use measure::statistics::Dice;
use serde::{Deserialize, Serialize};

use super::act::{Act, Name, Operations};
use super::adjust::Adjusting;
use super::churn::Churning;
use super::plan::{RankShare, part};
use super::profile::Profile;
use super::sizes::{SizeDeck, taken};
use super::tree::DirectoryTree;
use crate::kit::permutation::seed_of;

/// A part of the sequence, the same for all ranks; amounts are those of all ranks together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Leg {
    /// Creates files and directories up to the rank's share.
    Fill,
    /// Overwrites the data that exists at its start this number of times.
    Churn { cycles: f64 },
    /// Adds or removes files and bytes.
    Adjust {
        /// Files to create; negative: to remove.
        files: i64,
        /// Bytes on the file system to add; negative: to remove; `None` if they do not matter.
        bytes: Option<i64>,
    },
}

/// An existing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LiveFile {
    pub(super) name: Name,
    pub(super) bytes: u64,
}

/// The data that a leg needs while it runs.
#[derive(Clone, Debug)]
enum LegCourse {
    Idle,
    Fill { made: u64 },
    Churn(Churning),
    Adjust(Adjusting),
}

/// One rank's sequence.
#[derive(Clone, Debug)]
pub(super) struct AgeingModel {
    pub(super) files: Vec<LiveFile>,
    pub(super) tree: DirectoryTree,
    pub(super) dice: Dice,
    pub(super) profile: Profile,
    pub(super) block: u64,
    pub(super) done: Operations,
    /// The space of all files on the file system, bytes.
    pub(super) taken: u64,
    /// Length of all files, bytes.
    pub(super) bytes: u64,
    /// Written so far, bytes.
    pub(super) written: u64,
    /// Bytes overwritten by churns.
    pub(super) cycles: f64,
    share: RankShare,
    rank: u64,
    ranks: u64,
    sizes: SizeDeck,
    dealt: u64,
    next_number: u32,
    course: LegCourse,
}

impl AgeingModel {
    /// The sequence of one rank of this number of ranks; `None` if no sizes fit.
    pub(super) fn new(
        seed: u64,
        (rank, ranks): (u64, u64),
        profile: &Profile,
        share: RankShare,
    ) -> Option<Self> {
        let deal_seed = Dice::new(seed_of(&[seed, rank, 2])).below(usize::MAX) as u64;
        Some(Self {
            files: Vec::new(),
            tree: DirectoryTree::new(profile.tree),
            dice: Dice::new(seed_of(&[seed, rank, 1])),
            profile: profile.clone(),
            block: share.fit.block,
            done: Operations::default(),
            taken: 0,
            bytes: 0,
            written: 0,
            cycles: 0.0,
            share,
            rank,
            ranks,
            sizes: SizeDeck::fit(&profile.size, share.fit, deal_seed)?,
            dealt: 0,
            next_number: 0,
            course: LegCourse::Idle,
        })
    }

    /// Starts a leg; the one before has ended.
    pub(super) fn begin(&mut self, leg: Leg) {
        self.course = match leg {
            Leg::Fill => LegCourse::Fill { made: 0 },
            Leg::Churn { cycles } => LegCourse::Churn(Churning::new(self, cycles)),
            Leg::Adjust { files, bytes } => {
                let mine = |amount| part(amount, self.ranks, self.rank);
                LegCourse::Adjust(Adjusting::new(mine(files), bytes.map(mine)))
            }
        };
    }

    /// The next operation of the leg; `None` at its end.
    pub(super) fn next(&mut self) -> Option<Act> {
        let mut course = std::mem::replace(&mut self.course, LegCourse::Idle);
        let act = match &mut course {
            LegCourse::Idle => None,
            LegCourse::Fill { made } => self.fill(made),
            LegCourse::Churn(churning) => churning.next(self),
            LegCourse::Adjust(adjusting) => adjusting.next(self),
        };
        let act = act?;
        self.course = course;
        self.done.count(&act);
        self.written += act.written();
        Some(act)
    }

    fn fill(&mut self, made: &mut u64) -> Option<Act> {
        let (files, dirs) = (self.share.fit.files, self.share.dirs);
        let due = (u128::from(*made) * u128::from(dirs)).div_ceil(u128::from(files.max(1))) as u64;
        if self.tree.count() < due.min(dirs) || *made == files && self.tree.count() < dirs {
            return Some(Act::MakeDir(self.tree.grow(&mut self.dice)));
        }
        if *made == files {
            return None;
        }
        *made += 1;
        let bytes = self.deal();
        Some(self.create(bytes))
    }

    /// The size of the next file, from the profile.
    pub(super) fn deal(&mut self) -> u64 {
        self.dealt += 1;
        self.sizes.deal(self.dealt - 1)
    }

    /// The directory of the next name.
    pub(super) fn new_name(&mut self) -> Name {
        let files = &self.files;
        let dir = self.tree.place(files.len(), |index| files[index].name.dir, &mut self.dice);
        let number = self.next_number;
        self.next_number = self.next_number.checked_add(1).expect("fewer than 2^32 names a rank");
        Name { dir, number }
    }

    pub(super) fn create(&mut self, bytes: u64) -> Act {
        let name = self.new_name();
        self.files.push(LiveFile { name, bytes });
        self.bytes += bytes;
        self.taken += taken(bytes, self.block);
        Act::Create { name, bytes, sync: self.syncs() }
    }

    /// Removes the file at `index`; the last one takes its place.
    pub(super) fn delete(&mut self, index: usize) -> Act {
        let gone = self.files.swap_remove(index);
        self.bytes -= gone.bytes;
        self.taken -= taken(gone.bytes, self.block);
        Act::Delete(gone.name)
    }

    /// Appends this number of bytes to the file at `index`.
    pub(super) fn append(&mut self, index: usize, bytes: u64, last: bool) -> Act {
        let LiveFile { name, bytes: from } = self.files[index];
        self.resize(index, from + bytes);
        Act::Append { name, from, bytes, sync: self.syncs(), last }
    }

    /// Truncates the file at `index` to a length that is not greater than its own.
    pub(super) fn cut(&mut self, index: usize, to: u64) -> Act {
        self.resize(index, to);
        Act::Cut { name: self.files[index].name, to }
    }

    fn resize(&mut self, index: usize, bytes: u64) {
        let file = &mut self.files[index];
        self.taken = self.taken - taken(file.bytes, self.block) + taken(bytes, self.block);
        self.bytes = self.bytes - file.bytes + bytes;
        file.bytes = bytes;
    }

    /// Whether a write ends with fsync.
    pub(super) fn syncs(&mut self) -> bool {
        self.happens(self.profile.churn.fsync)
    }

    /// True with this probability.
    pub(super) fn happens(&mut self, share: f64) -> bool {
        self.dice.share() < share
    }

    /// A random file; there is at least one.
    pub(super) fn any(&mut self) -> usize {
        self.dice.below(self.files.len())
    }

    /// Of this number of random files the one with the smallest `cost`; there is at least one.
    pub(super) fn best(&mut self, throws: u32, cost: impl Fn(u64) -> u64) -> usize {
        let first = self.any();
        (1..throws).fold(first, |best, _| {
            let other = self.any();
            if cost(self.files[other].bytes) < cost(self.files[best].bytes) { other } else { best }
        })
    }

    /// Mean space of a file with the fitted sizes, bytes.
    pub(super) fn mean_taken(&self) -> f64 {
        self.sizes.mean(self.block)
    }

    /// Length of all files of the fill, bytes.
    pub(super) fn bytes_to_fill(&self) -> f64 {
        self.share.fit.files as f64 * self.sizes.mean(1)
    }

    /// The factor for the sizes of the profile.
    pub(super) fn size_factor(&self) -> f64 {
        self.sizes.factor
    }
}
