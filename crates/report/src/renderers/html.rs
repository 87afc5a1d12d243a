//! The report as one HTML file, with its style and plots, without scripts and without network access.
//!
//! Invariant: the template engine escapes every text of the document, and the SVG writer those of its plots.
//! The file refers only to files of the campaign folder.
//! Never here: numbers.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use super::svg;
use crate::document::{Block, Document, Plot};
use crate::sentences::campaign::{HASH_LINE, MARGIN, NO_WAIVER, NO_WARNING};
use crate::{PageLinks, PageOptions};

const PAGE: &str = include_str!("page.html");
/// The most characters of the title in the margin of a printed page.
const PRINTED_TITLE: usize = 90;
/// The macros that pages share.
const PARTS: &str = include_str!("parts.html");
pub(super) const STYLE: &str = concat!(include_str!("page.css"), include_str!("plots.css"));

/// The document as one HTML file.
pub(crate) fn page(document: &Document, options: &PageOptions) -> Result<String, minijinja::Error> {
    let mut environment = with_filters()?;
    environment.add_template("page.html", PAGE)?;
    let PageOptions { appendix, links, .. } = *options;
    let leads = move |link: Option<&str>| match (link, links) {
        (None, _) => false,
        (Some(_), PageLinks::Folder) => true,
        (Some(link), PageLinks::Printed) => appendix && link.starts_with('#'),
        (Some(link), PageLinks::Within) => link.starts_with('#'),
    };
    environment.add_filter("leads", move |link: Option<String>| leads(link.as_deref()));
    let plots: Vec<Vec<Vec<Value>>> = document
        .sections
        .iter()
        .map(|section| {
            let of_block = |block: &Block| match block {
                Block::Plots(plots) => plots.iter().map(svg_of).collect(),
                _ => vec![],
            };
            section.blocks.iter().map(of_block).collect()
        })
        .collect();
    let picture =
        document.picture.as_ref().map(|picture| svg::draw_picture(picture, leads)).unwrap_or_default();
    let picture = Value::from_safe_string(picture);
    let style = Value::from_safe_string(format!("{STYLE}{}", page_margins(document)));
    let page = environment.get_template("page.html")?.render(context! {
        document => Serde(document), style, plots, picture, appendix, no_warning => NO_WARNING,
        no_waiver => NO_WAIVER, margin => MARGIN, hash_line => HASH_LINE,
        navigation => Serde(&options.navigation),
    })?;
    // HTML forbids control characters, and no reader sees the others.
    Ok(units::visible_lines(&page))
}

/// What each printed page has in its margins: the title, the result, the evidence hash and the page.
fn page_margins(document: &Document) -> String {
    let title: String = document.title.chars().take(PRINTED_TITLE).collect();
    let cut = if title == document.title { "" } else { "…" };
    let (title, result) = (style_text(&format!("{title}{cut}")), style_text(&document.overall.word));
    let hash = style_text(&document.signed.hash);
    format!(
        "@media print {{ @page {{ @top-left {{ content: {title}; }} @top-right {{ content: {result}; }} \
         @bottom-left {{ content: {hash}; }} }} }}\n"
    )
}

/// A text in a style sheet. Characters that could end it, or the style itself, are escaped.
fn style_text(text: &str) -> String {
    let visible = units::visible(text);
    let escaped = visible.chars().map(|c| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '.' | ',' | ':' | '-' | '(' | ')' => c.to_string(),
        _ => format!("\\{:06x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// An environment with the syntax, the filter and the parts of all pages.
pub(super) fn with_filters() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_filter("tied", |text: String| tied(&text));
    environment.add_template("parts.html", PARTS)?;
    Ok(environment)
}

fn svg_of(plot: &Plot) -> Value {
    Value::from_safe_string(svg::draw(plot))
}

/// The text with non-breaking spaces between a number, its unit and its comparison.
fn tied(text: &str) -> String {
    const COMPARED: [&str; 6] = [">=", "<=", "==", "<", ">", "="];
    let mut out = String::new();
    let mut last = "";
    for (at, word) in text.split(' ').enumerate() {
        let of_number = last.ends_with(|c: char| c.is_ascii_digit()) && is_unit(word);
        if at > 0 {
            out.push(if of_number || COMPARED.contains(&last) { '\u{a0}' } else { ' ' });
        }
        out.push_str(word);
        last = word;
    }
    out
}

/// Whether a word is a unit, with or without punctuation.
fn is_unit(word: &str) -> bool {
    let unit = word.trim_end_matches([';', ',', '.', ':', ')']);
    format!("1 {unit}").parse::<units::Quantity>().is_ok() || matches!(unit, "k" | "M" | "G" | "d")
}

#[cfg(test)]
mod tests {
    use super::tied;

    #[test]
    fn a_number_stays_on_a_line_with_its_unit_and_its_comparison() {
        for (text, wanted) in [
            ("mean >= 3.0 TB/s, of 4 nodes", "mean >=~3.0~TB/s, of 4 nodes"),
            ("62.5 MB/s meets (10 %); n", "62.5~MB/s meets (10~%); n"),
            ("59.7 k/s  in 2 h 05 min", "59.7~k/s  in 2~h 05~min"),
            ("no number s", "no number s"),
        ] {
            assert_eq!(tied(text).replace('\u{a0}', "~"), wanted);
        }
    }
}
