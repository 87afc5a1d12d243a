//! Why something was decided or reported: a stable code, and the data of the case.
//!
//! Verdicts, warnings, notes, findings and rejections have reasons. `report::sentences` makes the sentences
//! for readers. Programs compare codes and data, never sentences.
//!
//! Invariant: a released code keeps its meaning.
//! Never here: English for readers of reports.

mod code;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use units::{Dimension, Quantity};

pub use code::Code;

/// A code and the data of one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Reason {
    /// What was found.
    pub code: Code,
    /// The data, by name. docs/reference/reasons.md lists the names for each code.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, Datum>,
}

/// One piece of data of a reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Datum {
    /// Yes or no.
    Flag(bool),
    /// How many.
    Count(i64),
    /// A number without a unit.
    Number(f64),
    /// A name, a path, a metric or a user's input.
    Text(String),
    /// Several data.
    List(Vec<Datum>),
    /// A number with the symbol of its base unit ([`Dimension::unit`]).
    Quantity {
        /// In the base unit.
        value: f64,
        /// Symbol of the base unit: `B`, `B/s`, `/s`, `s`, `1` for a share, empty for a count.
        unit: String,
    },
    /// Another reason, such as why a test that this one depends on is INVALID.
    Reason(Box<Reason>),
}

impl Reason {
    /// A reason without data.
    pub fn new(code: Code) -> Self {
        Self { code, data: BTreeMap::new() }
    }

    /// The same reason with one more datum.
    #[must_use]
    pub fn with(mut self, name: &str, datum: impl Into<Datum>) -> Self {
        self.data.insert(name.to_owned(), datum.into());
        self
    }

    /// The same reason with one more datum, if it is `Some`.
    #[must_use]
    pub fn with_some(self, name: &str, datum: Option<impl Into<Datum>>) -> Self {
        match datum {
            Some(datum) => self.with(name, datum),
            None => self,
        }
    }

    /// The datum called `name`.
    pub fn get(&self, name: &str) -> Option<&Datum> {
        self.data.get(name)
    }

    /// The text called `name`; `None` if it is missing or not a text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Datum::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The reason called `name`; `None` if it is missing or not a reason.
    pub fn reason(&self, name: &str) -> Option<&Self> {
        match self.get(name)? {
            Datum::Reason(reason) => Some(reason),
            _ => None,
        }
    }

    /// Whether the flag called `name` is set.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Datum::Flag(true)))
    }

    /// The number called `name`, in its base unit; `None` if it is missing or not a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Datum::Count(count) => Some(*count as f64),
            Datum::Number(value) | Datum::Quantity { value, .. } => Some(*value),
            _ => None,
        }
    }
}

/// For places without sentences, such as the error stream of a job: the code, and the data in parentheses.
impl std::fmt::Display for Reason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.code)?;
        let mut between = " (";
        for (name, datum) in &self.data {
            write!(out, "{between}{name} {datum}")?;
            between = ", ";
        }
        out.write_str(if self.data.is_empty() { "" } else { ")" })
    }
}

impl std::fmt::Display for Datum {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Flag(flag) => flag.fmt(out),
            Self::Count(count) => count.fmt(out),
            Self::Number(number) => number.fmt(out),
            Self::Text(text) => out.write_str(text),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::to_string).collect();
                out.write_str(&items.join(" "))
            }
            Self::Quantity { value, unit } => write!(out, "{value} {unit}"),
            Self::Reason(reason) => reason.fmt(out),
        }
    }
}

impl Datum {
    /// A share of a whole, 1.0 for all of it.
    pub fn share(value: f64) -> Self {
        Self::of(value, Dimension::Fraction)
    }

    /// Bytes.
    pub fn bytes(value: f64) -> Self {
        Self::of(value, Dimension::Bytes)
    }

    /// Bytes per second.
    pub fn rate(value: f64) -> Self {
        Self::of(value, Dimension::BytesPerSecond)
    }

    /// Seconds.
    pub fn seconds(value: f64) -> Self {
        Self::of(value, Dimension::Seconds)
    }

    /// A value in the base unit of `dimension`.
    pub fn of(value: f64, dimension: Dimension) -> Self {
        Quantity { value, dimension }.into()
    }

    /// A list.
    pub fn list<T: Into<Self>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl From<bool> for Datum {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<f64> for Datum {
    /// JSON has no infinite numbers, so they become texts.
    fn from(number: f64) -> Self {
        if number.is_finite() { Self::Number(number) } else { Self::Text(number.to_string()) }
    }
}

impl From<&str> for Datum {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Datum {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Datum {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<Quantity> for Datum {
    /// JSON has no infinite numbers, so they become texts.
    fn from(quantity: Quantity) -> Self {
        match quantity.value.is_finite() {
            true => Self::Quantity { value: quantity.value, unit: quantity.dimension.unit().to_owned() },
            false => Self::Text(quantity.value.to_string()),
        }
    }
}

impl From<Reason> for Datum {
    fn from(reason: Reason) -> Self {
        Self::Reason(Box::new(reason))
    }
}

impl From<i64> for Datum {
    fn from(count: i64) -> Self {
        Self::Count(count)
    }
}

impl From<u32> for Datum {
    fn from(count: u32) -> Self {
        Self::Count(count.into())
    }
}

impl From<u64> for Datum {
    /// Counts of 2⁶³ and more become 2⁶³ − 1.
    fn from(count: u64) -> Self {
        Self::Count(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Datum {
    fn from(count: usize) -> Self {
        Self::from(count as u64)
    }
}

impl<T: Into<Datum>> From<Vec<T>> for Datum {
    fn from(items: Vec<T>) -> Self {
        Self::list(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_the_same_after_writing_and_reading() {
        let cause = Reason::new(Code::NoneRan).with("test", "W");
        let reason = Reason::new(Code::ThresholdNotMet)
            .with("count", 3_u32)
            .with("number", 3.0)
            .with("mean", Datum::rate(1e9))
            .with("flag", true)
            .with("jobs", vec!["a", "b"])
            .with("cause", cause)
            .with("none", f64::INFINITY)
            .with("no_rate", Datum::rate(f64::NAN));
        let text = serde_json::to_string(&reason).unwrap();
        assert_eq!(serde_json::from_str::<Reason>(&text).unwrap(), reason, "{text}");
        assert!(text.starts_with("{\"code\":\"threshold-not-met\",\"data\":{\"cause\":{\"code\":"), "{text}");
    }

    #[test]
    fn an_unknown_code_is_an_error_that_names_it() {
        let error = serde_json::from_str::<Reason>("{\"code\":\"no-such\"}").unwrap_err();
        assert!(error.to_string().contains("no-such"), "{error}");
    }

    #[test]
    fn codes_are_unique_lower_case_words_and_each_has_a_meaning() {
        let ids: std::collections::BTreeSet<&str> = Code::ALL.iter().map(|code| code.id()).collect();
        assert_eq!(ids.len(), Code::ALL.len());
        for code in Code::ALL {
            let id = code.id();
            assert!(id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{id}");
            assert!(code.meaning().ends_with('.'), "{id}: {}", code.meaning());
            assert_eq!(Code::named(id), Some(*code));
        }
    }
}
