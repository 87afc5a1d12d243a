//! What notes say about series: the baseline of each series, and the events that a note explains.
//!
//! Never here: where notes are stored, and who may write them.

use results::history::SeriesId;

use crate::course::SeriesCourse;
use crate::event::{HistoryEvent, TOGETHER_S};
use crate::store::HistoryNote;

impl HistoryNote {
    /// Whether it is about this series.
    pub fn is_about(&self, series: &SeriesId) -> bool {
        let name = series.to_string();
        self.scope.iter().all(|text| name.contains(text.as_str()))
    }
}

/// The start of the baseline of a series: the time of the last note that accepts its level, in seconds since
/// 1970. Without such a note the history begins with the baseline.
pub fn baseline_s(notes: &[HistoryNote], series: &SeriesId) -> Option<f64> {
    let accepted = notes.iter().filter(|note| note.is_accepted && note.is_about(series));
    accepted.map(|note| note.time_s).max_by(f64::total_cmp)
}

/// The notes about a series of the event, and about a time at most three days from it.
pub fn notes_of<'n>(
    event: &HistoryEvent,
    courses: &[SeriesCourse],
    notes: &'n [HistoryNote],
) -> Vec<&'n HistoryNote> {
    let near = |note: &HistoryNote| {
        note.time_s >= event.from_s - TOGETHER_S && note.time_s <= event.to_s + TOGETHER_S
    };
    let series = || event.changes.iter().map(|change| &courses[change.series].summary.series);
    notes.iter().filter(|note| near(note) && series().any(|series| note.is_about(series))).collect()
}
