//! One option as a command line gives it: its identity, its place, and its value as text.
//!
//! Invariant: a value is parsed only on request. A command line with a wrong value therefore still has all
//! its occurrences.
//! Never here: the list of options.

use std::fmt;
use std::num::{IntErrorKind, ParseIntError};

use units::Usage;

use super::row::{OptionRow, OptionValue, RetiredOption, Successor};
use crate::backends::{BACKENDS, BackendOption};
use crate::kind::OptionKind;

/// One option of a backend. Command lines set it as `--<backend>.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleOption {
    /// The backend's name in lower case.
    pub backend: &'static str,
    /// Its row in the table of backends.
    pub option: &'static BackendOption,
}

impl ModuleOption {
    /// The options of all backends.
    pub fn all() -> impl Iterator<Item = Self> {
        BACKENDS
            .iter()
            .flat_map(|backend| backend.options.iter().map(|option| Self { backend: backend.name, option }))
    }

    /// The one of this name, as `backend.option`, in any letter case.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (backend, option) = name.split_once('.')?;
        Self::all().find(|known| {
            known.backend.eq_ignore_ascii_case(backend) && known.option.name.eq_ignore_ascii_case(option)
        })
    }
}

impl fmt::Display for ModuleOption {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{}", self.backend, self.option.name)
    }
}

/// What is wrong with a token of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionFault {
    /// It is not an option.
    Stray(String),
    /// There is no such option.
    Unknown(String),
    /// It cannot be read.
    Malformed(String),
}

impl OptionFault {
    /// The message for the user.
    pub fn sentence(&self) -> &str {
        let (Self::Stray(text) | Self::Unknown(text) | Self::Malformed(text)) = self;
        text
    }
}

/// The identity of an option, with its value as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionInput<I: 'static> {
    /// A flag, with the number that follows `=`.
    Flag(&'static OptionRow<I>, Option<String>),
    /// An option with its value, or a flag given as a directive. `None` where the command line ends first.
    Value(&'static OptionRow<I>, Option<String>),
    /// A retired option with its value; 1 for a letter without one.
    Retired(&'static RetiredOption<I>, Option<String>),
    /// An option of a backend with its value.
    Module(ModuleOption, Option<String>),
    /// A wrong token.
    Fault(OptionFault),
}

/// One option as a command line gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionOccurrence<I: 'static> {
    /// The option as typed, without its value.
    pub name: String,
    /// The place of its token, from 0.
    pub at: usize,
    /// The place of the token that is its value, where this is not in the same token.
    pub value_at: Option<usize>,
    /// Whether it is a directive in a list after `-O`.
    pub is_listed: bool,
    /// The option's identity and value.
    pub input: OptionInput<I>,
}

impl<I: Copy + 'static> OptionOccurrence<I> {
    /// The option of the program, also if it has another name now. `None` for one of a backend.
    pub fn option(&self) -> Option<I> {
        match &self.input {
            OptionInput::Flag(row, _) | OptionInput::Value(row, _) => Some(row.id),
            OptionInput::Retired(was, _) => match was.successor {
                // A switch that is off changes nothing.
                Successor::Option(_, Some(_))
                    if self.text().is_some_and(|text| parse_number(text) == Ok(0)) =>
                {
                    None
                }
                Successor::Option(option, _) => Some(option),
                _ => None,
            },
            OptionInput::Module(..) | OptionInput::Fault(_) => None,
        }
    }

    /// Its value as text, where it has one.
    pub fn text(&self) -> Option<&str> {
        match &self.input {
            OptionInput::Flag(_, text)
            | OptionInput::Value(_, text)
            | OptionInput::Retired(_, text)
            | OptionInput::Module(_, text) => text.as_deref(),
            OptionInput::Fault(_) => None,
        }
    }

    /// The same with 1 as its number; `None` if it is no flag.
    pub(super) fn switched_on(&self) -> Option<Self> {
        let on = || Some("1".to_owned());
        let input = match self.input {
            OptionInput::Flag(row, _) => OptionInput::Flag(row, on()),
            OptionInput::Value(row, _) if row.kind == OptionKind::Flag => OptionInput::Value(row, on()),
            OptionInput::Retired(was, _) if !was.takes_value => OptionInput::Retired(was, on()),
            OptionInput::Module(known, _) if known.option.kind == OptionKind::Flag => {
                OptionInput::Module(known, on())
            }
            _ => return None,
        };
        Some(Self { input, name: self.name.clone(), ..*self })
    }

    /// The message `text`, prefixed with the option that contains this one.
    pub fn usage(&self, text: impl Into<String>) -> Usage {
        let text = text.into();
        Usage(if self.is_listed { format!("-O {text}") } else { text })
    }

    /// The message that rejects its value.
    pub fn rejected(&self, why: &str) -> Usage {
        match (&self.input, self.text()) {
            (OptionInput::Value(..), Some(text)) => self.usage(format!("{} {text}: {why}", self.name)),
            _ => self.usage(format!("{}: {why}", self.name)),
        }
    }

    /// Whether it takes a value and the command line ends before the value.
    pub fn ends_the_line(&self) -> bool {
        let takes_value = !matches!(self.input, OptionInput::Flag(..) | OptionInput::Fault(_));
        takes_value && self.text().is_none()
    }

    /// Whether it takes a value, and `words` end before the value or have an option in its place.
    pub(crate) fn lacks_value(&self, words: &[String]) -> bool {
        // Options of backends are read without knowing which of them take a value.
        let takes_value = matches!(self.input, OptionInput::Value(..) | OptionInput::Retired(..));
        takes_value && (self.ends_the_line() || self.value_at.is_some_and(|at| !is_value(&words[at])))
    }

    /// Its text, or the message that the value is missing. `about` describes the value.
    fn wanted(&self, about: &str) -> Result<&str, Usage> {
        let text = self.text().filter(|text| !text.is_empty());
        text.ok_or_else(|| self.usage(format!("{} takes a value: {about}", self.name)))
    }

    fn number(&self, text: &str) -> Result<i64, Usage> {
        parse_number(text).map_err(|why| self.usage(format!("{}: {why}", self.name)))
    }

    fn size(&self, text: &str) -> Result<i64, Usage> {
        match self.number(text)? {
            negative @ ..0 => Err(self.usage(format!("{} {text}: {negative} is negative", self.name))),
            size => Ok(size),
        }
    }

    /// The value of a current option, parsed as its kind requires.
    pub fn value(&self) -> Result<OptionValue<'_>, Usage> {
        let flag = |text: &str| Ok(OptionValue::Flag(Some(self.number(text)?.max(0) as u64)));
        match &self.input {
            OptionInput::Flag(_, None) => Ok(OptionValue::Flag(None)),
            OptionInput::Flag(_, Some(text)) => flag(text),
            OptionInput::Value(row, _) => {
                let text = self.wanted(row.about)?;
                match row.kind {
                    OptionKind::Flag => flag(text),
                    OptionKind::Number => self.number(text).map(OptionValue::Number),
                    OptionKind::Size => self.size(text).map(OptionValue::Number),
                    OptionKind::Text | OptionKind::Directives => Ok(OptionValue::Text(text)),
                }
            }
            _ => Ok(OptionValue::Text(self.text().unwrap_or_default())),
        }
    }

    /// The value of a backend's option as text, and whether it requests something.
    pub fn module_value(&self, option: &BackendOption) -> Result<(String, bool), Usage> {
        let text = self.wanted(option.about)?;
        let number = match option.kind {
            OptionKind::Text | OptionKind::Directives => return Ok((text.to_owned(), true)),
            OptionKind::Size => self.size(text)?,
            OptionKind::Flag | OptionKind::Number => self.number(text)?,
        };
        Ok((number.to_string(), number != 0))
    }
}

