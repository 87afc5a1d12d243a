//! The pages of a history as documents: an overview with a small plot of each series, and a page of each.
//!
//! | module | what it has |
//! |---|---|
//! | `chart` | the chart of a series: axes, panels, and what is on them |
//! | `points`, `changes` | what a chart shows: points; levels, shifts, cuts, events |
//! | `thinned`, `calendar` | fewer points; ticks at dates |
//! | `overview`, `series` | the pages |
//! | `terminal` | a series for a terminal |
//! | `events` | events in words |
//! | `view` | the history with its changes, as the caller gives it |
//! | `words` | names, dates, standings and facts in words |
//!
//! Invariant: the size of a page does not grow with the points of its series. What is left out is stated.
//! Never here: markup, colours, and decisions about points.

mod calendar;
mod changes;
mod chart;
mod events;
mod overview;
mod points;
mod series;
mod terminal;
mod thinned;
mod view;
pub mod words;

pub(crate) use chart::{
    ChangeSide, ChartBand, ChartLineKind, ChartNote, ChartPanel, ChartPoint, ChartShift, HistoryChart,
    PointLook,
};
pub(crate) use overview::{HistoryOverview, overview};
pub(crate) use series::{SeriesDocument, series};
pub(crate) use terminal::{SeriesText, series_text};
pub use view::{FallRule, HistoryLinks, HistoryView};

use super::Axis;
use chart::ChartDetail;

/// The chart of the series at this place in the courses, over an axis of time.
fn chart(view: &HistoryView, series: usize, time: &Axis, detail: ChartDetail) -> HistoryChart {
    let course = &view.courses[series];
    let (values, mut left_out) = points::values(view, course, time, detail);
    let mut panel = values;
    panel.lines = changes::lines(course, &panel.axis);
    panel.shifts = changes::shifts(course);
    let mut panels = vec![panel];
    if detail.is_large {
        panels.extend(points::beside(course, time, detail));
    }
    let (cuts, more) = changes::cuts(view, course);
    left_out.push_str(&more);
    HistoryChart {
        label: format!("{} over time", course.summary.series),
        time: time.clone(),
        panels,
        bands: changes::bands(view, series, detail.is_large),
        cuts,
        left_out,
    }
}
