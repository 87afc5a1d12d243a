//! Pages of a history for readers: an overview of all series, and a page of each series.
//!
//! The caller reads the history and chooses the links, so the same pages are files of a directory or answers
//! of a server. They need no network, fonts or scripts.
//!
//! Invariant: the same history gives the same bytes. Every text of a history is escaped.
//! Never here: reading a store, finding changes.

use std::io;

use crate::document;
use crate::renderers::{chart_text, pages};

pub use crate::document::history::{FallRule, HistoryLinks, HistoryView, words};
pub use crate::renderers::chart_text::{DrawingCharacters, sparkline};
pub use crate::renderers::pages::HISTORY_MARKER;

/// The name of the file with the page of a series. It has only letters, digits, `-` and `.`.
pub fn series_file(id: i64) -> String {
    format!("series-{:016x}.html", id.cast_unsigned())
}

/// The page with all series, their standing and the events.
///
/// It fails only if the page cannot be rendered, which is a defect of this program.
pub fn overview_page(view: &HistoryView, links: &HistoryLinks<'_>) -> io::Result<String> {
    pages::overview(&document::history::overview(view, links), links.navigation).map_err(io::Error::other)
}

/// The page of a series, by its place in the courses of the view.
///
/// It fails only if the page cannot be rendered, which is a defect of this program. It panics if there is no
/// such series.
pub fn series_page(view: &HistoryView, series: usize, links: &HistoryLinks<'_>) -> io::Result<String> {
    pages::series(&document::history::series(view, series, links), links.navigation).map_err(io::Error::other)
}

/// The series at a place in the courses of the view, for a terminal of `width` columns (at least 40). It
/// panics if there is no such series.
pub fn series_text(view: &HistoryView, series: usize, width: usize, characters: DrawingCharacters) -> String {
    let columns = chart_text::chart_columns(width);
    chart_text::series(&document::history::series_text(view, series, columns), width, characters)
}