/// Reads a number as the classic programs do (IOR 4.1, mdtest 4.1).
///
/// It is a whole number with an optional suffix `k m g t p` (powers of 1024, either case). The suffix may be
/// followed by `ib`, `iB`, `b` or `B`.
pub fn parse_number(text: &str) -> Result<i64, String> {
    let trimmed = text.trim_start();
    let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '-' && c != '+').unwrap_or(trimmed.len());
    let (digits, suffix) = trimmed.split_at(end);
    let outside = |what: &str, limit: &str| format!("`{text}` is too {what}. The limit is {limit}.");
    let number: i64 = digits.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => outside("large", "2^63"),
        IntErrorKind::NegOverflow => outside("small", "-2^63"),
        _ => format!("`{text}` is not a whole number, such as 4096, 4k or 16m"),
    })?;
    let unknown = || format!("unknown size suffix `{suffix}` in `{text}`. Use k, m, g, t or p.");
    let mut letters = suffix.chars();
    let power = match letters.next().map(|letter| letter.to_ascii_lowercase()) {
        None => 0,
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some('p') => 5,
        Some('.') => {
            return Err(format!("`{text}` is a fraction. Write a whole number in the next smaller unit."));
        }
        Some(_) => return Err(unknown()),
    };
    if !matches!(letters.as_str().to_ascii_lowercase().as_str(), "" | "b" | "ib") {
        return Err(unknown());
    }
    number.checked_mul(1 << (10 * power)).ok_or_else(|| match number {
        ..0 => outside("small", "-2^63"),
        _ => outside("large", "2^63"),
    })
}

/// A size as the classic programs write it; `None` for any other text.
///
/// It has digits and one of `k m g t p` (powers of 1024), with or without `b` or `ib` after it.
pub fn size(text: &str) -> Option<u64> {
    parse_number(text).ok()?.try_into().ok()
}

/// Whether an argument can be a value. An option cannot, but a negative number can.
fn is_value(word: &str) -> bool {
    match word.strip_prefix('-') {
        Some(rest) => rest.starts_with(|c: char| c.is_ascii_digit()) && rest.parse::<f64>().is_ok(),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_1024_and_other_texts_are_not_guessed() {
        assert_eq!(size("4k"), Some(4096));
        assert_eq!(size("1GiB"), Some(1 << 30));
        assert_eq!((size("${SMALLEST}"), size("1x"), size("")), (None, None, None));
    }

    #[test]
    fn sizes_are_read_in_powers_of_1024_in_any_case() {
        assert_eq!(parse_number("4k"), Ok(4096));
        assert_eq!(parse_number("8G"), Ok(8 << 30));
        assert_eq!(parse_number("1p"), Ok(1 << 50));
        assert_eq!(parse_number("1mib"), Ok(1 << 20));
        assert_eq!(parse_number("1MB"), Ok(1 << 20));
        assert_eq!(parse_number("-3"), Ok(-3));
        for wrong in ["", "x", "1.5m", "8q", "4kk", "99999999999999p"] {
            assert!(parse_number(wrong).is_err(), "{wrong}");
        }
        for (wrong, why) in [
            ("99999999999999999999", "too large"),
            ("99999999999999p", "too large"),
            ("-99999999999999999999", "too small"),
            ("-99999999999999p", "too small"),
            ("99999999999999999999k", "too large"),
        ] {
            assert!(parse_number(wrong).unwrap_err().contains(why), "{wrong}");
        }
        assert!(parse_number("8q").unwrap_err().starts_with("unknown size suffix `q` in `8q`"));
    }
}
