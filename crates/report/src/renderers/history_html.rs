//! The pages of a history as HTML files, in the style of the report, without scripts and network access.
//!
//! Invariant: the template engine escapes every text of a document, and the SVG writer those of its plots. A
//! page of this renderer has [`HISTORY_MARKER`].
//! Never here: numbers.

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use super::history_svg;
use super::html::{STYLE, with_filters};
use crate::document::Cell;
use crate::document::history::{HistoryChart, HistoryOverview, SeriesDocument};

const OVERVIEW: &str = include_str!("history_overview.html");
const SERIES: &str = include_str!("history_series.html");
const OWN_STYLE: &str = include_str!("history.css");

/// The element by which a page of a history is recognised. Texts of histories are escaped, so none of them
/// contains it.
pub const HISTORY_MARKER: &str = "<meta name=\"generator\" content=\"assay track report\">";

/// The overview as one HTML file.
pub(crate) fn overview(document: &HistoryOverview, navigation: &[Cell]) -> Result<String, minijinja::Error> {
    let drawn = |chart: &HistoryChart| Value::from_safe_string(history_svg::draw(chart, history_svg::SMALL));
    let groups = document.groups.iter();
    let drawings: Vec<Vec<Value>> =
        groups.map(|group| group.multiples.iter().map(|one| drawn(&one.chart)).collect()).collect();
    let charts = document.groups.iter().flat_map(|group| &group.multiples).map(|one| &one.chart);
    let legend = Value::from_safe_string(history_svg::legend(charts));
    page(OVERVIEW, context! { document => Serde(document), drawings, legend, ..shared(navigation) })
}

/// The page of a series as one HTML file.
pub(crate) fn series(document: &SeriesDocument, navigation: &[Cell]) -> Result<String, minijinja::Error> {
    let drawing = Value::from_safe_string(history_svg::draw(&document.chart, history_svg::LARGE));
    let legend = Value::from_safe_string(history_svg::legend(std::iter::once(&document.chart)));
    page(SERIES, context! { document => Serde(document), drawing, legend, ..shared(navigation) })
}

fn shared(navigation: &[Cell]) -> Value {
    let style = Value::from_safe_string(format!("{STYLE}{OWN_STYLE}"));
    let marker = Value::from_safe_string(HISTORY_MARKER.into());
    context! { style, marker, navigation => Serde(navigation) }
}

fn page(template: &'static str, values: Value) -> Result<String, minijinja::Error> {
    let mut environment: Environment<'_> = with_filters()?;
    environment.add_template("page.html", template)?;
    let page = environment.get_template("page.html")?.render(values)?;
    Ok(units::visible_lines(page.trim_start()))
}
