//! The overview of a history: standings, events, and a small chart of each series.
//!
//! Invariant: every series has a chart, and links to its page.
//! Never here: what a single chart shows.

use std::collections::BTreeSet;

use results::history::EntrySource;
use serde::Serialize;
use track::standing::Standing;
use units::several;

use super::super::anchors::Anchors;
use super::super::{Cell, LegendEntry, Table, Tone};
use super::events::{self, EventPart};
use super::view::{HistoryLinks, HistoryView};
use super::{ChartDetail, HistoryChart, changes, words};

/// Points of all charts together, about.
const POINTS_OF_ALL: usize = 40_000;
/// The most rows of the table of standings.
const STANDINGS_MAX: usize = 100;
/// The most events.
const EVENTS_MAX: usize = 40;
const TIME_TICKS: usize = 5;

/// The overview of a history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct HistoryOverview {
    title: String,
    /// The history in a few sentences.
    summary: Vec<String>,
    standing: Table,
    /// Which events are left out.
    events_note: Vec<String>,
    events: Vec<EventPart>,
    /// How to read the charts.
    reading: Vec<String>,
    #[serde(skip)]
    pub(crate) legend: Vec<LegendEntry>,
    pub(crate) groups: Vec<SeriesGroup>,
    source: String,
}

/// The series of a file system.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SeriesGroup {
    id: String,
    title: String,
    /// How many series it has.
    count: String,
    pub(crate) multiples: Vec<SmallMultiple>,
}

/// A series with its small chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SmallMultiple {
    id: String,
    name: String,
    link: String,
    last: String,
    points: String,
    standing: Cell,
    /// The speed as a share of that of the baseline; may be empty.
    speed: String,
    has_fallen: bool,
    #[serde(skip)]
    pub(crate) chart: HistoryChart,
}

/// The overview of all series.
pub(crate) fn overview(view: &HistoryView, links: &HistoryLinks<'_>) -> HistoryOverview {
    let count = view.courses.len();
    let (events_note, events) = events_of(view, links);
    let groups = groups(view, links);
    HistoryOverview {
        title: format!("History of {}", several(count as u64, "series")),
        summary: summary(view),
        standing: standings(view, links),
        events_note,
        events,
        reading: reading(&groups),
        legend: super::legend(groups.iter().flat_map(|group| &group.multiples).map(|one| &one.chart)),
        groups,
        source: view.name.clone(),
    }
}

fn summary(view: &HistoryView) -> Vec<String> {
    if view.courses.is_empty() {
        return vec!["No series of the history has these texts in its name.".to_owned()];
    }
    let summaries = || view.courses.iter().map(|course| &course.summary);
    let points: u64 = summaries().map(|one| one.points).sum();
    let first = summaries().map(|one| one.first_s).fold(f64::INFINITY, f64::min);
    let last = summaries().map(|one| one.last_s).fold(f64::NEG_INFINITY, f64::max);
    let entries: BTreeSet<i64> =
        view.courses.iter().flat_map(|course| course.points.iter().map(|point| point.entry)).collect();
    let is_campaign =
        |id: &&i64| view.entries.get(id).is_some_and(|entry| entry.source == EntrySource::Campaign);
    let campaigns = entries.iter().filter(is_campaign).count();
    let sources = [(campaigns, "campaign"), (entries.len() - campaigns, "imported file")];
    let sources = sources.iter().filter(|(number, _)| *number > 0);
    let sources: Vec<String> = sources.map(|(number, noun)| several(*number as u64, noun)).collect();
    let count =
        |is: fn(&HistoryView, usize) -> bool| (0..view.courses.len()).filter(|at| is(view, *at)).count();
    let fallen = count(HistoryView::has_fallen);
    let rose = count(|view, at| matches!(view.standings[at], Standing::Changed(change) if change.low > 1.0));
    let few = count(|view, at| matches!(view.standings[at], Standing::TooFew(_)));
    let unusable = count(|view, at| matches!(view.standings[at], Standing::Unusable(_)));
    let share = units::percent_apart(view.rule.fall, false);
    let baseline = match view.rule.since_s {
        Some(since) => format!("the first point since {}", words::day(since)),
        None if view.notes.iter().any(|note| note.is_accepted) => {
            "the first point of each series, or the first one since the last accepted note about it"
                .to_owned()
        }
        None => "the first point of each series".to_owned(),
    };
    let mut all = vec![
        format!(
            "{} from {} to {}, from {}.",
            several(points, "point"),
            words::day(first),
            words::day(last),
            sources.join(" and ")
        ),
        format!(
            "{fallen} of {} fell by more than {share}. {rose} rose.",
            several(view.courses.len() as u64, "series")
        ),
        format!("The baseline is {baseline}."),
    ];
    if few > 0 {
        all.push(format!("{few} with {} decide nothing.", words::too_few()));
    }
    if unusable > 0 {
        all.push(format!("{unusable} end without usable values, and decide nothing."));
    }
    all
}

