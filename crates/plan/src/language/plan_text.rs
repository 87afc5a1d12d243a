//! Positions in the file of a plan, and rejections that state them.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, Error};
use units::Usage;

use super::keys;

/// A plan's text, and the file name for messages.
pub(crate) struct PlanText<'a> {
    pub(crate) text: &'a str,
    pub(crate) name: &'a str,
}

impl<'a> PlanText<'a> {
    pub(crate) fn new(text: &'a str, name: &'a str) -> Self {
        Self { text, name }
    }

    /// A rejection of the value at `at`.
    pub(crate) fn error<T>(&self, at: &Spanned<T>, what: impl AsRef<str>) -> Usage {
        self.at(at.span(), what.as_ref())
    }

    /// The rejection, in one line, of a text that is not TOML.
    pub(crate) fn not_toml(&self, error: &Error) -> Usage {
        let span = error.span().unwrap_or(0..0);
        self.at(span.clone(), &plain_message(first_line(error), self.text, span))
    }

    /// The rejection, in one line and in terms of plans, of a `file` that does not read as a plan.
    pub(crate) fn rejected(&self, error: &Error, file: &Spanned<DeTable<'_>>) -> Usage {
        let span = error.span().unwrap_or(0..0);
        // tidy: by message text because toml's errors have no kinds. Tests of rejections hold each message.
        let message = first_line(error);
        let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        match words.split_first() {
            Some((unknown, known)) if message.starts_with("unknown field") => {
                let meant = keys::key_meant(unknown, known);
                self.at(span, &unknown_word("key", unknown, meant, known))
            }
            Some((unknown, known)) if message.starts_with("unknown variant") => {
                let meant = keys::word_meant(unknown, known);
                self.at(span, &unknown_word("word", unknown, meant, known))
            }
            _ => match keys::missed(file, &span) {
                Some(problem) => self.at(problem.span, &problem.what),
                None => self.at(span.clone(), &plain_message(message, self.text, span)),
            },
        }
    }

    /// Line and column, from 1, at which `span` begins.
    pub(crate) fn line_column(&self, span: &Range<usize>) -> (usize, usize) {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        (line, column)
    }

    /// The parameter that is the whole text at `span`, as in `"${NAME}"`.
    pub(crate) fn parameter(&self, span: &Range<usize>) -> Option<&'a str> {
        let written = self.text.get(span.start..)?.trim_start_matches(['"', '\'']);
        let (name, behind) = written.strip_prefix("${")?.split_once('}')?;
        behind.starts_with(['"', '\'']).then_some(name)
    }

    pub(crate) fn at(&self, span: Range<usize>, what: &str) -> Usage {
        let (line, column) = self.line_column(&span);
        // Values of the file may contain line ends, but a rejection is one line.
        let what: String = what.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Usage(format!("{}:{line}:{column}: {what}", self.name))
    }
}

fn first_line(error: &Error) -> &str {
    error.message().lines().next().unwrap_or("not TOML")
}

/// The largest number of words that a rejection lists in addition to a hint.
const LISTED: usize = 10;

/// The message about an unknown key or word, with the hint and the known ones.
fn unknown_word(kind: &str, unknown: &str, meant: Option<String>, known: &[&str]) -> String {
    let all = known.join(", ");
    match meant {
        Some(meant) if known.len() > LISTED => {
            format!("unknown {kind} `{unknown}`{meant}")
        }
        Some(meant) => format!("unknown {kind} `{unknown}`{meant} Known here: {all}."),
        None => format!("unknown {kind} `{unknown}`. Known here: {all}."),
    }
}

/// The message of the TOML reader about `span` of `text`, reworded for the author of a plan.
fn plain_message(message: &str, text: &str, span: Range<usize>) -> String {
    let before = text.get(..span.start).unwrap_or_default();
    let before = before.rsplit('\n').next().unwrap_or_default();
    let (key, value) = before.rsplit_once('=').unwrap_or((before, ""));
    let says = |words: &[&str]| words.iter().any(|word| message.starts_with(word));
    // tidy: by message text because toml's errors have no kinds.
    if message == "duplicate key" {
        let there = text.get(span).unwrap_or_default();
        return format!("`{there}` is given twice in this table");
    }
    if says(&["extra "]) && before.ends_with('=') {
        return "write one `=` between a key and its value".to_owned();
    }
    if says(&["invalid basic string"]) || (says(&["invalid literal string"]) && value.contains('\'')) {
        let quote = if says(&["invalid basic string"]) { '"' } else { '\'' };
        return format!("this text has no closing quote `{quote}`");
    }
    let bare = ["string values must", "invalid boolean", "invalid float", "invalid literal", "extra assign"];
    if says(&bare) {
        let name = key.split(|c: char| !(c.is_alphanumeric() || c == '_')).rfind(|word| !word.is_empty());
        let such = keys::example(name.unwrap_or_default());
        return format!("put text in quotes, but not numbers and `true`. Write for example `{such}`.");
    }
    message.to_owned()
}
