//! A history that grows point by point, and the shifts that each new point reveals.
//!
//! Each point repeats the division of the whole history. So the shifts at the end are those of
//! [`super::analyse`], and a shift that later points refute is gone.
//!
//! Invariant: after the last point, [`Detector::analysis`] equals the analysis of all points at once.

use super::analysis::shifts;
use super::{Analysis, ChangeSettings, HistoryPoint, LevelShift, analyse};

/// Finds shifts while the history grows.
#[derive(Clone, Debug)]
pub struct Detector {
    settings: ChangeSettings,
    points: Vec<HistoryPoint>,
    reported: Vec<LevelShift>,
}

impl Detector {
    /// A detector without points.
    pub fn new(settings: ChangeSettings) -> Self {
        Self { settings, points: Vec::new(), reported: Vec::new() }
    }

    /// Adds the next point in time. Returns the shifts that no earlier point revealed. The delay of a shift
    /// is the number of points from its index to this one.
    pub fn push(&mut self, point: HistoryPoint) -> Vec<LevelShift> {
        self.points.push(point);
        let mut fresh = shifts(&self.points, &self.settings);
        fresh.retain(|shift| !self.reported.iter().any(|known| self.is_same(known, shift)));
        self.reported.extend(&fresh);
        fresh
    }

    /// All changes of the points so far.
    pub fn analysis(&self) -> Analysis {
        analyse(&self.points, &self.settings)
    }

    /// Whether two reports are about one shift: the same direction, in ranges that overlap or nearly do.
    fn is_same(&self, known: &LevelShift, shift: &LevelShift) -> bool {
        let reach = self.settings.segment_min;
        let near = shift.earliest <= known.latest + reach && known.earliest <= shift.latest + reach;
        near && (known.ratio > 1.0) == (shift.ratio > 1.0)
    }
}