/// The series whose speed changed, those that fell first, the largest change first.
fn standings(view: &HistoryView, links: &HistoryLinks<'_>) -> Table {
    let mut changed: Vec<(usize, &track::standing::SpeedChange)> = Vec::new();
    for (at, standing) in view.standings.iter().enumerate() {
        if let Standing::Changed(change) = standing {
            changed.push((at, change));
        }
    }
    changed.sort_by(|(one, left), (other, right)| {
        let by_fall = view.has_fallen(*other).cmp(&view.has_fallen(*one));
        by_fall.then(left.ratio.total_cmp(&right.ratio))
    });
    let mut table = Table::new(
        "Series whose speed changed since the baseline",
        "~Series | >Speed now | Standing | Last value | >Points | First | Last",
    );
    for (at, change) in changed.iter().take(STANDINGS_MAX) {
        let summary = &view.courses[*at].summary;
        table.row([
            Cell::new(summary.series.to_string()).linked((links.series)(summary.id)),
            Cell::new(words::limits(change)),
            standing_cell(view, *at),
            Cell::new(last_value(view, *at)),
            Cell::new(summary.points.to_string()),
            Cell::new(words::day(summary.first_s)),
            Cell::new(words::day(summary.last_s)),
        ]);
    }
    table.note = match changed.len().saturating_sub(STANDINGS_MAX) {
        0 if changed.is_empty() => "No series is known to have changed its speed.".to_owned(),
        0 => "The speed is that of the last level, as a share of that of the baseline, with its 95 % \
              interval. For a time, the speed is its reciprocal."
            .to_owned(),
        more => format!("And {} that changed less.", several(more as u64, "more series")),
    };
    table
}

pub(super) fn standing_cell(view: &HistoryView, series: usize) -> Cell {
    let has_fallen = view.has_fallen(series);
    let cell = Cell::new(words::standing(view, series, words::day));
    match &view.standings[series] {
        _ if has_fallen => cell.toned(Tone::Fail),
        Standing::Changed(change) if change.low > 1.0 => cell.toned(Tone::Pass),
        _ => cell,
    }
}

pub(super) fn last_value(view: &HistoryView, series: usize) -> String {
    let course = &view.courses[series];
    let last = course.points.iter().rev().find_map(|point| point.mean);
    last.map_or_else(|| "no usable value".to_owned(), |mean| words::value(mean, &course.summary.series.unit))
}

/// The events of several series, and the largest of single ones.
fn events_of(view: &HistoryView, links: &HistoryLinks<'_>) -> (Vec<String>, Vec<EventPart>) {
    let size = |number: usize| {
        let event = &view.events[number];
        let largest = event.changes.iter().map(|change| change.shift.ratio.ln().abs()).fold(0.0, f64::max);
        (changes::series_of(event).len(), largest)
    };
    let mut shown: Vec<usize> = (0..view.events.len()).collect();
    shown.sort_by(|one, other| {
        let (one, other) = (size(*one), size(*other));
        other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    shown.truncate(EVENTS_MAX);
    shown.sort_unstable();
    let all = view.events.len();
    let mut note = vec![match all {
        0 => "No level shift was found.".to_owned(),
        _ => "An event is one or more level shifts of a system at about the same time. The facts that \
              changed may explain it. A history cannot show the cause."
            .to_owned(),
    }];
    if all > shown.len() {
        note.push(format!("{} of {all} events are listed: those of the most series.", shown.len()));
    }
    (note, shown.into_iter().map(|number| events::part(view, number, links)).collect())
}

fn reading(groups: &[SeriesGroup]) -> Vec<String> {
    let mut reading = vec![
        "All charts have the same axis of time. An axis of values begins at 0, unless all values are in its \
         upper half. Hover over a symbol for its values and its campaign."
            .to_owned(),
    ];
    if groups.iter().flat_map(|group| &group.multiples).any(|one| !one.chart.left_out.is_empty()) {
        reading.push(
            "A chart of many points shows the lowest and the highest of each kind in each column.".to_owned(),
        );
    }
    reading
}

fn groups(view: &HistoryView, links: &HistoryLinks<'_>) -> Vec<SeriesGroup> {
    let time = super::time_axis(view.courses.iter(), TIME_TICKS);
    let columns = (POINTS_OF_ALL / 2 / view.courses.len().max(1)).clamp(12, 140);
    let detail = ChartDetail { columns, is_large: false };
    let mut anchors = Anchors::new();
    let mut groups: Vec<SeriesGroup> = Vec::new();
    let mut current: Option<(&str, &str)> = None;
    for (at, course) in view.courses.iter().enumerate() {
        let series = &course.summary.series;
        let place = (series.system.as_str(), series.place.as_str());
        if current != Some(place) {
            let title = words::place_name(series);
            let id = anchors.take(&format!("at-{title}"));
            groups.push(SeriesGroup { id, title, count: String::new(), multiples: Vec::new() });
            current = Some(place);
        }
        let multiple = SmallMultiple {
            id: format!("s-{:016x}", course.summary.id.cast_unsigned()),
            name: words::short_name(series),
            link: (links.series)(course.summary.id),
            last: last_value(view, at),
            points: several(course.summary.points, "point"),
            standing: standing_cell(view, at),
            speed: speed(view, at),
            has_fallen: view.has_fallen(at),
            chart: super::chart(view, at, &time, detail),
        };
        groups.last_mut().expect("a group was added").multiples.push(multiple);
    }
    for group in &mut groups {
        group.count = several(group.multiples.len() as u64, "series");
    }
    groups
}

/// The speed of a series that changed, as a share of that of the baseline; otherwise empty.
pub(super) fn speed(view: &HistoryView, series: usize) -> String {
    match &view.standings[series] {
        Standing::Changed(change) => words::limits(change),
        _ => String::new(),
    }
}
