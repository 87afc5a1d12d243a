//! The page of a series: its chart, its changes, and its points with their evidence.
//!
//! Invariant: a page has a limited number of rows, and states what is left out.
//! Never here: other series.

use serde::Serialize;
use track::change::{LevelSegment, LevelShift};
use track::course::{CoursePart, SeriesCourse};
use units::{percent_apart, several};

use super::super::constants;
use super::super::words::{link_to, path_cell, tone_of};
use super::super::{Cell, Fact, LegendEntry, Plot, Table};
use super::events::{self, EventPart};
use super::view::{HistoryLinks, HistoryView};
use super::{ChartDetail, changes, overview, points, words};

/// The most points of the table.
const POINTS_MAX: usize = 400;
/// With more points, the table is closed.
const OPEN_MAX: usize = 40;
/// The most rows of a table of changes.
const CHANGES_MAX: usize = 60;
/// The most events of a page.
const EVENTS_MAX: usize = 20;
const TIME_TICKS: usize = 12;
const COLUMNS: usize = 480;
/// The most characters of the value of a part of a setup.
const SETUP_MAX: usize = 300;

/// The page of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SeriesDocument {
    title: String,
    overview: String,
    facts: Vec<Fact>,
    plot_title: String,
    /// How to read the chart.
    reading: Vec<String>,
    /// The sentence about a series without changes; otherwise empty.
    no_changes: String,
    changes: Vec<Table>,
    events: Vec<EventPart>,
    /// What must be the same as at the last point.
    setup: Vec<Fact>,
    points: Table,
    is_open: bool,
    source: String,
    #[serde(skip)]
    pub(crate) legend: Vec<LegendEntry>,
    /// The panels of its chart.
    #[serde(skip)]
    pub(crate) panels: Vec<Plot>,
}

/// The page of the series at this place in the courses.
pub(crate) fn series(view: &HistoryView, series: usize, links: &HistoryLinks<'_>) -> SeriesDocument {
    let course = &view.courses[series];
    let time = super::time_axis(std::iter::once(course), TIME_TICKS);
    let detail = ChartDetail { columns: COLUMNS, is_large: true };
    let chart = super::chart(view, series, &time, detail);
    let mut reading = vec![
        "The axis of values begins at 0, unless all values are in its upper half. Hover over a symbol for \
         its values and its campaign."
            .to_owned(),
    ];
    reading.extend(Some(chart.left_out.trim_end().to_owned()).filter(|text| !text.is_empty()));
    let changes: Vec<Table> =
        [parts(view, course), shifts(view, series), drifts(course), variability(course)]
            .into_iter()
            .chain([outliers(course)])
            .filter(|table| !table.rows.is_empty())
            .collect();
    SeriesDocument {
        title: course.summary.series.to_string(),
        overview: links.overview.to_owned(),
        facts: facts(view, series),
        plot_title: format!("{} over time", course.summary.series.metric),
        reading,
        no_changes: if changes.is_empty() { "No change was found.".to_owned() } else { String::new() },
        changes,
        events: events_of(view, series, links),
        setup: setup(view, course),
        points: point_table(view, course, links),
        is_open: course.points.len() <= OPEN_MAX,
        source: view.name.clone(),
        legend: super::legend(std::iter::once(&chart)),
        panels: chart.panels,
    }
}

