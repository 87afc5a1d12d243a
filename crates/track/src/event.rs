//! Changes of several series at the same time are one event, with what changed between the entries around it.
//!
//! Never here: which of the facts is the cause. A history cannot show that.

use std::collections::{BTreeMap, BTreeSet};

use results::history::EntryFact;
use results::reason::Datum;

use crate::change::LevelShift;
use crate::course::SeriesCourse;
use crate::store::EntrySummary;

/// Changes that are at most this far apart can have one cause, seconds.
pub const TOGETHER_S: f64 = 3.0 * 86_400.0;

/// Shifts of series of one system at about the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEvent {
    /// The system.
    pub system: String,
    /// The first shift is not before this time, seconds since 1970.
    pub from_s: f64,
    /// The last shift is not after this time.
    pub to_s: f64,
    /// The shifts, by time.
    pub changes: Vec<EventChange>,
    /// The facts that differ between the entries before and after the shifts.
    pub facts: Vec<FactChange>,
}

/// A shift of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct EventChange {
    /// The place of the series in the list that the caller gave.
    pub series: usize,
    /// The place of the part in the series.
    pub part: usize,
    /// The shift.
    pub shift: LevelShift,
}

/// A fact with another value after a shift.
#[derive(Clone, Debug, PartialEq)]
pub struct FactChange {
    /// The word of the fact.
    pub fact: String,
    /// What it is about; empty for the whole entry.
    pub about: String,
    /// Its value before; absent if it was not known.
    pub before: Option<Datum>,
    /// Its value after.
    pub after: Option<Datum>,
}

/// The events of these series, by time.
pub fn events(courses: &[SeriesCourse], entries: &BTreeMap<i64, EntrySummary>) -> Vec<HistoryEvent> {
    let mut all: Vec<EventChange> = Vec::new();
    for (series, course) in courses.iter().enumerate() {
        for (part, one) in course.parts.iter().enumerate() {
            let shifts = one.analysis.shifts.iter();
            all.extend(shifts.map(|shift| EventChange { series, part, shift: *shift }));
        }
    }
    all.sort_by(|one, other| one.shift.time_s.total_cmp(&other.shift.time_s));
    let mut events: Vec<HistoryEvent> = Vec::new();
    for change in all {
        let system = &courses[change.series].summary.series.system;
        let near = |event: &&mut HistoryEvent| {
            let last = event.changes.last().map_or(f64::NEG_INFINITY, |last| last.shift.time_s);
            event.system == *system && change.shift.time_s - last <= TOGETHER_S
        };
        match events.iter_mut().rev().find(near) {
            Some(event) => event.changes.push(change),
            None => events.push(HistoryEvent {
                system: system.clone(),
                from_s: 0.0,
                to_s: 0.0,
                changes: vec![change],
                facts: Vec::new(),
            }),
        }
    }
    events.iter_mut().for_each(|event| complete(event, courses, entries));
    events
}

/// Fills in the times and the facts.
fn complete(event: &mut HistoryEvent, courses: &[SeriesCourse], entries: &BTreeMap<i64, EntrySummary>) {
    let shifts = || event.changes.iter().map(|change| &change.shift);
    event.from_s = shifts().map(|shift| shift.earliest_s).fold(f64::INFINITY, f64::min);
    event.to_s = shifts().map(|shift| shift.latest_s).fold(f64::NEG_INFINITY, f64::max);
    let mut pairs: BTreeSet<(i64, i64)> = BTreeSet::new();
    for change in &event.changes {
        let course = &courses[change.series];
        let (before, after) = course.parts[change.part].around(&change.shift);
        pairs.insert((course.points[before].entry, course.points[after].entry));
    }
    let mut found: Vec<FactChange> = Vec::new();
    for (before, after) in pairs {
        if let (Some(before), Some(after)) = (entries.get(&before), entries.get(&after)) {
            for change in differing(&before.facts, &after.facts) {
                if !found.contains(&change) {
                    found.push(change);
                }
            }
        }
    }
    event.facts = found;
}

/// The facts with other values.
pub fn differing(before: &[EntryFact], after: &[EntryFact]) -> Vec<FactChange> {
    let keyed = |facts: &[EntryFact]| -> BTreeMap<(String, String), Datum> {
        facts.iter().map(|one| ((one.fact.clone(), one.about.clone()), one.value.clone())).collect()
    };
    let (before, after) = (keyed(before), keyed(after));
    let keys: BTreeSet<&(String, String)> = before.keys().chain(after.keys()).collect();
    let of = |key: &(String, String)| FactChange {
        fact: key.0.clone(),
        about: key.1.clone(),
        before: before.get(key).cloned(),
        after: after.get(key).cloned(),
    };
    keys.into_iter().map(of).filter(|change| change.before != change.after).collect()
}
