//! Tables of a document as Markdown, as GitHub and GitLab read it.
//!
//! Invariant: no text of a document has a meaning for Markdown or HTML.
//! Never here: numbers.

use crate::document::{AnswerDocument, Cell, Table, TableColumn};

/// The characters that may have a meaning anywhere in a line.
const SPECIAL: &str = "\\`*_[]<>|~&$";

pub(crate) fn answers(document: &AnswerDocument) -> String {
    let mut text = format!("# {}\n\n{}\n", plain(&document.title), plain(&document.result));
    document.tables().for_each(|one| table(&mut text, one));
    text
}

fn table(text: &mut String, table: &Table) {
    text.push_str(&format!("\n## {}\n\n", plain(&table.title)));
    line(text, table.columns.iter().map(|column| plain(&column.title)));
    let rule = |column: &TableColumn| if column.numeric { "---:" } else { "---" }.to_owned();
    line(text, table.columns.iter().map(rule));
    table.rows.iter().for_each(|row| line(text, row.iter().map(cell)));
    if !table.note.is_empty() {
        text.push_str(&format!("\n{}\n", plain(&table.note)));
    }
}

fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    text.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
}

fn cell(cell: &Cell) -> String {
    match &cell.link {
        Some(link) => format!("[{}]({link})", plain(&cell.text)),
        None => plain(&cell.text),
    }
}

/// The text in one line, with a backslash before each special character and in addresses, so that these are
/// no links.
fn plain(text: &str) -> String {
    let (mut escaped, visible) = (String::new(), units::visible(text));
    for (at, c) in visible.char_indices() {
        if SPECIAL.contains(c) || visible[at..].starts_with("://") {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
