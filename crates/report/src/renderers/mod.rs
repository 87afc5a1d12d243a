//! Renderers: a document in, one format out.
//!
//! Invariant: a renderer lays out and escapes. It computes nothing.
//! Never here: campaigns, records, verdicts.

pub(crate) mod chart_text;
mod comparison_text;
pub(crate) mod html;
pub(crate) mod markdown;
pub(crate) mod pages;
mod svg;
pub(crate) mod text;
