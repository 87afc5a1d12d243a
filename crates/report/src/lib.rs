//! The report of a campaign for readers: on a terminal, and as one self-contained HTML file.
//!
//! [`document::of`] builds a [`Document`](document::Document) from a loaded campaign, and a renderer writes
//! it. [`text`] and [`write_html`] do both steps.
//!
//! Invariant: the same campaign gives the same bytes. Only the campaign is read.
//! Never here: evaluating, reading or writing a folder, the clock, printing.
#![forbid(unsafe_code)]

pub mod document;
pub mod history;
mod renderers;
pub mod sentences;
mod values;

use std::io;

pub use renderers::pages::INDEX_MARKER;
pub use renderers::text::Emphasis;

use document::Appendix;
use results::Verdict;
use results::comparison::CampaignComparison;
use results::folder::Campaign;

/// The text that a terminal shows at the end of a campaign. It has the clauses with their verdicts and
/// warnings, the machine, and the overall result in one sentence.
///
/// No line is longer than `width` columns (at least 40), unless a single word is longer.
pub fn text(campaign: &Campaign, width: usize, emphasis: Emphasis) -> String {
    renderers::text::Text::new(width, emphasis).string(&document::of(campaign))
}

/// The measured value of a clause, with enough digits to differ from its threshold.
pub fn value(verdict: &Verdict) -> String {
    document::clauses::value(verdict).text
}

/// Writes the whole report as one HTML file. It needs no network, fonts or scripts.
///
/// Its links are relative to the campaign folder, so write it there as `report.html`. It fails only if
/// writing to `out` fails.
pub fn write_html(campaign: &Campaign, out: &mut dyn io::Write) -> io::Result<()> {
    write_page(campaign, &PageOptions::default(), out)
}

/// What a page has that a report in a campaign folder does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageOptions {
    /// Whether the appendix is open, and is printed.
    pub appendix: bool,
    /// Who signed the archive of the campaign, one text each.
    pub signers: Vec<String>,
    /// Which links work where the page is read.
    pub links: PageLinks,
    /// Links to other pages, above the report.
    pub navigation: Vec<document::Cell>,
}

/// Which links of a page work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageLinks {
    /// All: the page is in the campaign folder.
    #[default]
    Folder,
    /// Those to what is printed: the page is printed.
    Printed,
    /// Those within the page: it is read from a server, without the files of the folder.
    Within,
}

/// Writes the report like [`write_html`], with these options.
pub fn write_page(campaign: &Campaign, options: &PageOptions, out: &mut dyn io::Write) -> io::Result<()> {
    let mut document = document::of(campaign);
    document.signed.signed_by(&options.signers);
    renderers::html::page((&document, &Appendix::new(campaign)), options, out)
}

/// The text of a comparison for a terminal of `width` columns (at least 40).
pub fn comparison_text(comparison: &CampaignComparison, width: usize, emphasis: Emphasis) -> String {
    renderers::text::Text::new(width, emphasis).comparison(&document::comparison(comparison))
}

/// A comparison as one HTML file, which needs no network, fonts or scripts.
pub fn comparison_html(comparison: &CampaignComparison) -> io::Result<String> {
    renderers::pages::comparison(&document::comparison(comparison)).map_err(io::Error::other)
}

/// The index of campaigns as one HTML file, which needs no network, fonts or scripts.
pub fn index_html(entries: &[document::IndexEntry]) -> io::Result<String> {
    renderers::pages::index(document::campaign_index(entries)).map_err(io::Error::other)
}

/// Answer sheets as one HTML file, which needs no network, fonts or scripts.
pub fn answers_html(document: &document::AnswerDocument) -> io::Result<String> {
    renderers::pages::answers(document).map_err(io::Error::other)
}

/// Answer sheets as Markdown.
pub fn answers_markdown(document: &document::AnswerDocument) -> String {
    renderers::markdown::answers(document)
}

/// A page of a server as one HTML file, without scripts.
pub fn served_html(page: &document::ServedDocument) -> io::Result<String> {
    renderers::pages::served(page).map_err(io::Error::other)
}
