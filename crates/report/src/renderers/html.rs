//! The report as one HTML file: style and plots within, no script, no network.
//!
//! Invariant: every text of the document is escaped by the template engine, every plot by its writer;
//! the file refers to nothing but the files of the campaign's folder.
//! Never here: numbers.

use std::io;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};

use super::{Renderer, svg};
use crate::document::{Block, Document, Plot};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");

/// Renders as one HTML file.
#[derive(Clone, Copy, Debug)]
pub struct Html;

impl Renderer for Html {
    fn render(&self, document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
        let page = page(document).map_err(io::Error::other)?;
        out.write_all(page.as_bytes())
    }
}

fn page(document: &Document) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_template("page.html", PAGE)?;
    environment.add_function("line_class", |line: usize| svg::class(line));
    let plots: Vec<Vec<Vec<Value>>> = document
        .sections
        .iter()
        .map(|section| {
            let of_block = |block: &Block| match block {
                Block::Plots(plots) => plots.iter().map(drawn).collect(),
                _ => vec![],
            };
            section.blocks.iter().map(of_block).collect()
        })
        .collect();
    let style = Value::from_safe_string(STYLE.into());
    let page = environment
        .get_template("page.html")?
        .render(context! { document => Serde(document), style, plots })?;
    Ok(visible(&page))
}

fn drawn(plot: &Plot) -> Value {
    Value::from_safe_string(svg::draw(plot))
}

/// Control characters, which HTML forbids, as their pictures.
fn visible(page: &str) -> String {
    let one = |c: char| match c {
        '\n' => c,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' => '\u{fffd}',
        c => c,
    };
    page.chars().map(one).collect()
}
