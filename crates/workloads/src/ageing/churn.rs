//! Churn: files are created, removed, extended, overwritten and renamed, while the utilization stays the
//! same.
//!
//! Operations are sampled by the profile's weights. The number of files and bytes stays within 98 to 100 % of
//! that at the start. An operation that would leave this band is replaced by one that returns into it.
//!
//! Invariant: files and bytes are never more than one operation above the band.

use super::act::Act;
use super::model::{AgeingModel, LiveFile};
use super::sizes::taken;

/// The largest number of files that grow at the same time.
const GROWING_MAX: usize = 64;
/// The lower end of the band.
const BAND: f64 = 0.98;
/// The number of files that are compared to find a large or a small one.
const THROWS: u32 = 4;
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
            let large = model.best(THROWS, |bytes| u64::MAX - bytes);
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
            model.best(THROWS, |bytes| bytes)
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
