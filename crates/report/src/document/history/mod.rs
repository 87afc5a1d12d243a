//! The pages of a history as documents: an overview with a small plot of each series, and a page of each.
//!
//! | module | what it has |
//! |---|---|
//! | `points`, `changes` | what a chart shows: points; levels, shifts, cuts, events |
//! | `overview`, `series` | the pages |
//! | `terminal` | a series for a terminal |
//! | `events` | events in words |
//! | `view` | the history with its changes, as the caller gives it |
//! | `words` | names, dates, standings and facts in words |
//!
//! Invariant: the size of a page does not grow with the points of its series. What is left out is stated.
//! Never here: markup, colours, and decisions about points.

mod changes;
mod events;
mod overview;
mod points;
mod series;
mod terminal;
mod view;
pub mod words;

pub(crate) use overview::{HistoryOverview, overview};
pub(crate) use series::{SeriesDocument, series};
pub(crate) use terminal::{SeriesText, series_text};
pub use view::{FallRule, HistoryLinks, HistoryView};

use track::course::SeriesCourse;

use super::chart::axes::{date_ticks, short, ticks_between};
use super::words::quantity;
use super::{Axis, LegendEntry, LegendKey, LineStyle, MarkShape, MarkStyle, Plot, SpanKind, Tone};

/// The most characters of a tick of values. Only units that are not known are longer.
const LABEL_MAX: usize = 11;

/// How fine a chart is.
#[derive(Clone, Copy)]
struct ChartDetail {
    /// Columns of points; each has a lowest and a highest point.
    columns: usize,
    /// Whether there are panels below the values, and repetitions.
    is_large: bool,
}

/// The chart of a series over an axis of time in seconds since 1970.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HistoryChart {
    /// The values, and below them what is known beside them.
    pub(crate) panels: Vec<Plot>,
    /// What is left out, in sentences; may be empty.
    left_out: String,
}

/// The chart of the series at this place in the courses, over an axis of time.
fn chart(view: &HistoryView, series: usize, time: &Axis, detail: ChartDetail) -> HistoryChart {
    let course = &view.courses[series];
    let (mut values, mut left_out) = points::values(view, course, time, detail);
    values.title = format!("{} over time", course.summary.series);
    values.lines = changes::lines(course, &values.y);
    values.spans = changes::shifts(course);
    let mut panels = vec![values];
    if detail.is_large {
        panels.extend(points::beside(course, time, detail));
    }
    let (cuts, more) = changes::cuts(view, course);
    left_out.push_str(&more);
    let shared: Vec<_> = changes::bands(view, series, detail.is_large).into_iter().chain(cuts).collect();
    panels.iter_mut().for_each(|panel| panel.spans.extend(shared.iter().cloned()));
    HistoryChart { panels, left_out }
}

/// What the symbols of these charts mean.
fn legend<'c>(charts: impl Iterator<Item = &'c HistoryChart> + Clone) -> Vec<LegendEntry> {
    let point = |tone, shape| LegendKey::Mark(MarkStyle::Toned(tone), shape);
    let all = [
        (point(Tone::Pass, MarkShape::Dot), "PASS"),
        (point(Tone::Fail, MarkShape::Square), "FAIL"),
        (point(Tone::Inconclusive, MarkShape::Diamond), "INCONCLUSIVE"),
        (point(Tone::Invalid, MarkShape::Triangle), "INVALID"),
        (point(Tone::Plain, MarkShape::Dot), "no clause"),
        (LegendKey::Outlier, "outlier"),
        (LegendKey::Line(LineStyle::Level), "level"),
        (LegendKey::Line(LineStyle::Drift), "drift"),
        (LegendKey::Line(LineStyle::Threshold), "threshold"),
        (LegendKey::Span(SpanKind::Shift), "level shift, and when it can be"),
        (LegendKey::Span(SpanKind::Event), "event of several series"),
        (LegendKey::Span(SpanKind::Cut), "not comparable from here on"),
        (point(Tone::Plain, MarkShape::Cross), "no usable values"),
    ];
    // The panels below the values have no symbols of their own.
    let is_shown = |key| charts.clone().any(|chart| chart.panels[0].shows(key));
    let shown = all.into_iter().filter(|(key, _)| is_shown(*key));
    shown.map(|(key, label)| LegendEntry { key, label: label.to_owned() }).collect()
}

fn time_axis<'c>(courses: impl Iterator<Item = &'c SeriesCourse>, most: usize) -> Axis {
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    for course in courses {
        from = from.min(course.summary.first_s);
        to = to.max(course.summary.last_s);
    }
    if !(from.is_finite() && to.is_finite()) {
        (from, to) = (0.0, 0.0);
    }
    let beside = ((to - from) * 0.012).max(if to > from { 0.0 } else { 43_200.0 });
    let (from, to) = (from - beside, to + beside);
    Axis { label: String::new(), from, to, ticks: date_ticks(from, to, most) }
}

/// The axis of these values. It begins at 0 unless all of them are in its upper half.
fn value_axis(label: &str, values: impl Iterator<Item = f64>, unit: &str) -> Axis {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|value| value.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    if low > high {
        return Axis { label: label.to_owned(), from: 0.0, to: 1.0, ticks: Vec::new() };
    }
    let beside = match high - low {
        0.0 if high == 0.0 => 1.0,
        0.0 => high.abs() * 0.1,
        length => length * 0.1,
    };
    let from = if (0.0..high / 2.0).contains(&low) || low == 0.0 { 0.0 } else { low - beside };
    let from = if low >= 0.0 { from.max(0.0) } else { from };
    let to = high + beside;
    let mut ticks =
        ticks_between(from, to, |at| units::elided(&short(&quantity(at, unit)), LABEL_MAX, LABEL_MAX - 1));
    // Rounding may give several of them the same label.
    ticks.dedup_by(|one, other| one.label == other.label);
    Axis { label: label.to_owned(), from, to, ticks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_of_values_begins_at_zero_unless_all_values_are_in_its_upper_half() {
        let ends = |values: &[f64]| {
            let axis = value_axis("", values.iter().copied(), "B/s");
            (axis.from, axis.to)
        };
        assert_eq!(ends(&[10.0, 100.0]).0, 0.0);
        assert_eq!(ends(&[90.0, 100.0]), (89.0, 101.0));
        assert!(value_axis("", std::iter::once(f64::NAN), "B/s").ticks.is_empty());
        for values in [&[0.0][..], &[5.0], &[-3.0, 4.0], &[]] {
            let (from, to) = ends(values);
            assert!(from < to && values.iter().all(|value| (from..=to).contains(value)), "{values:?}");
        }
    }
}
