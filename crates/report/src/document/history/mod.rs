//! The pages of a history as documents: an overview with a small plot of each series, and a page of each.
//!
//! | module | what it has |
//! |---|---|
//! | `view` | the history with its changes, as the caller gives it |
//! | `words` | names, dates, standings and facts in words |
//!
//! Invariant: the size of a page does not grow with the points of its series. What is left out is stated.
//! Never here: markup, colours, and decisions about points.

mod view;
pub mod words;

pub use view::{FallRule, HistoryView};

use serde::Serialize;

use crate::history::HistoryLinks;

/// The overview of a history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct HistoryOverview {
    /// The title.
    pub title: String,
}

/// The page of a series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SeriesDocument {
    /// The name of the series.
    pub title: String,
    /// The link to the overview.
    pub overview: String,
}

/// The overview of all series.
pub(crate) fn overview(view: &HistoryView, _links: &HistoryLinks<'_>) -> HistoryOverview {
    HistoryOverview { title: format!("History of {} series", view.courses.len()) }
}

/// The page of the series at this place in the courses.
pub(crate) fn series(view: &HistoryView, series: usize, links: &HistoryLinks<'_>) -> SeriesDocument {
    let course = &view.courses[series];
    SeriesDocument { title: words::name(&course.summary.series), overview: links.overview.to_owned() }
}
