//! Which old points of a series a history can lose.
//!
//! Points of campaigns stay: verdicts rest on them. Of imported points, those of the first level stay, and
//! those of each accepted level, because checks compare with them.
//!
//! Never here: removing points.

use std::collections::BTreeMap;

use results::history::EntrySource;

use crate::course::{CoursePart, SeriesCourse};
use crate::standing::POINTS_MIN;
use crate::store::{EntrySummary, HistoryNote, RemovablePoints};

/// The imported points before `before_s` that no check rests on. The notes are those of the history.
pub fn removable(
    course: &SeriesCourse,
    notes: &[HistoryNote],
    entries: &BTreeMap<i64, EntrySummary>,
    before_s: f64,
) -> RemovablePoints {
    let about = |note: &&HistoryNote| note.is_accepted && note.is_about(&course.summary.series);
    let accepted: Vec<f64> = notes.iter().filter(about).map(|note| note.time_s).collect();
    let mut kept: Vec<(f64, f64)> =
        course.parts.iter().flat_map(|part| levels(course, part, &accepted)).collect();
    kept.push((before_s, f64::INFINITY));
    kept.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut times = Vec::new();
    let mut from_s = f64::NEG_INFINITY;
    for (first_s, last_s) in kept {
        if first_s > from_s {
            times.push((from_s, first_s));
        }
        from_s = from_s.max(last_s.next_up());
    }
    let is_import =
        |entry: &i64| entries.get(entry).is_some_and(|entry| entry.source != EntrySource::Campaign);
    let within = |time_s: f64| times.iter().any(|(from_s, to_s)| time_s >= *from_s && time_s < *to_s);
    let points = course.points.iter().filter(|point| is_import(&point.entry) && within(point.time_s)).count();
    times.retain(|(from_s, to_s)| {
        course
            .points
            .iter()
            .any(|point| is_import(&point.entry) && point.time_s >= *from_s && point.time_s < *to_s)
    });
    RemovablePoints { times, points }
}

/// The times of the first level of a part and of its accepted levels. A part with few points stays whole.
fn levels(course: &SeriesCourse, part: &CoursePart, accepted: &[f64]) -> Vec<(f64, f64)> {
    let time = |index: usize| course.points[part.places[index]].time_s;
    let usable = part.places.len() - part.analysis.unusable.len();
    if usable < POINTS_MIN || part.analysis.segments.is_empty() {
        return vec![(time(0), time(part.places.len() - 1))];
    }
    let first_since = |since_s: &f64| (0..part.places.len()).find(|index| time(*index) >= *since_s);
    let starts = std::iter::once(0).chain(accepted.iter().filter_map(first_since));
    let segments = starts.filter_map(|index| part.segment_of(index));
    segments.map(|segment| (time(segment.first), time(segment.last))).collect()
}
