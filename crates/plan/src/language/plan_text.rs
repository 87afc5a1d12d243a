//! Positions in the file of a plan, and rejections that state them.

use std::ops::Range;

use super::keys;
use super::rejections::Rejection;
use toml::Spanned;
use toml::de::{DeTable, Error};

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
    pub(crate) fn error<T>(&self, at: &Spanned<T>, what: impl AsRef<str>) -> Rejection {
        self.at(at.span(), what.as_ref())
    }

    /// The rejection, in one line, of a text that is not TOML.
    pub(crate) fn not_toml(&self, error: &Error) -> Rejection {
        let span = error.span().unwrap_or(0..0);
        self.at(span.clone(), &plain_message(first_line(error), self.text, span))
    }

    /// The rejection, in one line and in terms of plans, of a `file` that does not read as a plan.
    pub(crate) fn rejected(&self, error: &Error, file: &Spanned<DeTable<'_>>) -> Rejection {
        let span = error.span().unwrap_or(0..0);
        match keys::missed(file, &span) {
            Some(problem) => self.at(problem.span, &problem.what),
            None => self.reworded(error),
        }
    }

    /// The error of the reader, reworded for the author of a plan.
    pub(crate) fn reworded(&self, error: &Error) -> Rejection {
        let span = error.span().unwrap_or(0..0);
        self.at(span.clone(), &plain_message(first_line(error), self.text, span))
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

    pub(crate) fn at(&self, span: Range<usize>, what: &str) -> Rejection {
        let (line, column) = self.line_column(&span);
        // Values of the file may contain line ends, but a rejection is one line.
        let what: String = what.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let said = format!("{}:{line}:{column}: {what}", self.name);
        Rejection::Found { at: Some((line, column)), line: said }
    }
}

fn first_line(error: &Error) -> &str {
    error.message().lines().next().unwrap_or("not TOML")
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
