//! Renderers: a document in, one format out.
//!
//! Invariant: a renderer lays out and escapes. It computes nothing.
//! Never here: campaigns, records, verdicts.

pub(crate) mod campaigns_html;
pub(crate) mod comparison_html;
mod comparison_text;
mod forest;
pub(crate) mod history_html;
mod history_svg;
pub(crate) mod history_text;
pub(crate) mod html;
pub(crate) mod served_html;
mod svg;
pub(crate) mod text;
