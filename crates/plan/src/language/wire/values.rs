//! Values that a plan may write in several forms: numbers as `4`, or `"4"` where a parameter stands for it;
//! numbers of nodes, or a rule for them; one criterion or several.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};

use super::{CriterionKeys, NodesRule};
use crate::model::Stripes;

/// A number, or a text in its place. Bare numbers are read also where a unit is needed, so that the refusal
/// can say more than "expected a string".
#[derive(Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum PlainValue {
    Text(String),
    Whole(i64),
    Decimal(f64),
}

impl fmt::Display for PlainValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text),
            Self::Whole(number) => write!(out, "{number}"),
            Self::Decimal(number) => write!(out, "{number}"),
        }
    }
}

/// The text, or the whole number as text.
fn text_of<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match PlainValue::deserialize(deserializer)? {
        PlainValue::Decimal(number) => Err(D::Error::invalid_type(Unexpected::Float(number), &WHOLE)),
        other => Ok(other.to_string().trim().to_owned()),
    }
}

/// What is wanted there.
const WHOLE: &str = "a whole number";

fn count<E: Error>(text: &str) -> Result<Count, E> {
    text.parse().map(Count).map_err(|_| E::invalid_value(Unexpected::Str(text), &WHOLE))
}

/// A whole number, or nothing where this word stands in its place.
fn count_or<'de, D: Deserializer<'de>>(word: &str, deserializer: D) -> Result<Option<Count>, D::Error> {
    let text = text_of(deserializer)?;
    if text == word { Ok(None) } else { count(&text).map(Some) }
}

/// A whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count(pub(crate) u64);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        count(&text_of(deserializer)?)
    }
}

/// A whole number, or `""` for one that is not known at a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountOrNone(pub(crate) Option<Count>);

impl<'de> Deserialize<'de> for CountOrNone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        count_or("", deserializer).map(Self)
    }
}

/// `1`, `"1"` or `"all"`.
impl<'de> Deserialize<'de> for Stripes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(count_or("all", deserializer)?.map_or(Self::All, |count| Self::Count(count.0)))
    }
}

/// A number of nodes, or a rule for it.
#[derive(Clone, Debug)]
pub(crate) enum NodesValue {
    /// `12`, `"12"` or `"90%"`.
    One(String),
    /// One after the other.
    Steps(Vec<String>),
    /// One after the other as long as each gains so much; then as many as gained last.
    Search(Vec<String>, String),
}

/// `12`, `"12"` or `"90%"`.
#[derive(Clone, Debug)]
pub(crate) struct NodeCount(pub(crate) String);

impl<'de> Deserialize<'de> for NodeCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_of(deserializer).map(Self)
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

/// One criterion or an array of them.
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
