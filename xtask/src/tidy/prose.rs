//! The prose of the tree: Markdown, comments and string literals, as passages with their lines.
//!
//! Code is left out: fenced blocks, and text between backticks, which counts as one word.
//!
//! Never here: rules.

use super::tree::Source;

/// The kind of text that a passage is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    /// A paragraph, list item, heading or table cell of a document.
    Document,
    /// A comment of Rust or TOML.
    Comment,
    /// A string literal of the program.
    Text,
}

/// A paragraph, comment, cell or literal, as one text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Passage {
    pub(super) line: usize,
    pub(super) medium: Medium,
    pub(super) text: String,
}

/// All passages of a file, in order.
pub(super) fn passages(source: &Source) -> Vec<Passage> {
    match source.path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("rs") => of_rust(&source.text),
        Some("md") => of_markdown(&source.text),
        Some("toml") => of_toml(&source.text),
        _ => Vec::new(),
    }
}

/// Collects lines into passages.
#[derive(Default)]
struct Paragraphs {
    found: Vec<Passage>,
    line: usize,
    text: String,
}

impl Paragraphs {
    fn add(&mut self, line: usize, text: &str) {
        if self.text.is_empty() {
            self.line = line;
        } else {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    fn end(&mut self, medium: Medium) {
        if !self.text.trim().is_empty() {
            let text = std::mem::take(&mut self.text);
            self.found.push(Passage { line: self.line, medium, text });
        }
        self.text.clear();
    }
}

fn of_markdown(text: &str) -> Vec<Passage> {
    let mut paragraphs = Paragraphs::default();
    let mut in_code = false;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            in_code = !in_code;
            paragraphs.end(Medium::Document);
        } else if in_code || trimmed.starts_with("<!--") {
        } else if let Some(row) = trimmed.strip_prefix('|') {
            paragraphs.end(Medium::Document);
            for cell in row.split('|') {
                paragraphs.add(at + 1, cell.trim());
                paragraphs.end(Medium::Document);
            }
        } else {
            let item = without_mark(trimmed);
            if trimmed.is_empty() || item.len() < trimmed.len() {
                paragraphs.end(Medium::Document);
            }
            paragraphs.add(at + 1, item);
            if trimmed.starts_with('#') {
                paragraphs.end(Medium::Document);
            }
        }
    }
    paragraphs.end(Medium::Document);
    paragraphs.found
}

/// A line without the mark of a heading, list item or quotation.
fn without_mark(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit() || "#-*>.".contains(c));
    let marked = rest.len() < line.len() && rest.starts_with(' ');
    if marked { rest.trim_start() } else { line }
}

fn of_toml(text: &str) -> Vec<Passage> {
    let mut paragraphs = Paragraphs::default();
    for (at, line) in text.lines().enumerate() {
        match line.trim().strip_prefix('#') {
            Some(comment) if !comment.trim().is_empty() => paragraphs.add(at + 1, comment.trim()),
            Some(_) => paragraphs.end(Medium::Comment),
            None => {
                paragraphs.end(Medium::Comment);
                paragraphs.add(at + 1, line.trim());
                paragraphs.end(Medium::Text);
            }
        }
    }
    paragraphs.end(Medium::Comment);
    paragraphs.found
}

/// A reader of Rust that recognizes only comments and literals.
struct RustReader<'a> {
    rest: &'a str,
    line: usize,
    comments: Paragraphs,
    texts: Vec<Passage>,
    /// The line of the last comment, 0 if code follows it.
    commented: usize,
}

fn of_rust(text: &str) -> Vec<Passage> {
    let mut reader =
        RustReader { rest: text, line: 1, comments: Paragraphs::default(), texts: Vec::new(), commented: 0 };
    let mut before = ' ';
    while let Some(next) = reader.rest.chars().next() {
        let raw = reader.raw_string().filter(|_| !(before.is_alphanumeric() || before == '_'));
        if reader.rest.starts_with("//") {
            reader.comment();
        } else if let Some(hashes) = raw {
            let opens = reader.rest.find('"').map_or(0, |at| at + 1);
            reader.literal(opens, &format!("\"{}", "#".repeat(hashes)), false);
        } else if next == '"' {
            reader.literal(1, "\"", true);
        } else if next == '\'' {
            reader.character();
        } else {
            reader.skip(next.len_utf8());
        }
        before = next;
    }
    reader.comments.end(Medium::Comment);
    let mut all = reader.comments.found;
    all.append(&mut reader.texts);
    all.sort_by_key(|passage| passage.line);
    all
}

