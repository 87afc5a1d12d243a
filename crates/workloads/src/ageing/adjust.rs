//! Adjustment: adds or removes files and bytes, to bring a rank to its target.
//!
//! First files are created or removed until their number is right. Then data is appended to files, or files
//! are truncated.
//!
//! Invariant: the bytes end within one block of the target, unless there is no file left to change.

use super::act::Act;
use super::model::AgeingModel;
use super::sizes::taken;

/// The number of files that are compared to find one that fits.
const THROWS: u32 = 16;
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
                model.best(THROWS, |bytes| taken(bytes, block).abs_diff(each))
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
        let index = model.best(THROWS, |bytes| u64::MAX - bytes);
        let bytes = model.files[index].bytes;
        if bytes == 0 {
            let held = model.files.iter().position(|file| file.bytes > 0)?;
            return Some(model.cut(held, model.files[held].bytes.saturating_sub(left)));
        }
        let to = taken(bytes, block).saturating_sub(left / block * block).min(bytes);
        Some(model.cut(index, to / block * block))
    }
}
