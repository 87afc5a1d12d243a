//! Values that a plan may write in several forms: numbers as `4`, or as `"4"` for a parameter; numbers of
//! nodes, or a rule for them; one criterion or several.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use super::{CriterionKeys, NodesRule};
use crate::model::Stripes;

const WHOLE: &str = "a whole number";

/// Accepts a whole number or a text, and lets `read` parse it as text.
struct PlainVisitor<F> {
    expected: &'static str,
    read: F,
}

impl<T, F: Fn(&str) -> Option<T>> Visitor<'_> for PlainVisitor<F> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.expected)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        (self.read)(&number.to_string()).ok_or_else(|| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.read)(text.trim()).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// A whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u64);

fn count(text: &str) -> Option<Count> {
    text.parse().ok().map(Count)
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PlainVisitor { expected: WHOLE, read: count })
    }
}

/// A whole number, or `""` for one that is unknown at a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountOrNone(pub(crate) Option<Count>);

impl<'de> Deserialize<'de> for CountOrNone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let known = |text: &str| if text.is_empty() { Some(None) } else { count(text).map(Some) };
        deserializer.deserialize_any(PlainVisitor { expected: WHOLE, read: known }).map(Self)
    }
}

/// `1`, `"1"` or `"all"`.
impl<'de> Deserialize<'de> for Stripes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| match text {
            "all" => Some(Self::All),
            text => count(text).map(|count| Self::Count(count.0)),
        };
        deserializer.deserialize_any(PlainVisitor { expected: "a whole number, or \"all\"", read })
    }
}

/// A number of nodes, or a rule for it.
#[derive(Clone, Debug)]
pub(crate) enum NodesValue {
    /// `12`, `"12"` or `"90%"`.
    One(String),
    /// A test at each number.
    Steps(Vec<String>),
    /// One number after the other as long as each gains this much; then the last one that gained.
    Search(Vec<String>, String),
}

/// `12`, `"12"` or `"90%"`.
#[derive(Clone, Debug)]
pub(crate) struct NodeCount(pub(crate) String);

impl<'de> Deserialize<'de> for NodeCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |text: &str| Some(text.to_owned());
        let expected = "a number of nodes such as 12 or \"90%\"";
        deserializer.deserialize_any(PlainVisitor { expected, read }).map(Self)
    }
}

impl<'de> Deserialize<'de> for NodesValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodesVisitor)
    }
}

struct NodesVisitor;

impl<'de> Visitor<'de> for NodesVisitor {
    type Value = NodesValue;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "a number of nodes such as 12 or \"90%\", { steps = [\"50%\", \"100%\"] } or \
             { search = [2, 4, 8], gain = \"3 %\" }",
        )
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<NodesValue, E> {
        Ok(NodesValue::One(number.to_string()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<NodesValue, E> {
        Ok(NodesValue::One(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NodesValue, A::Error> {
        let words = |all: Vec<NodeCount>| all.into_iter().map(|count| count.0).collect();
        match NodesRule::deserialize(MapAccessDeserializer::new(map))? {
            NodesRule { steps: Some(steps), search: None, gain: None } => Ok(NodesValue::Steps(words(steps))),
            NodesRule { steps: None, search: Some(search), gain: Some(gain) } => {
                Ok(NodesValue::Search(words(search), gain))
            }
            _ => Err(A::Error::custom(
                "write { steps = [\"50%\", \"100%\"] } or { search = [2, 4, 8], gain = \"3 %\" }",
            )),
        }
    }
}

/// A criterion's value. A bare number is read so that its rejection can name the missing unit.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum CriterionValue {
    Text(String),
    Whole(i64),
    Decimal(f64),
}

impl fmt::Display for CriterionValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text),
            Self::Whole(number) => write!(out, "{number}"),
            Self::Decimal(number) => write!(out, "{number}"),
        }
    }
}

/// One criterion or an array of criteria.
#[derive(Clone, Default)]
pub(crate) struct Criteria(pub(crate) Vec<CriterionKeys>);

impl<'de> Deserialize<'de> for Criteria {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMore)
    }
}

struct OneOrMore;

impl<'de> Visitor<'de> for OneOrMore {
    type Value = Criteria;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(
            "a criterion such as { metric = \"write.bw\", op = \">=\", value = \"3.0 GB/s\" }, or \
             several in [ ]",
        )
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Criteria, A::Error> {
        CriterionKeys::deserialize(MapAccessDeserializer::new(map)).map(|one| Criteria(vec![one]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Criteria, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = seq.next_element()? {
            all.push(one);
        }
        Ok(Criteria(all))
    }
}