impl RustReader<'_> {
    fn skip(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].matches('\n').count();
        self.rest = &self.rest[bytes..];
    }

    /// The number of `#` of a raw string that begins here.
    fn raw_string(&self) -> Option<usize> {
        let word = self.rest.strip_prefix('b').unwrap_or(self.rest).strip_prefix('r')?;
        let after = word.trim_start_matches('#');
        after.starts_with('"').then_some(word.len() - after.len())
    }

    fn comment(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        let text = self.rest[..end].trim_start_matches('/').trim_start_matches('!').trim();
        let is_row = text.starts_with('|');
        if self.commented + 1 != self.line || text.is_empty() || is_row {
            self.comments.end(Medium::Comment);
        }
        if !text.is_empty() && !is_row {
            self.comments.add(self.line, text);
        }
        self.commented = self.line;
        self.skip(end);
    }

    /// Reads a literal. Its text begins after `opens` bytes and ends before `close`.
    fn literal(&mut self, opens: usize, close: &str, escapes: bool) {
        let line = self.line;
        self.skip(opens);
        let mut end = 0;
        while end < self.rest.len() && !self.rest[end..].starts_with(close) {
            let escaped = escapes && self.rest[end..].starts_with('\\');
            let next = self.rest[end..].chars().take(if escaped { 2 } else { 1 });
            end += next.map(char::len_utf8).sum::<usize>();
        }
        let mut text = self.rest[..end].to_owned();
        if escapes {
            text = text.split("\\\n").map(str::trim_start).collect::<Vec<_>>().concat().replace("\\n", "\n");
        }
        // A printed line ends a passage, as the rows of a help text do.
        let lines = text.lines().filter(|text| !text.trim().is_empty());
        self.texts.extend(lines.map(|text| Passage { line, medium: Medium::Text, text: text.to_owned() }));
        self.skip((end + close.len()).min(self.rest.len()));
    }

    /// Skips a character literal, or the mark of a lifetime.
    fn character(&mut self) {
        let mut chars = self.rest.char_indices().skip(1);
        let length = match (chars.next(), chars.next()) {
            (Some((_, '\\')), Some((at, _))) => self.rest[at + 1..].find('\'').map(|more| at + 2 + more),
            (Some(_), Some((at, '\''))) => Some(at + 1),
            _ => None,
        };
        self.skip(length.unwrap_or(1));
    }
}

/// The text with each part between backticks as one word, and with links as their words.
pub(super) fn without_code(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        out.push_str(if at % 2 == 0 { part } else { "X" });
    }
    while let Some(at) = out.find("](") {
        let end = out[at..].find(')').map_or(out.len(), |end| at + end + 1);
        out.replace_range(at..end, "");
    }
    out.replace('[', "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tree::Tree;

    fn of(path: &str, text: &str) -> Vec<(usize, Medium, String)> {
        let tree = Tree::of(&[(path, text)]);
        let all = passages(&tree.sources[0]).into_iter();
        all.map(|passage| (passage.line, passage.medium, passage.text)).collect()
    }

    #[test]
    fn comment_lines_are_joined_and_literals_are_complete() {
        let text = "//! One\n//! two.\n//!\n//! Three.\nfn f<'a>() {\n    let c = '\"';\n    \
                    say(\"four \\\n        five\"); // six\n}\n";
        let found = of("a.rs", text);
        let wanted = [
            (1, Medium::Comment, "One two."),
            (4, Medium::Comment, "Three."),
            (7, Medium::Text, "four five"),
            (8, Medium::Comment, "six"),
        ];
        assert_eq!(found, wanted.map(|(line, medium, text)| (line, medium, text.to_owned())));
    }

    #[test]
    fn raw_strings_and_escapes_end_as_in_rust() {
        let found = of("a.rs", "f(r#\"a \"b\" c\"#, \"d\\\"e\", br\"f\");");
        assert_eq!(found.iter().map(|one| one.2.as_str()).collect::<Vec<_>>(), ["a \"b\" c", "d\\\"e", "f"]);
    }

    #[test]
    fn a_document_has_paragraphs_items_and_cells_without_code_blocks() {
        let found =
            of("a.md", "# Title\n\nOne\ntwo.\n- three\n  four\n\n```sh\nfive\n```\n| six | seven |\n");
        let texts: Vec<&str> = found.iter().map(|one| one.2.as_str()).collect();
        assert_eq!(texts, ["Title", "One two.", "three four", "six", "seven"]);
    }

    #[test]
    fn code_counts_as_one_word_and_a_link_as_its_words() {
        assert_eq!(without_code("see [the `a b` page](x/y.md) now"), "see the X page now");
    }
}
