//! A series for a terminal: its chart, its changes, and its last points with their evidence.
//!
//! Never here: the characters of the chart.

use track::course::SeriesCourse;
use track::store::EntrySummary;
use units::several;

use super::super::Plot;
use super::view::HistoryView;
use super::{ChartDetail, changes, overview, series, words};

/// The last points that are listed.
const POINTS: usize = 10;
/// The most lines of each kind of changes. They are the last ones.
const LINES: usize = 10;
/// The most ticks of the axis of time.
const TIME_TICKS: usize = 5;

pub(crate) struct SeriesText {
    pub(crate) title: String,
    /// Its points and its standing.
    pub(crate) summary: String,
    pub(crate) chart: Plot,
    pub(crate) lists: Vec<TextList>,
}

/// Lines below a heading.
pub(crate) struct TextList {
    pub(crate) title: String,
    pub(crate) lines: Vec<String>,
}

/// The series at this place in the courses, for a chart with this number of columns.
pub(crate) fn series_text(view: &HistoryView, series: usize, columns: usize) -> SeriesText {
    let course = &view.courses[series];
    let summary = &course.summary;
    let time = super::time_axis(std::iter::once(course), TIME_TICKS);
    let detail = ChartDetail { columns, is_large: false };
    let standing = words::standing(view, series, words::day);
    let speed = match overview::speed(view, series) {
        none if none.is_empty() => String::new(),
        speed => format!(", speed {speed} of the baseline"),
    };
    let points = several(summary.points, "point");
    let when = words::period(summary.first_s, summary.last_s);
    let mut lists =
        vec![parts(course), shifts(course), drifts(course), variability(course), outliers(course)];
    lists.push(list("Notes", view.notes_about(series).map(words::note).collect()));
    lists.extend(last_points(view, course));
    lists.retain(|list| !list.lines.is_empty());
    SeriesText {
        title: summary.series.to_string(),
        summary: format!("{points}, {when}: {standing}{speed}."),
        chart: super::chart(view, series, &time, detail).panels.remove(0),
        lists,
    }
}

/// The last of these lines.
fn list(title: &str, lines: Vec<String>) -> TextList {
    let all = lines.len();
    let title = match all > LINES {
        true => format!("{title} (the last {LINES} of {all})"),
        false => title.to_owned(),
    };
    TextList { title, lines: lines.into_iter().skip(all.saturating_sub(LINES)).collect() }
}

fn parts(course: &SeriesCourse) -> TextList {
    let parts = course.parts.iter().enumerate().filter(|_| course.parts.len() > 1);
    let line = |(number, part): (usize, &track::course::CoursePart)| {
        let from =
            part.places.first().map_or(String::new(), |place| words::day(course.points[*place].time_s));
        let differs = match part.differs.is_empty() {
            true => String::new(),
            false => format!(", another {}", part.differs.join(", ")),
        };
        format!("part {} from {from}: {}{differs}", number + 1, several(part.places.len() as u64, "point"))
    };
    list("Parts that are not compared", parts.map(line).collect())
}

fn shifts(course: &SeriesCourse) -> TextList {
    let all = course.parts.iter().flat_map(|part| &part.analysis.shifts);
    let line = |shift: &track::change::LevelShift| {
        format!(
            "{}  {} ({} to {})  {}  p = {}",
            words::day(shift.time_s),
            words::ratio(shift.ratio),
            words::ratio(shift.ratio_low),
            words::ratio(shift.ratio_high),
            words::period(shift.earliest_s, shift.latest_s),
            series::probability(shift.p)
        )
    };
    list("Level shifts: first point, ratio, when it can be", all.map(line).collect())
}

fn drifts(course: &SeriesCourse) -> TextList {
    let lines = changes::drifts(course).map(|(part, drift)| {
        let day = |index: usize| words::day(course.points[part.places[index]].time_s);
        format!("{} to {}  {}", day(drift.first), day(drift.last), changes::monthly(drift))
    });
    list("Drifts", lines.collect())
}

fn variability(course: &SeriesCourse) -> TextList {
    let all = course.parts.iter().flat_map(|part| &part.analysis.variability);
    let lines =
        all.map(|change| format!("{}  deviation {}", words::day(change.time_s), words::ratio(change.ratio)));
    list("Changes of the variability", lines.collect())
}

fn outliers(course: &SeriesCourse) -> TextList {
    let unit = &course.summary.series.unit;
    let lines = changes::outliers(course).map(|(point, mean, ratio)| {
        format!("{}  {}  {ratio} of the level", words::minute(point.time_s), words::value(mean, unit))
    });
    list("Outliers", lines.collect())
}

/// The last points, and the entries that they are from.
fn last_points(view: &HistoryView, course: &SeriesCourse) -> [TextList; 2] {
    let unit = &course.summary.series.unit;
    let last = &course.points[course.points.len().saturating_sub(POINTS)..];
    let mut entries: Vec<i64> = Vec::new();
    let mut points = Vec::new();
    for point in last {
        let number = entries.iter().position(|entry| *entry == point.entry).unwrap_or_else(|| {
            entries.push(point.entry);
            entries.len() - 1
        });
        let value = match (point.mean, point.why) {
            (Some(mean), _) => words::value(mean, unit),
            (None, Some(why)) => format!("no usable values: {}", why.meaning()),
            (None, None) => "no usable values".to_owned(),
        };
        let mut line = format!("{} UTC  {value}", words::minute(point.time_s));
        if point.values.len() > 1 {
            line += &format!(", {} repetitions", point.values.len());
        }
        if let Some(outcome) = point.outcome {
            line += &format!(", {outcome}");
        }
        if let Some(threshold) = point.threshold {
            line += &format!(", threshold {}", words::value(threshold, unit));
        }
        points.push(format!("{line}  [{}]", number + 1));
    }
    let evidence = entries.iter().enumerate().filter_map(|(number, entry)| {
        let EntrySummary { hash, location, source, .. } = view.entries.get(entry)?;
        Some(format!("[{}] {} {hash} {location}", number + 1, source.word()))
    });
    [
        TextList { title: format!("Last {}", several(points.len() as u64, "point")), lines: points },
        TextList { title: "Evidence".to_owned(), lines: evidence.collect() },
    ]
}
