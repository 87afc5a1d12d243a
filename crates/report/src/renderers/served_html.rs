//! A page of a server in the style of the report, without scripts. It uses no other files.
//!
//! Invariant: the template engine escapes every text.
//! Never here: numbers.

use minijinja::context;
use minijinja::value::{Serde, Value};

use super::html::{STYLE, with_filters};
use crate::document::ServedDocument;

const PAGE: &str = include_str!("served.html");
const OWN_STYLE: &str = include_str!("served.css");

/// The document as one HTML file.
pub(crate) fn page(document: &ServedDocument) -> Result<String, minijinja::Error> {
    let mut environment = with_filters()?;
    environment.add_template("page.html", PAGE)?;
    let style = Value::from_safe_string(format!("{STYLE}{OWN_STYLE}"));
    let page =
        environment.get_template("page.html")?.render(context! { document => Serde(document), style })?;
    Ok(units::visible_lines(page.trim_start()))
}
