//! A history with all that is found in it, as pages show it.
//!
//! Never here: layout, reading a store.

use std::collections::BTreeMap;

use track::course::SeriesCourse;
use track::event::{HistoryEvent, events};
use track::note::baseline_s;
use track::standing::{SlowPoint, Standing, slow_newest, standing};
use track::store::{EntrySummary, HistoryNote};

use crate::document::Cell;

/// When a series has fallen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FallRule {
    /// A fall by more than this share counts, between 0 and 1.
    pub fall: f64,
    /// The baseline is the first point since this time, seconds since 1970. Without it, it is the first point
    /// since the last accepted note about the series, or the first point of all.
    pub since_s: Option<f64>,
}

impl Default for FallRule {
    fn default() -> Self {
        Self { fall: 0.05, since_s: None }
    }
}

/// A history with its changes.
#[derive(Clone, Debug)]
pub struct HistoryView {
    /// The name of the history, such as the path of its file.
    pub name: String,
    /// The series with their points and changes, by name.
    pub courses: Vec<SeriesCourse>,
    /// The standing of each of them.
    pub standings: Vec<Standing>,
    /// The events of these series, by time.
    pub events: Vec<HistoryEvent>,
    /// The entries by their ids.
    pub entries: BTreeMap<i64, EntrySummary>,
    /// The parts of each setup by its id: what must be the same for two points to be compared.
    pub setups: BTreeMap<i64, BTreeMap<String, String>>,
    /// The notes of the history, by the time that they are about.
    pub notes: Vec<HistoryNote>,
    /// When a series has fallen.
    pub rule: FallRule,
}

impl HistoryView {
    /// The view of these series, with their standings and events.
    pub fn of(
        name: String,
        courses: Vec<SeriesCourse>,
        entries: BTreeMap<i64, EntrySummary>,
        setups: BTreeMap<i64, BTreeMap<String, String>>,
        notes: Vec<HistoryNote>,
        rule: FallRule,
    ) -> Self {
        let events = events(&courses, &entries);
        let mut view = Self { name, courses, standings: Vec::new(), events, entries, setups, notes, rule };
        let standings = view.courses.iter().map(|course| standing(course, view.since_s(course))).collect();
        view.standings = standings;
        view
    }

    /// The start of the baseline of a series, if one is given or accepted.
    fn since_s(&self, course: &SeriesCourse) -> Option<f64> {
        self.rule.since_s.or_else(|| baseline_s(&self.notes, &course.summary.series))
    }

    /// The notes about a series, by its place in the courses.
    pub(crate) fn notes_about(&self, series: usize) -> impl Iterator<Item = &HistoryNote> {
        let series = &self.courses[series].summary.series;
        self.notes.iter().filter(move |note| note.is_about(series))
    }

    /// Whether a series, by its place in the courses, has fallen.
    pub fn has_fallen(&self, series: usize) -> bool {
        match &self.standings[series] {
            Standing::Changed(change) => change.is_shown_below(1.0 - self.rule.fall),
            _ => false,
        }
    }

    /// The newest point of a series, by its place in the courses, if it is a slow outlier. It is slower than
    /// its level by more than the share of the rule.
    pub fn slow_newest(&self, series: usize) -> Option<SlowPoint> {
        let course = &self.courses[series];
        slow_newest(course, self.since_s(course)).filter(|point| point.ratio < 1.0 - self.rule.fall)
    }
}

/// Where the links of a page of a history lead.
pub struct HistoryLinks<'l> {
    /// The link to the overview.
    pub overview: &'l str,
    /// The link to the page of a series, by the id of the series.
    pub series: &'l dyn Fn(i64) -> String,
    /// The path from the page to the evidence of an entry, not encoded; `None` if there is nothing to open.
    pub evidence: &'l dyn Fn(&EntrySummary) -> Option<String>,
    /// Links to other pages, above the page; may be empty.
    pub navigation: &'l [Cell],
}
