//! Renderers: a document in, one format out.
//!
//! A new format is one file here and one line below.
//!
//! Invariant: a renderer lays out and escapes; it computes nothing.
//! Never here: campaigns, records, verdicts.

pub mod html;
mod svg;
pub mod text;

use std::io;

use crate::document::Document;

/// Writes a document in one format.
pub trait Renderer {
    /// Writes all of `document` to `out`; fails only where `out` does.
    fn render(&self, document: &Document, out: &mut dyn io::Write) -> io::Result<()>;
}
