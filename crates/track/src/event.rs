//! Changes of several series at the same time are one event, with what changed between the entries around it.
//!
//! One cause changes a series once. So a fall and the recovery from it are two events, however soon it is.
//!
//! Never here: which of the facts is the cause. A history cannot show that.

use std::collections::{BTreeMap, BTreeSet};

use results::comparison::{CampaignFacts, ComparedFact, differing_facts};
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
    /// If the shifts have one cause, it is not before this time, seconds since 1970.
    pub from_s: f64,
    /// It is not after this time.
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
            let is_new = event.changes.iter().all(|one| one.series != change.series);
            is_new && event.system == *system && change.shift.time_s - last <= TOGETHER_S
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

/// When an event can be, in seconds since 1970. If its changes have one cause, it is in the possible times of
/// all of them. If there is no such time, it is that of the first to the last change.
fn time_of(changes: &[EventChange]) -> (f64, f64) {
    let shifts = || changes.iter().map(|change| &change.shift);
    let from = shifts().map(|shift| shift.earliest_s).fold(f64::NEG_INFINITY, f64::max);
    let to = shifts().map(|shift| shift.latest_s).fold(f64::INFINITY, f64::min);
    if from < to {
        return (from, to);
    }
    let first = shifts().map(|shift| shift.time_s).fold(f64::INFINITY, f64::min);
    (first, shifts().map(|shift| shift.time_s).fold(f64::NEG_INFINITY, f64::max))
}

/// Fills in the times and the facts.
fn complete(event: &mut HistoryEvent, courses: &[SeriesCourse], entries: &BTreeMap<i64, EntrySummary>) {
    (event.from_s, event.to_s) = time_of(&event.changes);
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
                if !found.iter().any(|one| is_same(one, &change)) {
                    found.push(change);
                }
            }
        }
    }
    event.facts = found;
}

/// Whether two pairs of entries show the same change. The utilization is never exactly the same.
fn is_same(one: &FactChange, other: &FactChange) -> bool {
    let is_fill = one.fact == ComparedFact::Fill.word();
    one == other || is_fill && (&one.fact, &one.about) == (&other.fact, &other.about)
}

/// The facts with other values, by the rules of a comparison; those of file systems and machines first. If
/// one entry has no facts, such as an import, nothing is known to differ.
pub fn differing(before: &[EntryFact], after: &[EntryFact]) -> Vec<FactChange> {
    if before.is_empty() || after.is_empty() {
        return Vec::new();
    }
    let mut compared = differing_facts(&[before, after].map(compared_facts));
    // The plan changes often, and explains little of the same series.
    compared.sort_by_key(|one| std::cmp::Reverse(one.fact.area()));
    let compared = compared.into_iter().map(|one| {
        let [before, after] = [0, 1].map(|which| one.values[which].clone());
        FactChange { fact: one.fact.word().to_owned(), about: one.about, before, after }
    });
    let (before, after) = (other_facts(before), other_facts(after));
    let keys: BTreeSet<&(String, String)> = before.keys().chain(after.keys()).collect();
    let of = |key: &(String, String)| FactChange {
        fact: key.0.clone(),
        about: key.1.clone(),
        before: before.get(key).cloned(),
        after: after.get(key).cloned(),
    };
    let others = keys.into_iter().map(of).filter(|change| change.before != change.after);
    others.chain(compared).collect()
}

/// The facts that a comparison knows.
fn compared_facts(facts: &[EntryFact]) -> CampaignFacts {
    let known = |one: &EntryFact| {
        ComparedFact::named(&one.fact).map(|fact| ((fact, one.about.clone()), one.value.clone()))
    };
    facts.iter().filter_map(known).collect()
}

/// All others, such as those that a later program wrote.
fn other_facts(facts: &[EntryFact]) -> BTreeMap<(String, String), Datum> {
    let others = facts.iter().filter(|one| ComparedFact::named(&one.fact).is_none());
    others.map(|one| ((one.fact.clone(), one.about.clone()), one.value.clone())).collect()
}
