//! Why something was decided or reported: a stable code, and the data of the case.
//!
//! Verdicts, warnings, notes, findings and rejections have reasons. A reason is one row of `table.rs`, and
//! [`reason!`](crate::reason!) makes one from the fields of its row. A name that is not a field of the row, a
//! value of another kind, and a field that every template misses do not compile. `report::sentences` fills
//! the templates. Programs compare codes and data, never sentences.
//!
//! A macro with names of fields was chosen over a type of builder for each reason. All reasons stay one type,
//! so no function has to convert them. The compiler also knows the fields of each place together.
//!
//! Invariant: a released code keeps its meaning.
//! Never here: how data is written for readers.

mod code;
mod field;
mod table;
pub mod template;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use units::{Dimension, Quantity};

pub use crate::reason;
pub use code::{LintRow, Row};
use field::ANY;
pub use field::{Cause, Field, Flag, Kind, Text, Value, any};
pub use table::{Code, row};

/// A reason from the fields of its row: `reason!(SlowRank { phase: &phase.phase, rank, node, share })`.
///
/// It does not compile if no template of the row has all its data. `..` at the end permits this, for a reason
/// that gets more data later, and `..reason` adds to one. A value that is `None` sets nothing.
///
/// A misspelt field, and a missing one:
///
/// ```compile_fail,E0599
/// let _ = results::reason!(CovHigh { n: 3_u32, cov: 0.2, cov_mx: 0.1 });
/// ```
/// ```compile_fail,E0080
/// let _ = results::reason!(CovHigh { n: 3_u32, cov: 0.2 });
/// ```
#[macro_export]
macro_rules! reason {
    (@datum $field:ident) => { $field };
    (@datum $field:ident $datum:expr) => { $datum };
    ($row:ident) => { $crate::reason!($row {}) };
    ($row:ident { $($field:ident $(: $datum:expr)?),* $(,)? }) => {{
        const { $crate::reason::row::$row::ROW.require(&[$(stringify!($field)),*]) };
        $crate::reason!($row { $($field $(: $datum)?,)* .. })
    }};
    ($row:ident { $($field:ident $(: $datum:expr)?,)* .. }) => {
        $crate::reason!($row {
            $($field $(: $datum)?,)* ..$crate::reason::Reason::new($crate::reason::Code::$row)
        })
    };
    ($row:ident { $($field:ident $(: $datum:expr)?,)* ..$reason:expr }) => {
        $reason$(.with($crate::reason::row::$row::$field, $crate::reason!(@datum $field $($datum)?)))*
    };
}

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

impl Code {
    /// Whether it states that a quota was not kept, which is a fault of the storage system.
    pub fn is_quota_fault(self) -> bool {
        matches!(
            self,
            Self::QuotaNotEnforced | Self::QuotaNotShown | Self::QuotaNotFreed | Self::OthersRejected
        )
    }
}

impl Reason {
    /// A reason without data.
    pub fn new(code: Code) -> Self {
        Self { code, data: BTreeMap::new() }
    }

    /// The same reason with one more datum, unless it is `None`.
    #[must_use]
    pub fn with<K>(mut self, field: Field<K>, value: impl Value<K>) -> Self {
        let Some(datum) = value.datum() else { return self };
        debug_assert!(
            self.code.row().fields.contains(&field.name) || ANY.contains(&field.name),
            "{} has no field {}",
            self.code,
            field.name
        );
        self.data.insert(field.name.to_owned(), datum);
        self
    }

    /// The datum of a field; `None` if it is missing or of another kind.
    pub fn get<K: Kind>(&self, field: Field<K>) -> Option<K::Read<'_>> {
        K::read(self.data.get(field.name)?)
    }

    /// Whether a flag is set.
    pub fn flag(&self, field: Field<Flag>) -> bool {
        self.get(field) == Some(true)
    }

    /// Whether there is a datum of the field.
    pub fn has<K>(&self, field: Field<K>) -> bool {
        self.data.contains_key(field.name)
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
        let cause = reason!(RepetitionTwice { repetition: 2_u32, folders: vec!["a", "b"], .. });
        let reason = reason!(ReferenceUnusable { metric: "write.bw", test: "W", cause })
            .with(any::p, 3.0)
            .with(any::lag_one, f64::INFINITY)
            .with(any::limit_independent, Datum::rate(1e9))
            .with(any::measured, reason!(CachedRead { share: f64::NAN, dropped: true }));
        let text = serde_json::to_string(&reason).unwrap();
        assert_eq!(serde_json::from_str::<Reason>(&text).unwrap(), reason, "{text}");
        assert!(
            text.starts_with("{\"code\":\"reference-unusable\",\"data\":{\"cause\":{\"code\":"),
            "{text}"
        );
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
