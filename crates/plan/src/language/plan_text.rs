//! Positions in the file of a plan, and rejections that state them.

use std::ops::Range;

use super::rejections::Rejection;
use toml::Spanned;

/// A plan's text, and the file name for messages.
pub(crate) struct PlanText<'a> {
    pub(crate) text: &'a str,
    pub(crate) name: &'a str,
}

impl<'a> PlanText<'a> {
    /// A rejection of the value at `at`.
    pub(crate) fn error<T>(&self, at: &Spanned<T>, what: impl AsRef<str>) -> Rejection {
        self.at(at.span(), what.as_ref())
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