fn facts(view: &HistoryView, series: usize) -> Vec<Fact> {
    let course = &view.courses[series];
    let summary = &course.summary;
    let unusable = course.points.iter().filter(|point| point.mean.is_none()).count();
    let points = match unusable {
        0 => summary.points.to_string(),
        _ => format!("{}, {unusable} without usable values", summary.points),
    };
    let mut facts = vec![
        Fact::of("Standing", overview::standing_cell(view, series)),
        Fact::new("Last value", overview::last_value(view, series)),
        Fact::new("Points", points),
        Fact::new("Time", words::period(summary.first_s, summary.last_s)),
    ];
    facts.extend(view.notes_about(series).take(CHANGES_MAX).map(|note| Fact::new("Note", words::note(note))));
    let speed = overview::speed(view, series);
    if !speed.is_empty() {
        facts.insert(1, Fact::new("Speed now", format!("{speed} of the baseline")));
    }
    if let Some(part) = course.current() {
        let noise = part.analysis.noise;
        facts.push(Fact::new("Noise", format!("{}, without shifts", percent_apart(noise.deviation, false))));
        if let Some(weekly) = &part.analysis.weekly {
            let low = weekly.ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let high = weekly.ratios.iter().copied().fold(0.0, f64::max);
            let text =
                format!("{} to {} of the usual rate", percent_apart(low, false), percent_apart(high, false));
            facts.push(Fact::new("Days of the week", text));
        }
    }
    facts
}

/// What must be the same as at the last point, so that another point is compared with it.
fn setup(view: &HistoryView, course: &SeriesCourse) -> Vec<Fact> {
    let setup = course.points.last().and_then(|point| view.setups.get(&point.setup));
    let fact =
        |(name, value): (&String, &String)| Fact::of(name, Cell::literal(units::shortened(value, SETUP_MAX)));
    setup.into_iter().flatten().map(fact).collect()
}

/// The comparable parts, if there are several.
fn parts(view: &HistoryView, course: &SeriesCourse) -> Table {
    let none = std::collections::BTreeMap::new();
    let setup = |part: &CoursePart| {
        part.places.first().and_then(|place| view.setups.get(&course.points[*place].setup)).unwrap_or(&none)
    };
    let time = |place: Option<&usize>| {
        Cell::new(place.map_or(String::new(), |at| words::day(course.points[*at].time_s)))
    };
    let row = |(number, part): (usize, &CoursePart)| {
        let differs = match number {
            0 => String::new(),
            _ => changes::differing(setup(&course.parts[number - 1]), setup(part), SETUP_MAX)
                .replace('\n', "; "),
        };
        vec![
            Cell::new((number + 1).to_string()),
            time(part.places.first()),
            time(part.places.last()),
            Cell::new(part.places.len().to_string()),
            Cell::new(differs),
        ]
    };
    let several = course.parts.iter().enumerate().filter(|_| course.parts.len() > 1);
    let headings = ">Part | From | To | >Points | ~What differs";
    limited("Parts that are not compared with each other", headings, several.map(row))
}

/// A table of the first rows, which states how many are left out.
fn limited(title: &str, headings: &str, mut rows: impl Iterator<Item = Vec<Cell>>) -> Table {
    let table = Table::with_rows(title, headings, rows.by_ref().take(CHANGES_MAX));
    match rows.count() {
        0 => table,
        more => table.noted(format!("And {more} more.")),
    }
}

fn shifts(view: &HistoryView, series: usize) -> Table {
    let course = &view.courses[series];
    let level = |segment: Option<&LevelSegment>| {
        let unit = &course.summary.series.unit;
        Cell::new(segment.map_or(String::new(), |segment| words::value(segment.level, unit)))
    };
    let row = |(part, shift): (&CoursePart, &LevelShift)| {
        let segments = &part.analysis.segments;
        vec![
            Cell::new(words::minute(shift.time_s)),
            Cell::new(words::minute(shift.earliest_s)),
            Cell::new(words::minute(shift.latest_s)),
            events::ratio_cell(view, series, shift.ratio),
            Cell::new(events::interval(shift.ratio_low, shift.ratio_high)),
            Cell::new(probability(shift.p)),
            level(segments.iter().rev().find(|segment| segment.last < shift.index)),
            level(segments.iter().find(|segment| segment.first == shift.index)),
        ]
    };
    let all =
        course.parts.iter().flat_map(|part| part.analysis.shifts.iter().map(move |shift| (part, shift)));
    let headings = "First at the new level | Not before | Not after | >Ratio | >Interval | >p | \
                    >Level before | >Level after";
    limited("Level shifts", headings, all.map(row))
}

