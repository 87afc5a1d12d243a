//! A comparison as one HTML file, in the style of the report, without scripts and without network access.
//!
//! Invariant: the template engine escapes every text of the document, and the SVG writer those of its plot.
//! Never here: numbers.

use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use super::forest;
use super::html::{STYLE, with_filters};
use crate::document::ComparisonDocument;

const PAGE: &str = include_str!("comparison.html");
const OWN_STYLE: &str = include_str!("comparison.css");

/// The document as one HTML file.
pub(crate) fn page(document: &ComparisonDocument) -> Result<String, minijinja::Error> {
    let mut environment: Environment<'_> = with_filters()?;
    environment.add_template("page.html", PAGE)?;
    let style = Value::from_safe_string(format!("{STYLE}{OWN_STYLE}"));
    let drawing = Value::from_safe_string(forest::draw(&document.forest));
    let page = environment
        .get_template("page.html")?
        .render(context! { document => Serde(document), style, drawing })?;
    Ok(units::visible_lines(page.trim_start()))
}
