//! The report as one HTML file, with its style and plots, without scripts and without network access.
//!
//! Invariant: the template engine escapes every text of the document, and the SVG writer those of its plots.
//! The file refers only to files of the campaign folder.
//! Never here: numbers.

use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use super::svg;
use crate::document::{Appendix, Block, Document, Plot};
use crate::sentences::campaign::{HASH_LINE, MARGIN, NO_WAIVER, NO_WARNING};
use crate::{PageLinks, PageOptions};

/// The templates of a report, in the order of the page. A section has one for each of its
/// blocks.
const TEMPLATES: [(&str, &str); 6] = [
    ("report_parts.html", include_str!("report_parts.html")),
    ("page.html", include_str!("page.html")),
    ("section.html", include_str!("section.html")),
    ("block.html", include_str!("block.html")),
    ("section_end.html", "</section>\n</details>\n"),
    ("page_end.html", include_str!("page_end.html")),
];
/// The most characters of the title in the margin of a printed page.
const PRINTED_TITLE: usize = 90;
/// The macros that pages share.
const PARTS: &str = include_str!("parts.html");
pub(super) const STYLE: &str = concat!(include_str!("page.css"), include_str!("plots.css"));

/// Writes document and appendix as one HTML file, block by block: a large campaign has many.
pub(crate) fn page(
    (document, rest): (&Document, &Appendix),
    options: &PageOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let PageOptions { appendix, links, .. } = *options;
    let leads = move |link: Option<&str>| match (link, links) {
        (None, _) => false,
        (Some(_), PageLinks::Folder) => true,
        (Some(link), PageLinks::Printed) => appendix && link.starts_with('#'),
        (Some(link), PageLinks::Within) => link.starts_with('#'),
    };
    let headings = rest.headings();
    let environment = environment(leads).map_err(io::Error::other)?;
    let mut write = |template: &str, values: Value| {
        let template = environment.get_template(template);
        let text = template.and_then(|template| template.render(values)).map_err(io::Error::other)?;
        // HTML forbids control characters, and no reader sees the others.
        out.write_all(units::visible_lines(&text).as_bytes())
    };
    let picture =
        document.picture.as_ref().map(|picture| svg::draw_picture(picture, leads)).unwrap_or_default();
    let picture = Value::from_safe_string(picture);
    let style = Value::from_safe_string(format!("{STYLE}{}", page_margins(document)));
    write(
        "page.html",
        context! {
            document => Serde(document), headings => Serde(headings), style, picture, appendix,
            no_warning => NO_WARNING, no_waiver => NO_WAIVER, margin => MARGIN, hash_line => HASH_LINE,
            navigation => Serde(&options.navigation),
        },
    )?;
    for section in rest.sections() {
        let outcomes = Serde(&section.outcomes);
        write("section.html", context! { id => &section.id, title => &section.title, outcomes, appendix })?;
        for block in section.blocks {
            let block = match &block {
                Block::Plots(plots) => {
                    context! { kind => "plots", content => plots.iter().map(drawn).collect::<Vec<_>>() }
                }
                other => Value::from(Serde(other)),
            };
            write("block.html", context! { b => block, appendix })?;
        }
        write("section_end.html", context! {})?;
    }
    write("page_end.html", context! { title => &document.title, word => &document.overall.word })
}

fn drawn(plot: &Plot) -> Value {
    let svg = svg::draw(&plot.title, [plot], &svg::PLOT) + &svg::legend(&plot.legend);
    context! { title => &plot.title, note => &plot.note, drawing => Value::from_safe_string(svg) }
}

/// An environment with the templates of a report. `leads` is whether a link works.
fn environment(
    leads: impl Fn(Option<&str>) -> bool + Send + Sync + 'static,
) -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = with_filters()?;
    environment.add_filter("leads", move |link: Option<String>| leads(link.as_deref()));
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

/// What each printed page has in its margins: the title, the result, the evidence hash and the page.
fn page_margins(document: &Document) -> String {
    let title = style_text(&units::shortened(&document.title, PRINTED_TITLE));
    let result = style_text(&document.overall.word);
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
    let mut syntax = SyntaxConfig::builder();
    syntax.trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true);
    environment.set_syntax(syntax.build()?);
    environment.add_filter("tied", |text: String| tied(&text));
    environment.add_template("parts.html", PARTS)?;
    Ok(environment)
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
