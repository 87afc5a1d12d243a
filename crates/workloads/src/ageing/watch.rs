//! What is told while it lasts, of rank 0's own part, which stands for all of them.

use super::model::Model;

/// Told at most so often.
const TELL_NS: u64 = 200_000_000;

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is being done: `fill`, `age` or `settle`.
    pub step: &'static str,
    /// Share of all bytes that are to be written, 0 to 1.
    pub share: f64,
    /// How long the rest takes at the rate so far, seconds; `None` where nothing was written yet.
    pub left_s: Option<f64>,
    /// Files of this rank.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Turnovers so far.
    pub turnovers: f64,
}

/// Hears how far it is.
pub trait Observer {
    /// Told a few times a second, on rank 0.
    fn progress(&mut self, progress: &Progress);
}

/// Who is told, and what the numbers are held against.
pub(super) struct Watch<'a> {
    pub(super) observer: Option<&'a mut dyn Observer>,
    pub(super) step: &'static str,
    /// Bytes that this rank will have written in the end, as far as that is known.
    pub(super) goal: f64,
    /// When this process began, and what was written before.
    pub(super) began_ns: u64,
    pub(super) began_written: u64,
    pub(super) told_ns: u64,
}

impl Watch<'_> {
    pub(super) fn tell(&mut self, now: u64, model: &Model) {
        let Some(observer) = &mut self.observer else { return };
        if now < self.told_ns + TELL_NS {
            return;
        }
        self.told_ns = now;
        let written = model.written as f64;
        let rate = (model.written - self.began_written) as f64 / (now - self.began_ns).max(1) as f64 * 1e9;
        let left = (self.goal - written).max(0.0);
        observer.progress(&Progress {
            step: self.step,
            share: (written / self.goal.max(1.0)).min(1.0),
            left_s: (rate > 0.0).then(|| left / rate),
            files: model.files.len() as u64,
            bytes: model.bytes,
            turnovers: model.turnovers,
        });
    }
}
