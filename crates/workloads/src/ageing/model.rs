//! The sequence of operations and the resulting files. All of it follows from the start values. No event on
//! the file system changes it.
//!
//! So a killed run resumes by a replay of the sequence in memory, up to the unfinished operation. Numbers
//! that depend on the file system (how much must still be added or removed) are those of a [`Leg`], which are
//! stored.
//!
//! A churn samples operations by the profile's weights. The number of files and bytes stays within 98 to
//! 100 % of that at the start. An operation that would leave this band is replaced by one that returns into
//! it. An adjustment first creates or removes files until their number is right. Then data is appended to
//! files, or files are truncated.
//!
//! Invariant: the same start values and legs give the same operations. A churn is never more than one
//! operation above the band. An adjustment ends within one block of the target, unless there is no file left
//! to change. Memory: 16 bytes per file, 5 per directory, and one deck of sizes.

use measure::statistics::Dice;
use serde::{Deserialize, Serialize};

use super::act::{Act, Name, Operations};
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

/// The largest number of files that grow at the same time.
const GROWING_MAX: usize = 64;
/// The lower end of the band.
const BAND: f64 = 0.98;
/// The number of files that are compared to find a large or a small one.
const THROWS_OF_CHURN: u32 = 4;
/// The most bytes that one operation overwrites in place.
const OVERWRITE_MAX: u64 = 4 << 20;

/// A growing file: its index, and its bytes up to now.
#[derive(Clone, Copy, Debug)]
struct Growing {
    index: usize,
    left: u64,
}

/// A sampled operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrawnKind {
    Create,
    Delete,
    Append,
    Overwrite,
    Rename,
}

/// A churn in progress.
#[derive(Clone, Debug)]
pub(super) struct Churning {
    files: u64,
    taken: u64,
    /// Length of all files at the start, bytes: one overwrite cycle.
    base: u64,
    /// Bytes to write, and bytes written so far.
    goal: u64,
    written: u64,
    growing: Vec<Growing>,
    kinds: [(DrawnKind, f64); 5],
}

impl Churning {
    pub(super) fn new(model: &AgeingModel, cycles: f64) -> Self {
        let churn = model.profile.churn;
        Self {
            files: model.files.len() as u64,
            taken: model.taken,
            base: model.bytes,
            goal: (model.bytes as f64 * cycles) as u64,
            written: 0,
            growing: Vec::new(),
            kinds: [
                (DrawnKind::Create, churn.create),
                (DrawnKind::Delete, churn.delete),
                (DrawnKind::Append, churn.append),
                (DrawnKind::Overwrite, churn.overwrite),
                (DrawnKind::Rename, churn.rename),
            ],
        }
    }

    pub(super) fn next(&mut self, model: &mut AgeingModel) -> Option<Act> {
        // Without data, nothing can be overwritten.
        if self.written >= self.goal || self.base == 0 {
            // Files of earlier churns do not grow any more.
            let Growing { index, .. } = self.growing.pop()?;
            return Some(model.cut(index, model.files[index].bytes));
        }
        let act = self.one(model);
        self.written += act.written();
        model.cycles += act.written() as f64 / self.base as f64;
        Some(act)
    }

    fn one(&mut self, model: &mut AgeingModel) -> Act {
        let kind = self.draw(model);
        let files = model.files.len() as u64;
        match kind {
            DrawnKind::Overwrite if files > 0 => return Self::overwrite(model),
            DrawnKind::Rename if files > 0 => return Self::rename(model),
            _ => {}
        }
        if model.taken > self.taken && files > 0 {
            let large = model.best(THROWS_OF_CHURN, |bytes| u64::MAX - bytes);
            return self.delete(model, large);
        }
        if kind == DrawnKind::Append && !self.growing.is_empty() {
            return self.grow(model);
        }
        let few = files < (self.files as f64 * BAND) as u64 || files == 0;
        if few || kind != DrawnKind::Delete && files < self.files {
            return self.create(model);
        }
        let index = if model.taken < (self.taken as f64 * BAND) as u64 {
            model.best(THROWS_OF_CHURN, |bytes| bytes)
        } else {
            model.any()
        };
        self.delete(model, index)
    }

    fn draw(&self, model: &mut AgeingModel) -> DrawnKind {
        let sum: f64 = self.kinds.iter().map(|(_, weight)| weight).sum();
        let mut at = model.dice.share() * sum;
        for (kind, weight) in self.kinds {
            if at < weight {
                return kind;
            }
            at -= weight;
        }
        DrawnKind::Create
    }

    /// A new file. Some start with a part of their final size.
    fn create(&mut self, model: &mut AgeingModel) -> Act {
        let bytes = model.deal();
        let grows = model.happens(model.profile.churn.growing);
        if !grows || self.growing.len() == GROWING_MAX || bytes <= 2 * model.block {
            return model.create(bytes);
        }
        let first = Self::piece(model, bytes);
        let act = model.create(first);
        self.growing.push(Growing { index: model.files.len() - 1, left: bytes - first });
        act
    }

