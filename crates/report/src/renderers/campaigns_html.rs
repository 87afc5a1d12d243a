//! The index of campaigns as one HTML file, in the style of the report, without scripts and without network
//! access.
//!
//! Invariant: the template engine escapes every text. A page of this renderer has [`INDEX_MARKER`].
//! Never here: numbers.

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::html::{STYLE, with_filters};
use crate::document::IndexDocument;

const PAGE: &str = include_str!("campaigns.html");
const OWN_STYLE: &str = include_str!("campaigns.css");

/// The element by which an index is recognised. Texts of campaigns are escaped, so none of them contains it.
pub const INDEX_MARKER: &str = "<meta name=\"generator\" content=\"assay index\">";

/// The document as one HTML file.
pub(crate) fn page(document: &IndexDocument) -> Result<String, minijinja::Error> {
    let mut environment = with_filters()?;
    environment.add_template("page.html", PAGE)?;
    let style = Value::from_safe_string(format!("{STYLE}{OWN_STYLE}"));
    let marker = Value::from_safe_string(INDEX_MARKER.into());
    let page = environment
        .get_template("page.html")?
        .render(context! { document => Serde(document), style, marker })?;
    Ok(units::visible_lines(page.trim_start()))
}
