//! Events in words: when, which series, and the facts that changed.
//!
//! Never here: which fact is the cause.

use serde::Serialize;
use track::event::HistoryEvent;
use track::note::notes_of;
use units::several;

use super::super::{Cell, Table, Tone};
use super::view::{HistoryLinks, HistoryView};
use super::{changes, words};

/// The most facts of an event.
const FACTS_MAX: usize = 12;
/// The most series of an event.
const SERIES_MAX: usize = 40;

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EventPart {
    id: String,
    /// Its dates, and its system.
    title: String,
    /// How many series changed, and by how much.
    sentence: String,
    /// The notes about its time, one line each.
    notes: Vec<String>,
    /// The facts that changed, one line each.
    facts: Vec<String>,
    /// Which facts are left out, or that none changed; may be empty.
    note: String,
    changes: Table,
}

/// The event with this place in the events of the view.
pub(super) fn part(view: &HistoryView, number: usize, links: &HistoryLinks<'_>) -> EventPart {
    let event = &view.events[number];
    let system = if event.system.is_empty() { String::new() } else { format!(", {}", event.system) };
    EventPart {
        id: words::event_anchor(number),
        title: format!("{}{system}", words::period(event.from_s, event.to_s)),
        sentence: sentence(view, event),
        notes: notes_of(event, &view.courses, &view.notes).into_iter().map(words::note).collect(),
        facts: event.facts.iter().take(FACTS_MAX).map(words::fact).collect(),
        note: facts_note(event),
        changes: changed_series(view, event, links),
    }
}

fn sentence(view: &HistoryView, event: &HistoryEvent) -> String {
    let tones = event
        .changes
        .iter()
        .map(|change| changes::tone(view.courses[change.series].summary.direction, change.shift.ratio));
    let parts = [(Tone::Fail, "slower"), (Tone::Pass, "faster"), (Tone::Plain, "at another level")];
    let parts = parts.map(|(wanted, word)| (tones.clone().filter(|tone| *tone == wanted).count(), word));
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let sides: Vec<String> = parts.map(|(number, word)| format!("{number} {word}")).collect();
    let ratios = || event.changes.iter().map(|change| change.shift.ratio);
    let (low, high) = (ratios().fold(f64::INFINITY, f64::min), ratios().fold(0.0, f64::max));
    let series = changes::series_of(event).len() as u64;
    let range = if event.changes.len() == 1 { words::ratio(low) } else { interval(low, high) };
    format!("{}: {}; {range}.", several(series, "series"), sides.join(", "))
}

fn facts_note(event: &HistoryEvent) -> String {
    match event.facts.len().saturating_sub(FACTS_MAX) {
        0 if event.facts.is_empty() => "No fact that is known changed.".to_owned(),
        0 => String::new(),
        more => format!("And {}.", several(more as u64, "more fact")),
    }
}

fn changed_series(view: &HistoryView, event: &HistoryEvent, links: &HistoryLinks<'_>) -> Table {
    let title = format!("The series that changed ({})", changes::series_of(event).len());
    let mut table =
        Table::new(&title, "~Series | >Ratio | >Interval | First at the new level | Not before | Not after");
    for change in event.changes.iter().take(SERIES_MAX) {
        let summary = &view.courses[change.series].summary;
        let shift = &change.shift;
        table.row([
            Cell::new(summary.series.to_string()).linked((links.series)(summary.id)),
            ratio_cell(view, change.series, shift.ratio),
            Cell::new(interval(shift.ratio_low, shift.ratio_high)),
            Cell::new(words::day(shift.time_s)),
            Cell::new(words::day(shift.earliest_s)),
            Cell::new(words::day(shift.latest_s)),
        ]);
    }
    let more = event.changes.len().saturating_sub(SERIES_MAX);
    if more > 0 {
        table.note = format!("And {}.", several(more as u64, "more change"));
    }
    table
}

pub(super) fn ratio_cell(view: &HistoryView, series: usize, ratio: f64) -> Cell {
    Cell::new(words::ratio(ratio)).toned(changes::tone(view.courses[series].summary.direction, ratio))
}

pub(super) fn interval(low: f64, high: f64) -> String {
    format!("{} to {}", words::ratio(low), words::ratio(high))
}
