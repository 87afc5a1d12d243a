//! Where in the file something stands, and refusals that say so.

use std::ops::Range;

use toml::Spanned;
use units::Usage;

/// A plan's text and what to call it.
pub(super) struct Place<'a> {
    /// As it is in the file.
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    /// Where the text that was read differs from it.
    shifts: Vec<Shift>,
}

/// A piece of the text that was read, in the place of another of the file's.
#[derive(Clone, Copy)]
pub(super) struct Shift {
    /// Where it begins in the text that was read, bytes.
    pub(super) at: usize,
    /// Its length there.
    pub(super) new: usize,
    /// The length of what it stands for.
    pub(super) old: usize,
}

impl<'a> Place<'a> {
    pub(super) fn new(text: &'a str, name: &'a str) -> Self {
        Self { text, name, shifts: Vec::new() }
    }

    /// The place of a text that was read with these pieces in it, in the order in which they stand.
    pub(super) fn shifted(text: &'a str, name: &'a str, shifts: Vec<Shift>) -> Self {
        Self { text, name, shifts }
    }

    /// A refusal of what stands at `at`.
    pub(super) fn error<T>(&self, at: &Spanned<T>, what: impl AsRef<str>) -> Usage {
        self.at(at.span(), what.as_ref())
    }

    /// The TOML reader's refusal in one line, with the nearest word for an unknown one.
    pub(super) fn refused(&self, error: &toml::de::Error) -> Usage {
        let message = error.message().lines().next().unwrap_or("not TOML");
        let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let message = match words.split_first() {
            Some((unknown, known)) if message.starts_with("unknown") => {
                let all = known.join(", ");
                let kind = if message.starts_with("unknown variant") { "word" } else { "key" };
                match nearest(unknown, known) {
                    Some(word) => {
                        format!("unknown {kind} `{unknown}`, did you mean `{word}`? Known here: {all}")
                    }
                    None => format!("unknown {kind} `{unknown}`; known here: {all}"),
                }
            }
            _ => message.to_owned(),
        };
        self.at(error.span().unwrap_or(0..0), &message)
    }

    /// Line and column, from 1, at which `span` begins.
    pub(super) fn line_column(&self, span: &Range<usize>) -> (usize, usize) {
        let before = self.text.get(..self.in_file(span.start)).unwrap_or(self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        (line, column)
    }

    /// The offset in the file of one in the text that was read; within a piece, that of what it stands for.
    fn in_file(&self, offset: usize) -> usize {
        let (mut new, mut old) = (0, 0);
        for shift in self.shifts.iter().take_while(|shift| shift.at <= offset) {
            if offset < shift.at + shift.new {
                return shift.at - new + old;
            }
            (new, old) = (new + shift.new, old + shift.old);
        }
        offset - new + old
    }

    pub(super) fn at(&self, span: Range<usize>, what: &str) -> Usage {
        let (line, column) = self.line_column(&span);
        Usage(format!("{}:{line}:{column}: {what}", self.name))
    }
}

/// The word of `known` that `unknown` was probably meant to be.
pub(crate) fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let best = known.iter().map(|word| (distance(unknown, word), *word)).min()?;
    (best.0 <= 2.max(unknown.len() / 3)).then_some(best.1)
}

/// Levenshtein's distance between two words, in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_a_far_one_is_not_offered() {
        let known = ["repetitions", "ranks", "timeout"];
        assert_eq!(nearest("repetition", &known), Some("repetitions"));
        assert_eq!(nearest("rank", &known), Some("ranks"));
        assert_eq!(nearest("tiemout", &known), Some("timeout"));
        assert_eq!(nearest("colour", &known), None);
    }
}
