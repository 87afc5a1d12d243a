//! What a campaign showed, for people: on a terminal, and as one self-contained HTML file.
//!
//! A [`Document`](document::Document) is built once from a loaded campaign by [`document::of`]; a renderer
//! then writes it. [`text`] and [`write_html`] do both steps.
//!
//! Invariant: the same campaign gives the same bytes; nothing is read but the campaign.
//! Never here: judging, reading or writing a folder, the clock, printing.
#![forbid(unsafe_code)]

pub mod document;
mod renderers;
pub mod sentences;

use std::io;

use results::folder::Campaign;

/// What a terminal shows at the end of a campaign: the clauses with their verdicts, the warnings
/// beneath each, the machine, and the overall result in one sentence.
///
/// No line is longer than `width` columns (at least 40), except where a single word is.
pub fn text(campaign: &Campaign, width: usize, colour: bool) -> String {
    renderers::text::Text { width, colour }.string(&document::of(campaign))
}

/// Writes the whole report as one HTML file that needs no network, no fonts and no scripts.
///
/// Its links are relative to the campaign's folder, so it belongs there as `report.html`.
/// Fails only where `out` does.
pub fn write_html(campaign: &Campaign, out: &mut dyn io::Write) -> io::Result<()> {
    let page = renderers::html::page(&document::of(campaign)).map_err(io::Error::other)?;
    out.write_all(page.as_bytes())
}