fn drifts(course: &SeriesCourse) -> Table {
    let rows = changes::drifts(course).map(|(part, drift)| {
        let time = |index: usize| Cell::new(words::minute(course.points[part.places[index]].time_s));
        let change = Cell::new(changes::monthly(drift));
        vec![time(drift.first), time(drift.last), change, Cell::new(probability(drift.p))]
    });
    limited("Drifts", "From | To | Change | >p", rows)
}

fn variability(course: &SeriesCourse) -> Table {
    let all = course.parts.iter().flat_map(|part| &part.analysis.variability);
    let rows = all.map(|change| {
        [words::minute(change.time_s), words::ratio(change.ratio), probability(change.p)]
            .map(Cell::new)
            .into()
    });
    limited("Changes of the variability", "First | >Deviation after / before | >p", rows)
}

fn outliers(course: &SeriesCourse) -> Table {
    let unit = &course.summary.series.unit;
    let rows = changes::outliers(course).map(|(point, mean, ratio)| {
        [words::minute(point.time_s), words::value(mean, unit), ratio].map(Cell::new).into()
    });
    limited("Outliers", "Time | >Value | >Value / level", rows)
}

pub(super) fn probability(p: f64) -> String {
    if p >= 1e-3 { format!("{p:.3}") } else { format!("{p:.0e}") }
}

/// The events with a shift of this series.
fn events_of(view: &HistoryView, series: usize, links: &HistoryLinks<'_>) -> Vec<EventPart> {
    let of_series = view.events.iter().enumerate();
    let of_series = of_series.filter(|(_, event)| event.changes.iter().any(|change| change.series == series));
    of_series.take(EVENTS_MAX).map(|(number, _)| events::part(view, number, links)).collect()
}

/// The last points, the latest first.
fn point_table(view: &HistoryView, course: &SeriesCourse, links: &HistoryLinks<'_>) -> Table {
    let (all, unit) = (course.points.len(), &course.summary.series.unit);
    let shown = all.min(POINTS_MAX);
    let title = match shown < all {
        true => format!("The last {shown} of {all} points"),
        false => several(all as u64, "point"),
    };
    let headings = "Time | >Mean | >Repetitions | >COV | Verdict | >Threshold | >Part | >Utilization | \
                    >Other jobs | ~No usable values because | Evidence hash | Location";
    let mut table = Table::new(&title, headings);
    let optional = |value: Option<f64>, unit: &str| {
        Cell::new(value.map_or(String::new(), |value| words::value(value, unit)))
    };
    let mut part_of = vec![0; all];
    for (number, part) in course.parts.iter().enumerate() {
        part.places.iter().for_each(|place| part_of[*place] = number + 1);
    }
    for (place, point) in course.points.iter().enumerate().rev().take(shown) {
        let entry = view.entries.get(&point.entry);
        let location = entry.map_or_else(|| Cell::new(""), |entry| path_cell(&entry.location));
        let link = entry.and_then(|entry| (links.evidence)(entry)).map(|path| link_to(&path));
        let verdict = point
            .outcome
            .map_or_else(|| Cell::new(""), |outcome| Cell::new(outcome.to_string()).toned(tone_of(outcome)));
        table.row([
            Cell::new(words::minute(point.time_s)),
            optional(point.mean, unit),
            Cell::new(point.values.len().to_string()),
            optional(points::variation(&point.values), "1"),
            verdict,
            optional(point.threshold, unit),
            Cell::new(part_of[place].to_string()),
            optional(point.fill, "1"),
            optional(point.concurrency, ""),
            Cell::new(point.why.map_or("", |code| code.meaning())),
            Cell::literal(entry.map_or("", |entry| entry.hash.as_str())),
            Cell { link, ..location },
        ]);
    }
    constants::fold_table(&mut table);
    if shown < all {
        table.note = "The command `assay track export` writes all points.".to_owned();
    }
    table
}
