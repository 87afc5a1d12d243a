//! Other pages in the style of the report, each as one HTML file: the index of campaigns, comparisons,
//! histories, and pages of a server. They have no scripts and need no network.
//!
//! Invariant: the template engine escapes every text of a document, and the SVG writer those of its plots.
//! So no text of a campaign or history contains the marker of a page.
//! Never here: numbers.

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::html::{STYLE, with_filters};
use super::svg::{self, LARGE, SMALL};
use crate::document::history::{HistoryOverview, SeriesDocument};
use crate::document::{AnswerDocument, Cell, ComparisonDocument, ServedDocument, Table};

/// The element by which an index is recognised.
pub const INDEX_MARKER: &str = "<meta name=\"generator\" content=\"assay index\">";
/// The element by which a page of a history is recognised.
pub const HISTORY_MARKER: &str = "<meta name=\"generator\" content=\"assay track report\">";

type Page = Result<String, minijinja::Error>;

pub(crate) fn index((result, tables): (String, Vec<Table>)) -> Page {
    let command = "assay index";
    let document = context! { title => "Index of campaigns", result, command, tables => Serde(tables) };
    page(
        (include_str!("campaigns.html"), include_str!("campaigns.css")),
        context! { document, marker => safe(INDEX_MARKER) },
    )
}

pub(crate) fn answers(document: &AnswerDocument) -> Page {
    let AnswerDocument { title, result, .. } = document;
    let tables = Serde(document.tables().collect::<Vec<_>>());
    let document = context! { title, result, command => "assay report --answers", tables };
    page((include_str!("campaigns.html"), include_str!("campaigns.css")), context! { document })
}

pub(crate) fn served(document: &ServedDocument) -> Page {
    page((include_str!("served.html"), include_str!("served.css")), context! { document => Serde(document) })
}

pub(crate) fn comparison(document: &ComparisonDocument) -> Page {
    let rows = document.forest.y.ticks.len();
    let drawing = safe(svg::draw("Ratios", [&document.forest], &svg::rows_layout(rows)));
    page(
        (include_str!("comparison.html"), include_str!("comparison.css")),
        context! { document => Serde(document), drawing, note => &document.forest.note, rows },
    )
}

pub(crate) fn overview(document: &HistoryOverview, navigation: &[Cell]) -> Page {
    let drawn = document.groups.iter().map(|group| {
        let charts = group.multiples.iter().map(|one| &one.chart.panels);
        charts.map(|panels| safe(svg::draw(&panels[0].title, panels, &SMALL))).collect()
    });
    let (drawings, legend): (Vec<Vec<Value>>, _) = (drawn.collect(), safe(svg::legend(&document.legend)));
    history(
        include_str!("history_overview.html"),
        context! { document => Serde(document), drawings, legend, navigation => Serde(navigation) },
    )
}

pub(crate) fn series(document: &SeriesDocument, navigation: &[Cell]) -> Page {
    let drawing = safe(svg::draw(&document.panels[0].title, &document.panels, &LARGE));
    let legend = safe(svg::legend(&document.legend));
    history(
        include_str!("history_series.html"),
        context! { document => Serde(document), drawing, legend, navigation => Serde(navigation) },
    )
}

fn history(template: &'static str, values: Value) -> Page {
    page((template, include_str!("history.css")), context! { marker => safe(HISTORY_MARKER), ..values })
}

fn page((template, style): (&'static str, &str), values: Value) -> Page {
    let mut environment = with_filters()?;
    environment.add_template("page.html", template)?;
    let style = safe(format!("{STYLE}{style}"));
    let page = environment.get_template("page.html")?.render(context! { style, ..values })?;
    Ok(units::visible_lines(page.trim_start()))
}

/// Markup that is not escaped again.
fn safe(markup: impl Into<String>) -> Value {
    Value::from_safe_string(markup.into())
}