    /// A tenth to a half of it, and at least a block.
    fn piece(model: &mut AgeingModel, bytes: u64) -> u64 {
        let share = 0.1 + 0.4 * model.dice.share();
        ((bytes as f64 * share) as u64).max(model.block).min(bytes)
    }

    fn grow(&mut self, model: &mut AgeingModel) -> Act {
        let at = model.dice.below(self.growing.len());
        let Growing { index, left } = self.growing[at];
        let bytes = Self::piece(model, left);
        if bytes == left {
            self.growing.swap_remove(at);
        } else {
            self.growing[at].left -= bytes;
        }
        model.append(index, bytes, bytes == left)
    }

    fn delete(&mut self, model: &mut AgeingModel, index: usize) -> Act {
        self.growing.retain(|growing| growing.index != index);
        let last = model.files.len() - 1;
        for growing in self.growing.iter_mut().filter(|growing| growing.index == last) {
            growing.index = index;
        }
        model.delete(index)
    }

    fn overwrite(model: &mut AgeingModel) -> Act {
        let index = model.any();
        let LiveFile { name, bytes } = model.files[index];
        // A truncated and rewritten file uses the same space again.
        if model.happens(model.profile.churn.rewrite) || bytes == 0 {
            return Act::Rewrite { name, bytes, sync: model.syncs() };
        }
        let length = Self::piece(model, bytes).min(OVERWRITE_MAX);
        let from = model.dice.below((bytes - length + 1) as usize) as u64 / model.block * model.block;
        debug_assert!(taken(from + length, model.block) <= taken(bytes, model.block));
        Act::Overwrite { name, from, bytes: length, sync: model.syncs() }
    }

    fn rename(model: &mut AgeingModel) -> Act {
        let index = model.any();
        let to = model.new_name();
        let from = std::mem::replace(&mut model.files[index].name, to);
        Act::Rename { from, to }
    }
}

/// The number of files that are compared to find one that fits.
const THROWS_OF_ADJUSTMENT: u32 = 16;
/// The smallest number of files among which the missing bytes are spread.
const PARTS: u64 = 8;

/// An adjustment in progress: the remaining work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Adjusting {
    files: i64,
    bytes: Option<i64>,
}

impl Adjusting {
    pub(super) fn new(files: i64, bytes: Option<i64>) -> Self {
        Self { files, bytes }
    }

    pub(super) fn next(&mut self, model: &mut AgeingModel) -> Option<Act> {
        let before = model.taken;
        let act = if self.files > 0 {
            self.files -= 1;
            Some(self.create(model))
        } else if self.files < 0 && !model.files.is_empty() {
            self.files += 1;
            Some(self.delete(model))
        } else {
            self.resize(model)
        };
        if let Some(bytes) = &mut self.bytes {
            *bytes -= model.taken as i64 - before as i64;
        }
        act
    }

    /// A size of the profile, but no more than twice the equal share of the files that are still to be
    /// created.
    fn create(&self, model: &mut AgeingModel) -> Act {
        let bytes = model.deal();
        match self.bytes {
            None => model.create(bytes),
            Some(left) => {
                let each = left.max(0) as u64 / (self.files as u64 + 1);
                model.create(bytes.min(2 * each) / model.block * model.block)
            }
        }
    }

    /// A file whose size is close to the equal share of the bytes to remove.
    fn delete(&self, model: &mut AgeingModel) -> Act {
        let block = model.block;
        let index = match self.bytes {
            None => model.any(),
            Some(left) => {
                let each = left.min(0).unsigned_abs() / (self.files.unsigned_abs() + 1);
                model.best(THROWS_OF_ADJUSTMENT, |bytes| taken(bytes, block).abs_diff(each))
            }
        };
        model.delete(index)
    }

    fn resize(&self, model: &mut AgeingModel) -> Option<Act> {
        let (left, block) = (self.bytes?, model.block);
        if left.unsigned_abs() < block || model.files.is_empty() {
            return None;
        }
        if left > 0 {
            let left = left as u64;
            let most = (left / PARTS).max(model.deal()).min(left) / block * block;
            let index = model.any();
            return Some(model.append(index, most.max(block), true));
        }
        let left = left.unsigned_abs();
        // The largest of several files, so that few are truncated.
        let index = model.best(THROWS_OF_ADJUSTMENT, |bytes| u64::MAX - bytes);
        let bytes = model.files[index].bytes;
        if bytes == 0 {
            let held = model.files.iter().position(|file| file.bytes > 0)?;
            return Some(model.cut(held, model.files[held].bytes.saturating_sub(left)));
        }
        let to = taken(bytes, block).saturating_sub(left / block * block).min(bytes);
        Some(model.cut(index, to / block * block))
    }
}
